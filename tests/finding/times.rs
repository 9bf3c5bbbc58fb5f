//! Times have the precision of BSON, a millisecond: the value in memory, cut towards the past, is the one that is stored, found and compared.

use chrono::{DateTime, TimeDelta, Utc};
use mongo_model::{Id, MongoModel};
use serde::{Deserialize, Serialize};

use crate::common::{Bench, on_both};

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "precise_hosts")]
pub struct PreciseHost {
    #[serde(rename = "_id")]
    pub id: Id<PreciseHost>,
    #[serde(with = "bson::serde_helpers::datetime::FromChrono04DateTime")]
    pub since: DateTime<Utc>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "precise_visits", index(keys(at)))]
pub struct PreciseVisit {
    #[serde(rename = "_id")]
    pub id: i32,
    #[parent(PreciseHost)]
    pub host: Id<PreciseHost>,
    #[denorm(from = PreciseHost, field = since)]
    #[serde(with = "bson::serde_helpers::datetime::FromChrono04DateTime")]
    pub host_since: DateTime<Utc>,
    #[serde(with = "bson::serde_helpers::datetime::FromChrono04DateTime")]
    pub at: DateTime<Utc>,
}

/// Before 1970 and after it, with microseconds that are cut.
fn times() -> [DateTime<Utc>; 4] {
    let at = |micros| DateTime::from_timestamp_micros(micros).expect("a time");
    [at(-1_500), at(-1), at(1_999), at(1_700_000_000_123_999)]
}

async fn stored(bench: &Bench, host: &PreciseHost) -> Vec<PreciseVisit> {
    PreciseHost::insert(&bench.db, host).await.expect("stored");
    let times = times().into_iter().enumerate();
    let visits = times.map(|(n, at)| PreciseVisit {
        id: i32::try_from(n).expect("small"),
        host: host.id,
        host_since: host.since,
        at,
    });
    let visits: Vec<PreciseVisit> = visits.collect();
    PreciseVisit::insert_many(&bench.db, &visits)
        .await
        .expect("stored");
    visits
}

#[tokio::test]
async fn a_time_in_memory_finds_its_document() {
    on_both("precise_times", async |bench| {
        let db = &bench.db;
        bench
            .index(&[PreciseHost::meta(), PreciseVisit::meta()])
            .await;
        let host = PreciseHost {
            id: Id::new(),
            since: times()[0],
        };
        let visits = stored(bench, &host).await;
        let millis: Vec<i64> = visits
            .iter()
            .map(|visit| visit.at.timestamp_millis())
            .collect();
        assert_eq!(millis, [-2, -1, 1, 1_700_000_000_123], "towards the past");
        for visit in &visits {
            let read = PreciseVisit::get(db, visit.id).await.expect("read");
            let expected = mongo_model::as_stored(visit).expect("stored");
            assert_eq!(read, Some(expected));
            assert_ne!(read.as_ref(), Some(visit), "it has microseconds");
        }
        for (visit, millis) in visits.iter().zip(millis) {
            let raw = bench.stored("precise_visits", visit.id).await;
            let date = raw.get_datetime("at").expect("a date");
            assert_eq!(date.timestamp_millis(), millis);
            let at = visit.at;
            let found = PreciseVisit::find(db, |v| v.at.eq(at))
                .await
                .expect("found");
            assert_eq!(found.len(), 1, "eq");
            let found = PreciseVisit::find(db, |v| v.at.is_in([at]))
                .await
                .expect("found");
            assert_eq!(found.len(), 1, "is_in");
            let found = PreciseVisit::find(db, |v| v.at.gte(at).and(v.at.lte(at)))
                .await
                .expect("found");
            assert_eq!(found.len(), 1, "between");
            // A whole document, and a field, that are equal to the stored ones are no change.
            assert_eq!(visit.save(db).await.expect("saved").modified, 0);
            let set = PreciseVisit::update(db, visit.id).set(|v| v.at, at);
            assert_eq!(set.await.expect("set").modified, 0);
            let swap = PreciseVisit::update(db, visit.id).only_if(|v| v.at.eq(at));
            let later = at + TimeDelta::microseconds(1);
            assert!(
                swap.set(|v| v.at, later)
                    .await
                    .expect("an answer")
                    .is_done()
            );
            PreciseVisit::update(db, visit.id)
                .set(|v| v.at, at)
                .await
                .expect("set");
        }
        // A copy is cut as its source is: no write of the source that changes nothing is followed.
        let raw = bench.stored("precise_visits", 0).await;
        assert_eq!(
            raw.get_datetime("host_since")
                .expect("a date")
                .timestamp_millis(),
            -2
        );
        bench.forget();
        PreciseHost::update(db, host.id)
            .set(|h| h.since, host.since)
            .await
            .expect("set");
        host.save(db).await.expect("saved");
        assert_eq!(
            bench.sent(),
            ["findAndModify", "findAndModify"],
            "no copy is written"
        );
    })
    .await;
}

