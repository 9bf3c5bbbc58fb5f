// The time in an `Option`, through an alias, under a stored name of its own, left out where there is none.

use mongo_model::{Id, MongoModel};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "notes", soft_delete)]
pub struct Note {
    #[serde(rename = "_id")]
    pub id: Id<Note>,
    pub text: String,
    #[deleted]
    #[index(expire_after = "30d")]
    #[serde(rename = "gone", skip_serializing_if = "Option::is_none")]
    pub deleted_at: Time,
}

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "pages", soft_delete)]
pub struct Page {
    #[serde(rename = "_id")]
    pub id: Id<Page>,
    #[model(deleted)]
    pub deleted_at: Option<bson::DateTime>,
}

pub type Time = Option<bson::DateTime>;

pub fn main() {}
