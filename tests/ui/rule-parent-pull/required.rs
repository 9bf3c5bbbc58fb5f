// An embedded document that is always there cannot be removed.

use mongo_model::{Id, MongoEmbed, MongoModel};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "users")]
pub struct User {
    #[serde(rename = "_id")]
    pub id: Id<User>,
}

#[derive(Serialize, Deserialize, MongoEmbed)]
pub struct Member {
    #[parent(User, on_delete = pull)]
    pub user: Id<User>,
    pub role: String,
}

#[derive(Serialize, Deserialize, MongoEmbed)]
pub struct Office {
    pub head: Member,
    #[embed(max = 10)]
    pub others: Vec<Member>,
}

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "teams")]
pub struct Team {
    #[serde(rename = "_id")]
    pub id: Id<Team>,
    pub lead: Member,
    pub office: Office,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub annex: Option<Office>,
    #[serde(flatten)]
    pub contact: Member,
    pub pair: [Member; 2],
}

fn main() {}
