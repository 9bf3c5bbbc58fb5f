//! Categories that contain categories.

use mongo_model::{Id, MongoModel};
use serde::{Deserialize, Serialize};

/// A category, below another one or at the top.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "guide_categories")]
pub struct Category {
    #[serde(rename = "_id")]
    pub id: Id<Category>,
    pub name: String,
    #[parent(Category, tree(depth = 12))]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub above: Option<Id<Category>>,
    #[ancestors]
    pub path: Vec<Id<Category>>,
}

/// A category with this name.
#[must_use]
pub fn category(name: &str, above: Option<&Category>) -> Category {
    Category {
        id: Id::new(),
        name: name.to_owned(),
        above: above.map(|above| above.id),
        path: Vec::new(),
    }
}
