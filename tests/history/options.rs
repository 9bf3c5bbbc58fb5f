//! Histories of chosen fields, of a number of entries, and of calls that name their actor; entries that are moved to another database.

use bson::{DateTime, doc};
use futures::TryStreamExt;
use mongo_model::history::{ActBy, Acting, acting_as, archive};
use mongo_model::{Database, Id, MongoModel, Tenant, Tenants, Transaction, recover, settle};
use serde::{Deserialize, Serialize};

use super::common::{Bench, in_set, on_both};
use super::{assert_follow_each_other, paths};

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "priced_seats", history(fields(price, row), whole))]
struct Seat {
    #[serde(rename = "_id")]
    id: i32,
    price: i64,
    #[serde(rename = "r")]
    row: String,
    #[serde(default)]
    note: String,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "measured_meters", history(keep_last = 20))]
struct Meter {
    #[serde(rename = "_id")]
    id: i32,
    value: i64,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "signed_deeds", history(by = required))]
struct Deed {
    #[serde(rename = "_id")]
    id: Id<Deed, i32>,
    text: String,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "signed_clauses", history(by = required))]
struct Clause {
    #[serde(rename = "_id")]
    id: i32,
    #[parent(Deed, on_delete = cascade)]
    deed: Id<Deed, i32>,
    text: String,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "signed_bills", tenant = org, history(by = required))]
struct Bill {
    #[serde(rename = "_id")]
    id: i32,
    org: i64,
    sum: i64,
}

fn seat(id: i32) -> Seat {
    let (row, note) = ("a".to_owned(), String::new());
    let price = 10;
    Seat {
        id,
        price,
        row,
        note,
    }
}

#[tokio::test]
async fn a_history_of_chosen_fields_has_no_others() {
    on_both("history_fields", async |bench: &Bench| {
        let db = &bench.db;
        Seat::insert(db, &seat(1)).await.expect("inserted");
        let note = Seat::update(db, 1).set(|s| s.note, "broken");
        note.await.expect("set");
        let both = Seat::update(db, 1)
            .set(|s| s.note, "mended")
            .set(|s| s.row, "b");
        both.await.expect("set");
        // A field that the model does not know is none of the chosen ones.
        let unknown = doc! { "$set": { "colour": "red" } };
        let seats = db.collection::<bson::Document>("priced_seats");
        seats
            .update_one(doc! { "_id": 1 }, unknown)
            .await
            .expect("set");
        Seat::update(db, 1)
            .inc(|s| s.price, 5)
            .await
            .expect("raised");
        settle(db).await;

        let entries = Seat::history(db, 1).entries(None).await.expect("read");
        assert_follow_each_other(&entries);
        let changed: Vec<_> = entries.iter().map(paths).collect();
        assert_eq!(changed, [vec![""], vec!["r"], vec!["price"]]);
        let first = entries[0].changes[0].after.clone();
        let first = first.and_then(|first| first.as_document().cloned());
        assert_eq!(first, Some(doc! { "price": 10_i64, "r": "a" }));
        let wholes = entries.iter().map(|entry| entry.document.clone());
        let wholes: Vec<_> = wholes.collect();
        let after = |price: i64| Some(doc! { "price": price, "r": "b" }.into());
        assert_eq!(wholes, [None, after(10), after(15)]);
        let shown = format!("{entries:?}");
        assert!(!shown.contains("price"), "{shown}");
        // The others are as they are today.
        let then = Seat::history(db, 1).at(entries[0].revision).await;
        let then = then.expect("read").expect("stored");
        assert_eq!(
            (then.price, then.row.as_str(), then.note.as_str()),
            (10, "a", "mended")
        );
        Seat::delete(db, 1).await.expect("deleted");
        settle(db).await;
        let last = Seat::history(db, 1).newest(None).await.expect("read");
        let before = last[0].changes[0].before.clone();
        let before = before.and_then(|before| before.as_document().cloned());
        assert_eq!(before, Some(doc! { "price": 15_i64, "r": "b" }));
    })
    .await;
}

