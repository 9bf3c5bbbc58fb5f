// A version inside an embedded document.

use mongo_model::MongoEmbed;
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, MongoEmbed)]
pub struct Meta {
    #[version]
    pub version: i64,
}

fn main() {}
