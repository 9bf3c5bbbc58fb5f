//! A change of a source reaches its copies, and nothing else.

use bson::{DateTime, doc};
use mongo_model::{Id, MongoModel};
use serde::{Deserialize, Serialize};

use crate::common::{Bench, on_both};
use crate::settled::{plain, settled, shown};

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "prop_posts")]
struct Post {
    #[serde(rename = "_id")]
    id: Id<Post>,
    title: String,
    slug: Option<String>,
    teaser: Option<String>,
    #[index]
    lang: String,
    views: i64,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "prop_comments")]
struct Comment {
    #[serde(rename = "_id")]
    id: Id<Comment>,
    #[parent(Post)]
    post: Id<Post>,
    #[denorm(from = Post, field = title)]
    title: String,
    #[denorm(from = Post, field = slug)]
    slug: Option<String>,
    #[denorm(from = Post, field = teaser)]
    teaser: Option<String>,
    text: String,
    version: i64,
    updated_at: DateTime,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "prop_lists")]
struct List {
    #[serde(rename = "_id")]
    id: Id<List>,
    #[refs(Post, max = 50)]
    #[denorm(from = Post, field = title)]
    posts: Vec<Listed>,
}

/// Copies from another one of its own.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "prop_fathers")]
struct Father {
    #[serde(rename = "_id")]
    id: Id<Father>,
    #[parent(Father)]
    father: Option<Id<Father>>,
    #[denorm(from = Father, field = tp)]
    father_tp: Option<String>,
    tp: Option<String>,
}

fn post(title: &str) -> Post {
    Post {
        id: Id::new(),
        title: title.to_owned(),
        slug: Some("s".to_owned()),
        teaser: Some("t".to_owned()),
        lang: "en".to_owned(),
        views: 0,
    }
}

fn comment(post: &Post) -> Comment {
    Comment {
        id: Id::new(),
        post: post.id,
        title: post.title.clone(),
        slug: post.slug.clone(),
        teaser: post.teaser.clone(),
        text: "first!".to_owned(),
        version: 3,
        updated_at: DateTime::from_millis(5),
    }
}

fn list(posts: &[&Post]) -> List {
    List {
        id: Id::new(),
        posts: posts
            .iter()
            .map(|post| Listed {
                id: post.id,
                title: post.title.clone(),
            })
            .collect(),
    }
}

async fn start(bench: &Bench) {
    bench
        .index(&[Post::meta(), Comment::meta(), List::meta(), Father::meta()])
        .await;
}

async fn titles(bench: &Bench, comments: &[Comment]) -> Vec<String> {
    let mut out = Vec::new();
    for comment in comments {
        let stored = shown::<Comment>(bench, &comment.id).await;
        out.push(stored.get_str("title").expect("a title").to_owned());
    }
    out
}

// B17, B25: two copied fields change with one update; removed ones are absent from every copy, not null; restored ones are
// back; the target's own fields, also a version and a date of change, are not touched.
#[tokio::test]
async fn several_fields_change_at_once_and_nothing_else() {
    on_both("prop_fields", async |bench| {
        let db = &bench.db;
        start(bench).await;
        let post = post("n1");
        Post::insert(db, &post).await.expect("stored");
        let comments = [comment(&post), comment(&post)];
        Comment::insert_many(db, &comments).await.expect("stored");
        settled(bench).await;
        let expect = async |title: &str, slug: Option<&str>, teaser: Option<&str>| {
            for comment in &comments {
                let mut right = bson::serialize_to_document(comment).expect("encodes");
                right.insert("title", title);
                for (field, value) in [("slug", slug), ("teaser", teaser)] {
                    match value {
                        Some(value) => drop(right.insert(field, value)),
                        None => drop(right.remove(field)),
                    }
                }
                let stored = plain(shown::<Comment>(bench, &comment.id).await);
                assert_eq!(stored, right);
            }
        };
        let update = || Post::update(db, post.id);
        update()
            .set(|p| p.title, "n2")
            .set(|p| p.slug, Some("s2".to_owned()))
            .await
            .expect("changed");
        assert_eq!(
            bench.sent(),
            ["findAndModify", "update", "update", "update"]
        );
        expect("n2", Some("s2"), Some("t")).await;
        settled(bench).await;
        update()
            .unset(|p| p.slug)
            .unset(|p| p.teaser)
            .await
            .expect("changed");
        expect("n2", None, None).await;
        settled(bench).await;
        update()
            .set(|p| p.slug, Some("s3".to_owned()))
            .await
            .expect("changed");
        expect("n2", Some("s3"), None).await;
        settled(bench).await;
    })
    .await;
}

