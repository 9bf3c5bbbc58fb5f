// 61 indexes, those that three references bring, and that of `_id`.

use mongo_model::{Id, MongoModel};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "parts")]
pub struct Part {
    #[serde(rename = "_id")]
    pub id: Id<Part>,
    pub name: String,
}

#[derive(Serialize, Deserialize, MongoModel)]
#[model(
    collection = "products",
    allow(idx_many, reason = "to see where it ends"),
    index(keys(a, b)), index(keys(a, c)), index(keys(a, d)), index(keys(a, e)), index(keys(a, f)), index(keys(a, g)), index(keys(a, h)),
    index(keys(b, a)), index(keys(b, c)), index(keys(b, d)), index(keys(b, e)), index(keys(b, f)), index(keys(b, g)), index(keys(b, h)),
    index(keys(c, a)), index(keys(c, b)), index(keys(c, d)), index(keys(c, e)), index(keys(c, f)), index(keys(c, g)), index(keys(c, h)),
    index(keys(d, a)), index(keys(d, b)), index(keys(d, c)), index(keys(d, e)), index(keys(d, f)), index(keys(d, g)), index(keys(d, h)),
    index(keys(e, a)), index(keys(e, b)), index(keys(e, c)), index(keys(e, d)), index(keys(e, f)), index(keys(e, g)), index(keys(e, h)),
    index(keys(f, a)), index(keys(f, b)), index(keys(f, c)), index(keys(f, d)), index(keys(f, e)), index(keys(f, g)), index(keys(f, h)),
    index(keys(g, a)), index(keys(g, b)), index(keys(g, c)), index(keys(g, d)), index(keys(g, e)), index(keys(g, f)), index(keys(g, h)),
    index(keys(h, a)), index(keys(h, b)), index(keys(h, c)), index(keys(h, d)), index(keys(h, e)), index(keys(h, f)), index(keys(h, g)),
)]
pub struct Product {
    #[serde(rename = "_id")]
    pub id: Id<Product>,
    #[index]
    pub a: i64,
    #[index]
    pub b: i64,
    #[index]
    pub c: i64,
    #[index]
    pub d: i64,
    #[index]
    pub e: i64,
    #[parent(Part, sort = -a)]
    pub main: Id<Part>,
    #[parent(Part)]
    pub spare: Id<Part>,
    #[refs(Part)]
    pub others: Vec<Id<Part>>,
    pub f: i64,
    pub g: i64,
    pub h: i64,
}

fn main() {}
