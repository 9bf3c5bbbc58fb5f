//! Cascades over several levels, in circles and in trees.

use bson::{Document, doc};
use mongo_model::MongoModel;
use serde::{Deserialize, Serialize};

use crate::common::{Bench, on_both};
use crate::deleting::settled::settled;

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "graph_people")]
struct Person {
    #[serde(rename = "_id")]
    id: i32,
    #[parent(Person, on_delete = cascade)]
    friend: Option<i32>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "graph_posts")]
struct Post {
    #[serde(rename = "_id")]
    id: i32,
    #[parent(Person, on_delete = cascade)]
    author: i32,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "graph_comments")]
struct Comment {
    #[serde(rename = "_id")]
    id: i32,
    #[parent(Post, on_delete = cascade)]
    post: i32,
}

async fn start(bench: &Bench) {
    bench
        .index(&[Person::meta(), Post::meta(), Comment::meta()])
        .await;
}

// Documents a -> b -> a: both are deleted, and the delete ends; so does that of a document that refers to itself.
#[tokio::test]
async fn circles_end() {
    on_both("graph_circle", async |bench| {
        start(bench).await;
        let person = |id, friend| Person {
            id,
            friend: Some(friend),
        };
        bench
            .place(&[person(1, 2), person(2, 1), person(3, 3), person(4, 9)])
            .await;
        let done = Person::delete(&bench.db, 1).await.expect("deleted");
        assert_eq!((done.deleted, done.cascaded), (1, 1));
        assert_eq!(bench.len("graph_people").await, 2);
        let done = Person::delete(&bench.db, 3).await.expect("deleted");
        assert_eq!((done.deleted, done.cascaded), (1, 0));
        settled(bench).await;
        assert_eq!(bench.len("graph_people").await, 1);
    })
    .await;
}

// A root, three below it, nine below those.
#[tokio::test]
async fn trees_go_as_a_whole() {
    on_both("graph_tree", async |bench| {
        start(bench).await;
        let mut all = vec![Person {
            id: 1,
            friend: None,
        }];
        for id in 2..=13 {
            all.push(Person {
                id,
                friend: Some((id + 1) / 3),
            });
        }
        all.push(Person {
            id: 99,
            friend: None,
        });
        bench.place(&all).await;
        let done = Person::delete(&bench.db, 1).await.expect("deleted");
        assert_eq!((done.deleted, done.cascaded), (1, 12));
        assert_eq!(bench.len("graph_people").await, 1);
        settled(bench).await;
    })
    .await;
}

// A chain that is longer than any stack is deep.
#[tokio::test]
async fn long_chains_do_not_recurse() {
    on_both("graph_chain", async |bench| {
        start(bench).await;
        let row = |n: i32| doc! { "_id": n, "friend": n - 1 };
        bench.seed("graph_people", (1..=100).map(row)).await;
        let done = Person::delete(&bench.db, 1).await.expect("deleted");
        assert_eq!((done.deleted, done.cascaded), (1, 99));
        settled(bench).await;
    })
    .await;
}

// People, their posts, the comments on those.
#[tokio::test]
async fn cascades_recur() {
    on_both("graph_levels", async |bench| {
        start(bench).await;
        bench
            .seed("graph_people", [doc! { "_id": 1 }, doc! { "_id": 2 }])
            .await;
        let post = |n: i32| doc! { "_id": n, "author": n % 2 + 1 };
        bench.seed("graph_posts", (0..20).map(post)).await;
        let comment = |n: i32| doc! { "_id": n, "post": n % 20 };
        bench.seed("graph_comments", (0..200).map(comment)).await;
        let mut told = Vec::new();
        let done = Person::delete(&bench.db, 1)
            .progress(|so_far| told.push(so_far))
            .await
            .expect("deleted");
        assert_eq!((done.deleted, done.cascaded), (1, 110));
        assert_eq!(told.last().expect("told").deleted, 111);
        assert_eq!(bench.len("graph_posts").await, 10);
        assert_eq!(bench.len("graph_comments").await, 100);
        settled(bench).await;
        let left: Vec<Document> = vec![bench.stored("graph_posts", 1).await];
        assert_eq!(left, [doc! { "_id": 1, "author": 2 }]);
        let done = Person::delete_many(&bench.db, |p| p.id.gt(0))
            .await
            .expect("deleted");
        assert_eq!((done.deleted, done.cascaded), (1, 110));
        assert_eq!(bench.len("graph_comments").await, 0);
        settled(bench).await;
    })
    .await;
}
