//! A mark goes on to the documents that a cascade would remove.

use bson::doc;
use mongo_model::model::ModelMeta;
use mongo_model::{Error, Id, MongoModel, recover, verify};
use serde::{Deserialize, Serialize};

use crate::common::{Bench, in_set, on_both};
use crate::soft_deleting::object_id;

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "rooms")]
pub(crate) struct Room {
    #[serde(rename = "_id")]
    pub(crate) id: Id<Room>,
    #[count(Reply)]
    pub(crate) replies: i64,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "topics", soft_delete)]
pub(crate) struct Topic {
    #[serde(rename = "_id")]
    pub(crate) id: Id<Topic>,
    #[deleted]
    pub(crate) deleted_at: Option<bson::DateTime>,
}

/// Goes with its topic, or with the reply above it; its room counts it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "replies", soft_delete)]
pub(crate) struct Reply {
    #[serde(rename = "_id")]
    pub(crate) id: Id<Reply>,
    #[parent(Topic, on_delete = cascade)]
    pub(crate) topic: Option<Id<Topic>>,
    #[parent(Reply, on_delete = cascade)]
    pub(crate) above: Option<Id<Reply>>,
    #[parent(Room)]
    pub(crate) room: Id<Room>,
    #[deleted]
    #[serde(rename = "gone")]
    pub(crate) deleted_at: Option<bson::DateTime>,
}

/// Cannot be marked: it goes when its topic is removed.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "badges")]
pub(crate) struct Badge {
    #[serde(rename = "_id")]
    pub(crate) id: Id<Badge>,
    #[parent(Topic, on_delete = cascade)]
    pub(crate) topic: Id<Topic>,
}

/// Refuses the delete of its reply.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "pins", soft_delete)]
pub(crate) struct Pin {
    #[serde(rename = "_id")]
    pub(crate) id: Id<Pin>,
    #[parent(Reply)]
    pub(crate) reply: Id<Reply>,
    #[deleted]
    pub(crate) deleted_at: Option<bson::DateTime>,
}

/// The models of these tests: all documents that they store.
fn models() -> [&'static ModelMeta; 5] {
    [
        Room::meta(),
        Topic::meta(),
        Reply::meta(),
        Badge::meta(),
        Pin::meta(),
    ]
}

/// Two topics; three replies to the first, each below the one before; and one to the second. A badge of the first.
async fn topics(bench: &Bench) -> (Room, Vec<Topic>, Vec<Reply>) {
    let db = &bench.db;
    bench.index(&models()).await;
    let room = Room {
        id: Id::new(),
        replies: 0,
    };
    Room::insert(db, &room).await.expect("stored");
    let topic = || Topic {
        id: Id::new(),
        deleted_at: None,
    };
    let topics = vec![topic(), topic()];
    Topic::insert_many(db, &topics).await.expect("stored");
    let reply = |topic: Option<&Topic>, above: Option<&Reply>| Reply {
        id: Id::new(),
        topic: topic.map(|topic| topic.id),
        above: above.map(|above| above.id),
        room: room.id,
        deleted_at: None,
    };
    let first = reply(Some(&topics[0]), None);
    let second = reply(None, Some(&first));
    let third = reply(None, Some(&second));
    let other = reply(Some(&topics[1]), None);
    let replies = vec![first, second, third, other];
    for reply in &replies {
        Reply::insert(db, reply).await.expect("stored");
    }
    let badge = Badge {
        id: Id::new(),
        topic: topics[0].id,
    };
    Badge::insert(db, &badge).await.expect("stored");
    bench.forget();
    (room, topics, replies)
}

/// Checks how many replies are live, that their room says so, and that nothing is left to do.
#[track_caller]
fn assert_live<'a>(bench: &'a Bench, room: &'a Room, live: i64) -> impl Future<Output = ()> + 'a {
    let place = std::panic::Location::caller();
    async move {
        let db = &bench.db;
        let read = Room::get(db, room.id).await.expect("read").expect("there");
        let found = Reply::count(db, |r| r.room.eq(room.id)).await;
        let found = i64::try_from(found.expect("counted")).expect("few");
        assert_eq!((read.replies, found), (live, live), "{place}");
        assert!(recover(db).await.expect("recovered").is_idle(), "{place}");
        let report = verify(db).models(&models()).await.expect("verified");
        assert!(report.is_clean(), "{place}: {report:?}");
        bench.forget();
    }
}

