// Ways to write `queue` that mean nothing.

use mongo_model::{Id, MongoModel};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "a", queue())]
pub struct Empty {
    #[serde(rename = "_id")]
    pub id: Id<Empty>,
}

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "b", queue = urgency)]
pub struct Value {
    #[serde(rename = "_id")]
    pub id: Id<Value>,
    pub urgency: i32,
}

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "c", queue(urgency))]
pub struct Unknown {
    #[serde(rename = "_id")]
    pub id: Id<Unknown>,
    pub urgency: i32,
}

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "d", queue(max_attempts = 0))]
pub struct Never {
    #[serde(rename = "_id")]
    pub id: Id<Never>,
}

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "e", queue(priority = urgency, order = urgency))]
pub struct Twice {
    #[serde(rename = "_id")]
    pub id: Id<Twice>,
    pub urgency: i32,
}

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "f", queue)]
#[serde(deny_unknown_fields)]
pub struct Denying {
    #[serde(rename = "_id")]
    pub id: Id<Denying>,
}

fn main() {}
