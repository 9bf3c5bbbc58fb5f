//! A reference that leads somewhere else brings other copies with it, in the same write.

use bson::doc;
use mongo_model::{Error, Id, MongoModel};
use serde::{Deserialize, Serialize};

use crate::common::{Bench, on_both};
use crate::settled::{settled, shown};

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "turn_posts")]
struct Post {
    #[serde(rename = "_id")]
    id: Id<Post>,
    title: Option<String>,
    price: Option<i64>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "turn_comments")]
struct Comment {
    #[serde(rename = "_id")]
    id: Id<Comment>,
    #[parent(Post)]
    post: Option<Id<Post>>,
    #[denorm(from = Post, field = title)]
    title: Option<String>,
    #[denorm(from = Post, field = price, snapshot)]
    price_then: Option<i64>,
    #[index]
    text: String,
}

/// Copies what a comment copies.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "turn_pins")]
struct Pin {
    #[serde(rename = "_id")]
    id: Id<Pin>,
    #[parent(Comment)]
    #[denorm(from = Comment, fields(title, text))]
    comment: Pinned,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "turn_lists")]
struct List {
    #[serde(rename = "_id")]
    id: Id<List>,
    #[refs(Post, max = 5)]
    #[denorm(from = Post, field = title)]
    posts: Vec<Listed>,
}

fn post(title: &str, price: i64) -> Post {
    Post {
        id: Id::new(),
        title: Some(title.to_owned()),
        price: Some(price),
    }
}

fn comment(post: Option<&Post>) -> Comment {
    Comment {
        id: Id::new(),
        post: post.map(|post| post.id),
        title: None,
        price_then: None,
        text: "first".to_owned(),
    }
}

struct Start {
    posts: [Post; 2],
    comment: Comment,
    pin: Pin,
}

async fn start(bench: &Bench) -> Start {
    bench
        .index(&[Post::meta(), Comment::meta(), Pin::meta(), List::meta()])
        .await;
    let db = &bench.db;
    let posts = [post("a", 1), post("b", 2)];
    Post::insert_many(db, &posts).await.expect("stored");
    let comment = comment(Some(&posts[0]));
    Comment::insert(db, &comment).await.expect("stored");
    let pin = Pin {
        id: Id::new(),
        comment: Pinned {
            id: comment.id,
            title: None,
            text: String::new(),
        },
    };
    Pin::insert(db, &pin).await.expect("stored");
    bench.forget();
    Start {
        posts,
        comment,
        pin,
    }
}

impl Start {
    async fn assert_titled(&self, bench: &Bench, title: Option<&str>, price: Option<i64>) {
        let stored = shown::<Comment>(bench, &self.comment.id).await;
        assert_eq!(stored.get_str("title").ok(), title, "{stored}");
        assert_eq!(stored.get_i64("price_then").ok(), price, "{stored}");
        if title.is_none() {
            // Absent, not null, and no revision of what it was.
            assert!(!stored.contains_key("title"), "{stored}");
            assert!(!stored.contains_key("_r_post"), "{stored}");
        }
        let pin = shown::<Pin>(bench, &self.pin.id).await;
        let copy = pin.get_document("comment").expect("an entry");
        assert_eq!(copy.get_str("title").ok(), title, "{pin}");
        settled(bench).await;
    }
}

// B03, B07, B27: the copies are those of the new source, also where they are copied further, and follow it from then on, not
// the old one.
#[tokio::test]
async fn a_new_source_brings_its_copies() {
    on_both("turn_set", async |bench| {
        let db = &bench.db;
        let start = start(bench).await;
        start.assert_titled(bench, Some("a"), Some(1)).await;
        let [a, b] = &start.posts;
        let done = Comment::update(db, start.comment.id)
            .set(|c| c.post, Some(b.id))
            .await
            .expect("re-pointed");
        assert_eq!((done.matched, done.pending.len()), (1, 0));
        start.assert_titled(bench, Some("b"), Some(2)).await;
        let title = |title: &str| Some(title.to_owned());
        let old = Post::update(db, a.id).set(|p| p.title, title("a2"));
        old.await.expect("renamed");
        start.assert_titled(bench, Some("b"), Some(2)).await;
        let new = Post::update(db, b.id).set(|p| p.title, title("b2"));
        new.await.expect("renamed");
        start.assert_titled(bench, Some("b2"), Some(2)).await;
        // A whole document that refers to the first one again.
        let mut found = Comment::get(db, start.comment.id)
            .await
            .expect("read")
            .expect("stored");
        found.post = Some(a.id);
        found.save(db).await.expect("saved");
        start.assert_titled(bench, Some("a2"), Some(1)).await;
        // And with one update of many.
        let done = Comment::update_many(db, |c| c.text.eq("first"))
            .set(|c| c.post, Some(b.id))
            .await
            .expect("re-pointed");
        assert_eq!((done.modified, done.pending.len()), (1, 0));
        start.assert_titled(bench, Some("b2"), Some(2)).await;
    })
    .await;
}

