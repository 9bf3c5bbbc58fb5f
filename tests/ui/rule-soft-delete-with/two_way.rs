// Both sides of a reference.

use mongo_model::{Id, MongoModel};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "teams")]
pub struct Team {
    #[serde(rename = "_id")]
    pub id: Id<Team>,
    #[refs(User, inverse = team, max = 10)]
    pub users: Vec<Id<User>>,
}

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "users", soft_delete)]
pub struct User {
    #[serde(rename = "_id")]
    pub id: Id<User>,
    #[parent(Team, inverse = users)]
    pub team: Id<Team>,
    #[deleted]
    pub deleted_at: Option<bson::DateTime>,
}

fn main() {}
