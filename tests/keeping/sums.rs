//! Sums of a field of the children, and counts of those that meet conditions, stored in their parent.

use bson::{Bson, Document, doc};
use mongo_model::{
    Average, Error, Id, MongoEmbed, MongoModel, Result, backfill, recover, repair, transaction,
    verify,
};
use serde::{Deserialize, Serialize};

use crate::common::{Bench, in_set, on_both};
use crate::keeping::settled::settled;

#[derive(Debug, Clone, Serialize, Deserialize, MongoModel)]
#[model(collection = "sum_carts")]
pub(crate) struct Cart {
    #[serde(rename = "_id")]
    id: Id<Cart, i64>,
    #[sum(Line, field = price)]
    #[serde(default)]
    total: i64,
    #[sum(Line, field = price, only(paid = true))]
    #[serde(default, rename = "settled")]
    paid: i64,
    #[count(Line, only(kind = "gift", rank = 2))]
    #[serde(default)]
    gifts: i64,
    #[count(Line)]
    #[serde(default)]
    lines: i64,
    #[avg(Line, field = price)]
    #[serde(default, rename = "mean")]
    average: Average,
    #[avg(Line, field = stars, only(paid = true))]
    #[serde(default)]
    stars: Average,
}

#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, MongoEmbed)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Kind {
    Gift,
    Plain,
}

/// Version 1 stored its price in whole euros.
#[derive(Debug, Clone, Serialize, Deserialize, MongoModel)]
#[model(
    collection = "sum_lines",
    soft_delete,
    schema_version = 2,
    migrate = cents,
    unversioned = 1
)]
pub(crate) struct Line {
    #[serde(rename = "_id")]
    id: Id<Line, i64>,
    #[parent(Cart, on_delete = unset)]
    #[serde(skip_serializing_if = "Option::is_none")]
    cart: Option<Id<Cart, i64>>,
    #[serde(rename = "p")]
    price: i64,
    #[serde(skip_serializing_if = "Option::is_none")]
    paid: Option<bool>,
    pub(crate) kind: Kind,
    rank: i32,
    #[serde(skip_serializing_if = "Option::is_none")]
    stars: Option<i32>,
    #[deleted]
    #[serde(skip_serializing_if = "Option::is_none")]
    deleted: Option<bson::DateTime>,
}

fn cents(mut old: Document, _version: i32) -> Document {
    let euros = old.get_i64("p").unwrap_or_default();
    old.insert("p", euros * 100);
    old
}

pub(super) fn key<M>(n: i64) -> Id<M, i64> {
    Id::from_raw(n)
}

fn cart(n: i64) -> Cart {
    Cart {
        id: key(n),
        total: 0,
        paid: 0,
        gifts: 0,
        lines: 0,
        average: Average::default(),
        stars: Average::default(),
    }
}

fn line(n: i64, cart: i64, price: i64) -> Line {
    Line {
        id: key(n),
        cart: Some(key(cart)),
        price,
        paid: Some(n % 2 == 0),
        kind: match n % 3 {
            0 => Kind::Gift,
            _ => Kind::Plain,
        },
        rank: 2,
        stars: (n % 4 != 3).then_some(5),
        deleted: None,
    }
}

/// The numbers of each cart are those of its lines as they are stored, and nothing is under way.
async fn check(bench: &Bench, what: &str) {
    recover(&bench.db).await.expect("recovered");
    settled(bench).await;
    for n in 1..=2 {
        let lines = bench.raw("sum_lines");
        let live = doc! { "cart": n, "deleted": null };
        let mut rows = lines.find(live).await.expect("found");
        let mut want = (0, 0, 0, 0);
        let mut stars = (0, 0);
        while rows.advance().await.expect("read") {
            let line: Document = rows.deserialize_current().expect("a document");
            let price = line.get_i64("p").expect("a price");
            let is = |name: &str, value: Bson| line.get(name) == Some(&value);
            want.0 += price;
            want.1 += if is("paid", true.into()) { price } else { 0 };
            want.2 += i64::from(is("kind", "gift".into()) && is("rank", 2.into()));
            want.3 += 1;
            if let (Ok(n), true) = (line.get_i32("stars"), is("paid", true.into())) {
                stars = (stars.0 + i64::from(n), stars.1 + 1);
            }
        }
        let cart = Cart::get(&bench.db, key(n)).await.expect("read");
        let cart = cart.expect("a cart");
        let is = (cart.total, cart.paid, cart.gifts, cart.lines);
        assert_eq!(is, want, "{what}: cart {n}");
        let of = |average: Average| (average.sum(), average.count());
        assert_eq!(of(cart.average), (want.0, want.3), "{what}: cart {n}");
        assert_eq!(of(cart.stars), stars, "{what}: cart {n}");
    }
}

