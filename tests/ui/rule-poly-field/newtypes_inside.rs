// Variants of an embedded enum that hold structs store references under one name: to different models, with different rules, and as
// something else.

use mongo_model::{MongoEmbed, MongoModel};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "people")]
pub struct Person {
    #[serde(rename = "_id")]
    pub id: i32,
}

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "firms")]
pub struct Firm {
    #[serde(rename = "_id")]
    pub id: i32,
}

#[derive(Serialize, Deserialize, MongoEmbed)]
pub struct Private {
    #[parent(Person, on_delete = cascade)]
    pub payer: i32,
}

#[derive(Serialize, Deserialize, MongoEmbed)]
pub struct Business {
    #[parent(Firm, on_delete = cascade)]
    #[serde(rename = "payer")]
    pub firm: i32,
}

#[derive(Serialize, Deserialize, MongoEmbed)]
pub struct Sponsored {
    #[parent(Person, on_delete = deny)]
    pub payer: i32,
}

#[derive(Serialize, Deserialize, MongoEmbed)]
#[serde(tag = "kind")]
pub enum Payer {
    Private(Private),
    Business(Business),
}

#[derive(Serialize, Deserialize, MongoEmbed)]
#[serde(tag = "kind")]
pub enum Donor {
    Private(Private),
    Sponsored(Sponsored),
}

#[derive(Serialize, Deserialize, MongoEmbed)]
#[serde(tag = "kind")]
pub enum Guest {
    Private(Private),
    Unknown { payer: i32 },
}

fn main() {}
