// Names of fields while reading are not stored values.

use mongo_model::MongoEmbed;
use serde::Deserialize;

#[derive(Deserialize, MongoEmbed)]
#[serde(field_identifier)]
pub enum Field {
    Secs,
    Nanos,
}

#[derive(Deserialize, MongoEmbed)]
#[serde(variant_identifier)]
pub enum Variant {
    Secs,
    Nanos,
}

fn main() {}
