//! Numbers, extremes and lists of children by fields inside their embedded documents.

use bson::{Bson, DateTime, Document, doc};
use mongo_model::{
    Average, Error, Id, MongoEmbed, MongoModel, Period, backfill, recover, repair, verify,
};
use serde::{Deserialize, Serialize};

use crate::common::{Bench, on_both};
use crate::keeping::settled::settled;

#[derive(Debug, Clone, Serialize, Deserialize, MongoModel)]
#[model(collection = "inner_carts")]
pub(crate) struct Cart {
    #[serde(rename = "_id")]
    id: Id<Cart, i64>,
    #[sum(Line, field = money.amount)]
    total: i64,
    #[sum(Line, field = money.amount * pack.pieces, only(money.currency = "EUR"))]
    value: i64,
    #[avg(Line, field = tip.amount)]
    tips: Average,
    #[count(Line, only(money.currency = "EUR", tip.card = true))]
    cards: i64,
    #[max(Line, field = money.amount)]
    dearest: Option<i64>,
    #[min(Line, field = tip.amount, only(money.currency = "EUR"))]
    smallest: Option<i64>,
    #[recent(Line, max = 2, sort = rank, fields(rank), only(money.currency = "EUR"))]
    euros: Vec<CartLine>,
}

#[derive(Debug, Clone, Serialize, Deserialize, MongoModel)]
#[model(collection = "inner_days")]
pub(crate) struct CartDay {
    #[serde(rename = "_id")]
    #[period(per = day, zone = "Europe/Rome")]
    id: Period<Cart>,
    #[sum(Line, field = money.amount, at = at, only(money.currency = "EUR"))]
    euros: i64,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoEmbed)]
pub(crate) struct Money {
    #[serde(rename = "a")]
    amount: i64,
    currency: String,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoEmbed)]
pub(crate) struct Tip {
    #[serde(skip_serializing_if = "Option::is_none")]
    amount: Option<i64>,
    #[serde(default)]
    card: bool,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoEmbed)]
pub(crate) struct Pack {
    pieces: i32,
    note: String,
}

/// A line without a tip stores null, and one without a pack stores nothing.
#[derive(Debug, Clone, Serialize, Deserialize, MongoModel)]
#[model(collection = "inner_lines", soft_delete)]
pub(crate) struct Line {
    #[serde(rename = "_id")]
    id: Id<Line, i64>,
    #[parent(Cart)]
    cart: Id<Cart, i64>,
    #[serde(rename = "m")]
    pub(crate) money: Money,
    pub(crate) tip: Option<Tip>,
    #[serde(rename = "box", skip_serializing_if = "Option::is_none")]
    pub(crate) pack: Option<Pack>,
    rank: i32,
    at: DateTime,
    #[deleted]
    #[serde(skip_serializing_if = "Option::is_none")]
    deleted: Option<DateTime>,
}

fn key<M>(n: i64) -> Id<M, i64> {
    Id::from_raw(n)
}

fn cart(n: i64) -> Cart {
    Cart {
        id: key(n),
        total: 0,
        value: 0,
        tips: Average::default(),
        cards: 0,
        dearest: None,
        smallest: None,
        euros: Vec::new(),
    }
}

fn money(amount: i64, currency: &str) -> Money {
    Money {
        amount,
        currency: currency.to_owned(),
    }
}

fn pack(pieces: i32) -> Pack {
    Pack {
        pieces,
        note: String::new(),
    }
}

fn line(n: i64, cart: i64, amount: i64) -> Line {
    Line {
        id: key(n),
        cart: key(cart),
        money: money(amount, if n % 3 == 0 { "USD" } else { "EUR" }),
        tip: (n % 4 != 0).then_some(Tip {
            amount: (n % 4 != 1).then_some(n * 10),
            card: n % 2 == 0,
        }),
        pack: (n % 5 != 0).then(|| pack(2)),
        rank: i32::try_from(n).expect("small"),
        at: DateTime::from_millis(1_774_000_000_000 + n * 7_200_000),
        deleted: None,
    }
}

