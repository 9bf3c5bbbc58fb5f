// A copy of a copy inside an embedded document, which is a copy of the first.

use mongo_model::{Id, MongoEmbed, MongoModel};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "teams")]
pub struct Team {
    #[serde(rename = "_id")]
    pub id: Id<Team>,
    #[parent(Player)]
    pub captain: Id<Player>,
    #[denorm(from = Player, field = member.motto)]
    pub motto: String,
}

#[derive(Serialize, Deserialize, MongoEmbed)]
pub struct Member {
    #[parent(Team)]
    pub team: Id<Team>,
    #[denorm(from = Team, field = motto)]
    pub motto: String,
}

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "players")]
pub struct Player {
    #[serde(rename = "_id")]
    pub id: Id<Player>,
    pub member: Member,
}

fn main() {}
