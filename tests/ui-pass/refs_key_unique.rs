// Every kind of unique index that holds all documents.

use mongo_model::{Id, MongoModel};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "hosts", index(keys(of_model), unique))]
pub struct Host {
    #[serde(rename = "_id")]
    pub id: Id<Host>,
    #[index(unique)]
    pub own: String,
    #[index(unique, desc)]
    pub desc: String,
    pub of_model: String,
    #[index(unique, sparse)]
    pub always_there: String,
    #[index(unique, collation(locale = "en", strength = 2))]
    pub no_text: i64,
}

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "logmsg")]
pub struct LogMsg {
    #[serde(rename = "_id")]
    pub id: Id<LogMsg>,
    #[parent(Host, key = own)]
    pub own: String,
    #[parent(Host, key = desc)]
    pub desc: String,
    #[parent(Host, key = of_model)]
    pub of_model: String,
    #[parent(Host, key = always_there)]
    pub always_there: String,
    #[parent(Host, key = no_text)]
    pub no_text: i64,
    #[parent(Host, key = id)]
    pub id_itself: Id<Host>,
}

pub fn main() {}
