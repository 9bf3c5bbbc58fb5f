use mongo_model::{Id, MongoEmbed, MongoModel};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "folders", soft_delete)]
pub struct Folder {
    #[serde(rename = "_id")]
    pub id: Id<Folder>,
    #[parent(Folder, tree(depth = 12))]
    pub above: Option<Id<Folder>>,
    #[ancestors]
    pub path: Vec<Id<Folder>>,
    #[deleted]
    pub deleted_at: Option<bson::DateTime>,
}

#[derive(Serialize, Deserialize, MongoEmbed)]
pub struct Place {
    #[ancestors]
    pub path: Vec<Id<Folder>>,
}

fn main() {}
