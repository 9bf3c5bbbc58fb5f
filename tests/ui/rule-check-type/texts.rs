// Rules of strings stand on strings, and each message names a rule that fits the field.

use std::collections::BTreeMap;

use bson::DateTime;
use mongo_model::{Id, MongoEmbed, MongoModel};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, MongoEmbed)]
pub struct Address {
    #[check(url)]
    pub number: Option<i32>,
}

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "people")]
pub struct Person {
    #[serde(rename = "_id")]
    pub id: Id<Person>,
    #[check(email)]
    pub phone: i64,
    #[check(url)]
    pub public: bool,
    #[check(pattern = "^[a-z]+$")]
    #[embed(max = 5)]
    pub names: Vec<String>,
    #[check(each(email))]
    #[embed(max = 5)]
    pub visits: Vec<DateTime>,
    #[check(len = 3..=80)]
    pub height: f64,
    #[check(not_empty)]
    pub logins: Option<u32>,
    #[check(len = ..=1024)]
    #[model(max_len = 2048)]
    pub photo: bson::Binary,
    #[check(pattern = "^[0-9]+$")]
    pub balance: bson::Decimal128,
    #[check(one_of(1, 2))]
    pub state: String,
    #[check(one_of("low", "high"))]
    pub level: f64,
    #[check(pattern = "^[a-z]+$")]
    #[embed(max = 5)]
    pub words: BTreeMap<String, String>,
    #[check(len = 1..)]
    pub address: Address,
    #[check(email)]
    pub manager: Id<Person>,
}

fn main() {}
