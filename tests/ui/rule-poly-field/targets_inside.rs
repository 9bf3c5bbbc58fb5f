// Two variants of an embedded enum store references to different models under one name.

use mongo_model::{MongoEmbed, MongoModel};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "people")]
pub struct Person {
    #[serde(rename = "_id")]
    pub id: i32,
}

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "firms")]
pub struct Firm {
    #[serde(rename = "_id")]
    pub id: i32,
}

#[derive(Serialize, Deserialize, MongoEmbed)]
#[serde(tag = "kind")]
pub enum Payer {
    Private {
        #[parent(Person, on_delete = cascade)]
        payer: i32,
    },
    Business {
        #[parent(Firm, on_delete = cascade)]
        #[serde(rename = "payer")]
        firm: i32,
    },
}

// One model, or two of one name: the paths do not say.
#[derive(Serialize, Deserialize, MongoEmbed)]
#[serde(tag = "kind")]
pub enum Guest {
    Known {
        #[parent(Person, on_delete = cascade)]
        host: i32,
    },
    Unknown {
        #[parent(crate::Person, on_delete = cascade)]
        host: i32,
    },
}

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "bills")]
pub struct Bill {
    #[serde(rename = "_id")]
    pub id: i32,
    pub payer: Payer,
}

fn main() {}
