// A personal field in an event, whose log no erase changes.

use mongo_model::{Id, MongoEmbed, MongoModel};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, MongoEmbed)]
#[serde(tag = "kind")]
pub enum CustomerEvent {
    Renamed(Renamed),
    Left,
}

#[derive(Serialize, Deserialize, MongoEmbed)]
pub struct Renamed {
    #[personal(erased = "gone")]
    pub former: String,
}

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "customers", events(CustomerEvent, readers(mails)))]
pub struct Customer {
    #[serde(rename = "_id")]
    pub id: Id<Customer>,
    #[personal(erased = "gone")]
    pub name: String,
}

fn main() {}
