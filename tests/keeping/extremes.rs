//! The least and the greatest value of a field of the children.

use bson::{Bson, Decimal128, Document, doc};
use mongo_model::{Error, Id, MongoModel, backfill, recover, repair, transaction, verify};
use serde::{Deserialize, Serialize};

use crate::common::{Bench, in_set, on_both};
use crate::keeping::settled::settled;

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "ext_lots")]
pub(crate) struct Lot {
    #[serde(rename = "_id")]
    id: Id<Lot, i64>,
    #[max(Bid, field = amount)]
    #[index]
    highest: Option<i64>,
    #[min(Bid, field = amount, only(open = true))]
    #[serde(rename = "low", skip_serializing_if = "Option::is_none")]
    lowest: Option<i64>,
    #[max(Bid, field = time, via = lot)]
    last: Option<bson::DateTime>,
    #[min(Bid, field = weight)]
    lightest: Option<f64>,
    #[max(Bid, field = price)]
    dearest: Option<Decimal128>,
    #[min(Bid, field = name)]
    first: Option<String>,
    #[count(Bid)]
    bids: i64,
}

#[derive(Debug, Clone, Serialize, Deserialize, MongoModel)]
#[model(collection = "ext_bids", soft_delete)]
pub(crate) struct Bid {
    #[serde(rename = "_id")]
    id: Id<Bid, i64>,
    #[parent(Lot, on_delete = unset)]
    #[serde(skip_serializing_if = "Option::is_none")]
    lot: Option<Id<Lot, i64>>,
    #[serde(rename = "a")]
    amount: i64,
    open: bool,
    time: bson::DateTime,
    weight: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    price: Option<Decimal128>,
    name: String,
    #[deleted]
    #[serde(skip_serializing_if = "Option::is_none")]
    deleted: Option<bson::DateTime>,
}

fn key<M>(n: i64) -> Id<M, i64> {
    Id::from_raw(n)
}

fn lot(n: i64) -> Lot {
    Lot {
        id: key(n),
        highest: None,
        lowest: None,
        last: None,
        lightest: None,
        dearest: None,
        first: None,
        bids: 0,
    }
}

fn bid(n: i64, lot: i64, amount: i64) -> Bid {
    let price = format!("{amount}.50").parse().expect("a decimal");
    Bid {
        id: key(n),
        lot: Some(key(lot)),
        amount,
        open: n % 3 != 1,
        time: bson::DateTime::from_millis(amount * 1_000),
        weight: match n % 4 {
            3 => f64::NAN,
            _ => -(amount as f64) / 4.0,
        },
        price: (n % 3 != 0).then_some(price),
        name: format!("{:03}", (n * 7) % 100),
        deleted: None,
    }
}

/// The stored value of each field of a lot, with the field of the bids, the direction and the condition.
const KEPT: [(&str, &str, i32, bool); 6] = [
    ("highest", "a", -1, false),
    ("low", "a", 1, true),
    ("last", "time", -1, false),
    ("lightest", "weight", 1, false),
    ("dearest", "price", -1, false),
    ("first", "name", 1, false),
];

/// The extremes of each lot are those of its bids as they are stored, and nothing is under way.
async fn check(bench: &Bench, what: &str) {
    recover(&bench.db).await.expect("recovered");
    settled(bench).await;
    for n in 1..=2_i64 {
        let lot = bench.stored("ext_lots", n).await;
        for (field, of, direction, open) in KEPT {
            let mut filter = doc! { "lot": n, "deleted": null, of: { "$nin": [null, f64::NAN] } };
            if open {
                filter.insert("open", true);
            }
            let bids = bench.raw("ext_bids");
            let first = bids
                .find_one(filter)
                .sort(doc! { of: direction, "_id": direction });
            let first = first.await.expect("found");
            let want = first.and_then(|bid| bid.get(of).cloned());
            let is = lot.get(field).filter(|value| **value != Bson::Null);
            assert_eq!(is, want.as_ref(), "{what}: lot {n}: {lot}");
            // An absent value is stored as the struct stores it.
            let is_left_out = !lot.contains_key(field);
            assert!(
                !is_left_out || (field == "low" && want.is_none()),
                "{what}: {lot}"
            );
        }
        Lot::get(&bench.db, key(n))
            .await
            .expect("read")
            .expect("a lot");
    }
    bench.forget();
}

