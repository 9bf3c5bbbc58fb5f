// Of a model, of an embedded document, of a generated entry.

use mongo_model::{Id, MongoEmbed, MongoModel, MongoProjection};
use serde::{Deserialize, Serialize};

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoEmbed)]
pub struct Address {
    pub city: String,
    pub zip: String,
}

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "people")]
pub struct Person {
    #[serde(rename = "_id")]
    pub id: Id<Person>,
    pub address: Option<Address>,
    #[embed(max = 3)]
    pub others: Vec<Address>,
}

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "visits")]
pub struct Visit {
    #[serde(rename = "_id")]
    pub id: Id<Visit>,
    #[parent(Person)]
    #[denorm(from = Person, field = address)]
    pub person: Visitor,
}

#[derive(Deserialize, MongoProjection)]
#[projection(of = Person)]
pub struct OfModel {
    #[serde(rename = "_id")]
    pub id: Id<Person>,
}

#[derive(Deserialize, MongoProjection)]
#[projection(of = Address)]
pub struct OfEmbedded {
    pub city: String,
}

#[derive(Deserialize, MongoProjection)]
#[projection(of = Visitor)]
pub struct OfEntry {
    pub id: Id<Person>,
}

pub fn main() {}
