// Items with a stored name for their id, with a reference of their own, and calls with them.

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

#[derive(Serialize, Deserialize, MongoEmbed)]
pub struct Item {
    #[serde(rename = "i")]
    pub id: bson::oid::ObjectId,
    #[parent(Host)]
    pub seen_by: Option<Id<Host>>,
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
    #[serde(rename = "l")]
    pub lines: Vec<Item>,
}

pub fn calls(db: &mongo_model::Database, host: Id<Host>, item: Item) {
    let _ = LogPage::push(db, host, &item);
    let _ = LogPage::push_many(db, host, [&item]);
    let _ = LogPage::push_many(db, &host, vec![item]);
    let _ = LogPage::remove_item(db, host, &bson::oid::ObjectId::new());
    let _ = LogPage::page(db, host, 3).id();
    let _ = LogPage::iterate(db, host).newest_first();
    let _ = LogPage::count_items(db, host);
    let _ = LogPage::by_host(db, host);
    let _ = LogPage::find(db, |p| p.host.eq(host));
    let _ = LogPage::delete(db, BucketId::new(host, 0));
}

pub fn main() {}