#[tokio::test]
async fn ranges_begin_at_the_stored_time() {
    on_both("precise_ranges", async |bench| {
        let db = &bench.db;
        bench
            .index(&[PreciseHost::meta(), PreciseVisit::meta()])
            .await;
        let host = PreciseHost {
            id: Id::new(),
            since: times()[3],
        };
        let visits = stored(bench, &host).await;
        let since = PreciseVisit::find(db, |v| v.at.gte(visits[1].at))
            .await
            .expect("found");
        assert_eq!(since.len(), 3);
        let after = PreciseVisit::find(db, |v| v.at.gt(visits[1].at))
            .await
            .expect("found");
        assert_eq!(after.len(), 2);
    })
    .await;
}

/// A document that people edit, with a date that another model copies.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "precise_drafts")]
pub struct PreciseDraft {
    #[serde(rename = "_id")]
    pub id: i32,
    #[serde(with = "bson::serde_helpers::datetime::FromChrono04DateTime")]
    pub at: DateTime<Utc>,
    #[version]
    pub version: i64,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "precise_notes")]
pub struct PreciseNote {
    #[serde(rename = "_id")]
    pub id: i32,
    #[parent(PreciseDraft)]
    pub draft: i32,
    #[denorm(from = PreciseDraft, field = at)]
    #[serde(with = "bson::serde_helpers::datetime::FromChrono04DateTime")]
    pub draft_at: DateTime<Utc>,
}

/// Every write raises the version, and one that sets an equal date is no other: it has no revision, and no copy follows it. `update_with`
/// sees that nothing is changed, and writes nothing.
#[tokio::test]
async fn an_equal_time_gives_a_document_no_revision() {
    on_both("precise_versions", async |bench| {
        let db = &bench.db;
        bench
            .index(&[PreciseDraft::meta(), PreciseNote::meta()])
            .await;
        for (at, id) in times().into_iter().zip(1..) {
            let mut draft = PreciseDraft { id, at, version: 0 };
            PreciseDraft::insert(db, &draft).await.expect("stored");
            let note = PreciseNote {
                id,
                draft: id,
                draft_at: at,
            };
            PreciseNote::insert(db, &note).await.expect("stored");
            let revision = async || {
                let raw = bench.stored("precise_drafts", id).await;
                let own = raw.get_document("_dn").ok();
                (
                    raw.get_i64("version").expect("a version"),
                    own.and_then(|own| own.get("r").cloned()),
                )
            };
            let (version, first) = revision().await;
            assert_eq!(version, 0);

            PreciseDraft::update_with(db, id, |draft| draft.at = at)
                .await
                .expect("read");
            assert_eq!(bench.sent(), ["find"]);
            assert_eq!(revision().await, (0, first.clone()));

            draft.save_if_unchanged(db).await.expect("saved");
            assert!(bench.sent().iter().all(|name| name == "findAndModify"));
            assert_eq!(revision().await, (1, first.clone()));

            let set = PreciseDraft::update(db, id).set(|d| d.at, at);
            set.await.expect("set");
            assert_eq!(bench.sent(), ["findAndModify"]);
            assert_eq!(revision().await, (2, first.clone()));
        }
    })
    .await;
}
