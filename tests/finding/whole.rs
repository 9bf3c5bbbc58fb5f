//! Documents that hold copies are compared field by field: what is stored has fields of the library's own (`_r`) as well.

use bson::{Document, doc};
use mongo_model::{Error, MongoEmbed, MongoModel};
use serde::{Deserialize, Serialize};

use crate::common::{Bench, alone};

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "users")]
struct User {
    #[serde(rename = "_id")]
    id: i32,
    name: String,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoEmbed)]
#[serde(rename_all = "camelCase")]
struct Note {
    #[parent(User)]
    by_user: Option<i32>,
    #[denorm(from = User, field = name)]
    user_name: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    text: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoEmbed)]
struct Page {
    number: i32,
    head: Note,
    #[refs(User, max = 10)]
    #[denorm(from = User, field = name)]
    mentions: Vec<Mention>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "posts")]
struct Post {
    #[serde(rename = "_id")]
    id: i32,
    #[parent(User)]
    #[denorm(from = User, field = name)]
    author: Option<Author>,
    #[refs(User, max = 10)]
    #[denorm(from = User, field = name)]
    likes: Vec<Like>,
    #[index]
    head: Note,
    #[embed(max = 5)]
    pages: Vec<Page>,
}

fn user(id: i32) -> Document {
    doc! { "id": id, "name": format!("user-{id}"), "_r": 7_i64 }
}

fn note(id: i32) -> Document {
    doc! { "byUser": id, "userName": format!("user-{id}"), "_r_byUser": 7_i64 }
}

fn noted(id: i32) -> Note {
    Note {
        by_user: Some(id),
        user_name: Some(format!("user-{id}")),
        text: None,
    }
}

fn author(id: i32) -> Author {
    let name = format!("user-{id}");
    Author { id, name }
}

fn like(id: i32) -> Like {
    let name = format!("user-{id}");
    Like { id, name }
}

/// Posts 1 to 3, all of whose copies were written by a propagation; post 4 has no reference.
async fn seed(bench: &Bench) {
    bench.index(&[Post::meta(), User::meta()]).await;
    let mut posts: Vec<Document> = (1..4)
        .map(|n| {
            let pages = [
                doc! { "number": n, "head": note(n), "mentions": [user(n)] },
                doc! { "number": n + 1, "head": note(n + 10), "mentions": [] },
            ];
            doc! { "_id": n, "author": user(n), "likes": [user(n), user(n + 1)], "head": note(n), "pages": pages.to_vec() }
        })
        .collect();
    posts.push(doc! { "_id": 4, "author": null, "likes": [], "head": {}, "pages": [] });
    bench.raw("posts").insert_many(posts).await.expect("stored");
    bench.forget();
}

/// The ids of what `scan` finds, smallest first.
macro_rules! found {
    ($bench:expr, $filter:expr) => {{
        let posts = Post::scan(&$bench.db, $filter).await.expect("found");
        let mut ids: Vec<i32> = posts.iter().map(|post| post.id).collect();
        ids.sort_unstable();
        ids
    }};
}

#[tokio::test]
async fn a_document() {
    alone("whole_document", async |bench| {
        seed(bench).await;
        assert_eq!(found!(bench, |p| p.author.eq(author(2))), [2]);
        assert_eq!(
            *bench.only().get_document("filter").expect("a filter"),
            doc! { "author.id": { "$eq": 2 }, "author.name": { "$eq": "user-2" } }
        );
        let stale = Author {
            id: 2,
            name: "user-3".to_owned(),
        };
        assert_eq!(found!(bench, |p| p.author.eq(stale)), [0_i32; 0]);
        assert_eq!(found!(bench, |p| p.author.eq(None)), [4]);
        assert_eq!(found!(bench, |p| p.author.ne(author(2))), [1, 3, 4]);
        assert_eq!(found!(bench, |p| p.author.ne(None)), [1, 2, 3]);
        assert_eq!(
            found!(bench, |p| p.author.is_in([Some(author(1)), None])),
            [1, 4]
        );
        assert_eq!(found!(bench, |p| p.author.is_in([author(9)])), [0_i32; 0]);
        assert_eq!(found!(bench, |p| p.author.is_in([None])), [4]);
        assert_eq!(
            found!(bench, |p| p.author.not_in([Some(author(1)), None])),
            [2, 3]
        );
        assert_eq!(found!(bench, |p| p.head.eq(noted(3))), [3]);
        // A field that the value has not: absent, or null.
        let other = doc! { "$set": { "head.text": "x" } };
        bench
            .raw("posts")
            .update_one(doc! { "_id": 3 }, other)
            .await
            .expect("changed");
        assert_eq!(found!(bench, |p| p.head.eq(noted(3))), [0_i32; 0]);
        let texted = Note {
            text: Some("x".to_owned()),
            ..noted(3)
        };
        assert_eq!(found!(bench, |p| p.head.eq(&texted)), [3]);
        // If every field of the value is null, only a stored document matches: not null, and not an absent field.
        let empty = Note {
            by_user: None,
            user_name: None,
            text: None,
        };
        let unset = doc! { "$unset": { "head": 1 } };
        bench
            .raw("posts")
            .insert_one(doc! { "_id": 5, "head": null })
            .await
            .expect("stored");
        let posts = bench.raw("posts");
        let without = posts.update_one(doc! { "_id": 1 }, unset).await;
        without.expect("changed");
        let ids = Post::scan(&bench.db, |p| p.head.eq(&empty)).ids().await;
        assert_eq!(ids.expect("found"), [4]);
    })
    .await;
}