// B21, B22, B27, B41: all copies of one source change with one update of many; what changes nothing that is copied, or nothing at
// all, writes nothing to the other collections.
#[tokio::test]
async fn one_update_per_collection_and_none_without_need() {
    on_both("prop_many", async |bench| {
        let db = &bench.db;
        start(bench).await;
        let (one, other) = (post("a"), post("b"));
        Post::insert_many(db, [&one, &other]).await.expect("stored");
        let comments: Vec<Comment> = (0..4).map(|_| comment(&one)).collect();
        Comment::insert_many(db, &comments).await.expect("stored");
        let apart = comment(&other);
        Comment::insert(db, &apart).await.expect("stored");
        let lists = [list(&[&one, &other, &one]), list(&[&other])];
        List::insert_many(db, &lists).await.expect("stored");
        settled(bench).await;
        let untouched = shown::<Comment>(bench, &apart.id).await;

        Post::update(db, one.id)
            .set(|p| p.title, "A")
            .await
            .expect("renamed");
        let sent = bench.take();
        let to = |n: usize| sent[n].command.get_str("update").unwrap_or_default();
        let names: Vec<&str> = sent.iter().map(|sent| sent.name.as_str()).collect();
        assert_eq!(names, ["findAndModify", "update", "update", "update"]);
        let mut targets = [to(1), to(2)];
        targets.sort_unstable();
        assert_eq!(targets, ["prop_comments", "prop_lists"]);
        assert_eq!(to(3), "prop_posts");
        for sent in &sent[1..3] {
            let updates = sent.command.get_array("updates").expect("updates");
            assert_eq!(updates.len(), 1);
        }
        assert_eq!(titles(bench, &comments).await, ["A"; 4]);
        let stored = plain(shown::<List>(bench, &lists[0].id).await);
        let (one, other) = (
            Post {
                title: "A".to_owned(),
                ..one
            },
            other,
        );
        let right = List {
            id: lists[0].id,
            ..list(&[&one, &other, &one])
        };
        assert_eq!(
            stored,
            bson::serialize_to_document(&right).expect("encodes")
        );
        assert_eq!(shown::<Comment>(bench, &apart.id).await, untouched);
        settled(bench).await;

        // The same title again, saved and set; fields without copies.
        Post::update(db, one.id)
            .set(|p| p.title, "A")
            .await
            .expect("the same");
        assert_eq!(bench.sent(), ["findAndModify"]);
        one.save(db).await.expect("saved");
        assert_eq!(bench.sent(), ["findAndModify"]);
        Post {
            views: 9,
            ..one.clone()
        }
        .save(db)
        .await
        .expect("saved");
        assert_eq!(bench.sent(), ["findAndModify"]);
        Post::update(db, one.id)
            .set(|p| p.lang, "de")
            .inc(|p| p.views, 1)
            .await
            .expect("changed");
        assert_eq!(bench.sent(), ["update"]);
        Post::update_many(db, |p| p.lang.eq("de"))
            .inc(|p| p.views, 1)
            .await
            .expect("changed");
        assert_eq!(bench.sent(), ["update"]);
        // A whole document is saved that has another title.
        let done = Post {
            title: "A2".to_owned(),
            ..one.clone()
        }
        .save(db)
        .await;
        assert_eq!(done.expect("saved").pending, []);
        assert_eq!(titles(bench, &comments).await, ["A2"; 4]);
        settled(bench).await;
    })
    .await;
}

