// In an embedded document, a newtype and an enum.

use mongo_model::MongoEmbed;
use serde::{Deserialize, Serialize};

use std::net::IpAddr;

#[derive(Serialize, Deserialize, MongoEmbed)]
pub struct Host {
    pub address: IpAddr,
}

#[derive(Serialize, Deserialize, MongoEmbed)]
pub struct Wrapped(pub IpAddr);

#[derive(Serialize, Deserialize, MongoEmbed)]
#[serde(tag = "kind")]
pub enum Origin {
    Remote { address: IpAddr },
    Local,
}

fn main() {}
