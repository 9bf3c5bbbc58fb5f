//! Upserts by keys of unique indexes that name one document.

use mongo_model::{Database, Id, MongoModel};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "users", index(keys(team, -number, r#type), unique))]
pub struct User {
    #[serde(rename = "_id")]
    id: Id<User>,
    #[index(unique)]
    #[index(desc, unique, name = "again")]
    #[serde(rename = "mail")]
    email: String,
    team: i32,
    number: i32,
    r#type: i32,
    visits: i64,
}

fn calls(db: &Database, user: &User) {
    let _ = User::upsert(db, user).on_key(|u| u.email);
    let _ = User::upsert(db, user)
        .inc(|u| u.visits, 1)
        .on_key(|u| (u.team, u.number, u.r#type));
}

pub fn main() {
    let _ = calls;
}
