//! An issue tracker: a comment names its author, and its issue shows the last five and counts them all.

use bson::{DateTime, Document};
use mongo_model::{Database, Id, MongoModel, recover, verify};
use serde::{Deserialize, Serialize};

use crate::common::Bench;

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "answer_users")]
pub(crate) struct User {
    #[serde(rename = "_id")]
    pub(crate) id: Id<User>,
    pub(crate) name: String,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "answer_issues")]
pub(crate) struct Issue {
    #[serde(rename = "_id")]
    pub(crate) id: Id<Issue>,
    pub(crate) title: String,
    #[recent(Comment, max = 5, sort = created, fields(created, text))]
    pub(crate) last: Vec<RecentComment>,
    #[count(Comment)]
    pub(crate) comments: i64,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "answer_comments")]
pub(crate) struct Comment {
    #[serde(rename = "_id")]
    pub(crate) id: Id<Comment>,
    #[parent(Issue, sort = -created)]
    pub(crate) issue: Id<Issue>,
    #[parent(User)]
    pub(crate) author: Id<User>,
    #[denorm(from = User, via = author, field = name)]
    pub(crate) author_name: String,
    pub(crate) created: DateTime,
    pub(crate) text: String,
}

/// A note holds a copy and nothing else that follows.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "answer_notes")]
pub(crate) struct Note {
    #[serde(rename = "_id")]
    pub(crate) id: Id<Note>,
    #[parent(User)]
    pub(crate) author: Id<User>,
    #[denorm(from = User, via = author, field = name)]
    pub(crate) author_name: String,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "answer_posters")]
pub(crate) struct Poster {
    #[serde(rename = "_id")]
    pub(crate) id: Id<Poster>,
    pub(crate) name: String,
}

/// A reply is listed and counted by its issue, holds a copy, and has a time by the server's clock.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "answer_replies")]
pub(crate) struct Reply {
    #[serde(rename = "_id")]
    pub(crate) id: Id<Reply>,
    #[parent(Thread, sort = -created)]
    pub(crate) thread: Id<Thread>,
    #[parent(Poster)]
    pub(crate) author: Id<Poster>,
    #[denorm(from = Poster, via = author, field = name)]
    pub(crate) author_name: String,
    #[created]
    pub(crate) created: DateTime,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "answer_threads")]
pub(crate) struct Thread {
    #[serde(rename = "_id")]
    pub(crate) id: Id<Thread>,
    #[recent(Reply, max = 5, sort = created, fields(created, author_name))]
    pub(crate) last: Vec<RecentReply>,
    #[count(Reply)]
    pub(crate) replies: i64,
}

pub(crate) fn user(name: &str) -> User {
    User {
        id: Id::new(),
        name: name.to_owned(),
    }
}

pub(crate) fn issue() -> Issue {
    Issue {
        id: Id::new(),
        title: "it is slow".to_owned(),
        last: Vec::new(),
        comments: 0,
    }
}

pub(crate) fn comment(issue: &Issue, author: &User, n: i64) -> Comment {
    Comment {
        id: Id::new(),
        issue: issue.id,
        author: author.id,
        author_name: author.name.clone(),
        created: DateTime::from_millis(n),
        text: format!("comment {n}"),
    }
}

/// A user and an issue whose first comment this program has stored: everything it has to learn once is known.
pub(crate) async fn warm(bench: &Bench) -> (User, Issue) {
    bench
        .index(&[User::meta(), Issue::meta(), Comment::meta(), Note::meta()])
        .await;
    let db = &bench.db;
    let (user, issue) = (user("Ada"), issue());
    User::insert(db, &user).await.expect("stored");
    Issue::insert(db, &issue).await.expect("stored");
    mongo_model::settle(db).await;
    Comment::insert(db, &comment(&issue, &user, 0))
        .await
        .expect("stored");
    mongo_model::settle(db).await;
    bench.forget();
    (user, issue)
}

/// The issue as it is stored, with the numbers of its last comments.
pub(crate) async fn shown(db: &Database, issue: &Issue) -> (i64, Vec<i64>) {
    let stored = Issue::get(db, issue.id)
        .await
        .expect("read")
        .expect("stored");
    let last = stored.last.iter().map(|one| one.created.timestamp_millis());
    (stored.comments, last.collect())
}

/// Nothing is flagged, nothing is wrong, and a finisher of another program finds nothing to do.
pub(crate) async fn at_rest(bench: &Bench) {
    let finishing = mongo_model::settle(&bench.db).await;
    assert_eq!((finishing.open, finishing.failed), (0, 0), "{finishing:?}");
    for collection in [
        "answer_users",
        "answer_issues",
        "answer_comments",
        "answer_notes",
        "answer_replies",
        "answer_threads",
    ] {
        let all = flags(bench, collection).await;
        assert_eq!(all, Vec::<Document>::new(), "{collection}");
    }
    bench.forget();
    recover(&bench.db).await.expect("recovered");
    let sent = bench.sent();
    assert!(sent.iter().all(|name| name == "find"), "{sent:?}");
    let verified = verify(&bench.db).await.expect("verified");
    assert!(verified.is_clean(), "{verified}");
    bench.forget();
}

/// The documents of a collection that carry a flag, a mark or a token.
async fn flags(bench: &Bench, collection: &str) -> Vec<Document> {
    use futures::TryStreamExt;
    let flags = ["_dn.u", "_dn.p", "_dn.c", "_dn.v", "_dn.k.a.0", "_dn.del"];
    let any: Vec<Document> = flags
        .iter()
        .map(|flag| bson::doc! { *flag: { "$exists": true } })
        .collect();
    let found = bench.raw(collection).find(bson::doc! { "$or": any }).await;
    found.expect("read").try_collect().await.expect("read")
}
