// A variant of a model holds a document, and nothing on it is an attribute of ours.

use mongo_model::{MongoEmbed, MongoModel};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, MongoEmbed)]
pub struct Hourly {
    #[serde(rename = "_id")]
    pub id: i32,
}

#[derive(Serialize, Deserialize, MongoModel)]
#[serde(tag = "kind")]
#[model(collection = "employees")]
pub enum Employee {
    Hourly(Hourly),
    Named { id: i32, name: String },
    Other,
}

#[derive(Serialize, Deserialize, MongoModel)]
#[serde(tag = "kind")]
#[model(collection = "unknown")]
pub enum Unknown {
    #[serde(other)]
    Other,
}

#[derive(Serialize, Deserialize, MongoModel)]
#[serde(tag = "kind")]
#[model(collection = "nobody", common(name))]
pub enum Nobody {}

#[derive(Serialize, Deserialize, MongoModel)]
#[serde(tag = "kind")]
#[model(collection = "people", index(keys(name)))]
pub enum Person {
    Hourly(Hourly),
}

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "plain", common(name))]
pub struct Plain {
    #[serde(rename = "_id")]
    pub id: i32,
    pub name: String,
}

fn main() {}
