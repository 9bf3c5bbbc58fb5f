//! Documents that are only marked as deleted: what queries see, what writes do, and what refuses.

mod arrays;
mod cascading;
mod copying;
mod counting;
mod following;
mod loading;
mod marking;
mod reading;
mod referring;
mod unique;

use bson::oid::ObjectId;
use mongo_model::{Id, MongoModel};
use serde::{Deserialize, Serialize};

use crate::common::Bench;

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(
    collection = "users",
    soft_delete,
    index(keys(team, -age, -id)),
    access(of_team(team, sort = -age, limit = 50))
)]
pub(crate) struct User {
    #[serde(rename = "_id")]
    pub(crate) id: Id<User>,
    #[index(unique)]
    pub(crate) email: String,
    pub(crate) team: i32,
    pub(crate) age: i32,
    #[version]
    pub(crate) version: i64,
    #[deleted]
    #[index]
    #[serde(rename = "gone")]
    pub(crate) deleted_at: Option<bson::DateTime>,
}

/// Counted and listed by its user, who may be deleted while it refers to him.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "logins")]
pub(crate) struct Login {
    #[serde(rename = "_id")]
    pub(crate) id: Id<Login>,
    #[parent(Member, on_delete = keep)]
    pub(crate) member: Id<Member>,
    pub(crate) at: i32,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "members", soft_delete)]
pub(crate) struct Member {
    #[serde(rename = "_id")]
    pub(crate) id: Id<Member>,
    #[count(Login)]
    pub(crate) logins: i64,
    #[recent(Login, max = 2, sort = at, fields(at))]
    pub(crate) last: Vec<MemberLogin>,
    #[deleted]
    pub(crate) deleted_at: Option<bson::DateTime>,
}

/// Its author may not be deleted while it refers to him.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "posts", soft_delete)]
pub(crate) struct Post {
    #[serde(rename = "_id")]
    pub(crate) id: Id<Post>,
    #[parent(User)]
    pub(crate) author: Id<User>,
    #[parent(Board, on_delete = cascade, sort = -place)]
    pub(crate) board: Id<Board>,
    pub(crate) place: i32,
    #[denorm(from = Board, field = title)]
    pub(crate) title: String,
    #[deleted]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) deleted_at: Option<bson::DateTime>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "boards")]
pub(crate) struct Board {
    #[serde(rename = "_id")]
    pub(crate) id: Id<Board>,
    #[refs(User, max = 10, on_delete = keep)]
    pub(crate) watchers: Vec<Id<User>>,
    pub(crate) title: String,
}

pub(crate) fn board(watchers: Vec<Id<User>>) -> Board {
    Board {
        id: Id::new(),
        watchers,
        title: "rust".to_owned(),
    }
}

/// Because of it a post that goes with its board is marked first.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "reactions")]
pub(crate) struct Reaction {
    #[serde(rename = "_id")]
    pub(crate) id: Id<Reaction>,
    #[parent(Post)]
    pub(crate) post: Id<Post>,
}

pub(crate) fn user(n: i32) -> User {
    User {
        id: Id::new(),
        email: format!("{n}@example.com"),
        team: 1,
        age: n,
        version: 0,
        deleted_at: None,
    }
}

pub(crate) fn post(author: &User, board: Id<Board>, place: i32) -> Post {
    Post {
        id: Id::new(),
        author: author.id,
        board,
        place,
        title: String::new(),
        deleted_at: None,
    }
}

/// Users 1 to 3, of whom the second is deleted; the indexes are there.
pub(crate) async fn users(bench: &Bench) -> Vec<User> {
    bench
        .index(&[User::meta(), Post::meta(), Board::meta()])
        .await;
    let users: Vec<User> = (1..=3).map(user).collect();
    User::insert_many(&bench.db, &users).await.expect("stored");
    User::delete(&bench.db, users[1].id).await.expect("deleted");
    bench.forget();
    users
}

pub(crate) fn object_id<M: MongoModel>(id: Id<M>) -> ObjectId {
    *id.as_raw()
}

pub(crate) fn emails(users: &[User]) -> Vec<&str> {
    users.iter().map(|user| &user.email[..1]).collect()
}
