use mongo_model::{Id, MongoEmbed, MongoModel};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "categories", tenant = org)]
pub struct Category {
    #[serde(rename = "_id")]
    pub id: Id<Category>,
    pub org: i64,
    #[parent(Category, tree(depth = 12))]
    pub above: Option<Id<Category>>,
    #[ancestors]
    pub path: Vec<Id<Category>>,
}

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
