// Models whose calls find documents by other fields than a shard key.

use mongo_model::{Id, MongoEmbed, MongoModel};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "mails", queue, shard_key(hashed(id)))]
pub struct Mail {
    #[serde(rename = "_id")]
    pub id: Id<Mail>,
}

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "mails_archived", shares = Mail, shard_key(hashed(id)))]
pub struct Archived {
    #[serde(rename = "_id")]
    pub id: Id<Archived>,
}

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "vehicles", shard_key(hashed(id)))]
#[serde(tag = "kind")]
pub enum Vehicle {
    Car(Car),
}

#[derive(Serialize, Deserialize, MongoEmbed)]
pub struct Car {
    #[serde(rename = "_id")]
    pub id: Id<Vehicle>,
}

fn main() {}
