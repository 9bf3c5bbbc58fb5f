// A count, and a list.

use mongo_model::{Id, MongoModel};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "boards")]
pub struct Board {
    #[serde(rename = "_id")]
    pub id: Id<Board>,
    #[count(Post)]
    pub posts: i64,
    #[recent(Post, max = 5, sort = at, fields(at))]
    pub latest: Vec<BoardPost>,
}

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "posts", soft_delete)]
pub struct Post {
    #[serde(rename = "_id")]
    pub id: Id<Post>,
    #[parent(Board)]
    pub board: Id<Board>,
    pub at: bson::DateTime,
    #[deleted]
    pub deleted_at: Option<bson::DateTime>,
}

fn main() {}
