// An alias of such a type.

use mongo_model::{Id, MongoModel};
use serde::{Deserialize, Serialize};

pub type Address = std::net::IpAddr;

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "hosts")]
pub struct Host {
    #[serde(rename = "_id")]
    pub id: Id<Host>,
    pub address: Address,
}

fn main() {}
