// Types of BSON, the standard library and our own; others that are opaque or have a `with`.

use mongo_model::{Id, MongoModel};
use serde::{Deserialize, Serialize};

use std::net::IpAddr;

#[derive(Serialize, Deserialize)]
pub struct Foreign {
    pub city: String,
}

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "hosts")]
pub struct Host {
    #[serde(rename = "_id")]
    pub id: Id<Host>,
    #[model(opaque)]
    pub address: IpAddr,
    #[model(opaque)]
    pub foreign: Vec<Foreign>,
    #[serde(with = "bson::serde_helpers::object_id::FromHexString")]
    pub hex: String,
    pub any: bson::Bson,
    pub open: bson::Document,
    pub pair: (f64, f64),
    pub boxed: Box<String>,
}

pub fn main() {}