async fn start(bench: &Bench) {
    bench.index(&[Cart::meta(), Line::meta()]).await;
    let carts = [cart(1), cart(2)];
    Cart::insert_many(&bench.db, &carts).await.expect("carts");
    let lines: Vec<Line> = (0..8).map(|n| line(n, 1 + n % 2, 10 + n)).collect();
    Line::insert_many(&bench.db, &lines).await.expect("lines");
    bench.forget();
}

#[tokio::test]
async fn inserts_and_updates_change_the_sums() -> Result<()> {
    on_both("sum_updates", async |bench| {
        start(bench).await;
        let db = &bench.db;
        check(bench, "insert_many").await;
        Line::insert(db, &line(20, 1, 500)).await.expect("stored");
        check(bench, "insert").await;
        let update = |n| Line::update(db, key(n));
        update(1).set(|l| l.price, 1_000).await.expect("set");
        check(bench, "set").await;
        update(1).inc(|l| l.price, 7).await.expect("raised");
        check(bench, "inc").await;
        let both = update(1).inc(|l| l.price, -3).set(|l| l.paid, true);
        both.await.expect("changed");
        check(bench, "inc and set").await;
        update(1).mul(|l| l.price, 3).await.expect("tripled");
        check(bench, "mul").await;
        let both = update(1).min(|l| l.price, 40).max(|l| l.rank, 3);
        both.await.expect("changed");
        check(bench, "min and max").await;
        let ranked = update(6).inc(|l| l.rank, 1);
        ranked.await.expect("ranked");
        check(bench, "inc of a condition").await;
        update(6).inc(|l| l.rank, -1).await.expect("ranked");
        check(bench, "inc of a condition, back").await;
        update(2).set(|l| l.kind, Kind::Gift).await.expect("set");
        check(bench, "a condition").await;
        update(3).set(|l| l.rank, 3).await.expect("set");
        check(bench, "another condition").await;
        update(2).set(|l| l.paid, None).await.expect("unset");
        check(bench, "a condition that is gone").await;
        update(6).inc(|l| l.stars, -2).await.expect("lowered");
        check(bench, "inc of an averaged field").await;
        update(6).set(|l| l.stars, None).await.expect("unset");
        check(bench, "a value that is gone").await;
        update(6).set(|l| l.stars, Some(1)).await.expect("set");
        check(bench, "a value that comes back").await;
        let moved = update(3).set(|l| l.cart, Some(key(1)));
        moved.set(|l| l.price, 5).await.expect("moved");
        check(bench, "a move with another price").await;
        update(4).set(|l| l.cart, None).await.expect("left");
        check(bench, "a child that leaves").await;
        update(4).set(|l| l.price, 77).await.expect("set");
        check(bench, "a child without a parent").await;
        let upserted = Line::upsert(db, &line(5, 2, 1)).inc(|l| l.price, 2).await;
        upserted.expect("updated");
        check(bench, "an upsert that updates").await;
        let upserted = Line::upsert(db, &line(30, 2, 1)).inc(|l| l.price, 2).await;
        upserted.expect("inserted");
        check(bench, "an upsert that inserts").await;
        let of_first = || Line::update_many(db, |l| l.cart.eq(key(1)));
        of_first().inc(|l| l.price, 3).await.expect("raised");
        check(bench, "inc of many").await;
        of_first().set(|l| l.paid, true).await.expect("set");
        check(bench, "set of many").await;
        let moved = of_first().set(|l| l.cart, Some(key(2)));
        moved.await.expect("moved");
        check(bench, "a move of many").await;
    })
    .await;
    Ok(())
}