#[tokio::test]
async fn a_delete_marks_what_goes_with_it() {
    on_both("cascade_mark", async |bench| {
        let (db, (room, topics, replies)) = (&bench.db, topics(bench).await);
        let deleted = Topic::delete(db, topics[0].id).await.expect("deleted");
        assert_eq!((deleted.deleted, deleted.cascaded), (1, 3));
        assert_live(bench, &room, 1).await;
        let topic = bench.stored("topics", object_id(topics[0].id)).await;
        let at = topic.get_datetime("deleted_at").expect("marked");
        assert!(!topic.contains_key("_dn"), "{topic}");
        for reply in &replies[..3] {
            let reply = bench.stored("replies", object_id(reply.id)).await;
            assert_eq!(reply.get_datetime("gone").ok(), Some(at), "{reply}");
        }
        // The other rule waits.
        assert_eq!(bench.len("badges").await, 1);

        Topic::restore(db, topics[0].id).await.expect("restored");
        assert_live(bench, &room, 1).await;
        let at = Some(*at);
        let below = [replies[0].id, replies[1].id];
        let restored = Reply::restore_many(db, |r| {
            r.id.is_in([replies[0].id, replies[1].id, replies[2].id])
                .and(r.deleted_at.eq(at))
        });
        assert_eq!(restored.await.expect("restored").matched, 3);
        assert_live(bench, &room, 4).await;
        // One that is deleted already keeps its time, and what is below it too.
        Reply::delete(db, below[1]).await.expect("deleted");
        assert_live(bench, &room, 2).await;
        let early = bench.stored("replies", object_id(below[1])).await;
        let deleted = Topic::delete_many(db, |t| t.id.is_in([topics[0].id, topics[1].id]));
        let deleted = deleted.await.expect("deleted");
        assert_eq!((deleted.deleted, deleted.cascaded), (2, 2));
        let still = bench.stored("replies", object_id(below[1])).await;
        assert_eq!(still, early);
        assert_live(bench, &room, 0).await;
        let purged = Topic::purge_many(db, |t| t.id.is_in([topics[0].id, topics[1].id]));
        assert_eq!(purged.await.expect("purged").deleted, 2);
        assert_eq!(
            (bench.len("replies").await, bench.len("badges").await),
            (0, 0)
        );
    })
    .await;
}

#[tokio::test]
async fn what_refuses_below_refuses_all() {
    on_both("cascade_deny", async |bench| {
        let (db, (room, topics, replies)) = (&bench.db, topics(bench).await);
        let pin = Pin {
            id: Id::new(),
            reply: replies[2].id,
            deleted_at: None,
        };
        Pin::insert(db, &pin).await.expect("stored");
        let error = Topic::delete(db, topics[0].id).await;
        let error = error.expect_err("it is referred to");
        assert!(matches!(error, Error::Referenced { .. }), "{error:?}");
        assert_live(bench, &room, 4).await;
        let topic = bench.stored("topics", object_id(topics[0].id)).await;
        assert!(
            topic
                .get("deleted_at")
                .is_none_or(|at| at.as_null().is_some())
        );
        // Neither a deleted reference nor a deleted document below refuses.
        Pin::delete(db, pin.id).await.expect("deleted");
        Topic::delete(db, topics[0].id).await.expect("deleted");
        assert_live(bench, &room, 1).await;
    })
    .await;
}

