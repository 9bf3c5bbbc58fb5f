// An alias inside and outside does not hide it.

use mongo_model::{Id, MongoModel};
use serde::{Deserialize, Serialize};

pub type Tags = Vec<String>;
pub type MaybeTags = Option<Vec<String>>;

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "posts")]
pub struct Post {
    #[serde(rename = "_id")]
    pub id: Id<Post>,
    #[embed(max = 20)]
    pub inside: Option<Tags>,
    #[embed(max = 20)]
    pub outside: MaybeTags,
}

fn main() {}
