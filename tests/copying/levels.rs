//! How copies follow: in one transaction with their source, after it, or unflagged.

use bson::doc;
use mongo_model::{Database, Id, Level, MongoModel, recover, transaction};
use mongo_model_dev_server::{DevServer, Topology};
use serde::{Deserialize, Serialize};

use crate::common::{Bench, alone, in_set, on_both};

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "level_users")]
struct User {
    #[serde(rename = "_id")]
    id: Id<User>,
    name: String,
    nick: String,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "level_posts")]
struct Post {
    #[serde(rename = "_id")]
    id: Id<Post>,
    #[parent(User)]
    author: Id<User>,
    #[denorm(from = User, field = name, via = author, level = transactional)]
    name: String,
    #[parent(User, unchecked)]
    editor: Id<User>,
    #[denorm(from = User, field = nick, via = editor, level = fire_and_forget)]
    nick: String,
}

async fn start(bench: &Bench) -> (User, Post) {
    bench.index(&[User::meta(), Post::meta()]).await;
    let user = User {
        id: Id::new(),
        name: "Ann".to_owned(),
        nick: "a".to_owned(),
    };
    User::insert(&bench.db, &user).await.expect("stored");
    let post = Post {
        id: Id::new(),
        author: user.id,
        name: "Ann".to_owned(),
        editor: user.id,
        nick: "a".to_owned(),
    };
    Post::insert(&bench.db, &post).await.expect("stored");
    bench.forget();
    (user, post)
}

async fn post(bench: &Bench) -> Post {
    let found = Post::scan(&bench.db, |p| p.all()).await.expect("read");
    bench.forget();
    found.into_iter().next().expect("stored")
}

#[tokio::test]
async fn source_and_copies_in_one_transaction() {
    in_set("transactional", async |bench| {
        let (user, _) = start(bench).await;
        let update = || User::update(&bench.db, user.id);
        update().set(|u| u.name, "Anna").await.expect("renamed");
        let sent = bench.take();
        let names: Vec<&str> = sent.iter().map(|sent| sent.name.as_str()).collect();
        assert_eq!(
            names,
            [
                "findAndModify",
                "aggregate",
                "update",
                "commitTransaction",
                "update",
                "update"
            ]
        );
        let inside = |n: usize| sent[n].command.get_bool("autocommit").ok() == Some(false);
        assert!(inside(0) && inside(1) && inside(2) && inside(3) && !inside(4) && !inside(5));
        assert_eq!(post(bench).await.name, "Anna");
        assert!(recover(&bench.db).await.expect("recovered").is_idle());
        bench.forget();
        update()
            .set(|u| u.name, "Anne")
            .level(Level::Eventual)
            .await
            .expect("renamed");
        assert_eq!(bench.sent(), ["findAndModify", "update", "update"]);
        assert_eq!(post(bench).await.name, "Anne");
    })
    .await;
}

/// A standalone server has no transactions: the copies follow after the write.
#[tokio::test]
async fn without_transactions_copies_follow() {
    alone("fallback", async |bench| {
        let (user, _) = start(bench).await;
        User::update(&bench.db, user.id)
            .set(|u| u.name, "Anna")
            .await
            .expect("renamed");
        assert_eq!(post(bench).await.name, "Anna");
        let saved = User {
            name: "Anne".to_owned(),
            ..user
        };
        saved.save(&bench.db).await.expect("saved");
        assert_eq!(post(bench).await.name, "Anne");
        assert!(recover(&bench.db).await.expect("recovered").is_idle());
    })
    .await;
}

