// Fields that follow from documents which no call with a tenant has asked for, and indexes that say what every index says.

use mongo_model::{Id, MongoModel};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "teams", tenant = org)]
pub struct Team {
    #[serde(rename = "_id")]
    pub id: Id<Team>,
    pub org: i64,
    #[count(Player)]
    pub players: i64,
}

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "players")]
pub struct Player {
    #[serde(rename = "_id")]
    pub id: Id<Player>,
}

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "tags", tenant = org)]
pub struct Tag {
    #[serde(rename = "_id")]
    pub id: Id<Tag>,
    pub org: i64,
    #[refs(Page, max = 5, inverse = tags)]
    pub pages: Vec<Id<Page>>,
}

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "pages")]
pub struct Page {
    #[serde(rename = "_id")]
    pub id: Id<Page>,
}

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "users", tenant = org, index(keys(org, name)))]
pub struct User {
    #[serde(rename = "_id")]
    pub id: Id<User>,
    #[index]
    pub org: i64,
    pub name: String,
    #[index(unique, sparse)]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub email: Option<String>,
}

fn main() {}
