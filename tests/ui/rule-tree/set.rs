use mongo_model::{Database, Id, MongoModel};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "categories")]
pub struct Category {
    #[serde(rename = "_id")]
    pub id: Id<Category>,
    #[parent(Category, tree(depth = 12))]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub above: Option<Id<Category>>,
    #[ancestors]
    pub path: Vec<Id<Category>>,
}

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "places")]
pub struct Place {
    #[serde(rename = "_id")]
    pub id: Id<Place>,
}

fn calls(db: &Database, id: Id<Category>, place: Id<Place>) {
    let _ = Category::update(db, id).set(|c| c.above, id);
    let _ = Category::update(db, id).push(|c| c.path, id);
    let _ = Place::children(db, place);
}

fn main() {}