// B06, B28: no reference, no copies; associated later, the copies come.
#[tokio::test]
async fn copies_go_and_come_with_the_reference() {
    on_both("turn_none", async |bench| {
        let db = &bench.db;
        let start = start(bench).await;
        let [a, b] = &start.posts;
        let update = || Comment::update(db, start.comment.id);
        update().set(|c| c.post, None).await.expect("cleared");
        start.assert_titled(bench, None, None).await;
        update()
            .set(|c| c.post, Some(a.id))
            .await
            .expect("associated");
        start.assert_titled(bench, Some("a"), Some(1)).await;
        update().unset(|c| c.post).await.expect("cleared");
        start.assert_titled(bench, None, None).await;
        let associated = Comment {
            post: Some(b.id),
            ..start.comment.clone()
        };
        associated.save(db).await.expect("saved");
        start.assert_titled(bench, Some("b"), Some(2)).await;
        let alone = Comment {
            post: None,
            ..start.comment.clone()
        };
        alone.save(db).await.expect("saved");
        let stored = shown::<Comment>(bench, &start.comment.id).await;
        assert!(stored.get_str("title").is_err(), "{stored}");
        settled(bench).await;
    })
    .await;
}

// A reference to nothing is refused, and nothing changes.
#[tokio::test]
async fn a_new_source_has_to_be_there() {
    on_both("turn_nowhere", async |bench| {
        let db = &bench.db;
        let start = start(bench).await;
        let before = shown::<Comment>(bench, &start.comment.id).await;
        let gone = Id::new();
        let refused = Comment::update(db, start.comment.id)
            .set(|c| c.post, Some(gone))
            .await;
        assert!(
            matches!(refused, Err(Error::Dangling { .. })),
            "{refused:?}"
        );
        assert_eq!(shown::<Comment>(bench, &start.comment.id).await, before);
        settled(bench).await;
    })
    .await;
}

// A whole array of references is set, and pulled from; copies belong to their references, not to their places.
#[tokio::test]
async fn arrays_of_references_are_replaced() {
    on_both("turn_array", async |bench| {
        let db = &bench.db;
        let start = start(bench).await;
        let entry = |post: &Post| Listed {
            id: post.id,
            title: Some("?".to_owned()),
        };
        let [a, b] = &start.posts;
        let list = List {
            id: Id::new(),
            posts: vec![entry(a), entry(b)],
        };
        List::insert(db, &list).await.expect("stored");
        let titles = async || {
            let stored = shown::<List>(bench, &list.id).await;
            let entries = stored.get_array("posts").expect("entries").clone();
            let titles = entries.iter().filter_map(|entry| entry.as_document());
            let titles = titles.filter_map(|entry| entry.get_str("title").ok());
            titles.map(str::to_owned).collect::<Vec<_>>()
        };
        let done = List::update(db, list.id)
            .set(|l| l.posts, vec![entry(b), entry(a), entry(b)])
            .await
            .expect("replaced");
        assert_eq!(done.pending, []);
        assert_eq!(titles().await, ["b", "a", "b"]);
        settled(bench).await;
        let renamed = Post::update(db, b.id).set(|p| p.title, Some("b2".to_owned()));
        renamed.await.expect("renamed");
        assert_eq!(titles().await, ["b2", "a", "b2"]);
        List::update(db, list.id)
            .pull_where(|l| l.posts, |entry| entry.id.eq(b.id))
            .await
            .expect("pulled");
        assert_eq!(titles().await, ["a"]);
        settled(bench).await;
        List::update(db, list.id)
            .set(|l| l.posts, Vec::<Listed>::new())
            .await
            .expect("emptied");
        assert_eq!(titles().await, Vec::<String>::new());
        let none = doc! { "_dn": { "$exists": true } };
        let marked = bench.raw("turn_lists").count_documents(none).await;
        assert_eq!(marked.expect("counted"), 0);
        settled(bench).await;
    })
    .await;
}
