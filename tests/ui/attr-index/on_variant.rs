// A variant is no field.

use mongo_model::MongoEmbed;
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, MongoEmbed)]
#[serde(tag = "kind")]
pub enum Payment {
    #[index]
    Cash,
    #[index(unique)]
    Card { number: String },
}

fn main() {}
