// An index with a collation does not serve a comparison letter for letter.

use mongo_model::{Id, MongoModel};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "users")]
pub struct User {
    #[serde(rename = "_id")]
    pub id: Id<User>,
    #[index(unique, collation(locale = "en", strength = 2))]
    pub name: String,
    pub visits: u64,
}

pub async fn calls(db: &mongo_model::Database, id: Id<User>) {
    let _ = User::find(db, |u| u.name.eq("ann"));
    let _ = User::update(db, id).inc(|u| u.visits, 1_u64);
}

fn main() {}
