// An embedded document owns no collection and no compound index.

use mongo_model::MongoEmbed;
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, MongoEmbed)]
#[model(collection = "lines")]
pub struct Line {
    pub text: String,
}

#[derive(Serialize, Deserialize, MongoEmbed)]
#[model(index(keys(city, street)))]
pub struct Address {
    pub city: String,
    pub street: String,
}

#[derive(Serialize, Deserialize, MongoEmbed)]
#[model(schema_version = 2)]
pub struct Note {
    pub text: String,
}

fn main() {}
