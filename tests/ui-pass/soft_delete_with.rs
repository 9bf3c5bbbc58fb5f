// References that refuse, stay, or follow the removal of a document; copies, counts, lists and arrays; unique fields with a condition, and a
// document under a parent that cascades.

use mongo_model::{Id, MongoModel};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "users", soft_delete)]
pub struct User {
    #[serde(rename = "_id")]
    pub id: Id<User>,
    pub name: String,
    #[index(unique, partial(exists))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub email: Option<String>,
    #[count(Login)]
    pub logins: i64,
    #[deleted]
    pub deleted_at: Option<bson::DateTime>,
}

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "logins")]
pub struct Login {
    #[serde(rename = "_id")]
    pub id: Id<Login>,
    #[parent(User, on_delete = keep)]
    pub user: Id<User>,
}

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "boards")]
pub struct Board {
    #[serde(rename = "_id")]
    pub id: Id<Board>,
    pub title: String,
    #[refs(User, max = 5, on_delete = pull)]
    pub watchers: Vec<Id<User>>,
    #[count(Post)]
    pub posts: i64,
    #[recent(Post, max = 5, sort = at, fields(at))]
    pub latest: Vec<BoardPost>,
    #[refs(Task, inverse = board, max = 50)]
    pub tasks: Vec<Id<Task>>,
}

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "posts", soft_delete)]
pub struct Post {
    #[serde(rename = "_id")]
    pub id: Id<Post>,
    #[parent(User)]
    pub author: Id<User>,
    #[denorm(from = User, field = name)]
    pub author_name: String,
    #[parent(Board, on_delete = cascade)]
    pub board: Id<Board>,
    #[denorm(from = Board, field = title)]
    pub board_title: String,
    pub at: bson::DateTime,
    #[deleted]
    pub deleted_at: Option<bson::DateTime>,
}

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "tasks", soft_delete)]
pub struct Task {
    #[serde(rename = "_id")]
    pub id: Id<Task>,
    #[parent(Board, inverse = tasks)]
    pub board: Id<Board>,
    #[parent(User, on_delete = unset)]
    pub owner: Option<Id<User>>,
    #[parent(Post, on_delete = cascade)]
    pub post: Option<Id<Post>>,
    #[deleted]
    pub deleted_at: Option<bson::DateTime>,
}

pub fn main() {}
