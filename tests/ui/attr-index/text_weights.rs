// Weights are numbers from 1 to 99999, of text keys.

use mongo_model::{Id, MongoModel};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "products", index(keys(text(title)), weights))]
pub struct Product {
    #[serde(rename = "_id")]
    pub id: Id<Product>,
    pub title: String,
}

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "posts", index(keys(text(title), text(body)), weights(title = 0, body = 2)))]
pub struct Post {
    #[serde(rename = "_id")]
    pub id: Id<Post>,
    pub title: String,
    pub body: String,
}

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "pages", index(keys(text(title)), weights(body = 2)))]
pub struct Page {
    #[serde(rename = "_id")]
    pub id: Id<Page>,
    pub title: String,
    pub body: String,
}

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "notes", index(keys(text(title), text(body)), weights(titel = 2)))]
pub struct Note {
    #[serde(rename = "_id")]
    pub id: Id<Note>,
    pub title: String,
    pub body: String,
}

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "words", index(keys(text(title)), weights(title = "ten")))]
pub struct Word {
    #[serde(rename = "_id")]
    pub id: Id<Word>,
    pub title: String,
}

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "lines", index(keys(text(title)), weights(title = 2, title = 3)))]
pub struct Line {
    #[serde(rename = "_id")]
    pub id: Id<Line>,
    pub title: String,
}

fn main() {}
