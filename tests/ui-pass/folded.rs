// An index with a collation serves comparisons by it, one without serves the others.

use mongo_model::{Id, MongoModel};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "users")]
pub struct User {
    #[serde(rename = "_id")]
    pub id: Id<User>,
    #[index]
    #[index(collation(locale = "en", strength = 2), name = "name_ci")]
    pub name: String,
    #[index(collation(locale = "en", strength = 2))]
    pub email: Option<String>,
}

pub fn calls(db: &mongo_model::Database) {
    let _ = User::find(db, |u| u.name.eq("ann")).sort(|u| u.name.asc());
    let _ = User::find(db, |u| u.name.is_in_ci(["ann", "bob"])).sort(|u| u.name.desc_ci().then(u.id.asc()));
    let _ = User::find_one(db, |u| u.email.eq_ci("a@b.c"));
    let _ = User::count(db, |u| u.email.starts_with_ci("a"));
}

pub fn main() {}
