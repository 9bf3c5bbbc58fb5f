// Two fields of an entry refer to the users: one of them is the member.

use mongo_model::{Id, MongoEmbed, MongoModel};
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
    #[parent(User)]
    pub invited_by: Id<User>,
}

fn main() {}