// Three sources change in one burst; every copy is of its own source. Also with one update of many.
#[tokio::test]
async fn sources_changed_in_one_burst() {
    on_both("prop_burst", async |bench| {
        let db = &bench.db;
        start(bench).await;
        let posts = [post("a"), post("b"), post("c")];
        Post::insert_many(db, &posts).await.expect("stored");
        let comments: Vec<Comment> = (0..12).map(|n| comment(&posts[n % 3])).collect();
        Comment::insert_many(db, &comments).await.expect("stored");
        let rename = async |post: &Post, title: &str| {
            let done = Post::update(db, post.id).set(|p| p.title, title).await;
            assert_eq!(done.expect("renamed").pending, []);
        };
        tokio::join!(
            rename(&posts[0], "a1"),
            rename(&posts[1], "b1"),
            rename(&posts[2], "c1"),
            rename(&posts[0], "a1"),
        );
        let right: Vec<&str> = (0..12).map(|n| ["a1", "b1", "c1"][n % 3]).collect();
        assert_eq!(titles(bench, &comments).await, right);
        settled(bench).await;

        // Two writers of one source: the last value of the source is in every copy.
        tokio::join!(
            rename(&posts[0], "x"),
            rename(&posts[0], "y"),
            rename(&posts[0], "z"),
        );
        let stored = shown::<Post>(bench, &posts[0].id).await;
        let last = stored.get_str("title").expect("a title");
        let of_first: Vec<Comment> = comments.iter().step_by(3).cloned().collect();
        assert_eq!(titles(bench, &of_first).await, [last; 4]);
        settled(bench).await;

        let done = Post::update_many(db, |p| p.lang.eq("en"))
            .set(|p| p.title, "all")
            .await
            .expect("renamed");
        assert_eq!((done.modified, done.pending.len()), (3, 0));
        assert_eq!(titles(bench, &comments).await, ["all"; 12]);
        settled(bench).await;
    })
    .await;
}

// A model that copies from its own collection: nothing runs in a circle where a document is its own father.
#[tokio::test]
async fn a_collection_that_copies_from_itself() {
    on_both("prop_self", async |bench| {
        let db = &bench.db;
        start(bench).await;
        let father = Father {
            id: Id::new(),
            father: None,
            father_tp: None,
            tp: Some("pj".to_owned()),
        };
        let child = Father {
            id: Id::new(),
            father: Some(father.id),
            father_tp: None,
            tp: Some("c".to_owned()),
        };
        let id = Id::new();
        let own = Father {
            id,
            father: None,
            father_tp: None,
            tp: Some("o".to_owned()),
        };
        for one in [&father, &child, &own] {
            Father::insert(db, one).await.expect("stored");
        }
        // The library refuses it; another program stores it.
        let (this, set) = (doc! { "_id": id }, doc! { "$set": { "father": id } });
        let fathers = bench.raw("prop_fathers");
        fathers.update_one(this, set).await.expect("changed");
        mongo_model::repair(db).await.expect("repaired");
        bench.forget();
        let tp_of = async |id| {
            let stored = shown::<Father>(bench, id).await;
            stored.get_str("father_tp").ok().map(str::to_owned)
        };
        assert_eq!(tp_of(&child.id).await.as_deref(), Some("pj"));
        assert_eq!(tp_of(&own.id).await.as_deref(), Some("o"));
        settled(bench).await;
        for (id, tp) in [(father.id, "pf"), (own.id, "p")] {
            Father::update(db, id)
                .set(|f| f.tp, Some(tp.to_owned()))
                .await
                .expect("changed");
            assert_eq!(bench.sent(), ["findAndModify", "update", "update"]);
        }
        assert_eq!(tp_of(&child.id).await.as_deref(), Some("pf"));
        assert_eq!(tp_of(&own.id).await.as_deref(), Some("p"));
        assert_eq!(tp_of(&father.id).await, None);
        settled(bench).await;
    })
    .await;
}

