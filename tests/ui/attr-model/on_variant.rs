// Our attributes mean nothing on a variant.

use mongo_model::MongoEmbed;
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, MongoEmbed)]
#[serde(tag = "kind")]
pub enum Block {
    #[embed(max = 20)]
    Lines {
        text: String,
    },
    #[model(opaque)]
    Code {
        text: String,
    },
}

fn main() {}
