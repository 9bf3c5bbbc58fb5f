// Items of an array in the document, grouped by their fields or by themselves; a facet with several keys; a reference as a key.

use mongo_model::{Id, MongoEmbed, MongoModel};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, MongoEmbed)]
pub struct Line {
    pub sku: String,
    pub qty: i64,
    #[embed(max = 3)]
    pub labels: Vec<String>,
}

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "shops")]
pub struct Shop {
    #[serde(rename = "_id")]
    pub id: Id<Shop>,
}

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "orders")]
pub struct Order {
    #[serde(rename = "_id")]
    pub id: Id<Order>,
    #[index]
    pub customer: i64,
    pub status: String,
    #[parent(Shop)]
    pub shop: Id<Shop>,
    #[embed(max = 20)]
    pub lines: Vec<Line>,
    #[embed(max = 50)]
    pub notes: Vec<String>,
}

pub fn calls(db: &mongo_model::Database) {
    let orders = || Order::find(db, |o| o.customer.eq(7));
    let _ = orders().unwind(|o| o.notes).group_by(|note| note).count();
    let _ = orders().unwind(|o| o.lines).group_by(|l| (l.sku, l.qty)).sum(|l| l.qty).only(|l| l.sku.eq("a"));
    let _ = orders().unwind(|o| o.lines).filter_items(|l| l.labels.contains("new")).sort(|l| l.qty.desc()).limit(3);
    let _ = orders().facet(|o| (o.status, o.customer));
    let _ = orders().sort(|o| o.id.asc()).group_by(|o| o.status).first(|o| o.customer).max(|o| o.customer).only(|o| o.customer.gt(5));
    let _ = orders().group_by(|o| o.shop).count().join_key(db);
    let _ = orders().sort(|o| o.id.asc()).into_pipeline();
}

pub fn main() {}
