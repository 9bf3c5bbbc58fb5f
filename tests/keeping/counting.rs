//! Counts of children, stored in their parent.

use bson::doc;
use futures::future::join_all;
use mongo_model::{Id, MongoModel, recover};
use serde::{Deserialize, Serialize};

use crate::common::{Bench, in_set, on_both};
use crate::keeping::settled::{number, settled, shown};

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "count_users")]
pub(crate) struct User {
    #[serde(rename = "_id")]
    id: Id<User>,
    name: String,
    #[count(Post, via = author)]
    #[serde(rename = "n")]
    posts: i64,
    #[count(Post, via = editor)]
    edited: i64,
    #[count(User)]
    invited: i64,
    #[parent(User, unchecked)]
    by: Option<Id<User>>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "count_posts")]
pub(crate) struct Post {
    #[serde(rename = "_id")]
    id: Id<Post>,
    #[parent(User, unchecked)]
    author: Id<User>,
    #[parent(User, unchecked)]
    editor: Option<Id<User>>,
    title: String,
}

fn user(name: &str) -> User {
    User {
        id: Id::new(),
        name: name.to_owned(),
        posts: 0,
        edited: 0,
        invited: 0,
        by: None,
    }
}

fn post(author: &User, editor: Option<&User>) -> Post {
    Post {
        id: Id::new(),
        author: author.id,
        editor: editor.map(|editor| editor.id),
        title: "title".to_owned(),
    }
}

async fn start<const N: usize>(bench: &Bench) -> [User; N] {
    bench.index(&[User::meta(), Post::meta()]).await;
    let users = std::array::from_fn(|n| user(&format!("user {n}")));
    User::insert_many(&bench.db, &users).await.expect("stored");
    bench.forget();
    users
}

/// How many posts a user has written and edited, with nothing under way; what this program leaves to be taken off later is.
async fn counts(bench: &Bench, user: &User) -> (i64, i64) {
    recover(&bench.db).await.expect("recovered");
    settled(bench).await;
    let found = shown::<User>(bench, &user.id).await;
    (number(&found, "n"), number(&found, "edited"))
}

#[tokio::test]
async fn every_way_to_store_and_move_a_child_is_counted_once() {
    on_both("count_ways", async |bench| {
        let [a, b, c] = start(bench).await;
        let db = &bench.db;
        let first = post(&a, None);
        Post::insert(db, &first).await.expect("stored");
        assert_eq!(counts(bench, &a).await, (1, 0));
        let second = post(&a, Some(&a));
        Post::insert(db, &second).await.expect("stored");
        assert_eq!(counts(bench, &a).await, (2, 1));

        let many: Vec<Post> = (0..50)
            .map(|n| post(if n % 5 == 0 { &b } else { &a }, None))
            .collect();
        let done = Post::insert_many(db, &many).await.expect("stored");
        assert!(done.pending.is_empty(), "{done:?}");
        assert_eq!(counts(bench, &a).await, (42, 1));
        assert_eq!(counts(bench, &b).await, (10, 0));

        Post::update(db, first.id)
            .set(|p| p.author, b.id)
            .await
            .expect("moved");
        assert_eq!(
            (counts(bench, &a).await, counts(bench, &b).await),
            ((41, 1), (11, 0))
        );
        // Where it is already: nothing is counted.
        Post::update(db, first.id)
            .set(|p| p.author, b.id)
            .await
            .expect("moved");
        assert_eq!(
            (counts(bench, &a).await, counts(bench, &b).await),
            ((41, 1), (11, 0))
        );
        Post::update(db, second.id)
            .set(|p| p.editor, None)
            .await
            .expect("moved");
        assert_eq!(counts(bench, &a).await, (41, 0));
        Post::update(db, second.id)
            .set(|p| p.editor, b.id)
            .set(|p| p.author, c.id)
            .await
            .expect("moved");
        assert_eq!(
            (counts(bench, &a).await, counts(bench, &b).await),
            ((40, 0), (11, 1))
        );
        assert_eq!(counts(bench, &c).await, (1, 0));

        let mut saved = second.clone();
        saved.editor = Some(c.id);
        saved.author = c.id;
        saved.save(db).await.expect("saved");
        assert_eq!(
            (counts(bench, &b).await, counts(bench, &c).await),
            ((11, 0), (1, 1))
        );
        let new = post(&c, None);
        new.save(db).await.expect("saved");
        new.save(db).await.expect("saved");
        assert_eq!(counts(bench, &c).await, (2, 1));

        let moved = Post::update_many(db, |p| p.author.eq(b.id))
            .set(|p| p.author, c.id)
            .await
            .expect("moved");
        assert_eq!((moved.modified, moved.pending.len()), (11, 0));
        assert_eq!(
            (counts(bench, &b).await, counts(bench, &c).await),
            ((0, 0), (13, 1))
        );

        // A change of a field that nothing counts costs no extra command.
        bench.forget();
        Post::update(db, first.id)
            .set(|p| p.title, "new")
            .await
            .expect("set");
        assert_eq!(bench.sent(), ["update"]);

        // `save` does not overwrite a user's counts with stale values.
        let mut stale = c.clone();
        stale.name = "renamed".to_owned();
        stale.save(db).await.expect("saved");
        assert_eq!(counts(bench, &c).await, (13, 1));
    })
    .await;
}