#[tokio::test]
async fn a_document_keeps_its_last_entries() {
    on_both("history_last", async |bench: &Bench| {
        let db = &bench.db;
        for id in [1, 2] {
            Meter::insert(db, &Meter { id, value: 0 })
                .await
                .expect("inserted");
        }
        let mut deletes = 0;
        for n in 1..60 {
            bench.forget();
            Meter::update(db, 1)
                .set(|m| m.value, n)
                .settled()
                .await
                .expect("set");
            deletes += bench.sent().iter().filter(|name| *name == "delete").count();
        }
        let entries = Meter::history(db, 1).entries(None).await.expect("read");
        assert!((20..=22).contains(&entries.len()), "{}", entries.len());
        assert_follow_each_other(&entries);
        assert_eq!(
            entries
                .last()
                .and_then(|last| last.changes[0].after.clone()),
            Some(59_i64.into())
        );
        // One for each tenth.
        assert!((29..=31).contains(&deletes), "{deletes}");
        let other = Meter::history(db, 2).entries(None).await.expect("read");
        assert_eq!(other.len(), 1);
        let oldest = Meter::history(db, 1).at(entries[0].revision).await;
        assert!(oldest.is_ok());
        let gone = Meter::history(db, 1).at(entries[0].revision - 2).await;
        let gone = gone.expect_err("no entry").to_string();
        assert!(gone.contains("does not reach back"), "{gone}");
    })
    .await;
}

fn deed(id: i32) -> Deed {
    Deed {
        id: Id::from_raw(id),
        text: "a".to_owned(),
    }
}

#[tokio::test]
async fn every_call_names_its_actor() {
    on_both("history_by", async |bench: &Bench| {
        bench.index(&[Deed::meta(), Clause::meta()]).await;
        let ada = bench.db.by("ada");
        let id = Id::from_raw(1);
        Deed::insert(&ada, &deed(1)).await.expect("inserted");
        let clause = Clause {
            id: 1,
            deed: id,
            text: "b".to_owned(),
        };
        Clause::insert(&ada, &clause).await.expect("inserted");
        let bob = ada.handle().by("bob");
        Deed::update(&bob, id)
            .set(|d| d.text, "c")
            .await
            .expect("set");
        let many = Deed::update_many(&bob, |d| d.id.eq(id)).set(|d| d.text, "d");
        // The handle is nearer than the task.
        let changed = acting_as("nobody", many.into_future()).await;
        assert_eq!(changed.expect("set").modified, 1);
        let mut saved = Deed::get(&bob, id).await.expect("read").expect("stored");
        saved.text = "e".to_owned();
        saved.save(&bench.db.by("eve")).await.expect("saved");
        let of_deed = Clause::by(&ada, |c| c.deed, id).await.expect("read");
        assert_eq!(of_deed, std::slice::from_ref(&clause));
        let loaded = Clause::load(&ada, &of_deed, |c| c.deed).await;
        assert_eq!(loaded.expect("loaded").len(), 1);

        // A reference's delete rule is a part of the call on the deed.
        Deed::delete(&bob, id).await.expect("deleted");
        settle(&bench.db).await;
        let entries = Deed::history(&ada, id).entries(None).await.expect("read");
        let actors: Vec<_> = entries.iter().map(|entry| entry.by.as_deref()).collect();
        let expected = ["ada", "bob", "bob", "eve", "bob"].map(Some);
        assert_eq!(actors, expected);
        let clauses = Clause::history(&ada, 1).newest(None).await.expect("read");
        assert_eq!(clauses[0].by.as_deref(), Some("bob"));
        assert_eq!(clauses[0].call.as_deref(), Some("Deed::delete"));

        Deed::history(&bench.db.by("ida"), id)
            .revert(entries[0].revision)
            .await
            .expect("reverted");
        settle(&bench.db).await;
        let newest = Deed::history(&ada, id).newest(None).await.expect("read");
        assert_eq!(newest[0].by.as_deref(), Some("ida"));
        recover(&ada).await.expect("recovered");
    })
    .await;
}

#[tokio::test]
async fn a_tenant_acts_behind_its_wall() {
    on_both("history_tenant_by", async |bench: &Bench| {
        bench.index(&[Bill::meta()]).await;
        let tenant: Tenant<i64> = bench.db.tenant(7);
        let ada = tenant.by("ada");
        Bill::insert(
            &ada,
            &Bill {
                id: 1,
                org: 7,
                sum: 1,
            },
        )
        .await
        .expect("inserted");
        let other = bench.db.tenant(8_i64).by("eve");
        let missed = Bill::update(&other, 1).set(|b| b.sum, 2).await;
        assert!(missed.is_err(), "no bill of this tenant");
        let foreign = Bill::insert(
            &other,
            &Bill {
                id: 2,
                org: 7,
                sum: 1,
            },
        )
        .await;
        assert!(foreign.is_err());
        let across: Acting<Tenant<i64>> = bench.db.across_tenants("a test").by("root");
        Bill::update_many(&across, |b| b.id.eq(1))
            .set(|b| b.sum, 3)
            .await
            .expect("set");
        settle(&bench.db).await;
        let entries = Bill::history(&ada, 1).entries(None).await.expect("read");
        let actors: Vec<_> = entries.iter().map(|entry| entry.by.as_deref()).collect();
        assert_eq!(actors, [Some("ada"), Some("root")]);
        mongo_model::purge_tenant(&tenant).await.expect("purged");
        assert_eq!(bench.len("signed_bills").await, 0);
        assert_eq!(bench.len("_dn.history.signed_bills").await, 0);
    })
    .await;
}

