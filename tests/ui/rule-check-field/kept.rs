// A checked field is one that the program writes, in a form that the derive knows.

use mongo_model::{Id, MongoEmbed, MongoModel};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "authors")]
pub struct Author {
    #[serde(rename = "_id")]
    pub id: Id<Author>,
    pub name: String,
}

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "posts")]
pub struct Post {
    #[serde(rename = "_id")]
    pub id: Id<Post>,
    #[check(len = 1..)]
    #[refs(Author, max = 20)]
    pub authors: Vec<Id<Author>>,
    #[parent(Author)]
    pub author: Id<Author>,
    #[check(not_empty)]
    #[denorm(from = Author, field = name)]
    pub author_name: String,
    #[check(range = 0..)]
    #[version]
    pub version: i64,
    #[check(len = 1..=40)]
    #[serde(with = "text")]
    pub text: String,
    #[check(range = 1..)]
    #[serde(default, skip_serializing_if = "is_zero")]
    pub stars: i32,
}

#[derive(Serialize, Deserialize, MongoEmbed)]
pub struct Email(#[check(len = 3..)] pub String);

#[derive(Serialize, Deserialize, MongoEmbed)]
pub struct Priced<T> {
    #[check(range = 0..)]
    pub price: i64,
    pub what: T,
}

pub fn is_zero(n: &i32) -> bool {
    *n == 0
}

pub mod text {
    pub fn serialize<S: serde::Serializer>(text: &str, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(text)
    }

    pub fn deserialize<'de, D: serde::Deserializer<'de>>(deserializer: D) -> Result<String, D::Error> {
        serde::Deserialize::deserialize(deserializer)
    }
}

fn main() {}
