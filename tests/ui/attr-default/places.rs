use mongo_model::{Id, MongoEmbed, MongoModel};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, MongoEmbed)]
pub struct Stop {
    #[default(1)]
    pub fee: i64,
}

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "notes")]
pub struct Note {
    #[serde(rename = "_id")]
    pub id: Id<Note>,
    #[default(3)]
    pub stars: i64,
}

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "tasks", new = NewTask)]
pub struct Task {
    #[serde(rename = "_id")]
    pub id: Id<Task>,
    #[default(3)]
    pub stars: i64,
}

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "trips", new(NewTrip, deserialize))]
pub struct Trip {
    #[serde(rename = "_id")]
    pub id: Id<Trip>,
    #[version]
    #[default(1)]
    pub version: i64,
}

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "hosts", new(NewHost, deserialize))]
pub struct Host {
    #[serde(rename = "_id")]
    pub id: Id<Host>,
    #[default]
    pub seats: i64,
    #[default = 3]
    pub doors: i64,
    #[default()]
    pub floors: i64,
}

fn main() {}