// Another program put something else where the array was: the server refuses an update of all, and the others follow all the same.
#[tokio::test]
async fn a_document_without_its_array_stops_nobody() {
    on_both("prop_no_array", async |bench| {
        let db = &bench.db;
        start(bench).await;
        let post = post("n1");
        Post::insert(db, &post).await.expect("stored");
        let own = doc! { "id": *post.id.as_raw(), "title": "n1", "_r": 1 };
        let list = |n: i32| match n {
            7 => doc! { "_id": n, "posts": own.clone() },
            8 => {
                doc! { "_id": n, "posts": [{ "id": *post.id.as_raw(), "title": "newer", "_r": 9 }] }
            }
            n => doc! { "_id": n, "posts": [own.clone()] },
        };
        bench.seed("prop_lists", (0..20).map(list)).await;
        for new in ["n2", "n3"] {
            let renamed = Post::update(db, post.id).set(|p| p.title, new).await;
            let renamed = renamed.expect("renamed");
            assert_eq!((renamed.matched, renamed.pending.len()), (1, 0));
            let lists = bench.raw("prop_lists");
            for (title, many) in [(new, 18), ("n1", 1), ("newer", 1)] {
                let found = lists.count_documents(doc! { "posts.title": title }).await;
                assert_eq!(found.expect("counted"), many, "{new}: {title}");
            }
            settled(bench).await;
        }
    })
    .await;
}

// Many copies are no reason for many commands.
#[tokio::test]
async fn ten_thousand_copies_take_one_update() {
    on_both("prop_large", async |bench| {
        let db = &bench.db;
        start(bench).await;
        let post = post("n1");
        Post::insert(db, &post).await.expect("stored");
        let row = |n: i32| doc! { "_id": n, "post": *post.id.as_raw(), "title": "n1" };
        bench.seed("prop_comments", (0..10_000).map(row)).await;
        Post::update(db, post.id)
            .set(|p| p.title, "n2")
            .await
            .expect("renamed");
        assert_eq!(
            bench.sent(),
            ["findAndModify", "update", "update", "update"]
        );
        let renamed = doc! { "title": "n2", "slug": "s", "_r_post": 2 };
        let found = bench.raw("prop_comments").count_documents(renamed).await;
        assert_eq!(found.expect("counted"), 10_000);
        settled(bench).await;
    })
    .await;
}

// The indexes that propagation walks are among the declared ones; without them it says so, and goes on afterwards.
#[tokio::test]
async fn propagation_has_its_indexes() {
    on_both("prop_index", async |bench| {
        let db = &bench.db;
        let post = post("n1");
        Post::insert(db, &post).await.expect("stored");
        let comments = [comment(&post)];
        Comment::insert_many(db, &comments).await.expect("stored");
        let refused = Post::update(db, post.id).set(|p| p.title, "n2").await;
        let refused = refused.expect_err("not indexed");
        assert!(
            matches!(refused, mongo_model::Error::MissingIndex { .. }),
            "{refused}"
        );
        start(bench).await;
        let indexes = bench.raw("prop_comments").list_index_names().await;
        let indexes = indexes.expect("listed");
        assert!(
            indexes.iter().any(|name| name == "post_1__id_1"),
            "{indexes:?}"
        );
        let done = mongo_model::recover(db).await.expect("recovered");
        assert_eq!((done.sources, done.stuck.len()), (1, 0));
        assert_eq!(titles(bench, &comments).await, ["n2"]);
        settled(bench).await;
    })
    .await;
}