/// The derived data of a cart, from its lines as they are stored.
#[derive(Debug, Default, PartialEq)]
struct Derived {
    total: i64,
    value: i64,
    tips: (i64, i64),
    cards: i64,
    dearest: Option<i64>,
    smallest: Option<i64>,
    euros: Vec<i64>,
    in_days: i64,
}

async fn expected(bench: &Bench, cart: i64) -> Derived {
    let lines = bench.raw("inner_lines");
    let live = doc! { "cart": cart, "deleted": null };
    let mut rows = lines.find(live).sort(doc! { "rank": 1 }).await;
    let rows = rows.as_mut().expect("found");
    let mut want = Derived::default();
    while rows.advance().await.expect("read") {
        let line: Document = rows.deserialize_current().expect("a document");
        let money = line.get_document("m").expect("money");
        let amount = money.get_i64("a").expect("an amount");
        let is_euro = matches!(money.get_str("currency"), Ok("EUR"));
        let tip = line.get_document("tip").ok();
        let tip_amount = tip.and_then(|tip| tip.get_i64("amount").ok());
        let pieces = line.get_document("box").ok();
        let pieces = pieces.map_or(0, |pack| pack.get_i32("pieces").expect("pieces"));
        want.total += amount;
        want.dearest = want.dearest.max(Some(amount));
        if let Some(amount) = tip_amount {
            want.tips = (want.tips.0 + amount, want.tips.1 + 1);
        }
        if is_euro {
            want.value += amount * i64::from(pieces);
            want.in_days += amount;
            want.cards +=
                i64::from(tip.is_some_and(|tip| matches!(tip.get_bool("card"), Ok(true))));
            let smaller = want.smallest.is_none_or(|least| tip_amount < Some(least));
            if tip_amount.is_some() && smaller {
                want.smallest = tip_amount;
            }
            want.euros.push(line.get_i64("_id").expect("an id"));
        }
    }
    want.euros = want.euros.split_off(want.euros.len().saturating_sub(2));
    want
}

/// The derived data of each cart is that of its lines as they are stored, and nothing is under way.
async fn check(bench: &Bench, what: &str) {
    recover(&bench.db).await.expect("recovered");
    settled(bench).await;
    for n in 1..=2 {
        let cart = Cart::get(&bench.db, key(n)).await.expect("read");
        let cart = cart.expect("a cart");
        let days = CartDay::scan(&bench.db, |d| d.all()).await.expect("days");
        let days = days.iter().filter(|day| *day.id.parent() == key(n));
        let have = Derived {
            total: cart.total,
            value: cart.value,
            tips: (cart.tips.sum(), cart.tips.count()),
            cards: cart.cards,
            dearest: cart.dearest,
            smallest: cart.smallest,
            euros: cart.euros.iter().map(|line| *line.id.as_raw()).collect(),
            in_days: days.map(|day| day.euros).sum(),
        };
        assert_eq!(have, expected(bench, n).await, "{what}: cart {n}");
    }
    bench.forget();
}

async fn start(bench: &Bench) {
    let models = [Cart::meta(), CartDay::meta(), Line::meta()];
    bench.index(&models).await;
    let carts = [cart(1), cart(2)];
    Cart::insert_many(&bench.db, &carts).await.expect("carts");
    let lines: Vec<Line> = (0..12).map(|n| line(n, 1 + n % 2, 10 + n)).collect();
    Line::insert_many(&bench.db, &lines).await.expect("lines");
    check(bench, "insert_many").await;
}

