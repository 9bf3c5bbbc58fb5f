// Two arrays that name each other.

use mongo_model::{Id, MongoModel};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "teams")]
pub struct Team {
    #[serde(rename = "_id")]
    pub id: Id<Team>,
    #[refs(User, inverse = teams, max = 10)]
    pub users: Vec<Id<User>>,
}

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "users", soft_delete)]
pub struct User {
    #[serde(rename = "_id")]
    pub id: Id<User>,
    #[refs(Team, inverse = users, max = 10)]
    pub teams: Vec<Id<Team>>,
    #[refs(User, inverse = friends, max = 10)]
    pub friends: Vec<Id<User>>,
    #[deleted]
    pub deleted_at: Option<bson::DateTime>,
}

fn main() {}
