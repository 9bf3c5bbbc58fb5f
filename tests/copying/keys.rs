//! References by a natural key, and the keys themselves.

use bson::doc;
use bson::oid::ObjectId;
use mongo_model::{Error, Id, MongoModel};
use serde::{Deserialize, Serialize};

use crate::common::on_both;
use crate::settled::settled;

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "users")]
struct User {
    #[serde(rename = "_id")]
    id: Id<User>,
    #[index(unique)]
    email: String,
    name: String,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "comments")]
struct Comment {
    #[serde(rename = "_id")]
    id: Id<Comment>,
    #[parent(User, key = email)]
    email: String,
    #[denorm(from = User, field = name)]
    name: String,
}

fn user(email: &str, name: &str) -> User {
    User {
        id: Id::new(),
        email: email.to_owned(),
        name: name.to_owned(),
    }
}

#[tokio::test]
async fn copies_follow_along_a_natural_key() {
    on_both("natural", async |bench| {
        let db = &bench.db;
        bench.index(&[User::meta(), Comment::meta()]).await;
        let (ann, bob) = (user("ann@x", "Ann"), user("bob@x", "Bob"));
        User::insert_many(db, [&ann, &bob]).await.expect("stored");
        let comments = [("ann@x", "An"), ("bob@x", "Bob"), ("ann@x", "Ann")];
        let comments = comments.map(|(email, name)| Comment {
            id: Id::new(),
            email: email.to_owned(),
            name: name.to_owned(),
        });
        Comment::insert_many(db, &comments).await.expect("stored");
        let named = async |name: &str| {
            let found = Comment::scan(db, |c| c.name.eq(name)).await.expect("read");
            found.len()
        };
        assert_eq!((named("Ann").await, named("Bob").await), (2, 1));
        User::update(db, ann.id)
            .set(|u| u.name, "Anna")
            .await
            .expect("renamed");
        assert_eq!((named("Anna").await, named("Bob").await), (2, 1));
        // An earlier user of this address may have had any revision.
        let stored = bench.stored("users", *ann.id.as_raw()).await;
        let r = stored
            .get_document("_dn")
            .expect("flags")
            .get_i64("r")
            .expect("wide");
        assert!(r > 1_600_000_000_000_000, "{r}");
    })
    .await;
}

#[tokio::test]
async fn a_key_that_is_referred_to_stays() {
    on_both("keys", async |bench| {
        let db = &bench.db;
        bench.index(&[User::meta(), Comment::meta()]).await;
        let (ann, bob) = (user("ann@x", "Ann"), user("bob@x", "Bob"));
        User::insert_many(db, [&ann, &bob]).await.expect("stored");
        let comment = Comment {
            id: Id::new(),
            email: "ann@x".to_owned(),
            name: "Ann".to_owned(),
        };
        Comment::insert(db, &comment).await.expect("stored");
        let moved = User {
            email: "new@x".to_owned(),
            ..ann.clone()
        };
        let refused = [
            User::update(db, ann.id).set(|u| u.email, "new@x").await,
            moved.save(db).await,
        ];
        for refused in refused {
            let Err(Error::Referenced {
                model: "User", by, ..
            }) = &refused
            else {
                panic!("{refused:?}");
            };
            assert_eq!(by[0].field, "Comment.email");
        }
        let many = User::update_many(db, |u| u.email.eq("ann@x"))
            .set(|u| u.email, "new@x")
            .await;
        assert!(matches!(many, Err(Error::Impossible { .. })), "{many:?}");
        assert_eq!(
            User::get(db, ann.id).await.expect("read"),
            Some(ann.clone())
        );
        // No document refers to Bob, and the same address is no change.
        User::update(db, bob.id)
            .set(|u| u.email, "rob@x")
            .await
            .expect("moved");
        User::update(db, ann.id)
            .set(|u| u.email, "ann@x")
            .await
            .expect("the same");
        assert_eq!(
            Comment::find(db, |c| c.email.eq("ann@x"))
                .await
                .expect("read"),
            [comment]
        );
    })
    .await;
}

// A comment that is stored while the key changes: one of the two is refused, and no comment is left behind.
#[tokio::test]
async fn a_key_changes_while_references_come() {
    on_both("natural_race", async |bench| {
        let db = &bench.db;
        bench.index(&[User::meta(), Comment::meta()]).await;
        for round in 0..60 {
            let (old, new) = (format!("old{round}@x"), format!("new{round}@x"));
            let ann = user(&old, "Ann");
            User::insert(db, &ann).await.expect("stored");
            let comment = Comment {
                id: Id::new(),
                email: old.clone(),
                name: String::new(),
            };
            let writes = async {
                match round % 2 {
                    0 => User::update(db, ann.id)
                        .set(|u| u.email, new.as_str())
                        .await
                        .map(drop),
                    _ => {
                        let ann = User {
                            email: new.clone(),
                            ..ann.clone()
                        };
                        ann.save(db).await.map(drop)
                    }
                }
            };
            let (written, inserted) = tokio::join!(writes, Comment::insert(db, &comment));
            let stored = User::get(db, ann.id).await.expect("read").expect("stored");
            let there = Comment::get(db, comment.id).await.expect("read");
            match written {
                Ok(()) => {
                    assert_eq!(stored.email, new);
                    assert!(
                        matches!(inserted, Err(Error::Dangling { .. })),
                        "{inserted:?}"
                    );
                    assert_eq!(there, None);
                }
                // The comment that waited took the change for one that was left behind.
                Err(Error::Referenced { .. } | Error::Unsettled { .. }) => {
                    assert_eq!(stored.email, old);
                }
                Err(error) => panic!("{error}"),
            }
            bench
                .raw("comments")
                .delete_many(doc! {})
                .await
                .expect("gone");
        }
        // Where no reference is in the way, the key changes.
        let ann = user("last@x", "Ann");
        User::insert(db, &ann).await.expect("stored");
        let change = User::update(db, ann.id).set(|u| u.email, "free@x");
        assert_eq!(change.await.expect("changed").modified, 1);
        settled(bench).await;
        let held = doc! { "_dn.h": { "$exists": true } };
        let held = bench.raw("users").count_documents(held).await;
        assert_eq!(held.expect("counted"), 0);
    })
    .await;
}

// A program that died before it changed a key has left its token: the first that stores a reference takes it off.
#[tokio::test]
async fn a_hold_that_was_left_behind() {
    on_both("natural_held", async |bench| {
        let db = &bench.db;
        bench.index(&[User::meta(), Comment::meta()]).await;
        let ann = user("ann@x", "Ann");
        User::insert(db, &ann).await.expect("stored");
        let token = doc! { "$set": { "_dn.h": ObjectId::new() } };
        let users = bench.raw("users");
        users
            .update_one(doc! {}, token.clone())
            .await
            .expect("held");
        User::update(db, ann.id)
            .set(|u| u.email, "anna@x")
            .await
            .expect("its own hold is another");
        users.update_one(doc! {}, token).await.expect("held");
        let comment = Comment {
            id: Id::new(),
            email: "anna@x".to_owned(),
            name: String::new(),
        };
        Comment::insert(db, &comment).await.expect("stored");
        let stored = bench.stored("users", *ann.id.as_raw()).await;
        let dn = stored.get_document("_dn").expect("a source");
        assert!(!dn.contains_key("h"), "{stored}");
        settled(bench).await;
    })
    .await;
}
