// A broken embedded document: the models that embed, index and query it are quiet.

use mongo_model::{Id, MongoEmbed, MongoModel};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, MongoEmbed)]
pub struct Address {
    pub city: String,
    #[embed(mx = 20)]
    pub tags: Vec<String>,
}

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "people", index(keys(address.city)))]
pub struct Person {
    #[serde(rename = "_id")]
    pub id: Id<Person>,
    pub address: Address,
    #[embed(max = 20)]
    pub more: Vec<Address>,
}

pub async fn calls(db: &mongo_model::Database) {
    let _ = Person::find(db, |p| p.address.city.eq("Rome"));
    let _ = Person::scan(db, |p| p.more.any(|m| m.city.eq("Rome")));
    let _ = Person::update_many(db, |p| p.address.city.eq("Rome")).set(|p| p.address.city, "Roma");
}

fn main() {}
