//! Each rule on each kind of reference.

use bson::doc;
use mongo_model::denorm::{Defect, Verified};
use mongo_model::{Error, MongoModel};
use serde::{Deserialize, Serialize};

use crate::common::{Bench, on_both};
use crate::deleting::settled::{everything, settled};

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "rule_people")]
struct Person {
    #[serde(rename = "_id")]
    id: i32,
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
#[model(collection = "rule_notes")]
struct Note {
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
#[model(collection = "rule_lefts")]
struct Left {
    #[serde(rename = "_id")]
    id: i32,
    #[refs(Right, max = 100, on_delete = pull)]
    rights: Vec<i32>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "rule_rights")]
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

async fn start(bench: &Bench, posts: &[Post]) {
    bench.index(&[Person::meta(), Post::meta()]).await;
    let people: Vec<Person> = (1..=3).map(|id| Person { id }).collect();
    bench.place(&people).await;
    bench.place(posts).await;
}

fn count(found: &Verified, edge: &str, kind: Defect) -> u64 {
    found.reference(edge).expect("looked at").count(kind)
}

async fn posts(bench: &Bench) -> Vec<Post> {
    let mut found = Post::scan(&bench.db, |p| p.all()).await.expect("read");
    found.sort_by_key(|post| post.id);
    bench.forget();
    found
}

// D01, D28, B53: the posts of a deleted author are deleted, and no others; no field of them is read.
#[tokio::test]
async fn children_go_with_their_parent() {
    on_both("rule_cascade", async |bench| {
        start(
            bench,
            &[
                post(1, 1, None, &[]),
                post(2, 1, None, &[]),
                post(3, 2, None, &[]),
            ],
        )
        .await;
        let done = Person::delete(&bench.db, 1).await.expect("deleted");
        assert_eq!((done.deleted, done.cascaded, done.changed), (1, 2, 0));
        assert_eq!(done.pending, []);
        let sent = bench.take();
        let names: Vec<&str> = sent.iter().map(|sent| sent.name.as_str()).collect();
        // The three indexes; D1; cascade, unset, pull; D3. References that are stored meanwhile carry a mark, and are found by that.
        let expected = [
            "find",
            "find",
            "find",
            "findAndModify",
            "delete",
            "update",
            "update",
            "delete",
        ];
        assert_eq!(names, expected);
        let cascade = &sent[4].command;
        let statement = cascade.get_array("deletes").expect("deletes")[0].as_document();
        let statement = statement.expect("a statement");
        assert_eq!(
            *statement,
            doc! {
                "q": { "author": { "$in": [1] } },
                "limit": 0,
                "hint": { "author": 1, "_id": 1 },
                "collation": { "locale": "simple" },
            }
        );
        for (sent, key) in sent[4..7].iter().zip(["author", "reviewer", "readers"]) {
            bench
                .explain(sent.command.clone())
                .await
                .assert_served_by(key);
        }
        assert_eq!(posts(bench).await, [post(3, 2, None, &[])]);
        assert_eq!(bench.len("rule_people").await, 2);
        settled(bench).await;
        let gone = Person::delete(&bench.db, 1).await;
        assert!(
            matches!(
                gone,
                Err(Error::NotFound {
                    model: "Person",
                    ..
                })
            ),
            "{gone:?}"
        );
        settled(bench).await;
    })
    .await;
}

// D07, D08, B55: the reviewer goes, the post stays without one; the author goes, and so does the post.
#[tokio::test]
async fn one_reference_is_unset_and_another_cascades() {
    on_both("rule_unset", async |bench| {
        start(bench, &[post(1, 1, Some(2), &[]), post(2, 3, Some(3), &[])]).await;
        let done = Person::delete(&bench.db, 2).await.expect("deleted");
        assert_eq!((done.deleted, done.cascaded, done.changed), (1, 0, 1));
        assert_eq!(
            posts(bench).await,
            [post(1, 1, None, &[]), post(2, 3, Some(3), &[])]
        );
        let stored = bench.stored("rule_posts", 1).await;
        assert_eq!(stored, doc! { "_id": 1, "author": 1, "readers": [] });
        Person::delete(&bench.db, 1).await.expect("deleted");
        assert_eq!(posts(bench).await, [post(2, 3, Some(3), &[])]);
        settled(bench).await;
    })
    .await;
}

// A reader goes, the others stay, in order; an empty list stays a list.
#[tokio::test]
async fn references_are_pulled() {
    on_both("rule_pull", async |bench| {
        start(
            bench,
            &[post(1, 1, None, &[1, 2, 3, 2]), post(2, 1, None, &[2])],
        )
        .await;
        let done = Person::delete(&bench.db, 2).await.expect("deleted");
        assert_eq!((done.deleted, done.cascaded, done.changed), (1, 0, 2));
        assert_eq!(
            posts(bench).await,
            [post(1, 1, None, &[1, 3]), post(2, 1, None, &[])]
        );
        settled(bench).await;
    })
    .await;
}

// Lists, one of which cascades.
#[tokio::test]
async fn lists_that_cascade() {
    on_both("rule_lists", async |bench| {
        let db = &bench.db;
        bench.index(&[Book::meta(), Writer::meta()]).await;
        bench
            .place(&[Writer { id: 1 }, Writer { id: 2 }, Writer { id: 3 }])
            .await;
        let book = |id, writers: &[i32], editors: &[i32]| Book {
            id,
            writers: writers.to_vec(),
            editors: editors.to_vec(),
        };
        bench
            .place(&[book(1, &[1, 3], &[2]), book(2, &[3], &[2, 3])])
            .await;
        let done = Writer::delete(db, 2).await.expect("deleted");
        assert_eq!((done.cascaded, done.changed), (0, 2));
        let books = Book::scan(db, |b| b.all()).await.expect("read");
        assert_eq!(books, [book(1, &[1, 3], &[]), book(2, &[3], &[3])]);
        let done = Writer::delete(db, 1).await.expect("deleted");
        assert_eq!((done.cascaded, done.changed), (1, 0));
        let books = Book::scan(db, |b| b.all()).await.expect("read");
        assert_eq!(books, [book(2, &[3], &[3])]);
        settled(bench).await;
    })
    .await;
}

// If two lists refer to each other, each loses the ids of documents deleted on the other side.
#[tokio::test]
async fn both_sides_are_pulled() {
    on_both("rule_sides", async |bench| {
        let db = &bench.db;
        bench.index(&[Left::meta(), Right::meta()]).await;
        let left = |id, rights: &[i32]| Left {
            id,
            rights: rights.to_vec(),
        };
        let right = |id, lefts: &[i32]| Right {
            id,
            lefts: lefts.to_vec(),
        };
        bench.place(&[left(1, &[1, 2]), left(2, &[2])]).await;
        bench.place(&[right(1, &[1]), right(2, &[1, 2])]).await;
        Left::delete(db, 1).await.expect("deleted");
        let rights = Right::scan(db, |r| r.all()).await.expect("read");
        assert_eq!(rights, [right(1, &[]), right(2, &[2])]);
        Right::delete(db, 2).await.expect("deleted");
        let lefts = Left::scan(db, |l| l.all()).await.expect("read");
        assert_eq!(lefts, [left(2, &[])]);
        settled(bench).await;
    })
    .await;
}

// D25, B56: a delete that keeps references, or of an unreferenced document, costs one command; `verify` counts those left as kept.
#[tokio::test]
async fn kept_references_cost_nothing() {
    on_both("rule_keep", async |bench| {
        let db = &bench.db;
        bench.index(&[Note::meta(), Memory::meta()]).await;
        bench.place(&[Memory { id: 1 }, Memory { id: 2 }]).await;
        bench
            .place(&[Note { id: 1, of: 1 }, Note { id: 2, of: 2 }])
            .await;
        Memory::delete(db, 1).await.expect("deleted");
        assert_eq!(
            bench.only().get_array("deletes").expect("deletes")[0],
            doc! { "q": { "_id": 1 }, "limit": 1, "collation": { "locale": "simple" } }.into()
        );
        let found = mongo_model::verify(db)
            .only::<Note>()
            .await
            .expect("looked");
        assert!(found.is_clean(), "{found}");
        assert_eq!(count(&found, "rule_notes.of", Defect::Kept), 1, "{found}");
        bench.forget();
        Note::delete(db, 1).await.expect("deleted");
        assert_eq!(bench.sent(), ["delete"]);
        settled(bench).await;
    })
    .await;
}

// The delete without checks has another name, and touches nothing else.
#[tokio::test]
async fn unchecked_deletes_touch_nothing_else() {
    on_both("rule_unchecked", async |bench| {
        let db = &bench.db;
        start(bench, &[post(1, 1, Some(2), &[3])]).await;
        let before = everything(bench).await;
        bench.forget();
        let done = Person::delete(db, 1)
            .without_rules()
            .await
            .expect("deleted");
        assert_eq!((done.deleted, done.cascaded, done.changed), (1, 0, 0));
        let done = Person::delete_many(db, |p| p.id.gt(1))
            .without_rules()
            .await;
        assert_eq!(done.expect("deleted").deleted, 2);
        assert_eq!(bench.sent(), ["delete", "delete"]);
        let after = everything(bench).await;
        let posts = |all: Vec<(String, bson::Document)>| -> Vec<_> {
            all.into_iter()
                .filter(|(name, _)| name == "rule_posts")
                .collect()
        };
        assert_eq!(posts(after), posts(before));
        let gone = Person::delete(db, 1).without_rules().await;
        assert!(matches!(gone, Err(Error::NotFound { .. })), "{gone:?}");
        let found = mongo_model::verify(db)
            .only::<Post>()
            .await
            .expect("looked");
        let orphans: u64 = found
            .references
            .iter()
            .map(|edge| edge.count(Defect::Orphan))
            .sum();
        assert_eq!(orphans, 3, "{found}");
    })
    .await;
}

// Deleting one of two documents does not touch references to the other.
#[tokio::test]
async fn a_delete_of_some_leaves_the_others() {
    on_both("rule_some", async |bench| {
        start(
            bench,
            &[
                post(1, 1, None, &[]),
                post(2, 1, None, &[]),
                post(3, 2, None, &[]),
            ],
        )
        .await;
        let done = Person::delete_many(&bench.db, |p| p.id.lt(2))
            .await
            .expect("deleted");
        assert_eq!((done.deleted, done.cascaded), (1, 2));
        assert_eq!(posts(bench).await, [post(3, 2, None, &[])]);
        let done = Person::delete_many(&bench.db, |p| p.id.gt(1))
            .await
            .expect("deleted");
        assert_eq!((done.deleted, done.cascaded), (2, 1));
        assert_eq!(
            (
                bench.len("rule_posts").await,
                bench.len("rule_people").await
            ),
            (0, 0)
        );
        settled(bench).await;
        let done = Person::delete_many(&bench.db, |p| p.id.gt(1))
            .await
            .expect("none");
        assert_eq!(done, mongo_model::Deleted::default());
    })
    .await;
}
