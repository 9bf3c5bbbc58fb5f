// Names that differ, one name in two variants, and an alias of an old name.

use mongo_model::{Id, MongoEmbed, MongoModel};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, MongoEmbed)]
#[serde(tag = "kind")]
pub enum Block {
    Text {
        value: String,
    },
    Number {
        value: i64,
    },
}

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "people")]
pub struct Person {
    #[serde(rename = "_id")]
    pub id: Id<Person>,
    #[serde(alias = "firstName")]
    pub first_name: String,
    #[serde(rename = "name")]
    pub last_name: String,
}

pub fn main() {}
