// serde reads a field with functions of its own only where it is there.

use mongo_model::{Id, MongoModel};
use serde::{Deserialize, Serialize};

pub mod stored {
    use bson::DateTime;
    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    pub fn serialize<S: Serializer>(value: &Option<DateTime>, to: S) -> Result<S::Ok, S::Error> {
        value.map(|value| value.timestamp_millis()).serialize(to)
    }
    pub fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Option<DateTime>, D::Error> {
        Ok(Option::<i64>::deserialize(from)?.map(DateTime::from_millis))
    }
}

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "hosts")]
pub struct Host {
    #[serde(rename = "_id")]
    pub id: Id<Host>,
    #[serde(with = "bson::serde_helpers::datetime::AsRfc3339String")]
    pub seen: bson::DateTime,
}

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "logmsg")]
pub struct LogMsg {
    #[serde(rename = "_id")]
    pub id: Id<LogMsg>,
    #[parent(Host)]
    pub host: Option<Id<Host>>,
    #[serde(with = "stored")]
    #[denorm(from = Host, field = seen)]
    pub seen: Option<bson::DateTime>,
    #[serde(with = "stored", default)]
    #[denorm(from = Host, field = seen)]
    pub seen_again: Option<bson::DateTime>,
}

fn main() {}