#[tokio::test]
async fn a_transaction_names_the_actor_of_each_call() {
    in_set("history_by_transaction", async |bench: &Bench| {
        let ada = bench.db.by("ada");
        Deed::insert(&ada, &deed(3)).await.expect("inserted");
        let change = async |tx: &mut Transaction| {
            let bob = bench.db.by("bob");
            Deed::update(&bob, Id::from_raw(3))
                .set(|d| d.text, "z")
                .within(tx)
                .await
        };
        mongo_model::transaction(&bench.db, change)
            .await
            .expect("committed");
        settle(&bench.db).await;
        let entries = Deed::history(&ada, Id::from_raw(3)).newest(None).await;
        assert_eq!(entries.expect("read")[0].by.as_deref(), Some("bob"));
    })
    .await;
}

#[tokio::test]
async fn old_entries_move_to_another_database_and_back() {
    on_both("history_archive", async |bench: &Bench| {
        let db = &bench.db;
        let cold = &db.client().database(&format!("{}_cold", db.name()));
        for id in 0..250 {
            Seat::insert(db, &seat(id)).await.expect("inserted");
        }
        Seat::update(db, 7)
            .set(|s| s.price, 11)
            .settled()
            .await
            .expect("set");
        settle(db).await;
        let entries = Seat::history(db, 7).entries(None).await.expect("read");
        // One that is written between the two: no entry of seat 7 is as late.
        let now = entries[1].at.timestamp_millis() + 1;
        let log = db.collection::<bson::Document>("_dn.history.priced_seats");
        let late = doc! { "at": DateTime::from_millis(now + 60_000) };
        let second = doc! { "_id.d": 7, "_id.r": entries[1].revision };
        log.update_one(second, doc! { "$set": late })
            .await
            .expect("set");

        let before = DateTime::from_millis(now + 30_000);
        assert_eq!(archive::<Seat>(db, cold, before).await.expect("moved"), 250);
        let count = async |db: &Database| {
            let log = db.collection::<bson::Document>("_dn.history.priced_seats");
            log.count_documents(doc! {}).await.expect("counted")
        };
        assert_eq!((count(db).await, count(cold).await), (1, 250));
        // The state after the oldest entry that is left cannot be told without the entry itself.
        let left = Seat::history(db, 7).entries(None).await.expect("read");
        assert_eq!(left.len(), 1);
        let first = Seat::history(db, 7).at(entries[0].revision).await;
        assert!(first.is_err());
        // A second call finds nothing more.
        assert_eq!(archive::<Seat>(db, cold, before).await.expect("moved"), 0);
        let back = archive::<Seat>(cold, db, DateTime::MAX).await;
        assert_eq!(back.expect("moved"), 250);
        assert_eq!((count(db).await, count(cold).await), (251, 0));
        let first = Seat::history(db, 7).at(entries[0].revision).await;
        assert_eq!(first.expect("read").map(|seat| seat.price), Some(10));
        cold.drop().await.expect("dropped");
    })
    .await;
}

/// JSON names the paths, the values and the document after the change; an entry that is stored also has the key by which it is found, and what delivers it once.
#[tokio::test]
async fn an_entry_takes_little_more_than_what_it_says() {
    on_both("history_size", async |bench: &Bench| {
        let db = &bench.db;
        Seat::insert(db, &seat(1)).await.expect("inserted");
        let text = "a longer row, as the row of a name of a street with a number".to_owned();
        let many = Seat::update(db, 1).set(|s| s.row, text);
        acting_as("ada@example.com", many.inc(|s| s.price, 5).into_future())
            .await
            .expect("set");
        let alone = Seat::update(db, 1).inc(|s| s.price, 1);
        acting_as("ada@example.com", alone.into_future())
            .await
            .expect("set");
        settle(db).await;
        let entries = Seat::history(db, 1).entries(None).await.expect("read");
        let log = bench.raw("_dn.history.priced_seats");
        let rows = log.find(doc! {}).sort(doc! { "_id": 1 });
        let rows: Vec<bson::Document> =
            rows.await.expect("sent").try_collect().await.expect("read");
        assert_eq!(rows.len(), entries.len());
        for (row, entry) in rows.iter().zip(&entries) {
            let stored = bson::serialize_to_vec(row).expect("encoded").len();
            let json = serde_json::to_vec(entry).expect("JSON").len();
            assert!(
                stored * 10 <= json * 12,
                "{stored} bytes of BSON, {json} of JSON"
            );
        }
    })
    .await;
}
