//! References to and from documents that are marked as deleted.

use bson::doc;
use bson::oid::ObjectId;
use mongo_model::model::ModelMeta;
use mongo_model::{Error, Id, MongoModel, verify};
use serde::{Deserialize, Serialize};

use crate::common::{alone, on_both};
use crate::soft_deleting::{Board, Login, Member, Post, User, board, post, user, users};

/// The models of these tests: all documents that they store.
fn models() -> [&'static ModelMeta; 5] {
    [
        User::meta(),
        Login::meta(),
        Member::meta(),
        Post::meta(),
        Board::meta(),
    ]
}

#[tokio::test]
async fn a_reference_refuses_a_soft_delete() {
    on_both("deny", async |bench| {
        let (db, all) = (&bench.db, users(bench).await);
        let board = board(Vec::new());
        Board::insert(db, &board).await.expect("stored");
        let written = post(&all[0], board.id, 1);
        Post::insert(db, &written).await.expect("stored");
        bench.forget();
        let error = User::delete(db, all[0].id)
            .await
            .expect_err("it is referred to");
        let Error::Referenced { by, .. } = &error else {
            panic!("{error:?}")
        };
        assert_eq!(
            (by[0].model, &*by[0].field, by[0].count),
            ("Post", "Post.author", 1)
        );
        let error = User::delete_many(db, |u| u.team.eq(1))
            .await
            .expect_err("it is referred to");
        assert!(matches!(error, Error::Referenced { .. }), "{error:?}");
        assert_eq!(User::count(db, |u| u.team.eq(1)).await.expect("counted"), 2);
        // A deleted document still holds its references, because it could be restored: it refuses the purge.
        Post::delete(db, written.id).await.expect("deleted");
        bench.forget();
        User::delete(db, all[0].id).await.expect("deleted");
        // The check, the delete, and the check once more.
        assert_eq!(bench.sent(), ["find", "update", "find"]);
        let error = User::purge(db, all[0].id)
            .await
            .expect_err("it is referred to");
        assert!(matches!(error, Error::Referenced { .. }), "{error:?}");
        Post::purge(db, written.id).await.expect("purged");
        bench.forget();
        User::purge(db, all[0].id).await.expect("purged");
        // A reference that is stored meanwhile would dangle: the check, a tombstone, the check once more, the decision, the delete.
        assert_eq!(
            bench.sent(),
            ["find", "findAndModify", "find", "update", "delete"]
        );
    })
    .await;
}

#[tokio::test]
async fn a_reference_that_stays_refuses_nothing() {
    alone("keep", async |bench| {
        let (db, all) = (&bench.db, users(bench).await);
        let board = board(all.iter().map(|user| user.id).collect());
        Board::insert(db, &board).await.expect("stored");
        User::delete(db, all[0].id).await.expect("deleted");
        assert_eq!(Board::get(db, board.id).await.expect("read"), Some(board));
    })
    .await;
}

#[tokio::test]
async fn a_cascade_removes_live_and_deleted_documents() {
    on_both("cascade", async |bench| {
        let db = &bench.db;
        bench
            .index(&[User::meta(), Post::meta(), Board::meta()])
            .await;
        let (author, board) = (user(1), board(Vec::new()));
        User::insert(db, &author).await.expect("stored");
        Board::insert(db, &board).await.expect("stored");
        let posts: Vec<Post> = (1..=2)
            .map(|place| post(&author, board.id, place))
            .collect();
        Post::insert_many(db, &posts).await.expect("stored");
        Post::delete(db, posts[0].id).await.expect("deleted");
        let deleted = Board::delete(db, board.id).await.expect("deleted");
        assert_eq!(deleted.cascaded, 2);
        assert_eq!(bench.len("posts").await, 0);
    })
    .await;
}

