// Of a strict model, every advice is an error.

use bson::{Binary, DateTime};
use mongo_model::{Id, MongoEmbed, MongoModel};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

#[derive(Serialize, Deserialize, MongoEmbed)]
pub struct Home {
    pub rooms: i32,
}

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "sites")]
pub struct Site {
    #[serde(rename = "_id")]
    pub id: Id<Site>,
    #[recent(Good, max = 1500, sort = at, fields(at))]
    #[serde(default)]
    pub last: Vec<RecentGood>,
}

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "goods", strict, schema_version = 1, index(keys(at, count)))]
#[model(access(of_kind(kind)))]
pub struct Good {
    #[serde(rename = "_id")]
    pub id: Id<Good>,
    pub names: Vec<i32>,
    pub count: u64,
    pub price: f64,
    pub note: Option<i32>,
    #[parent(Site)]
    pub site: Option<Id<Site>>,
    #[index]
    pub at: DateTime,
    #[index(expire_after = "1d")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub gone: Option<DateTime>,
    #[index(expire_after = "1d")]
    #[embed(max = 2)]
    #[serde(default)]
    pub days: Vec<DateTime>,
    #[index]
    pub sold: bool,
    #[index]
    #[embed(max = 3)]
    #[serde(default)]
    pub homes: Vec<Home>,
    #[index]
    #[embed(max = 2000)]
    #[serde(default)]
    pub many: Vec<i32>,
    #[refs(Site, max = 3000)]
    #[serde(default)]
    pub sites: Vec<Id<Site>>,
    #[index]
    pub kind: i32,
    pub label: String,
    #[embed(max = 3)]
    #[serde(default)]
    pub labels: Vec<String>,
    pub image: Binary,
    #[serde(flatten)]
    pub rest: BTreeMap<String, i32>,
}

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "more", strict, schema_version = 1)]
pub struct More {
    #[serde(rename = "_id")]
    pub id: Id<More>,
    #[recent(Less, max = 1500, sort = at, fields(at))]
    #[serde(default)]
    pub last: Vec<RecentLess>,
}

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "less")]
pub struct Less {
    #[serde(rename = "_id")]
    pub id: Id<Less>,
    pub at: DateTime,
    #[parent(More)]
    pub more: Id<More>,
}

fn main() {}
