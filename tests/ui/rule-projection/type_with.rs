// A field and its projection are stored in one form.

use mongo_model::{Id, MongoModel, MongoProjection};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "hosts")]
pub struct Host {
    #[serde(rename = "_id")]
    pub id: Id<Host>,
    #[serde(with = "bson::serde_helpers::datetime::AsRfc3339String")]
    pub seen: bson::DateTime,
    pub made: bson::DateTime,
}

#[derive(Deserialize, MongoProjection)]
#[projection(of = Host)]
pub struct Times {
    pub seen: bson::DateTime,
    #[serde(with = "bson::serde_helpers::datetime::AsRfc3339String")]
    pub made: bson::DateTime,
}

fn main() {}
