// An `_id` that can be a document of operators, or of any type: references to it are no plain values.

use mongo_model::{Id, MongoModel, bson};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "shelves")]
pub struct Shelf {
    #[serde(rename = "_id")]
    pub id: bson::Bson,
}

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "rooms")]
pub struct Room {
    #[serde(rename = "_id")]
    pub id: Id<Room, bson::Document>,
}

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "books")]
pub struct Book {
    #[serde(rename = "_id")]
    pub id: Id<Book>,
    #[parent(Shelf)]
    pub shelf: Option<bson::Bson>,
    #[refs(Room, max = 5)]
    pub rooms: Vec<Id<Room, bson::Document>>,
}

fn main() {}
