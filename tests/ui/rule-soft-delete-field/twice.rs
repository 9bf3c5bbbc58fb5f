// Two times of one delete.

use mongo_model::{Id, MongoModel};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "notes", soft_delete)]
pub struct Note {
    #[serde(rename = "_id")]
    pub id: Id<Note>,
    #[deleted]
    pub deleted_at: Option<bson::DateTime>,
    #[deleted]
    pub gone_at: Option<bson::DateTime>,
}

fn main() {}
