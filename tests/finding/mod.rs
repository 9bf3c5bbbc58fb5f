//! Finding documents: the commands, the results, and the server's query plans.

mod by_fields;
mod compared;
mod decimals;
mod encoding;
mod everywhere;
mod facets;
mod fields;
mod filters;
mod floats;
mod folding;
mod grouping;
mod key_order;
mod lenient;
mod map;
mod merging;
mod misfits;
mod options;
mod parts;
mod patterns;
mod periods;
mod prefixes;
mod ranks;
mod results;
mod search_process;
mod served;
mod text_ids;
mod times;
mod unwinding;
mod vectors;
mod whole;

use mongo_model::{MongoEmbed, MongoModel};
use serde::{Deserialize, Serialize};

use crate::common::Bench;

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoEmbed)]
pub(crate) struct Address {
    pub(crate) city: String,
    #[index]
    pub(crate) zip: String,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoEmbed)]
pub(crate) struct Line {
    pub(crate) sku: String,
    pub(crate) qty: i32,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(
    collection = "orders",
    index(keys(address.city)),
    index(keys(status, -placed)),
    index(keys(lines.sku))
)]
pub(crate) struct Order {
    #[serde(rename = "_id")]
    pub(crate) id: i32,
    #[index]
    pub(crate) code: String,
    pub(crate) status: String,
    pub(crate) placed: i64,
    #[index]
    pub(crate) note: Option<String>,
    #[index(sparse)]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) coupon: Option<String>,
    #[index(partial(gt = 10))]
    pub(crate) weight: i64,
    #[index(hashed)]
    pub(crate) token: String,
    #[index(text)]
    pub(crate) title: String,
    #[index(geo)]
    pub(crate) place: [f64; 2],
    pub(crate) address: Option<Address>,
    #[embed(max = 10)]
    pub(crate) lines: Vec<Line>,
    #[index]
    #[embed(max = 10)]
    pub(crate) tags: Vec<String>,
}

/// An order with nothing special about it.
pub(crate) fn order(id: i32) -> Order {
    Order {
        id,
        code: format!("code-{id}"),
        status: "open".to_owned(),
        placed: i64::from(id),
        note: None,
        coupon: None,
        weight: i64::from(id),
        token: format!("token-{id}"),
        title: "nothing".to_owned(),
        place: [0.0, 0.0],
        address: None,
        lines: Vec::new(),
        tags: Vec::new(),
    }
}

pub(crate) fn line(sku: &str, qty: i32) -> Line {
    let sku = sku.to_owned();
    Line { sku, qty }
}

/// The ids, smallest first.
pub(crate) fn ids(orders: &[Order]) -> Vec<i32> {
    let mut ids: Vec<i32> = orders.iter().map(|order| order.id).collect();
    ids.sort_unstable();
    ids
}

impl Bench {
    /// Stores orders under the declared indexes; clears the command log.
    pub(crate) async fn orders(&self, orders: &[Order]) {
        self.index(&[Order::meta()]).await;
        Order::insert_many(&self.db, orders).await.expect("stored");
        self.forget();
    }
}
