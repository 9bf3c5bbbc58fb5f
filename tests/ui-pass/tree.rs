// A model whose documents form a tree, with what else a model may have: a version, a count of the children, new documents from a request.

use mongo_model::{Database, Id, MongoModel};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "categories", new(NewCategory), patch(CategoryPatch))]
pub struct Category {
    #[serde(rename = "_id")]
    pub id: Id<Category>,
    pub name: String,
    #[parent(Category, tree(depth = 12))]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub above: Option<Id<Category>>,
    #[ancestors]
    pub path: Vec<Id<Category>>,
    #[count(Category)]
    #[serde(default)]
    pub below: i64,
    #[version]
    pub version: i64,
}

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "ui_tree_rooms", tenant = org)]
pub struct Room {
    #[serde(rename = "_id")]
    pub id: Id<Room>,
    pub org: i64,
    #[parent(Room, tree(depth = 3), sort = rank)]
    pub inside: Option<Id<Room>>,
    #[ancestors]
    pub path: Vec<Id<Room>>,
    pub rank: mongo_model::Rank,
}

pub fn main() {
    let new = NewCategory {
        name: "tools".to_owned(),
        above: None,
    };
    assert!(Category::from(new).path.is_empty());
    let _ = CategoryPatch { name: None };
    assert_eq!(Category::meta().limits().elements, 12);
    let _ = |db: &Database, id: Id<Category>| {
        let _ = Category::find(db, |c| c.path.contains(id));
    };
}
