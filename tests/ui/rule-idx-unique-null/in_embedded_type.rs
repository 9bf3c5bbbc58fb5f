// In the embedded document itself.

use mongo_model::MongoEmbed;
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, MongoEmbed)]
pub struct Contact {
    #[index(unique)]
    pub email: Option<String>,
}

fn main() {}
