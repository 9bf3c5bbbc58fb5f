// The fields of a tagged enum are those of its variants.

use mongo_model::{Id, MongoEmbed, MongoModel};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, MongoEmbed)]
#[serde(tag = "kind")]
pub enum Payment {
    Cash,
    Card { number: String },
}

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "orders", index(keys(payment.numbr)))]
pub struct Order {
    #[serde(rename = "_id")]
    pub id: Id<Order>,
    pub payment: Payment,
}

fn main() {}
