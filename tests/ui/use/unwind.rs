// Items come from an array of the document, keys that are joined are references, and a facet has several keys.

use mongo_model::{BucketId, Id, MongoEmbed, MongoModel};
use serde::{Deserialize, Serialize};

#[derive(Clone, Serialize, Deserialize, MongoEmbed)]
pub struct Line {
    pub sku: String,
    pub qty: i64,
    #[embed(max = 3)]
    pub labels: Vec<String>,
}

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "orders")]
pub struct Order {
    #[serde(rename = "_id")]
    pub id: Id<Order>,
    #[index]
    pub customer: i64,
    pub status: String,
    #[embed(max = 20)]
    pub lines: Vec<Line>,
    #[embed(max = 50, overflow = MoreNotes)]
    pub notes: Vec<Note>,
    pub has_extras: bool,
    #[version]
    pub version: i64,
}

#[derive(Clone, Serialize, Deserialize, MongoEmbed)]
pub struct Note {
    pub id: i64,
    pub text: String,
}

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "more_notes", bucket(notes))]
pub struct MoreNotes {
    #[serde(rename = "_id")]
    pub id: BucketId<Order>,
    #[parent(Order, on_delete = cascade)]
    pub order: Id<Order>,
    pub count: i64,
    #[embed(max = 100)]
    pub notes: Vec<Note>,
}

pub fn calls(db: &mongo_model::Database) {
    let orders = || Order::find(db, |o| o.customer.eq(7));
    let _ = orders().unwind(|o| o.status);
    let _ = orders().unwind(|o| o.notes);
    let _ = orders().unwind(|o| o.lines.labels);
    let _ = orders().unwind(|o| o.lines).group_by(|l| l.sku).sum(|l| l.labels);
    let _ = orders().unwind(|o| o.lines).sort(|l| l.qty);
    let _ = orders().unwind(|o| o.lines).filter_items(|l| l.quantity.gt(5));
    let _ = orders().facet(|o| o.status);
    let _ = orders().sort(|o| o.id.asc()).group_by(|o| o.status).first(|o| o.customer).only(|o| o.customer.gt(5));
    let _ = orders().group_by(|o| o.status).count().join_key(db);
}

fn main() {}
