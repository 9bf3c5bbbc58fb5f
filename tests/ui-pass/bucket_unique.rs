// The `_id` by its path, with an id of another type.

use mongo_model::{Id, MongoEmbed, MongoModel};
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
#[model(collection = "named")]
pub struct Named {
    #[serde(rename = "_id")]
    pub name: String,
}

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "pages", bucket(lines))]
pub struct LogPage {
    #[serde(rename = "_id")]
    pub id: mongo_model::BucketId<crate::bucket_unique::Named>,
    #[parent(Named)]
    pub of: String,
    pub count: i64,
    #[embed(max = 50)]
    pub lines: Vec<LogLine>,
}

pub fn calls(db: &mongo_model::Database, line: LogLine) {
    let _ = LogPage::push(db, "a name", line);
    let _ = LogPage::get(db, mongo_model::BucketId::new("a name".to_owned(), 0));
}

pub fn main() {}
