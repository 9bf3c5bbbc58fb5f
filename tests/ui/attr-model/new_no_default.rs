use mongo_model::{Id, MongoEmbed, MongoModel};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, MongoEmbed)]
pub enum Color {
    Red,
    Blue,
}

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "teams")]
pub struct Team {
    #[serde(rename = "_id")]
    pub id: Id<Team>,
    pub color: Color,
}

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "players", new = NewPlayer)]
pub struct Player {
    #[serde(rename = "_id")]
    pub id: Id<Player>,
    #[parent(Team)]
    pub team: Id<Team>,
    #[denorm(from = Team, field = color)]
    pub color: Color,
}

fn main() {}
