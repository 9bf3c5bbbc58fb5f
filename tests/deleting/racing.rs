//! A delete compares and swaps: its filter still matches when the document is deleted, or the document stays.

use bson::doc;
use mongo_model::model::ModelMeta;
use mongo_model::{Error, MongoModel, verify};
use serde::{Deserialize, Serialize};

use crate::common::{Bench, on_both};
use crate::deleting::settled::settled;

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "race_lots")]
struct Lot {
    #[serde(rename = "_id")]
    id: i32,
    #[index]
    state: String,
    #[version]
    version: i64,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "race_bids")]
struct Bid {
    #[serde(rename = "_id")]
    id: i32,
    #[parent(Lot, on_delete = cascade)]
    lot: i32,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "race_hints")]
struct Hint {
    #[serde(rename = "_id")]
    id: i32,
    #[parent(Lot, on_delete = unset)]
    lot: Option<i32>,
}

/// The models of these tests: all documents that they store.
fn models() -> [&'static ModelMeta; 3] {
    [Lot::meta(), Bid::meta(), Hint::meta()]
}

fn lot(id: i32) -> Lot {
    Lot {
        id,
        state: "old".to_owned(),
        version: 0,
    }
}

/// Two lots, each with a bid.
async fn start(bench: &Bench) -> [Lot; 2] {
    for collection in ["race_lots", "race_bids", "race_hints"] {
        bench
            .raw(collection)
            .delete_many(doc! {})
            .await
            .expect("emptied");
    }
    let lots = [lot(1), lot(2)];
    bench.place(&lots).await;
    bench
        .place(&[Bid { id: 1, lot: 1 }, Bid { id: 2, lot: 2 }])
        .await;
    lots
}

/// A lot that is there has its bid, one that is gone has none.
async fn bids_follow(bench: &Bench) {
    let lots = Lot::scan(&bench.db, |l| l.all()).await.expect("read");
    let bids = Bid::scan(&bench.db, |b| b.all()).await.expect("read");
    let mut there: Vec<i32> = lots.iter().map(|lot| lot.id).collect();
    let mut bidden: Vec<i32> = bids.iter().map(|bid| bid.lot).collect();
    there.sort_unstable();
    bidden.sort_unstable();
    assert_eq!(there, bidden);
    bench.forget();
}

#[tokio::test]
async fn a_guarded_delete_and_a_guarded_save() {
    on_both("race_save", async |bench| {
        let db = &bench.db;
        bench.index(&[Lot::meta(), Bid::meta(), Hint::meta()]).await;
        for _ in 0..40 {
            let [mut mine, _] = start(bench).await;
            mine.state = "new".to_owned();
            let (deleted, saved) = tokio::join!(
                Lot::delete_many(db, |l| l.id.eq(1).and(l.version.eq(0))),
                mine.save_if_unchanged(db)
            );
            let deleted = deleted.expect("deleted").deleted == 1;
            match saved {
                Ok(_) => assert!(!deleted, "both succeeded"),
                Err(Error::Gone { .. }) => assert!(deleted, "neither succeeded"),
                Err(error) => panic!("{error}"),
            }
            let there = Lot::get(db, 1).await.expect("read").is_some();
            assert_eq!(there, !deleted);
            bids_follow(bench).await;
        }
        settled(bench).await;
    })
    .await;
}

// Documents that stop matching the filter after the read and before their tombstones stay, with all references to them.
#[tokio::test]
async fn documents_that_meet_the_filter_no_more() {
    on_both("race_many", async |bench| {
        let db = &bench.db;
        bench.index(&[Lot::meta(), Bid::meta(), Hint::meta()]).await;
        let mut stayed = 0;
        for round in 0..60 {
            start(bench).await;
            let id = 1 + round % 2;
            let deleting = Lot::delete_many(db, |l| l.state.eq("old"));
            let changing = Lot::update(db, id).set(|l| l.state, "new");
            let (deleted, changed) = tokio::join!(deleting, changing);
            let deleted = deleted.expect("deleted").deleted;
            match changed {
                Ok(_) => {
                    assert_eq!(deleted, 1);
                    stayed += 1;
                }
                Err(Error::NotFound { .. }) => assert_eq!(deleted, 2),
                Err(error) => panic!("{error}"),
            }
            let there = Lot::get(db, id).await.expect("read").is_some();
            assert_eq!(there, deleted == 1);
            bids_follow(bench).await;
        }
        assert!(stayed > 0);
        settled(bench).await;
    })
    .await;
}

// Whole documents and updates wait for a delete under way, and are not acknowledged under it.
#[tokio::test]
async fn writes_under_a_tombstone() {
    on_both("race_writes", async |bench| {
        let db = &bench.db;
        bench.index(&[Lot::meta(), Bid::meta(), Hint::meta()]).await;
        let entombed = |state: &str| {
            doc! { "$set": { "_dn": { "p": ["~del"], "del": bson::oid::ObjectId::new(), "d": { "s": state, "n": 0 } } } }
        };
        for state in ["freeze", "commit"] {
            let [mut mine, mut other] = start(bench).await;
            let raw = bench.raw("race_lots");
            let both = doc! {};
            // Each leads a delete of its own, which another program has left half way.
            for id in [1, 2] {
                raw.update_one(doc! { "_id": id }, entombed(state)).await.expect("written");
            }
            assert_eq!(raw.count_documents(both).await.expect("counted"), 2);
            let changed = Lot::update(db, 1).set(|l| l.state, "new").await;
            mine.version = i64::from(changed.is_ok());
            let swapped = mine.save_if_unchanged(db).await;
            let many = Lot::save_many_if_unchanged(db, [&mut other]).await.expect("sent");
            if state == "freeze" {
                changed.expect("the delete was undone");
                swapped.expect("stored");
                assert_eq!(many.saved, 1);
            } else {
                assert!(matches!(changed, Err(Error::NotFound { .. })), "{changed:?}");
                assert!(matches!(swapped, Err(Error::Gone { .. })), "{swapped:?}");
                assert!(matches!(many.unsaved[0].error, Error::Gone { .. }), "{many:?}");
            }
            bids_follow(bench).await;
        }
        assert!(verify(db).models(&models()).await.expect("looked").is_clean());
        settled(bench).await;
    })
    .await;
}