#[tokio::test]
async fn saves_and_deletes_change_the_sums() {
    on_both("sum_saves", async |bench| {
        start(bench).await;
        let db = &bench.db;
        let mut read = Line::get(db, key(5)).await.expect("read").expect("a line");
        read.price = 3;
        read.save(db).await.expect("saved");
        check(bench, "a save with another price").await;
        read.cart = Some(key(1));
        read.price = 4;
        read.save(db).await.expect("saved");
        check(bench, "a save that moves").await;
        line(31, 2, 9).save(db).await.expect("saved");
        check(bench, "a save that inserts").await;
        Line::delete(db, key(5)).await.expect("deleted");
        check(bench, "a soft delete").await;
        let changed = Line::update(db, key(5)).set(|l| l.price, 1_000).await;
        assert!(
            matches!(changed, Err(Error::NotFound { .. })),
            "{changed:?}"
        );
        check(bench, "a deleted line").await;
        Line::restore(db, key(5)).await.expect("restored");
        check(bench, "a restore").await;
        let some = || Line::delete_many(db, |l| l.id.is_in([1, 2, 3].map(key)));
        some().await.expect("deleted");
        check(bench, "soft deletes").await;
        Line::purge(db, key(1)).await.expect("purged");
        check(bench, "a purge").await;
        Cart::delete(db, key(2)).await.expect("deleted");
        Cart::insert(db, &cart(2)).await.expect("stored");
        check(bench, "a parent that comes back").await;
    })
    .await;
}

#[tokio::test]
async fn a_migrated_child_adds_its_new_amount() {
    on_both("sum_migrated", async |bench| {
        start(bench).await;
        let db = &bench.db;
        let old = doc! { "_id": 50_i64, "cart": 1_i64, "p": 8_i64, "paid": true, "kind": "gift", "rank": 2 };
        bench.seed("sum_lines", [old]).await;
        repair(db).only::<Cart>().await.expect("repaired");
        check(bench, "an older line").await;
        let read = Line::get(db, key(50)).await.expect("read").expect("a line");
        assert_eq!(read.price, 800);
        read.save(db).await.expect("saved");
        check(bench, "a migrated line").await;
        let stored = bench.stored("sum_lines", 50_i64).await;
        assert_eq!(stored.get("p"), Some(&Bson::Int64(800)));
    })
    .await;
}

#[tokio::test]
async fn a_transaction_shows_child_and_sum_at_once() {
    in_set("sum_transaction", async |bench| {
        start(bench).await;
        let db = &bench.db;
        let changed = transaction(db, async |tx| {
            let raised = Line::update(db, key(1)).inc(|l| l.price, 100);
            raised.within(tx).await?;
            Line::insert(db, &line(40, 2, 8)).within(tx).await?;
            let cart = Cart::get(db, key(2)).within(tx).await?;
            Ok(cart.map(|cart| cart.total))
        });
        let total = changed.await.expect("committed");
        // The lines 1, 3, 5 and 7, then.
        assert_eq!(total, Some(11 + 13 + 15 + 17 + 100 + 8));
        check(bench, "a transaction").await;
    })
    .await;
}

#[tokio::test]
async fn other_programs_and_older_parents_are_found_and_corrected() {
    on_both("sum_verify", async |bench| {
        start(bench).await;
        let db = &bench.db;
        let lines = bench.raw("sum_lines");
        let foreign = doc! { "$set": { "p": 5_000_i64 } };
        lines
            .update_one(doc! { "_id": 1_i64 }, foreign)
            .await
            .expect("changed");
        let carts = bench.raw("sum_carts");
        let older = doc! { "$unset": { "total": "", "gifts": "", "mean": "" } };
        carts
            .update_one(doc! { "_id": 1_i64 }, older)
            .await
            .expect("changed");
        let models = [Cart::meta(), Line::meta()];
        let found = verify(db).models(&models).await.expect("looked");
        let wrong = found
            .references
            .iter()
            .map(|edge| edge.defects())
            .sum::<u64>();
        assert_eq!(wrong, 6, "{found}");
        let done = backfill(db).models(&models).await.expect("filled");
        assert_eq!((done.parents, done.lacking), (4, 0), "{done:?}");
        repair(db).models(&models).await.expect("repaired");
        check(bench, "a repair").await;
    })
    .await;
}

