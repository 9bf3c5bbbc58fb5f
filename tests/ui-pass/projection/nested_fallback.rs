// A nested field of a view may be absent too.

use mongo_model::{Id, MongoEmbed, MongoModel, MongoProjection};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, MongoEmbed)]
pub struct Place {
    pub city: String,
    pub zip: String,
}

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "hosts")]
pub struct Host {
    #[serde(rename = "_id")]
    pub id: Id<Host>,
    pub name: String,
    pub place: Place,
    pub old: Option<Place>,
}

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "logmsg")]
pub struct LogMsg {
    #[serde(rename = "_id")]
    pub id: Id<LogMsg>,
    #[parent(Host)]
    #[denorm(from = Host, field = name)]
    pub host: LogHost,
}

#[derive(Deserialize, MongoProjection)]
#[projection(of = Place)]
pub struct City {
    pub city: String,
}

#[derive(Deserialize, MongoProjection)]
#[projection(of = Host, fallback = LogHost)]
pub struct HostView {
    pub name: String,
    #[projection(nested)]
    pub place: Option<City>,
    #[projection(nested)]
    pub old: Option<City>,
}

pub fn main() {}
