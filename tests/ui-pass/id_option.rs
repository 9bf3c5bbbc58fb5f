// An id that is made before the insert, and an optional reference.

use mongo_model::{Id, MongoModel};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "posts")]
pub struct Post {
    #[serde(rename = "_id", default = "Id::new")]
    pub id: Id<Post>,
    #[parent(Post)]
    pub answers: Option<Id<Post>>,
}

pub fn main() {}
