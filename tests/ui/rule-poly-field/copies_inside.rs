// Variants of an embedded enum store one copy that follows its source in one of them only, and one reference without its copy.

use mongo_model::{MongoEmbed, MongoModel};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "people")]
pub struct Person {
    #[serde(rename = "_id")]
    pub id: i32,
    pub name: String,
}

#[derive(Serialize, Deserialize, MongoEmbed)]
#[serde(tag = "kind")]
pub enum Payment {
    Card {
        #[parent(Person)]
        payer: i32,
        #[denorm(from = Person, field = name)]
        name: String,
    },
    Cash {
        #[parent(Person)]
        payer: i32,
        #[denorm(from = Person, field = name, snapshot)]
        name: String,
    },
    Voucher {
        #[parent(Person)]
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
