// An id is no membership: the other side adds the entry.

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

pub fn add(db: &Database, user: Id<User>, team: Id<Team>) {
    let _ = User::add_team(db, user, team);
    let _ = User::replace_teams(db, user, [team]);
    let _ = User::remove_team(db, user, team);
}

fn main() {}
