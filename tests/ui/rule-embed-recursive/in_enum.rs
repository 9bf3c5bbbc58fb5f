// In a variant.

use mongo_model::MongoEmbed;
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, MongoEmbed)]
#[serde(tag = "op")]
pub enum Expr {
    Number {
        value: i64,
    },
    Add {
        left: Box<Expr>,
        right: Box<Expr>,
    },
}

fn main() {}