async fn start(bench: &Bench) {
    bench.index(&[Lot::meta(), Bid::meta()]).await;
    let lots = [lot(1), lot(2)];
    Lot::insert_many(&bench.db, &lots).await.expect("lots");
    let bids: Vec<Bid> = (0..12)
        .map(|n| bid(n, 1 + n % 2, 10 + (n * 5) % 12))
        .collect();
    Bid::insert_many(&bench.db, &bids).await.expect("bids");
    bench.forget();
}

/// The `_id` of the bid that has the highest amount of a lot, and of the one with the lowest that is open.
async fn ends(bench: &Bench, lot: i64) -> [i64; 2] {
    let mut out = [0; 2];
    for (n, (direction, open)) in [(-1, doc! {}), (1, doc! { "open": true })]
        .into_iter()
        .enumerate()
    {
        let mut filter = doc! { "lot": lot, "deleted": null };
        filter.extend(open);
        let bids = bench.raw("ext_bids");
        let bid = bids
            .find_one(filter)
            .sort(doc! { "a": direction, "_id": direction });
        let bid: Document = bid.await.expect("read").expect("a bid");
        out[n] = bid.get_i64("_id").expect("an id");
    }
    out
}

#[tokio::test]
async fn inserts_and_updates_change_the_extremes() {
    on_both("ext_updates", async |bench| {
        start(bench).await;
        let db = &bench.db;
        check(bench, "insert_many").await;
        Bid::insert(db, &bid(20, 1, 500)).await.expect("stored");
        check(bench, "a new greatest").await;
        Bid::insert(db, &bid(22, 1, 15)).await.expect("stored");
        check(bench, "one in the middle").await;
        Bid::insert(db, &bid(24, 1, 1)).await.expect("stored");
        check(bench, "a new least").await;
        let update = |n| Bid::update(db, key(n));
        update(20).set(|b| b.amount, 2).await.expect("set");
        check(bench, "the greatest sinks").await;
        update(22).set(|b| b.amount, 600).await.expect("set");
        check(bench, "another becomes the greatest").await;
        update(22).inc(|b| b.amount, 7).await.expect("raised");
        check(bench, "the greatest grows").await;
        let [_, least] = ends(bench, 1).await;
        update(least).mul(|b| b.amount, 100).await.expect("raised");
        check(bench, "the least grows").await;
        let [_, least] = ends(bench, 1).await;
        update(least).set(|b| b.open, false).await.expect("closed");
        check(bench, "the least does not meet the condition").await;
        update(least).set(|b| b.open, true).await.expect("opened");
        check(bench, "it does again").await;
        update(22).set(|b| b.price, None).await.expect("unset");
        check(bench, "a value that is gone").await;
        let dear = "700.10".parse::<Decimal128>().expect("a decimal");
        update(22).set(|b| b.price, Some(dear)).await.expect("set");
        check(bench, "a value that comes").await;
        let nan = "NaN".parse::<Decimal128>().expect("a decimal");
        update(22).set(|b| b.price, Some(nan)).await.expect("set");
        check(bench, "a decimal that is no number").await;
        update(22).set(|b| b.weight, f64::NAN).await.expect("set");
        check(bench, "a float that is no number").await;
        update(22)
            .set(|b| b.weight, f64::NEG_INFINITY)
            .await
            .expect("set");
        check(bench, "an infinite float").await;
        let [greatest, _] = ends(bench, 1).await;
        update(greatest)
            .set(|b| b.lot, Some(key(2)))
            .await
            .expect("moved");
        check(bench, "the greatest moves").await;
        let moved = update(greatest).set(|b| b.lot, Some(key(1)));
        moved.set(|b| b.amount, 3).await.expect("moved");
        check(bench, "a move with another amount").await;
        let [greatest, _] = ends(bench, 1).await;
        update(greatest).set(|b| b.lot, None).await.expect("left");
        check(bench, "the greatest leaves").await;
        let upserted = Bid::upsert(db, &bid(5, 2, 1))
            .inc(|b| b.amount, 2_000)
            .await;
        upserted.expect("updated");
        check(bench, "an upsert that updates").await;
        let upserted = Bid::upsert(db, &bid(30, 2, 1))
            .inc(|b| b.amount, 3_000)
            .await;
        upserted.expect("inserted");
        check(bench, "an upsert that inserts").await;
        let of_second = || Bid::update_many(db, |b| b.lot.eq(key(2)));
        of_second()
            .inc(|b| b.amount, -4_000)
            .await
            .expect("lowered");
        check(bench, "inc of many").await;
        of_second().set(|b| b.open, true).await.expect("set");
        check(bench, "set of many").await;
        let moved = of_second().set(|b| b.lot, Some(key(1)));
        moved.await.expect("moved");
        check(bench, "a move of many, and a lot without bids").await;
    })
    .await;
}

