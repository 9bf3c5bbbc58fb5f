// Variants of an embedded enum, written out or structs: one reference with one copy in two of them, plain fields of one name, and a
// further reference under a name of its own.

use std::collections::BTreeMap;

use mongo_model::{MongoEmbed, MongoModel};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "people")]
pub struct Person {
    #[serde(rename = "_id")]
    pub id: i32,
    pub name: String,
}

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "firms")]
pub struct Firm {
    #[serde(rename = "_id")]
    pub id: i32,
}

#[derive(Serialize, Deserialize, MongoEmbed)]
#[serde(tag = "kind")]
pub enum Payment {
    Card {
        #[parent(Person, on_delete = cascade)]
        payer: i32,
        #[denorm(from = Person, field = name)]
        name: String,
        number: String,
    },
    Cash {
        #[parent(Person, on_delete = cascade)]
        payer: i32,
        #[denorm(from = Person, field = name)]
        name: String,
        number: i64,
    },
    Invoice {
        #[parent(Firm)]
        #[serde(rename = "firm")]
        payer: i32,
    },
}

#[derive(Serialize, Deserialize, MongoEmbed)]
pub struct Cheque {
    #[parent(Person, on_delete = cascade)]
    pub payer: i32,
    #[denorm(from = Person, field = name)]
    pub name: String,
    pub number: String,
}

#[derive(Serialize, Deserialize, MongoEmbed)]
pub struct Coins {
    #[parent(Person, on_delete = cascade)]
    pub payer: i32,
    #[denorm(from = Person, field = name)]
    pub name: String,
    pub number: i64,
}

/// Structs in place of written out variants.
#[derive(Serialize, Deserialize, MongoEmbed)]
#[serde(tag = "kind")]
pub enum Tip {
    Cheque(Cheque),
    Coins(Coins),
    Thanks { number: bool },
    Other(#[model(opaque)] BTreeMap<String, i32>),
}

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "bills")]
pub struct Bill {
    #[serde(rename = "_id")]
    pub id: i32,
    pub payment: Payment,
    pub tip: Tip,
}

pub fn main() {}
