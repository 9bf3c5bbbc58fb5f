// Rules of strings on strings: also optional ones, in arrays, in maps and in embedded documents.

use std::collections::BTreeMap;

use mongo_model::{Id, MongoEmbed, MongoModel};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, MongoEmbed)]
pub struct Address {
    #[check(url)]
    pub site: Option<String>,
}

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "people")]
pub struct Person {
    #[serde(rename = "_id")]
    pub id: Id<Person>,
    #[check(email, on = write)]
    pub email: String,
    #[check(each(pattern = "^[a-z]+$"), len = 1..)]
    #[embed(max = 5)]
    pub names: Vec<String>,
    #[check(keys(email), values(url))]
    #[embed(max = 5)]
    pub sites: BTreeMap<String, String>,
    #[check(one_of("low", "high"), not_empty)]
    pub level: String,
    #[check(one_of(1, 300))]
    pub small: u8,
    #[check(range = 255..)]
    pub largest: u8,
    #[check(range = ..1)]
    pub zero: u64,
    #[embed(max = 3)]
    pub addresses: Vec<Address>,
}

pub fn main() {}
