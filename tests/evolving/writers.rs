//! A whole collection at once, also while others write.

use std::sync::atomic::{AtomicBool, Ordering};

use bson::{Document, doc};
use mongo_model::MongoModel;

use crate::common::alone;
use crate::evolving::{Person, first, person};

#[tokio::test]
async fn a_collection_is_migrated_in_batches_and_only_once() {
    alone("evolve_batch", async |bench| {
        let db = &bench.db;
        bench.seed("persons", (0..2_500).map(first)).await;
        Person::insert(db, &person(3_000, "new"))
            .await
            .expect("stored");
        bench.forget();
        let mut told = Vec::new();
        let run = Person::migrate(db)
            .batch(1_000)
            .progress(|done| told.push(done.migrated));
        let done = run.await.expect("migrated");
        assert_eq!((done.found, done.migrated), (2_500, 2_500));
        assert!(done.refused.is_empty() && done.pending.is_empty());
        assert_eq!(told, [1_000, 2_000, 2_500]);
        let sent = bench.sent();
        let of = |name: &str| sent.iter().filter(|sent| *sent == name).count();
        assert_eq!((of("find"), of("update")), (1, 3), "{sent:?}");
        let left = bench.raw("persons");
        let left = left.count_documents(doc! { "schema_version": { "$ne": 3 } });
        assert_eq!(left.await.expect("counted"), 0);
        bench.forget();
        let again = Person::migrate(db).await.expect("idle");
        assert_eq!((again.found, again.migrated), (0, 0));
        assert_eq!(bench.sent(), ["find"]);
    })
    .await;
}

#[tokio::test]
async fn a_migration_that_stops_half_way_goes_on() {
    alone("evolve_resume", async |bench| {
        let db = &bench.db;
        bench.seed("persons", (0..300).map(first)).await;
        // The program ends in the middle of the second batch: what is half done is that some documents are.
        let some: Vec<Person> = (0..130).map(|id| person(id, "Ann Lee")).collect();
        for one in &some {
            one.save(db).await.expect("saved");
        }
        let done = Person::migrate(db).batch(100).await.expect("migrated");
        assert_eq!((done.found, done.migrated), (170, 170));
        let all = Person::scan(db, |p| p.all()).await.expect("read");
        assert!(all.iter().all(|one| one.name == "Ann Lee") && all.len() == 300);
    })
    .await;
}

#[tokio::test]
async fn no_write_of_others_is_lost() {
    const DOCUMENTS: i32 = 200;
    alone("evolve_race", async |bench| {
        let db = &bench.db;
        bench.seed("persons", (0..DOCUMENTS).map(first)).await;
        let raw = bench.raw("persons");
        let over = AtomicBool::new(false);
        // A program of the old version, which knows the old fields, beside one that adds to a field of both.
        let writing = async {
            let mut added = 0_i64;
            loop {
                // All that is read before the end is written before the last look.
                let last = over.load(Ordering::SeqCst);
                let done = raw
                    .update_many(doc! {}, doc! { "$inc": { "visits": 1_i64 } })
                    .await
                    .expect("updated");
                assert_eq!(done.matched_count, DOCUMENTS as u64);
                added += 1;
                if last {
                    return added;
                }
            }
        };
        let migrating = async {
            let done = Person::migrate(db).batch(20).await.expect("migrated");
            over.store(true, Ordering::SeqCst);
            done
        };
        let (added, done) = futures::join!(writing, migrating);
        assert!(done.refused.is_empty(), "{:?}", done.refused);
        let all = Person::scan(db, |p| p.all()).await.expect("read");
        for one in &all {
            assert_eq!((one.visits, &*one.name), (added, "Ann Lee"), "{one:?}");
        }
        let old = raw.count_documents(Document::new()).await.expect("counted");
        assert_eq!(old, DOCUMENTS as u64);
        let left = raw.count_documents(doc! { "schema_version": { "$ne": 3 } });
        assert_eq!(left.await.expect("counted"), 0);
    })
    .await;
}
