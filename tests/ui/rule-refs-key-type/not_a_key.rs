// Fields that no reference can hold.

use mongo_model::{Id, MongoModel};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "hosts")]
pub struct Host {
    #[serde(rename = "_id")]
    pub id: Id<Host>,
    #[index(unique)]
    #[serde(with = "spelt")]
    pub number: i64,
    #[index(unique)]
    #[model(allow(idx_unique_array, reason = "a test"))]
    #[embed(max = 5)]
    pub names: Vec<String>,
}

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "logmsg")]
pub struct LogMsg {
    #[serde(rename = "_id")]
    pub id: Id<LogMsg>,
    #[parent(Host, key = number)]
    pub with: i64,
    #[parent(Host, key = names)]
    pub array: String,
}

mod spelt {
    use serde::{Deserialize, Deserializer, Serializer};

    pub fn serialize<S: Serializer>(n: &i64, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(n)
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<i64, D::Error> {
        let text = String::deserialize(deserializer)?;
        text.parse().map_err(serde::de::Error::custom)
    }
}

fn main() {}
