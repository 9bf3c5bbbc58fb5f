// The fields of the variants, written and read by different rules.

use mongo_model::MongoEmbed;
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, MongoEmbed)]
#[serde(tag = "kind", rename_all_fields(serialize = "camelCase"))]
pub enum Block {
    Text { first_line: String },
}

fn main() {}
