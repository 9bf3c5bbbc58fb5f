// Beside other references, with copies of the parent, sorted, and with a delete rule.

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

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "sites")]
pub struct Site {
    #[serde(rename = "_id")]
    pub id: Id<Site>,
    pub name: String,
}

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "pages", bucket(lines))]
pub struct LogPage {
    #[serde(rename = "_id")]
    pub id: BucketId<Site>,
    #[parent(Site, sort = -opened, on_delete = cascade)]
    pub site: Id<Site>,
    #[denorm(from = Site, field = name)]
    pub name: String,
    #[parent(Host)]
    pub host: Option<Id<Host>>,
    pub count: i64,
    #[embed(max = 50)]
    pub lines: Vec<LogLine>,
    pub opened: Option<bson::DateTime>,
}

pub fn main() {}