/// A handle may lie where one of another server was: what that server was decides nothing.
#[tokio::test]
async fn a_handle_at_the_address_of_one_of_a_standalone_server() {
    in_set("addresses", async |bench| {
        let (user, _) = start(bench).await;
        let server = DevServer::shared(Topology::Standalone).await;
        let alone = server.expect("a server").client().await.expect("a client");
        let address = |db: &Database| std::ptr::from_ref(db.client()).addr();
        let rename = async |db: &Database, name: &str| {
            let renamed = User::update(db, user.id).set(|u| u.name, name);
            renamed.await
        };
        // Another test may take an address that has become free.
        for _ in 0..100 {
            let db = alone.database(bench.db.name());
            rename(&db, "Nobody").await.expect_err("stored elsewhere");
            let free = address(&db);
            drop(db);
            let mut handles = Vec::new();
            while handles.len() < 100 {
                handles.push(bench.client.database(bench.db.name()));
                if handles.last().map(address) == Some(free) {
                    break;
                }
            }
            let db = handles.pop().filter(|db| address(db) == free);
            let Some(db) = db else { continue };
            bench.forget();
            rename(&db, "Anna").await.expect("renamed");
            let sent = bench.take();
            let is_first = sent[0].command.get_bool("startTransaction").ok();
            assert_eq!(is_first, Some(true), "{sent:?}");
            return;
        }
        panic!("no handle has the address of an earlier one");
    })
    .await;
}

/// A transaction is not held up by a thousand copies: they follow after the commit.
#[tokio::test]
async fn many_copies_follow_the_commit() {
    in_set("bounded", async |bench| {
        let (user, first) = start(bench).await;
        let posts: Vec<Post> = (0..1_000)
            .map(|_| Post {
                id: Id::new(),
                ..first.clone()
            })
            .collect();
        let done = Post::insert_many(&bench.db, &posts).await.expect("stored");
        assert_eq!(done.inserted, 1_000);
        assert_eq!(done.pending.len(), 1, "compared later: {:?}", done.pending);
        assert_eq!(recover(&bench.db).await.expect("recovered").targets, 1_000);
        bench.forget();
        for change in ["update", "update_many", "save"] {
            match change {
                "update" => {
                    User::update(&bench.db, user.id)
                        .set(|u| u.name, change)
                        .await
                }
                "update_many" => {
                    User::update_many(&bench.db, |u| u.id.eq(user.id))
                        .set(|u| u.name, change)
                        .await
                }
                _ => {
                    User {
                        name: change.to_owned(),
                        ..user.clone()
                    }
                    .save(&bench.db)
                    .await
                }
            }
            .expect("renamed");
            let renamed = Post::scan(&bench.db, |p| p.name.eq(change)).await;
            assert_eq!(renamed.expect("read").len(), 1_001, "{change}");
            assert!(recover(&bench.db).await.expect("recovered").is_idle());
        }
    })
    .await;
}

#[tokio::test]
async fn fire_and_forget_flags_nothing() {
    on_both("forget", async |bench| {
        let (user, _) = start(bench).await;
        let named = doc! { "_dn.p": { "$exists": true } };
        User::update(&bench.db, user.id)
            .set(|u| u.nick, "b")
            .await
            .expect("renamed");
        let sent = bench.take();
        let names: Vec<&str> = sent.iter().map(|sent| sent.name.as_str()).collect();
        assert_eq!(names, ["findAndModify", "update"]);
        assert!(
            !sent[0].command.to_string().contains("level_posts.editor"),
            "{sent:?}"
        );
        assert_eq!(post(bench).await.nick, "b");
        let flagged = bench.raw("level_users").count_documents(named).await;
        assert_eq!(flagged.ok(), Some(0));
    })
    .await;
}

/// After a commit only the flags show the changes: inside a transaction every level sets them.
#[tokio::test]
async fn a_transaction_flags_at_every_level() {
    in_set("forget_tx", async |bench| {
        let (user, _) = start(bench).await;
        transaction(&bench.db, async |tx| {
            let update = User::update(&bench.db, user.id).set(|u| u.nick, "b");
            let done = update.within(tx).await?;
            assert_eq!(done.pending.len(), 1, "{done:?}");
            let saved = User {
                nick: "c".to_owned(),
                ..user.clone()
            };
            let done = saved.save(&bench.db).within(tx).await?;
            let mut edges = done.pending.iter().map(mongo_model::Pending::reference);
            assert!(edges.any(|edge| edge == "level_posts.editor"), "{done:?}");
            Ok(())
        })
        .await
        .expect("committed");
        assert_eq!(post(bench).await.nick, "c");
        assert!(recover(&bench.db).await.expect("recovered").is_idle());
    })
    .await;
}