#[tokio::test]
async fn saves_and_deletes_change_the_extremes() {
    on_both("ext_saves", async |bench| {
        start(bench).await;
        let db = &bench.db;
        let [greatest, least] = ends(bench, 2).await;
        let read = async |n| Bid::get(db, key(n)).await.expect("read").expect("a bid");
        let mut one = read(greatest).await;
        one.amount = 3;
        one.save(db).await.expect("saved");
        check(bench, "a save that sinks the greatest").await;
        one.lot = Some(key(1));
        one.amount = 99;
        one.save(db).await.expect("saved");
        check(bench, "a save that moves").await;
        bid(31, 2, 200).save(db).await.expect("saved");
        check(bench, "a save that inserts").await;
        Bid::delete(db, key(31)).await.expect("deleted");
        check(bench, "a soft delete").await;
        Bid::restore(db, key(31)).await.expect("restored");
        check(bench, "a restore").await;
        Bid::delete(db, key(31)).await.expect("deleted");
        Bid::purge(db, key(31)).await.expect("purged");
        check(bench, "a purge").await;
        let some = Bid::delete_many(db, |b| b.id.is_in([greatest, least].map(key)));
        some.await.expect("deleted");
        check(bench, "soft deletes").await;
        // A parent that is saved keeps what it has; one that says something else is refused by an insert.
        let mut stored = Lot::get(db, key(1)).await.expect("read").expect("a lot");
        stored.highest = Some(-1);
        stored.last = None;
        stored.save(db).await.expect("saved");
        check(bench, "a save of the parent").await;
        let refused = Lot::insert(
            db,
            &Lot {
                highest: Some(1),
                ..lot(9)
            },
        )
        .await;
        let Err(Error::DerivedField { field, .. }) = refused else {
            panic!("{refused:?}");
        };
        assert_eq!(field, "highest");
        Lot::delete(db, key(2)).await.expect("deleted");
        Lot::insert(db, &lot(2)).await.expect("stored");
        check(bench, "a parent that comes back").await;
        Bid::insert(db, &bid(40, 2, 8)).await.expect("stored");
        check(bench, "a child of it").await;
        let above = Lot::find(db, |l| l.highest.gt(20)).await.expect("found");
        assert!(above.iter().all(|lot| lot.highest > Some(20)), "{above:?}");
    })
    .await;
}

