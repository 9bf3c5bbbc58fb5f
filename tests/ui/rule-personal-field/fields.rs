// Personal fields that no erase could change, or whose person it would not find.

use mongo_model::{MongoEmbed, MongoModel};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, MongoEmbed)]
#[serde(tag = "kind")]
pub enum Contact {
    Phone {
        #[personal(erased = "")]
        number: String,
    },
}

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "customers")]
pub struct Customer {
    #[serde(rename = "_id")]
    #[personal(erased = "gone-{id}")]
    pub id: String,
    #[personal]
    pub name: String,
    #[index(unique)]
    #[personal(erased = "gone")]
    pub email: String,
    #[immutable]
    #[personal(erased = "")]
    pub birthplace: String,
    #[personal(keep_for = "7y")]
    pub tax_number: String,
    #[refs(Customer, max = 20)]
    pub friends: Vec<String>,
    #[personal(of = friends)]
    pub greeting: Option<String>,
}

fn main() {}
