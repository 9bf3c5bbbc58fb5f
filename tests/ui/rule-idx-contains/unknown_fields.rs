// A reader that refuses the field in which the parts are stored.
use mongo_model::{Id, MongoModel};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, MongoModel)]
#[serde(deny_unknown_fields)]
#[model(collection = "films")]
struct Film {
    #[serde(rename = "_id")]
    id: Id<Film>,
    #[index(contains)]
    #[model(max_len = 80)]
    title: String,
}

fn main() {}
