// Options beside `contains`, and without it.
use mongo_model::{Id, MongoModel};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "films")]
struct Film {
    #[serde(rename = "_id")]
    id: Id<Film>,
    #[index(contains, unique)]
    #[model(max_len = 80)]
    title: String,
    #[index(contains, min = 9)]
    #[model(max_len = 80)]
    name: String,
    #[index(min = 3)]
    code: String,
    #[index(contains = 3)]
    #[model(max_len = 80)]
    plot: String,
    #[index(contains)]
    #[index(contains, min = 2)]
    #[model(max_len = 80)]
    author: String,
}

fn main() {}