#[tokio::test]
async fn documents_of_one_collection_count_each_other() {
    on_both("count_self", async |bench| {
        let [a, b] = start(bench).await;
        let mut guest = user("guest");
        guest.by = Some(a.id);
        User::insert(&bench.db, &guest).await.expect("stored");
        User::update(&bench.db, a.id)
            .set(|u| u.by, a.id)
            .await
            .expect("set");
        counts(bench, &a).await;
        assert_eq!(number(&shown::<User>(bench, &a.id).await, "invited"), 2);
        User::update_many(&bench.db, |u| u.by.eq(a.id))
            .set(|u| u.by, b.id)
            .await
            .expect("set");
        counts(bench, &a).await;
        assert_eq!(number(&shown::<User>(bench, &a.id).await, "invited"), 0);
        assert_eq!(number(&shown::<User>(bench, &b.id).await, "invited"), 2);
    })
    .await;
}

#[tokio::test]
async fn garbage_is_counted_again_from_the_children() {
    on_both("count_again", async |bench| {
        let [a] = start(bench).await;
        let posts: Vec<Post> = (0..3).map(|_| post(&a, None)).collect();
        Post::insert_many(&bench.db, &posts).await.expect("stored");
        for garbage in [
            doc! { "$set": { "n": 77_i64 } },
            doc! { "$unset": { "n": "", "_dn": "" } },
        ] {
            bench
                .raw("count_users")
                .update_one(doc! {}, garbage)
                .await
                .expect("written");
            User::recount_posts(&bench.db, a.id).await.expect("counted");
            assert_eq!(counts(bench, &a).await, (3, 0));
        }
        assert!(User::recount_posts(&bench.db, Id::new()).await.is_err());

        // One that is flagged and not counted yet is left to its flag.
        let late = post(&a, None);
        let token = bson::oid::ObjectId::new();
        let mut stored = bson::serialize_to_document(&late).expect("encodes");
        stored.insert(
            "_dn",
            doc! { "r": 2, "c": [{ "t": token, "to": { "author": a.id.into_raw() } }] },
        );
        bench.seed("count_posts", [stored]).await;
        User::recount_posts(&bench.db, a.id).await.expect("counted");
        assert_eq!(number(&shown::<User>(bench, &a.id).await, "n"), 3);
        assert_eq!(recover(&bench.db).await.expect("recovered").counted, 1);
        assert_eq!(counts(bench, &a).await, (4, 0));
    })
    .await;
}

#[tokio::test]
async fn a_parent_that_is_not_there_is_not_made() {
    on_both("count_ghost", async |bench| {
        let [_a] = start(bench).await;
        Post::insert(&bench.db, &post(&user("ghost"), None))
            .await
            .expect("stored");
        assert_eq!(bench.len("count_users").await, 1);
        settled(bench).await;
    })
    .await;
}

#[tokio::test]
async fn an_insert_sends_four_commands_and_leaves_no_token() {
    on_both("count_commands", async |bench| {
        let [a] = start(bench).await;
        for n in 1..=40 {
            Post::insert(&bench.db, &post(&a, None))
                .await
                .expect("stored");
            let sent = bench.sent();
            assert_eq!(sent, ["insert", "findAndModify", "update", "update"], "{n}");
        }
        let found = shown::<User>(bench, &a.id).await;
        let left = found
            .get_document("_dn")
            .and_then(|dn| dn.get_document("k"))
            .expect("tokens");
        assert_eq!(left.get_array("a").expect("tokens").len(), 0);
        assert_eq!(counts(bench, &a).await, (40, 0));

        let many: Vec<Post> = (0..1_000).map(|_| post(&a, None)).collect();
        bench.forget();
        Post::insert_many(&bench.db, &many).await.expect("stored");
        // The epoch is another since the tokens were taken off, and known to this program.
        assert_eq!(
            bench.sent(),
            ["insert", "findAndModify", "update", "update"]
        );
        assert_eq!(counts(bench, &a).await, (1_040, 0));
    })
    .await;
}

