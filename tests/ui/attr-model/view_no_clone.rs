use mongo_model::{Id, MongoEmbed, MongoModel};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, MongoEmbed)]
pub enum Color {
    Red,
    Blue,
}

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "teams", view = TeamView)]
pub struct Team {
    #[serde(rename = "_id")]
    pub id: Id<Team>,
    pub color: Color,
}

fn main() {}
