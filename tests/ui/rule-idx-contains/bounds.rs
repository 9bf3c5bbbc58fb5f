// Texts without a bound, and with one that is too large.
use mongo_model::{Id, MongoModel};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "films")]
struct Film {
    #[serde(rename = "_id")]
    id: Id<Film>,
    #[index(contains)]
    title: String,
    #[index(contains, min = 2)]
    #[check(len = 3..)]
    name: String,
    #[index(contains)]
    #[model(max_len = 20_000)]
    plot: Option<String>,
}

fn main() {}