#[tokio::test]
async fn a_stopped_cascade_is_finished() {
    on_both("cascade_stopped", async |bench| {
        let (db, (room, topics, replies)) = (&bench.db, topics(bench).await);
        let stop = async |id| {
            let flags = doc! { "p": ["~mark"], "m": bson::oid::ObjectId::new() };
            let marked = doc! { "$set": { "deleted_at": bson::DateTime::now(), "_dn": flags } };
            let topics = bench.raw("topics");
            let done = topics
                .update_one(doc! { "_id": object_id(id) }, marked)
                .await;
            assert_eq!(done.expect("marked").modified_count, 1);
        };
        stop(topics[0].id).await;
        let recovered = recover(db).await.expect("recovered");
        assert_eq!(recovered.deletes, 1);
        assert_live(bench, &room, 1).await;
        // A restore finishes it first: no later step marks the replies of a live topic.
        for many in [false, true] {
            Topic::restore_many(db, |t| t.id.is_in([topics[0].id, topics[1].id]))
                .await
                .expect("restored");
            Reply::restore_many(db, |r| r.room.eq(room.id))
                .await
                .expect("restored");
            assert_live(bench, &room, 4).await;
            stop(topics[1].id).await;
            match many {
                true => drop(
                    Topic::restore_many(db, |t| t.id.eq(topics[1].id))
                        .await
                        .expect("restored"),
                ),
                false => drop(Topic::restore(db, topics[1].id).await.expect("restored")),
            }
            assert!(
                Topic::exists(db, |t| t.id.eq(topics[1].id))
                    .await
                    .expect("read")
            );
            assert!(Reply::get(db, replies[3].id).await.expect("read").is_none());
            assert_live(bench, &room, 3).await;
        }
    })
    .await;
}

#[tokio::test]
async fn a_transaction_marks_all_or_nothing() {
    in_set("cascade_transaction", async |bench| {
        let (db, (room, topics, _)) = (&bench.db, topics(bench).await);
        for commits in [false, true] {
            let mut tx = mongo_model::Transaction::begin(db).await.expect("begun");
            let deleted = Topic::delete(db, topics[0].id).within(&mut tx).await;
            assert_eq!(deleted.expect("deleted").cascaded, 3);
            let deleted = Topic::delete_many(db, |t| t.id.eq(topics[1].id))
                .within(&mut tx)
                .await;
            assert_eq!(deleted.expect("deleted").cascaded, 1);
            match commits {
                true => drop(tx.commit(db).await.expect("committed")),
                false => tx.abort().await.expect("aborted"),
            }
            assert_live(bench, &room, if commits { 0 } else { 4 }).await;
        }
    })
    .await;
}

#[tokio::test]
async fn a_transaction_does_not_restore_what_a_cascade_has_not_left() {
    in_set("cascade_begun", async |bench| {
        let (db, (room, topics, _)) = (&bench.db, topics(bench).await);
        // A program stopped after it had marked the topic.
        let begun = doc! { "$set": {
            "deleted_at": bson::DateTime::now(),
            "_dn": { "r": 2, "p": ["~mark"], "m": bson::oid::ObjectId::new() },
        } };
        let topic = doc! { "_id": topics[0].id.into_raw() };
        let marked = bench.raw("topics").update_one(topic, begun).await;
        assert_eq!(marked.expect("marked").modified_count, 1);
        let refused = |error: Error| {
            assert!(matches!(&error, Error::Unsettled { .. }), "{error}");
        };
        let mut session = bench.transaction().await;
        let one = Topic::restore(db, topics[0].id)
            .driver_session(&mut session)
            .await;
        refused(one.expect_err("begun"));
        let many = Topic::restore_many(db, |t| t.id.eq(topics[0].id)).driver_session(&mut session);
        refused(many.await.expect_err("begun"));
        session.abort_transaction().await.expect("aborted");
        assert_eq!(recover(db).await.expect("recovered").deletes, 1);
        assert_live(bench, &room, 1).await;
        let mut session = bench.transaction().await;
        let one = Topic::restore(db, topics[0].id)
            .driver_session(&mut session)
            .await;
        assert_eq!(one.expect("restored").matched, 1);
        session.commit_transaction().await.expect("committed");
    })
    .await;
}
