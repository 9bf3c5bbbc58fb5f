// An import and an alias do not hide it.

use mongo_model::{Id, MongoModel};
use serde::{Deserialize, Serialize};

use rust_decimal::Decimal;

pub type Price = Decimal;

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "items")]
pub struct Item {
    #[serde(rename = "_id")]
    pub id: Id<Item>,
    pub imported: Decimal,
    pub alias: Option<Price>,
}

fn main() {}