#[tokio::test]
async fn other_programs_and_older_parents_are_found_and_corrected() {
    on_both("ext_verify", async |bench| {
        start(bench).await;
        let (db, models) = (&bench.db, [Lot::meta(), Bid::meta()]);
        let defects = async || {
            let found = verify(db).models(&models).await.expect("looked");
            found
                .references
                .iter()
                .map(|edge| edge.defects())
                .sum::<u64>()
        };
        let bids = bench.raw("ext_bids");
        let foreign = bids.update_one(doc! { "_id": 1_i64 }, doc! { "$set": { "a": 5_000_i64 } });
        foreign.await.expect("changed");
        assert_eq!(defects().await, 1);
        repair(db).models(&models).await.expect("repaired");
        check(bench, "a repair").await;
        // The value alone, and the child alone.
        let lots = bench.raw("ext_lots");
        let one = || doc! { "_id": 1_i64 };
        let other = doc! { "$set": { "highest": 1_i64, "low": 2_i64 } };
        lots.update_one(one(), other).await.expect("changed");
        let other = doc! { "$set": { "_dn.e.first.0.id": 77_i64 } };
        lots.update_one(one(), other).await.expect("changed");
        assert_eq!(defects().await, 3);
        repair(db).models(&models).await.expect("repaired");
        check(bench, "a repair of the parent").await;
        lots.update_one(one(), doc! { "$set": { "highest": 1_i64 } })
            .await
            .expect("changed");
        Lot::rebuild_highest(db, key(1)).await.expect("rebuilt");
        check(bench, "a rebuild").await;
        // Without children, too.
        Lot::insert(db, &lot(3)).await.expect("stored");
        let other = doc! { "$set": { "highest": 1_i64, "low": 1_i64 } };
        lots.update_one(doc! { "_id": 3_i64 }, other)
            .await
            .expect("changed");
        assert_eq!(defects().await, 2);
        repair(db).models(&models).await.expect("repaired");
        assert_eq!(defects().await, 0);
        let stored = bench.stored("ext_lots", 3_i64).await;
        assert_eq!(stored.get("highest"), Some(&Bson::Null));
        assert_eq!(stored.get("low"), None);
        // A parent of before.
        let older = doc! { "$unset": { "_dn": "", "highest": "", "low": "", "last": "" } };
        lots.update_one(one(), older).await.expect("changed");
        let done = backfill(db).models(&models).await.expect("filled");
        assert!(done.parents >= 6, "{done:?}");
        repair(db).models(&models).await.expect("repaired");
        check(bench, "a backfill").await;
        assert_eq!(defects().await, 0);
    })
    .await;
}

#[tokio::test]
async fn a_transaction_changes_child_and_extreme() {
    in_set("ext_transaction", async |bench| {
        start(bench).await;
        let db = &bench.db;
        let changed = transaction(db, async |tx| {
            Bid::insert(db, &bid(40, 2, 800)).within(tx).await?;
            Bid::update(db, key(0))
                .set(|b| b.amount, 900)
                .within(tx)
                .await?;
            Ok(())
        });
        changed.await.expect("committed");
        check(bench, "a transaction").await;
    })
    .await;
}

/// A child that is not the greatest costs what a count costs; only when the greatest sinks are the children read.
#[tokio::test]
async fn an_extreme_is_read_again_only_when_it_worsens() {
    on_both("ext_commands", async |bench| {
        start(bench).await;
        let db = &bench.db;
        Bid::insert(db, &bid(70, 1, 5)).await.expect("stored");
        let sent = bench.sent();
        assert!(sent.iter().all(|name| name != "find"), "{sent:?}");
        let [greatest, _] = ends(bench, 1).await;
        bench.forget();
        let raised = Bid::update(db, key(greatest)).inc(|b| b.amount, 1);
        raised.await.expect("raised");
        let sent = bench.sent();
        assert!(sent.iter().all(|name| name != "find"), "{sent:?}");
        let sunk = Bid::update(db, key(greatest)).set(|b| b.amount, 0);
        sunk.await.expect("sunk");
        let sent = bench.sent();
        assert!(sent.iter().any(|name| name == "find"), "{sent:?}");
        check(bench, "the greatest sinks").await;
    })
    .await;
}
