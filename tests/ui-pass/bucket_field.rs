// Other fields have a default, are optional, or are not stored; they are changed as in every model.

use mongo_model::{BucketId, Id, MongoEmbed, MongoModel};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "hosts")]
pub struct Host {
    #[serde(rename = "_id")]
    pub id: Id<Host>,
}

#[derive(Serialize, Deserialize, MongoEmbed)]
pub struct LogLine {
    pub id: i64,
    pub message: String,
}

#[derive(Default, Serialize, Deserialize, MongoEmbed)]
pub struct Place {
    pub room: String,
}

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "pages", bucket(lines))]
pub struct LogPage {
    #[serde(rename = "_id")]
    pub id: BucketId<Host>,
    #[parent(Host)]
    pub host: Id<Host>,
    pub count: i64,
    #[embed(max = 50)]
    pub lines: Vec<LogLine>,
    pub place: Place,
    pub seen: Option<bson::DateTime>,
    #[embed(max = 5)]
    pub tags: Vec<String>,
    #[serde(skip)]
    pub cached: u8,
}

pub fn calls(db: &mongo_model::Database, id: BucketId<Host>) {
    let _ = LogPage::update(db, id).set(|p| p.place.room, "x").push(|p| p.tags, "new").unset(|p| p.seen);
}

pub fn main() {}
