// Entries come and go with their other side; only their own fields are set.

use mongo_model::{Database, Id, MongoEmbed, MongoModel};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "users")]
pub struct User {
    #[serde(rename = "_id")]
    pub id: Id<User>,
    pub name: String,
    #[refs(Team, inverse = members)]
    pub teams: Vec<Id<Team>>,
}

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "teams")]
pub struct Team {
    #[serde(rename = "_id")]
    pub id: Id<Team>,
    #[refs(User, inverse = teams, max = 200)]
    pub members: Vec<Member>,
}

#[derive(Serialize, Deserialize, MongoEmbed)]
pub struct Member {
    #[parent(User)]
    pub user: Id<User>,
    pub role: String,
}

pub fn change(db: &Database, team: Id<Team>, user: Id<User>, member: Member) {
    let _ = Team::update(db, team).push(|t| t.members, member);
    let _ = Team::update(db, team).set(|t| t.members, Vec::new());
    let _ = Team::update(db, team).set_where(|t| t.members, |m| m.role.eq("a"), |m| m.user, user);
    let _ = Team::update(db, team).set_where(|t| t.members, |m| m.user.eq(user), |m| m.role, "a");
}

fn main() {}