#[tokio::test]
async fn a_deleted_document_is_kept_right() {
    on_both("kept", async |bench| {
        let db = &bench.db;
        bench.index(&models()).await;
        let member = Member {
            id: Id::new(),
            logins: 0,
            last: Vec::new(),
            deleted_at: None,
        };
        Member::insert(db, &member).await.expect("stored");
        let login = |at| Login {
            id: Id::new(),
            member: member.id,
            at,
        };
        Login::insert(db, &login(1)).await.expect("stored");
        bench.forget();
        Member::delete(db, member.id).await.expect("deleted");
        assert_eq!(bench.sent(), ["update"]);
        Login::insert(db, &login(2)).await.expect("stored");
        Member::restore(db, member.id).await.expect("restored");
        let read = Member::get(db, member.id)
            .await
            .expect("read")
            .expect("live");
        let times: Vec<i32> = read.last.iter().map(|login| login.at).collect();
        assert_eq!((read.logins, times), (2, vec![1, 2]));

        let (author, mut board) = (user(1), board(Vec::new()));
        User::insert(db, &author).await.expect("stored");
        Board::insert(db, &board).await.expect("stored");
        let written = post(&author, board.id, 1);
        Post::insert(db, &written).await.expect("stored");
        Post::delete(db, written.id).await.expect("deleted");
        board.title = "mongo".to_owned();
        board.save(db).await.expect("saved");
        let deleted = Post::get(db, written.id)
            .only_deleted()
            .await
            .expect("read");
        assert_eq!(deleted.map(|post| post.title).as_deref(), Some("mongo"));
        let report = verify(db).models(&models()).await.expect("verified");
        assert!(report.is_clean(), "{report:?}");
    })
    .await;
}

#[tokio::test]
async fn a_document_that_is_being_removed_is_not_restored() {
    on_both("entombed", async |bench| {
        let db = &bench.db;
        bench.index(&models()).await;
        let (author, board) = (user(1), board(Vec::new()));
        User::insert(db, &author).await.expect("stored");
        Board::insert(db, &board).await.expect("stored");
        let written = post(&author, board.id, 1);
        Post::insert(db, &written).await.expect("stored");
        Post::delete(db, written.id).await.expect("deleted");
        // A removal that stopped behind the mark of the post: the first could still be refused, the second is certain.
        for (state, restored) in [("freeze", true), ("commit", false)] {
            let token = ObjectId::new();
            let tomb = doc! { "del": token, "d": { "s": state, "n": 0 }, "p": ["~del"] };
            let id = doc! { "_id": *written.id.as_raw() };
            let marked = doc! { "$set": { "_dn": tomb, "deleted_at": bson::DateTime::now() } };
            let posts = bench.raw("posts");
            posts.update_one(id, marked).await.expect("marked");
            let done = Post::restore(db, written.id).await;
            assert_eq!(done.is_ok(), restored, "{done:?}");
            assert_eq!(bench.len("posts").await, u64::from(restored));
        }
    })
    .await;
}

#[derive(Debug, Clone, Serialize, Deserialize, MongoModel)]
#[model(collection = "soft_buyers", soft_delete)]
pub(crate) struct Buyer {
    #[serde(rename = "_id")]
    id: Id<Buyer, i64>,
    #[deleted]
    #[serde(skip_serializing_if = "Option::is_none")]
    deleted: Option<bson::DateTime>,
}

#[derive(Debug, Clone, Serialize, Deserialize, MongoModel)]
#[model(collection = "soft_bills")]
pub(crate) struct Bill {
    #[serde(rename = "_id")]
    id: Id<Bill, i64>,
    #[parent(Buyer, on_delete = deny_purge)]
    buyer: Id<Buyer, i64>,
}

/// A bill outlives the account of its buyer, and its buyer stays in the books.
#[tokio::test]
async fn a_reference_refuses_a_purge_alone() {
    on_both("deny_purge", async |bench| {
        let db = &bench.db;
        bench.index(&[Buyer::meta(), Bill::meta()]).await;
        let [one, other] = [1, 2].map(|n| Buyer {
            id: Id::from_raw(n),
            deleted: None,
        });
        Buyer::insert_many(db, [&one, &other])
            .await
            .expect("buyers");
        let bill = Bill {
            id: Id::from_raw(1),
            buyer: one.id,
        };
        Bill::insert(db, &bill).await.expect("a bill");
        bench.forget();
        Buyer::delete(db, one.id).await.expect("deleted");
        assert_eq!(bench.sent(), ["update"]);
        let many = Buyer::delete_many(db, |b| b.id.is_in([one.id, other.id]));
        assert_eq!(many.await.expect("deleted").deleted, 1);
        let refused = Buyer::purge(db, one.id).await;
        assert!(
            matches!(&refused, Err(Error::Referenced { by, .. }) if by[0].field == "Bill.buyer"),
            "{refused:?}"
        );
        Buyer::purge(db, other.id).await.expect("purged");
        Bill::delete(db, bill.id).await.expect("paid");
        Buyer::purge(db, one.id).await.expect("purged");
        assert_eq!(bench.len("soft_buyers").await, 0);
    })
    .await;
}
