// Texts that are found by their parts, with bounds of each kind, and with other indexes.

use mongo_model::{Id, MongoModel};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "films")]
pub struct Film {
    #[serde(rename = "_id")]
    pub id: Id<Film>,
    #[index(contains)]
    #[check(len = 1..=200)]
    pub title: String,
    #[index(contains, min = 2)]
    #[index(unique)]
    #[model(max_len = 80)]
    pub code: String,
    #[index(contains, min = 4)]
    #[model(max_len = 1000)]
    #[serde(default)]
    pub plot: Option<String>,
}

pub fn main() {
    let film = <Film as MongoModel>::meta();
    assert_eq!(film.name, "Film");
}
