// In an embedded enum, one variant stores a number under the name of another one's reference.

use mongo_model::{MongoEmbed, MongoModel};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "people")]
pub struct Person {
    #[serde(rename = "_id")]
    pub id: i32,
}

#[derive(Serialize, Deserialize, MongoEmbed)]
#[serde(tag = "kind")]
pub enum Payment {
    Card {
        #[parent(Person, on_delete = cascade)]
        payer: i32,
    },
    Cash {
        payer: i32,
    },
}

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "bills")]
pub struct Bill {
    #[serde(rename = "_id")]
    pub id: i32,
    pub payment: Payment,
}

fn main() {}
