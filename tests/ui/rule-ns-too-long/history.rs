// The name of a collection that leaves no room for that of its history.

use mongo_model::{Id, MongoModel};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "pppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppp", history)]
pub struct Paper {
    #[serde(rename = "_id")]
    pub id: Id<Paper>,
}

fn main() {}
