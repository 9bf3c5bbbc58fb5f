//! A flattened map takes every field that its struct does not name, but none of the library's own.

use std::collections::BTreeMap;

use bson::{Bson, Document, doc};
use mongo_model::{MongoEmbed, MongoModel, MongoProjection};
use serde::{Deserialize, Serialize};

use crate::common::{Bench, alone};

type Map = BTreeMap<String, i64>;

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "users")]
struct User {
    #[serde(rename = "_id")]
    id: i32,
    name: String,
    #[serde(flatten)]
    rest: Map,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoEmbed)]
struct Note {
    #[parent(User)]
    #[serde(rename = "byUser")]
    user: i32,
    #[denorm(from = User, field = name)]
    name: String,
    #[serde(flatten)]
    inner: Rest,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoEmbed)]
struct Rest {
    #[serde(flatten)]
    rest: Map,
}

/// Refers to nothing.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoEmbed)]
struct Loose {
    #[serde(flatten)]
    rest: Map,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "posts")]
struct Post {
    #[serde(rename = "_id")]
    id: i32,
    #[parent(User)]
    author: i32,
    #[denorm(from = User, field = name)]
    author_name: String,
    head: Note,
    #[embed(max = 5)]
    notes: Vec<Note>,
    loose: Loose,
    #[serde(flatten)]
    rest: Map,
}

#[derive(Debug, PartialEq, Deserialize, MongoProjection)]
#[projection(of = Post)]
struct Head {
    head: Note,
}

fn note(user: i32) -> Note {
    Note {
        user,
        name: "a".to_owned(),
        inner: Rest {
            rest: Map::from([("more".to_owned(), 1)]),
        },
    }
}

fn post() -> Post {
    Post {
        id: 1,
        author: 2,
        author_name: "b".to_owned(),
        head: note(3),
        notes: vec![note(4), note(5)],
        loose: Loose {
            rest: Map::from([("_dn".to_owned(), 1), ("_r_byUser".to_owned(), 2)]),
        },
        rest: Map::from([("more".to_owned(), 1), ("_r_byUser".to_owned(), 3)]),
    }
}

/// The post as it is stored once its copies were written by a propagation.
fn kept() -> Document {
    let note = |user: i32| doc! { "byUser": user, "name": "a", "more": 1_i64, "_r_byUser": 7_i64 };
    doc! {
        "_id": 1, "author": 2, "author_name": "b", "_r_author": 9_i64, "head": note(3), "notes": [note(4), note(5)],
        "loose": { "_dn": 1_i64, "_r_byUser": 2_i64 }, "more": 1_i64, "_r_byUser": 3_i64,
        "_dn": { "r": 5_i64, "u": [] }
    }
}

/// The same once its copies were compared with sources that have no revision.
fn compared() -> Document {
    let mut document = kept();
    document.remove("_dn");
    document.insert("_r_author", 0_i64);
    let clean = |note: &mut Bson| {
        let note = note.as_document_mut().expect("a document");
        note.insert("_r_byUser", 0_i64).expect("it was there");
    };
    clean(document.get_mut("head").expect("there"));
    let notes = document.get_array_mut("notes").expect("there");
    notes.iter_mut().for_each(clean);
    document
}

async fn seed(bench: &Bench, document: Document) {
    let posts = bench.raw("posts");
    posts.insert_one(document).await.expect("stored");
}

#[tokio::test]
async fn a_map_does_not_show_what_the_library_keeps() {
    alone("flattened_read", async |bench| {
        seed(bench, kept()).await;
        let read = Post::get(&bench.db, 1).await.expect("read");
        assert_eq!(read, Some(post()));
        let heads = Post::scan(&bench.db, |p| p.all()).project::<Head>().await;
        assert_eq!(heads.expect("read"), [Head { head: note(3) }]);
        let user = doc! { "_id": 2, "name": "b", "_dn": { "r": 1_i64 }, "_r_other": 4_i64 };
        let users = bench.raw("users");
        users.insert_one(user).await.expect("stored");
        let found = User::get(&bench.db, 2).await.expect("read").expect("there");
        // It has no reference, so that this name is the user's.
        assert_eq!(found.rest, Map::from([("_r_other".to_owned(), 4)]));
    })
    .await;
}

#[tokio::test]
async fn a_map_does_not_store_what_the_library_keeps() {
    alone("flattened_write", async |bench| {
        let own = |map: &mut Map, keys: &[&str]| {
            map.extend(keys.iter().map(|key| ((*key).to_owned(), 8)));
        };
        let mut post = post();
        own(&mut post.head.inner.rest, &["_r_byUser", "_r"]);
        for note in &mut post.notes {
            own(&mut note.inner.rest, &["_r_byUser"]);
        }
        let user = |id| doc! { "_id": id, "name": if id == 2 { "b" } else { "a" } };
        bench.seed("users", (2..=5_i32).map(user)).await;
        Post::insert(&bench.db, &post).await.expect("stored");
        assert_eq!(bench.stored("posts", 1).await, compared());
    })
    .await;
}
