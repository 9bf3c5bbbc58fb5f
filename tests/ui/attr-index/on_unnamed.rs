// What has no name in the document has no index.

use mongo_model::MongoEmbed;
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, MongoEmbed)]
pub struct Code(#[index(unique)] pub String);

#[derive(Serialize, Deserialize, MongoEmbed)]
pub struct Card {
    pub number: String,
}

#[derive(Serialize, Deserialize, MongoEmbed)]
#[serde(tag = "kind")]
pub enum Payment {
    Cash,
    Card(#[index] Card),
}

fn main() {}