#[tokio::test]
async fn in_arrays() {
    alone("whole_elements", async |bench| {
        seed(bench).await;
        assert_eq!(found!(bench, |p| p.likes.contains(like(2))), [1, 2]);
        assert_eq!(
            *bench.only().get_document("filter").expect("a filter"),
            doc! { "likes": { "$elemMatch": { "id": { "$eq": 2 }, "name": { "$eq": "user-2" } } } }
        );
        // Each of its fields is in an element, but not in the same one.
        let mixed = Like {
            id: 2,
            name: "user-1".to_owned(),
        };
        assert_eq!(found!(bench, |p| p.likes.contains(&mixed)), [0_i32; 0]);
        assert_eq!(found!(bench, |p| !p.likes.contains(like(2))), [3, 4]);
        assert_eq!(found!(bench, |p| p.pages.head.eq(noted(11))), [1]);
        assert_eq!(found!(bench, |p| p.pages.head.ne(noted(11))), [2, 3, 4]);
        assert_eq!(
            found!(bench, |p| p.pages.head.is_in([noted(11), noted(3)])),
            [1, 3]
        );
        let across = Note {
            user_name: Some("user-1".to_owned()),
            ..noted(11)
        };
        assert_eq!(found!(bench, |p| p.pages.head.eq(&across)), [0_i32; 0]);
        assert_eq!(
            found!(bench, |p| p
                .pages
                .any(|page| page.head.eq(noted(12)).and(page.number.eq(3)))),
            [2]
        );
        assert_eq!(
            found!(bench, |p| p
                .pages
                .any(|page| page.head.eq(noted(2)).and(page.number.eq(3)))),
            [0_i32; 0]
        );
        let mention = |id| Mention {
            id,
            name: format!("user-{id}"),
        };
        assert_eq!(
            found!(bench, |p| p.pages.mentions.contains(mention(3))),
            [3]
        );
        assert_eq!(
            found!(bench, |p| p.pages.any(|page| page
                .mentions
                .contains(mention(3))
                .and(page.number.eq(3)))),
            [3]
        );
        // An array without elements is compared as it is, alone and in a document.
        assert_eq!(found!(bench, |p| p.likes.eq(vec![])), [4]);
        assert_eq!(found!(bench, |p| p.likes.ne(vec![])), [1, 2, 3]);
        let page = Page {
            number: 2,
            head: noted(11),
            mentions: Vec::new(),
        };
        assert_eq!(found!(bench, |p| p.pages.contains(&page)), [1]);
    })
    .await;
}

#[tokio::test]
async fn served_by_the_index_of_the_reference() {
    alone("whole_served", async |bench| {
        seed(bench).await;
        let found = Post::find(&bench.db, |p| p.head.eq(noted(2))).await;
        assert_eq!(found.expect("found").len(), 1);
        let plan = bench.plan().await;
        plan.assert_served_by("head.byUser");
        assert_eq!(plan.documents, 1);
        let found = Post::scan(&bench.db, |p| p.author.eq(author(2))).await;
        assert_eq!(found.expect("found").len(), 1);
        let plan = bench.plan().await;
        plan.assert_served_by("author.id");
        assert_eq!(plan.documents, 1);
        let found = Post::scan(&bench.db, |p| p.likes.contains(like(2))).await;
        assert_eq!(found.expect("found").len(), 2);
        let plan = bench.plan().await;
        plan.assert_served_by("likes.id");
        assert_eq!(plan.documents, 2);
    })
    .await;
}

#[tokio::test]
async fn arrays_as_a_whole() {
    alone("whole_arrays", async |bench| {
        seed(bench).await;
        let likes = |n| vec![like(n), like(n + 1)];
        assert_eq!(found!(bench, |p| p.likes.eq(likes(2))), [2]);
        assert_eq!(found!(bench, |p| p.likes.eq(vec![like(2)])), [0; 0]);
        assert_eq!(found!(bench, |p| p.likes.ne(likes(2))), [1, 3, 4]);
        assert_eq!(found!(bench, |p| p.likes.is_in([vec![], likes(1)])), [1, 4]);
        let mention = |id| Mention {
            id,
            name: format!("user-{id}"),
        };
        let page = |number, head, mentions| Page {
            number,
            head: noted(head),
            mentions,
        };
        let pages = vec![page(2, 2, vec![mention(2)]), page(3, 12, vec![])];
        assert_eq!(found!(bench, |p| p.pages.contains(&pages[0])), [2]);
        assert_eq!(found!(bench, |p| p.pages.eq(&pages)), [2]);
        let other = vec![pages[0].clone(), page(3, 12, vec![mention(2)])];
        assert_eq!(found!(bench, |p| p.pages.eq(other)), [0; 0]);
    })
    .await;
}

#[tokio::test]
async fn no_order() {
    alone("whole_order", async |bench| {
        let refused = Post::scan(&bench.db, |p| p.pages.any(|page| page.head.gt(noted(1)))).await;
        let Err(Error::Impossible { what }) = refused else {
            panic!("{refused:?}");
        };
        assert_eq!(
            what,
            "a filter on Post.pages.head: documents that hold copies have no order, the library keeps fields of its own in them; compare one of their fields"
        );
        assert_eq!(bench.sent(), [""; 0]);
    })
    .await;
}