/// A number of 64 bits that cannot hold the sum: the line is stored, and its flag says that the cart is behind.
#[tokio::test]
async fn a_sum_that_overflows_stays_flagged() {
    on_both("sum_overflow", async |bench| {
        start(bench).await;
        let db = &bench.db;
        Line::insert(db, &line(60, 1, i64::MAX - 1_000))
            .await
            .expect("stored");
        check(bench, "almost full").await;
        let before = bench.stored("sum_carts", 1_i64).await;
        let outcome = Line::insert(db, &line(61, 1, 2_000)).await.expect("stored");
        assert!(!outcome.pending.is_empty(), "{outcome:?}");
        let stored = bench.stored("sum_carts", 1_i64).await;
        assert_eq!(stored.get("total"), before.get("total"));
        let flagged = bench.stored("sum_lines", 61_i64).await;
        assert!(
            flagged
                .get_document("_dn")
                .expect("flags")
                .contains_key("c")
        );
        let raised = Line::update(db, key(60)).inc(|l| l.price, i64::MAX).await;
        raised.expect_err("the price itself overflows");
    })
    .await;
}

#[tokio::test]
async fn an_average_is_a_number_in_json_and_nothing_without_children() {
    on_both("avg_json", async |bench| {
        start(bench).await;
        let db = &bench.db;
        Cart::insert(db, &cart(3)).await.expect("stored");
        let stored = bench.stored("sum_carts", 3_i64).await;
        let nothing = doc! { "sum": 0_i64, "n": 0_i64 };
        assert_eq!(stored.get("mean"), Some(&nothing.into()));
        let empty = Cart::get(db, key(3)).await.expect("read").expect("a cart");
        assert_eq!(empty.average.value(), None);
        let json = serde_json::to_value(empty.average).expect("JSON");
        assert_eq!(json, serde_json::Value::Null);
        let full = Cart::get(db, key(1)).await.expect("read").expect("a cart");
        assert_eq!(full.average.value(), Some(13.0));
        let json = serde_json::to_value(full.average).expect("JSON");
        assert_eq!(json, serde_json::json!(13.0));
        Cart::recount_average(db, key(1)).await.expect("recounted");
        check(bench, "a recount").await;
        let mut by_hand = cart(4);
        by_hand.average = full.average;
        let refused = Cart::insert(db, &by_hand).await;
        let Err(Error::DerivedField { field, .. }) = refused else {
            panic!("{refused:?}");
        };
        assert_eq!(field, "mean");
    })
    .await;
}

/// A sum beside a count costs no command more than the count alone.
#[tokio::test]
async fn a_sum_is_changed_by_the_command_that_counts() {
    on_both("sum_commands", async |bench| {
        start(bench).await;
        let db = &bench.db;
        for n in 70..75 {
            Line::insert(db, &line(n, 1, 5)).await.expect("stored");
            let sent = bench.sent();
            assert_eq!(sent, ["insert", "findAndModify", "update", "update"], "{n}");
        }
        // The `find` looks for a line of version 1.
        let same = Line::update(db, key(70)).set(|l| l.price, 5);
        same.await.expect("set");
        assert_eq!(bench.sent(), ["find", "findAndModify"]);
        let raised = Line::update(db, key(70)).inc(|l| l.price, 1);
        raised.await.expect("raised");
        // The line; the cart, which is counted in a known epoch; the flag; the token.
        let four = ["findAndModify", "findAndModify", "update", "update"];
        assert_eq!(bench.sent()[1..], four);
    })
    .await;
}
