// A bucket is written by pushes alone.

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
#[model(collection = "pages", bucket(lines))]
pub struct LogPage {
    #[serde(rename = "_id")]
    pub id: BucketId<Host>,
    #[parent(Host)]
    pub host: Id<Host>,
    pub count: i64,
    #[embed(max = 50)]
    pub lines: Vec<LogLine>,
    pub seen: Option<i64>,
}

pub fn calls(db: &mongo_model::Database, page: LogPage, id: BucketId<Host>, host: Id<Host>, line: LogLine) {
    let _ = LogPage::insert(db, &page);
    let _ = LogPage::insert_many(db, [&page]);
    let _ = page.save(db);
    let _ = LogPage::update(db, id).set(|p| p.count, 7_i64);
    let _ = LogPage::update(db, id).set(|p| p.host, host);
    let _ = LogPage::update(db, id).push(|p| p.lines, line);
    let _ = LogPage::push(db, host, host);
    let _ = LogPage::remove_item(db, host, "an id");
    let _ = mongo_model::bucket::iterate::<Host>(db, host);
}

fn main() {}
