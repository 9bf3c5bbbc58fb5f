// Both sides hold entries, and the other side is one reference.

use mongo_model::{Id, MongoEmbed, MongoModel};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "users")]
pub struct User {
    #[serde(rename = "_id")]
    pub id: Id<User>,
    #[refs(Team, inverse = members)]
    pub teams: Vec<OfTeam>,
    #[parent(Team, inverse = leaders)]
    pub leads: Id<Team>,
}

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "teams")]
pub struct Team {
    #[serde(rename = "_id")]
    pub id: Id<Team>,
    #[refs(User, inverse = teams, max = 200)]
    pub members: Vec<OfUser>,
    #[refs(User, inverse = leads, max = 200)]
    pub leaders: Vec<OfUser>,
}

#[derive(Serialize, Deserialize, MongoEmbed)]
pub struct OfUser {
    #[parent(User)]
    pub user: Id<User>,
}

#[derive(Serialize, Deserialize, MongoEmbed)]
pub struct OfTeam {
    #[parent(Team)]
    pub team: Id<Team>,
}

fn main() {}
