// `#[model()]` says nothing either, on a model and on a field.

use mongo_model::{Id, MongoModel};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, MongoModel)]
#[model()]
pub struct Post {
    #[serde(rename = "_id")]
    pub id: Id<Post>,
}

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "pages")]
pub struct Page {
    #[serde(rename = "_id")]
    pub id: Id<Page>,
    #[model()]
    pub title: String,
}

fn main() {}
