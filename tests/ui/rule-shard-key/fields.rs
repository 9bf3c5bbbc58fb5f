// Shard keys by which calls could not name one shard.

use mongo_model::{Id, MongoModel};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "orders", shard_key(customer, hashed(id)))]
pub struct Order {
    #[serde(rename = "_id")]
    pub id: Id<Order>,
    pub customer: i64,
}

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "issues", tenant = org, shard_key(id, org))]
pub struct Issue {
    #[serde(rename = "_id")]
    pub id: Id<Issue>,
    pub org: i64,
}

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "tasks", tenant = org, shard_key(org))]
pub struct Task {
    #[serde(rename = "_id")]
    pub id: Id<Task>,
    pub org: i64,
}

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "notes", tenant = org, shard_key(hashed(org), id))]
pub struct Note {
    #[serde(rename = "_id")]
    pub id: Id<Note>,
    pub org: i64,
}

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "files", shard_key(id, id))]
pub struct File {
    #[serde(rename = "_id")]
    pub id: String,
}

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "visits", shard_key(_id))]
pub struct Visit {
    #[serde(rename = "_id")]
    pub id: Id<Visit>,
}

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "pages", tenant = org, shard_key(org, id))]
pub struct Page {
    #[serde(rename = "_id")]
    pub id: String,
    pub org: i64,
}

fn main() {}
