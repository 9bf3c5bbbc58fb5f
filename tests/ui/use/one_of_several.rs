// How a reference to one of several models is asked and loaded.

use mongo_model::{Database, Id, MongoEmbed, MongoModel};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "posts")]
pub struct Post {
    #[serde(rename = "_id")]
    pub id: Id<Post>,
    pub title: String,
}

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "photos")]
pub struct Photo {
    #[serde(rename = "_id")]
    pub id: i32,
}

#[derive(Serialize, Deserialize, MongoEmbed)]
#[serde(tag = "type", content = "id")]
pub enum Subject {
    Post(#[parent(Post)] Id<Post>),
    Photo(#[parent(Photo)] i32),
}

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "comments")]
pub struct Comment {
    #[serde(rename = "_id")]
    pub id: Id<Comment>,
    pub on: Subject,
    #[embed(max = 5)]
    pub tags: Vec<Subject>,
    #[parent(Post)]
    pub post: Id<Post>,
}

fn ask(db: &Database, comments: &[Comment]) {
    let _ = Comment::find(db, |c| c.tags.is(Subject::Photo(1)));
    let _ = Comment::find(db, |c| c.on.is(1));
    let _ = Comment::load(db, comments, |c| c.on);
    let _ = Comment::load_any(db, comments, |c| c.post);
}

fn main() {}