#[tokio::test]
async fn writes_of_inner_fields_change_the_numbers() {
    on_both("inner_updates", async |bench| {
        start(bench).await;
        let db = &bench.db;
        Line::insert(db, &line(20, 1, 500)).await.expect("stored");
        check(bench, "insert").await;
        let update = |n| Line::update(db, key(n));
        update(1).set(|l| l.money.amount, 700).await.expect("set");
        check(bench, "set").await;
        update(1).inc(|l| l.money.amount, -695).await.expect("less");
        check(bench, "inc").await;
        let dollars = update(1).set(|l| l.money.currency, "USD".to_owned());
        dollars.await.expect("set");
        check(bench, "a condition").await;
        let whole = update(1).set(|l| l.money, money(90, "EUR"));
        whole.await.expect("set");
        check(bench, "the whole document").await;
        let both = update(2).mul(|l| l.money.amount, 3);
        let both = both.set(|l| l.pack.pieces, 5);
        both.set(|l| l.pack.note, "a".to_owned())
            .await
            .expect("set");
        check(bench, "both factors, and another inner field").await;
        update(2).set(|l| l.pack, None).await.expect("unset");
        check(bench, "a factor that is gone").await;
        let lacks = update(2).set(|l| l.pack.pieces, 5).await;
        assert!(
            matches!(lacks, Err(Error::AbsentDocument { .. })),
            "{lacks:?}"
        );
        update(2).set(|l| l.pack, Some(pack(7))).await.expect("set");
        check(bench, "a factor that comes").await;
        // The line 4 has no tip, which is stored as null.
        update(4).set(|l| l.tip.amount, Some(1)).await.expect("set");
        check(bench, "an inner field of a document that was null").await;
        update(4).set(|l| l.tip.card, true).await.expect("set");
        check(bench, "another condition").await;
        update(4).set(|l| l.tip.amount, None).await.expect("unset");
        check(bench, "an inner value that is gone").await;
        update(4).set(|l| l.tip, None).await.expect("unset");
        check(bench, "an inner document that is gone").await;
        let moved = update(5).set(|l| l.cart, key(1));
        moved.set(|l| l.money.amount, 8).await.expect("moved");
        check(bench, "a move with another amount").await;
        let of_first = || Line::update_many(db, |l| l.cart.eq(key(1)));
        of_first().inc(|l| l.money.amount, 3).await.expect("raised");
        check(bench, "inc of many").await;
        let euros = of_first().set(|l| l.money.currency, "EUR".to_owned());
        euros.await.expect("set");
        check(bench, "set of many").await;
        of_first().set(|l| l.tip, None).await.expect("unset");
        check(bench, "inner documents of many that are gone").await;
    })
    .await;
}

#[tokio::test]
async fn saves_deletes_and_other_programs() {
    on_both("inner_saves", async |bench| {
        start(bench).await;
        let db = &bench.db;
        let mut read = Line::get(db, key(7)).await.expect("read").expect("a line");
        read.money.amount = 3;
        read.tip = None;
        read.pack = Some(pack(9));
        read.save(db).await.expect("saved");
        check(bench, "a save").await;
        read.money = money(4, "USD");
        read.cart = key(1);
        read.save(db).await.expect("saved");
        check(bench, "a save that moves").await;
        Line::delete(db, key(7)).await.expect("deleted");
        check(bench, "a soft delete").await;
        Line::restore(db, key(7)).await.expect("restored");
        check(bench, "a restore").await;
        Line::delete(db, key(2)).await.expect("deleted");
        Line::purge(db, key(2)).await.expect("purged");
        check(bench, "a purge").await;
        let models = [Cart::meta(), CartDay::meta(), Line::meta()];
        let found = verify(db).models(&models).await.expect("looked");
        assert!(found.is_settled(), "{found}");
        let foreign = doc! { "$set": { "m.a": 5_000_i64, "m.currency": "EUR", "tip": Bson::Null } };
        let lines = bench.raw("inner_lines");
        let changed = lines.update_one(doc! { "_id": 11_i64 }, foreign).await;
        changed.expect("changed");
        let older = doc! { "$unset": { "total": "", "tips": "" } };
        let carts = bench.raw("inner_carts");
        let changed = carts.update_one(doc! { "_id": 1_i64 }, older).await;
        changed.expect("changed");
        let found = verify(db).models(&models).await.expect("looked");
        assert!(!found.is_settled(), "{found}");
        let done = backfill(db).models(&models).await.expect("filled");
        assert_eq!(done.lacking, 0, "{done:?}");
        repair(db).models(&models).await.expect("repaired");
        check(bench, "a repair").await;
    })
    .await;
}