#[tokio::test]
async fn in_a_transaction_child_and_number_are_seen_at_once() {
    in_set("count_txn", async |bench| {
        let [a, b] = start(bench).await;
        let old = post(&a, None);
        Post::insert(&bench.db, &old).await.expect("stored");
        let mut tx = mongo_model::Transaction::begin(&bench.db)
            .await
            .expect("begun");
        let many: Vec<Post> = (0..3).map(|_| post(&a, None)).collect();
        Post::insert_many(&bench.db, &many)
            .within(&mut tx)
            .await
            .expect("stored");
        Post::update(&bench.db, old.id)
            .set(|p| p.author, b.id)
            .within(&mut tx)
            .await
            .expect("moved");
        Post::update_many(&bench.db, |p| p.id.is_in([many[0].id, many[1].id]))
            .set(|p| p.author, b.id)
            .within(&mut tx)
            .await
            .expect("moved");
        assert_eq!(number(&shown::<User>(bench, &a.id).await, "n"), 1);
        let left = tx.commit(&bench.db).await.expect("committed");
        assert!(left.is_empty(), "{left:?}");
        assert_eq!(number(&shown::<User>(bench, &a.id).await, "n"), 1);
        assert_eq!(number(&shown::<User>(bench, &b.id).await, "n"), 3);
        assert_eq!(
            (counts(bench, &a).await, counts(bench, &b).await),
            ((1, 0), (3, 0))
        );

        let mut tx = mongo_model::Transaction::begin(&bench.db)
            .await
            .expect("begun");
        Post::insert(&bench.db, &post(&a, None))
            .within(&mut tx)
            .await
            .expect("stored");
        tx.abort().await.expect("aborted");
        assert_eq!(counts(bench, &a).await, (1, 0));
    })
    .await;
}

#[tokio::test]
async fn whoever_writes_at_the_same_time_the_numbers_are_exact_at_the_end() {
    on_both("count_race", async |bench| {
        let users: [User; 3] = start(bench).await;
        let work = (0..8_usize).map(|task| {
            let (db, users) = (bench.db.clone(), users.clone());
            async move {
                let mut own = Vec::new();
                for n in 0..10_usize {
                    let at = |k: usize| &users[(task + n + k) % users.len()];
                    let new = post(at(0), None);
                    Post::insert(&db, &new).await.expect("stored");
                    own.push(new.id);
                    let moved = own[(n * 7) % own.len()];
                    Post::update(&db, moved)
                        .set(|p| p.author, at(1).id)
                        .await
                        .expect("moved");
                    if n % 5 == task % 5 {
                        User::recount_posts(&db, at(2).id).await.expect("counted");
                    }
                }
            }
        });
        join_all(work).await;
        recover(&bench.db).await.expect("recovered");
        let mut sum = 0;
        for user in &users {
            let there = bench
                .raw("count_posts")
                .count_documents(doc! { "author": user.id.into_raw() })
                .await;
            let (n, _) = counts(bench, user).await;
            assert_eq!(u64::try_from(n), Ok(there.expect("counted")));
            sum += n;
        }
        assert_eq!(sum, 80);
    })
    .await;
}

#[tokio::test]
async fn what_is_deleted_is_counted_no_more() {
    on_both("count_delete", async |bench| {
        let [a, b] = start(bench).await;
        let db = &bench.db;
        let posts: Vec<Post> = (0..6)
            .map(|n| post(if n < 5 { &a } else { &b }, Some(&a)))
            .collect();
        Post::insert_many(db, &posts).await.expect("stored");
        assert_eq!(counts(bench, &a).await, (5, 6));
        Post::delete(db, posts[0].id).await.expect("deleted");
        assert_eq!(counts(bench, &a).await, (4, 5));
        assert!(Post::delete(db, posts[0].id).await.is_err());
        assert_eq!(counts(bench, &a).await, (4, 5));
        Post::delete_many(db, |p| p.author.eq(a.id))
            .await
            .expect("deleted");
        assert_eq!(counts(bench, &a).await, (0, 1));
        assert_eq!(counts(bench, &b).await, (1, 0));
        // A parent that is gone is not made again by its children's going.
        bench
            .raw("count_users")
            .delete_many(doc! {})
            .await
            .expect("deleted");
        Post::delete_many(db, |p| p.author.eq(b.id))
            .await
            .expect("deleted");
        assert_eq!(
            (
                bench.len("count_users").await,
                bench.len("count_posts").await
            ),
            (0, 0)
        );
        settled(bench).await;
    })
    .await;
}
