// A list of the last children whose condition names no field, and one of another type.

use mongo_model::{Id, MongoModel};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "boards")]
pub struct Board {
    #[serde(rename = "_id")]
    pub id: Id<Board>,
    #[recent(Post, max = 3, sort = -time, fields(title), only(opened = true))]
    pub latest: Vec<BoardPost>,
    #[recent(Post, max = 3, sort = -time, fields(title), only(open = 1))]
    pub other: Vec<OtherPost>,
}

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "posts")]
pub struct Post {
    #[serde(rename = "_id")]
    pub id: Id<Post>,
    #[parent(Board)]
    pub board: Id<Board>,
    pub time: i64,
    pub title: String,
    pub open: bool,
}

fn main() {}
