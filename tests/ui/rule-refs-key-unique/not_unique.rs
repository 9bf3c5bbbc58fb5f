// No unique index keeps the key apart in all documents.

use mongo_model::{Id, MongoModel};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "hosts", index(keys(compound, none), unique))]
pub struct Host {
    #[serde(rename = "_id")]
    pub id: Id<Host>,
    pub none: String,
    #[index]
    pub plain: String,
    pub compound: String,
    #[index(unique, sparse)]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sparse: Option<String>,
    #[index(unique, partial(exists))]
    pub partial: String,
    #[index(unique, collation(locale = "en", strength = 2))]
    pub collation: String,
}

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "logmsg")]
pub struct LogMsg {
    #[serde(rename = "_id")]
    pub id: Id<LogMsg>,
    #[parent(Host, key = none)]
    pub none: String,
    #[refs(Host, key = plain)]
    pub plain: Vec<String>,
    #[parent(Host, key = compound)]
    pub compound: String,
    #[parent(Host, key = sparse)]
    pub sparse: String,
    #[parent(Host, key = partial)]
    pub partial: Option<String>,
    #[parent(Host, key = collation)]
    pub collation: String,
    #[refs(Host, key = none)]
    #[denorm(from = Host, field = plain)]
    pub entries: Vec<HostRef>,
}

fn main() {}
