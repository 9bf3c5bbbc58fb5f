use mongo_model::{Database, Id, MongoEmbed, MongoModel};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, MongoEmbed)]
pub struct Address {
    #[index(unique)]
    pub line: String,
}

#[derive(Serialize, Deserialize, MongoModel)]
#[model(
    collection = "users",
    index(keys(team, number), unique),
    index(keys(team, name), unique, partial(active = true)),
    index(keys(nick), unique, collation(locale = "en", strength = 2))
)]
pub struct User {
    #[serde(rename = "_id")]
    pub id: Id<User>,
    #[index]
    pub name: String,
    pub team: i32,
    pub number: i32,
    pub active: bool,
    pub nick: String,
    pub address: Address,
    pub visits: i64,
}

fn several(db: &Database, user: &User) {
    let _ = User::upsert(db, user).on_key(|u| u.name);
    let _ = User::upsert(db, user).on_key(|u| u.number);
    let _ = User::upsert(db, user).on_key(|u| (u.number, u.team));
    let _ = User::upsert(db, user).on_key(|u| (u.team, u.name));
    let _ = User::upsert(db, user).on_key(|u| u.nick);
    let _ = User::upsert(db, user).on_key(|u| u.address.line);
}

fn main() {}
