// An alias does not hide it.

use mongo_model::{Id, MongoModel};
use serde::{Deserialize, Serialize};

pub type Place = String;

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "shops")]
pub struct Shop {
    #[serde(rename = "_id")]
    pub id: Id<Shop>,
    #[index(geo)]
    pub place: Place,
}

fn main() {}
