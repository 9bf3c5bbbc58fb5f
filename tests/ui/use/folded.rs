// Comparisons without regard to case need an index with a collation.

use mongo_model::{Id, MongoModel};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "users")]
pub struct User {
    #[serde(rename = "_id")]
    pub id: Id<User>,
    #[index]
    pub name: String,
    #[index(collation(locale = "en", strength = 2))]
    pub email: String,
    pub visits: u64,
}

pub fn calls(db: &mongo_model::Database, users: &[User]) {
    let _ = User::find(db, |u| u.name.eq_ci("ann"));
    let _ = User::scan(db, |u| u.email.eq_ci("a@b.c").and(u.name.starts_with_ci("ann")));
    let _ = User::find(db, |u| u.name.eq("ann")).sort(|u| u.name.asc_ci());
    let _ = User::find(db, |u| u.visits.eq_ci(3));
    let _ = User::find(db, |u| u.email.eq("a@b.c"));
    let _ = users;
}

fn main() {}
