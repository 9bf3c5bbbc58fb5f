// Three models that copy one field round.

use mongo_model::{Id, MongoModel};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "people")]
pub struct Person {
    #[serde(rename = "_id")]
    pub id: Id<Person>,
    #[parent(Team)]
    pub team: Id<Team>,
    #[denorm(from = Team, field = motto)]
    pub motto: String,
}

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "teams")]
pub struct Team {
    #[serde(rename = "_id")]
    pub id: Id<Team>,
    #[parent(Club)]
    pub club: Id<Club>,
    #[denorm(from = Club, field = words)]
    pub motto: String,
}

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "clubs")]
pub struct Club {
    #[serde(rename = "_id")]
    pub id: Id<Club>,
    #[parent(Person)]
    pub head: Id<Person>,
    #[denorm(from = Person, field = motto)]
    pub words: String,
}

fn main() {}
