//! Each rule on each kind of reference.

use bson::{Document, doc};
use mongo_model::{Error, Id, MongoModel};
use serde::{Deserialize, Serialize};

use crate::common::{Bench, on_both};

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "rule_people")]
struct Person {
    #[serde(rename = "_id")]
    id: i32,
    name: String,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "rule_posts")]
struct Post {
    #[serde(rename = "_id")]
    id: i32,
    #[parent(Person, on_delete = cascade)]
    author: i32,
    #[parent(Person, on_delete = unset)]
    reviewer: Option<i32>,
    #[refs(Person, max = 100, on_delete = pull)]
    readers: Vec<i32>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "rule_books")]
struct Book {
    #[serde(rename = "_id")]
    id: i32,
    #[refs(Writer, max = 100, on_delete = cascade)]
    writers: Vec<i32>,
    #[refs(Writer, max = 100, on_delete = pull)]
    editors: Vec<i32>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "rule_writers")]
struct Writer {
    #[serde(rename = "_id")]
    id: i32,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "rule_kept")]
struct Kept {
    #[serde(rename = "_id")]
    id: i32,
    #[parent(Memory, on_delete = keep)]
    of: i32,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "rule_memories")]
struct Memory {
    #[serde(rename = "_id")]
    id: i32,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "rule_left")]
struct Left {
    #[serde(rename = "_id")]
    id: i32,
    #[refs(Right, max = 100, on_delete = pull)]
    rights: Vec<i32>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "rule_right")]
struct Right {
    #[serde(rename = "_id")]
    id: i32,
    #[refs(Left, max = 100, on_delete = pull)]
    lefts: Vec<i32>,
}

fn post(id: i32, author: i32, reviewer: Option<i32>, readers: &[i32]) -> Post {
    Post {
        id,
        author,
        reviewer,
        readers: readers.to_vec(),
    }
}

async fn people(bench: &Bench, posts: &[Post]) {
    bench.index(&[Person::meta(), Post::meta()]).await;
    let people: Vec<Person> = (1..=3)
        .map(|id| Person {
            id,
            name: "p".to_owned(),
        })
        .collect();
    bench.place(&people).await;
    bench.place(posts).await;
}

async fn all<M: MongoModel>(bench: &Bench) -> Vec<M> {
    let mut found = M::scan(&bench.db, |m| M::everything(m))
        .await
        .expect("read");
    bench.forget();
    found.sort_by_key(|one| format!("{:?}", bson::to_bson_key(one)));
    found
}
