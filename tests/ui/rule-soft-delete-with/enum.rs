// Finders of variants do not leave out what is deleted.

use mongo_model::{Id, MongoEmbed, MongoModel};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, MongoEmbed)]
pub struct Car {
    #[serde(rename = "_id")]
    pub id: Id<Vehicle>,
    pub doors: i32,
}

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "vehicles", soft_delete)]
#[serde(tag = "kind")]
pub enum Vehicle {
    Car(Car),
}

fn main() {}
