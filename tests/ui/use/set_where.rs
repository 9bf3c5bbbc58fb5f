// A reference inside an element of an array, whose copy would not follow; and a field inside an array of an element.

use mongo_model::{Database, Id, MongoEmbed, MongoModel};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "users")]
pub struct User {
    #[serde(rename = "_id")]
    pub id: Id<User>,
    pub name: String,
}

#[derive(Serialize, Deserialize, MongoEmbed)]
pub struct Line {
    pub text: String,
}

#[derive(Serialize, Deserialize, MongoEmbed)]
pub struct Role {
    #[parent(User)]
    pub user: Id<User>,
    #[denorm(from = User, field = name)]
    pub user_name: String,
    pub title: String,
    #[embed(max = 2)]
    pub lines: Vec<Line>,
}

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "teams")]
pub struct Team {
    #[serde(rename = "_id")]
    pub id: Id<Team>,
    #[embed(max = 5)]
    pub roles: Vec<Role>,
}

fn change(db: &Database, id: Id<Team>, user: Id<User>) {
    let _ = Team::update(db, id).set_where(|t| t.roles, |r| r.user.eq(user), |r| r.title, "admin");
    let _ = Team::update(db, id).set_where(|t| t.roles, |r| r.title.eq("admin"), |r| r.user, user);
    let _ = Team::update(db, id).set_where(|t| t.roles, |r| r.user.eq(user), |r| r.user_name, "Kate");
    let _ = Team::update(db, id).set_where(|t| t.roles, |r| r.user.eq(user), |r| r.lines.text, "x");
    let _ = Team::update(db, id).inc_where(|t| t.roles, |r| r.user.eq(user), |r| r.title, 1);
}

fn main() {}
