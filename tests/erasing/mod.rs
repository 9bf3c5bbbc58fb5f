//! Persons: what the program stores about them is given out and erased, wherever it is.

mod erase;
mod export;
mod nested;
mod tenants;

use bson::{Document, doc};
use futures::TryStreamExt;
use mongo_model::{Database, Id, MongoEmbed, MongoModel};
use serde::{Deserialize, Serialize};

use crate::common::Bench;

/// The text in every personal value that an erase removes.
pub(crate) const PLANTED: &str = "planted-4711";

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoEmbed)]
pub(crate) struct Home {
    pub(crate) street: String,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "erased_users", soft_delete)]
pub(crate) struct User {
    #[serde(rename = "_id")]
    pub(crate) id: Id<User>,
    #[personal(erased = "gone")]
    pub(crate) name: String,
    #[index(unique)]
    #[personal(erased = "gone-{id}@example.com")]
    pub(crate) email: String,
    #[personal]
    pub(crate) phone: Option<String>,
    #[personal]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) home: Option<Home>,
    #[embed(max = 5)]
    #[personal(erased = Vec::new())]
    pub(crate) tags: Vec<String>,
    #[personal(keep_for = "7y", reason = "tax")]
    pub(crate) tax_number: String,
    pub(crate) language: String,
    #[parent(User, on_delete = unset)]
    pub(crate) invited_by: Option<Id<User>>,
    #[personal(of = invited_by)]
    pub(crate) invitation: Option<String>,
    #[version]
    pub(crate) version: i64,
    #[deleted]
    pub(crate) deleted_at: Option<bson::DateTime>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "erased_posts")]
pub(crate) struct Post {
    #[serde(rename = "_id")]
    pub(crate) id: Id<Post>,
    #[parent(User)]
    pub(crate) author: Id<User>,
    #[denorm(from = User, field = name)]
    pub(crate) author_name: String,
    #[denorm(from = User, field = home.street)]
    pub(crate) street: Option<String>,
    pub(crate) title: String,
    #[personal(of = author, erased = "")]
    pub(crate) body: String,
    #[recent(Comment, max = 2, sort = time, fields(time, text))]
    pub(crate) comments: Vec<LastComment>,
    #[refs(User, max = 10)]
    #[denorm(from = User, field = name)]
    pub(crate) readers: Vec<Reader>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "erased_comments", soft_delete)]
pub(crate) struct Comment {
    #[serde(rename = "_id")]
    pub(crate) id: Id<Comment>,
    #[parent(Post, on_delete = cascade)]
    pub(crate) post: Id<Post>,
    #[denorm(from = Post, field = author_name)]
    pub(crate) about: String,
    #[parent(User)]
    pub(crate) author: Id<User>,
    #[personal(of = author, erased = "erased")]
    pub(crate) text: String,
    pub(crate) time: i64,
    #[deleted]
    pub(crate) deleted_at: Option<bson::DateTime>,
}

/// A user whose personal values hold this text.
pub(crate) fn user(n: u32, text: &str) -> User {
    User {
        id: Id::new(),
        name: format!("name {text}"),
        email: format!("{n}-{text}@example.com"),
        phone: Some(format!("phone {text}")),
        home: Some(Home {
            street: format!("street {text}"),
        }),
        tags: vec![format!("tag {text}")],
        tax_number: format!("tax {n}"),
        language: "en".to_owned(),
        invited_by: None,
        invitation: None,
        version: 0,
        deleted_at: None,
    }
}

pub(crate) fn post(author: Id<User>, reader: Id<User>, text: &str) -> Post {
    Post {
        id: Id::new(),
        author,
        author_name: String::new(),
        street: None,
        title: "title".to_owned(),
        body: format!("body {text}"),
        comments: Vec::new(),
        readers: vec![Reader {
            id: reader,
            name: String::new(),
        }],
    }
}

pub(crate) fn comment(post: Id<Post>, author: Id<User>, time: i64, text: &str) -> Comment {
    Comment {
        id: Id::new(),
        post,
        about: String::new(),
        author,
        text: format!("text {text}"),
        time,
        deleted_at: None,
    }
}

/// Two users, the first with the planted text in every place: also in a post and comments of the other one, in lists and copies at
/// several steps, and in documents that are marked as deleted.
pub(crate) async fn planted(bench: &Bench) -> (Id<User>, Id<User>) {
    let db = &bench.db;
    bench
        .index(&[User::meta(), Post::meta(), Comment::meta()])
        .await;
    let (person, mut other) = (user(1, PLANTED), user(2, "other"));
    let (id, other_id) = (person.id, other.id);
    other.invited_by = Some(id);
    other.invitation = Some(PLANTED.to_owned());
    User::insert_many(db, &[person, other])
        .await
        .expect("users");
    let posts = [
        post(id, other_id, PLANTED),
        post(other_id, id, "other"),
        post(id, id, PLANTED),
    ];
    Post::insert_many(db, &posts).await.expect("posts");
    let comments: Vec<Comment> = (0..6)
        .map(|n| {
            let author = if n % 2 == 0 { id } else { other_id };
            let text = if n % 2 == 0 { PLANTED } else { "other" };
            comment(posts[n % 3].id, author, n as i64, text)
        })
        .collect();
    Comment::insert_many(db, &comments).await.expect("comments");
    let deleted = Comment::delete(db, comments[0].id).await.expect("deleted");
    assert_eq!(deleted.deleted, 1);
    assert!(hits(db).await > 12, "the text is everywhere");
    bench.forget();
    (id, other_id)
}

/// The number of values in all collections that hold the planted text.
pub(crate) async fn hits(db: &Database) -> usize {
    let mut hits = 0;
    for name in db.list_collection_names().await.expect("names") {
        let collection = db.collection::<Document>(&name);
        let all = collection.find(doc! {}).await;
        let all: Vec<Document> = all.expect("read").try_collect().await.expect("all");
        hits += all
            .iter()
            .map(|document| document.to_string().matches(PLANTED).count())
            .sum::<usize>();
    }
    hits
}
