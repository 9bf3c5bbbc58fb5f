//! Numbers of the children of one parent in one period: documents that the library stores with the first child.

mod extremes;

use bson::{DateTime, Decimal128, Document, doc};
use chrono::{Datelike, Duration, NaiveDate, TimeZone, Utc};
use mongo_model::{
    Average, Error, Id, MongoModel, Period, backfill, recover, repair, transaction, verify,
};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

use crate::common::{Bench, in_set, on_both};
use crate::keeping::settled::settled;

#[derive(Debug, Clone, Serialize, Deserialize, MongoModel)]
#[model(collection = "period_shops")]
pub(crate) struct Shop {
    #[serde(rename = "_id")]
    id: Id<Shop, i64>,
    #[count(Sale)]
    #[serde(default)]
    sales: i64,
}

#[derive(Debug, Clone, Serialize, Deserialize, MongoModel)]
#[model(collection = "period_sales", soft_delete)]
pub(crate) struct Sale {
    #[serde(rename = "_id")]
    id: Id<Sale, i64>,
    #[parent(Shop, on_delete = unset)]
    #[serde(skip_serializing_if = "Option::is_none")]
    shop: Option<Id<Shop, i64>>,
    #[serde(rename = "p")]
    price: i64,
    fee: Decimal128,
    paid: bool,
    #[serde(rename = "at")]
    sold_at: DateTime,
    #[serde(skip_serializing_if = "Option::is_none")]
    sent_at: Option<DateTime>,
    #[deleted]
    #[serde(skip_serializing_if = "Option::is_none")]
    deleted: Option<DateTime>,
}

#[derive(Debug, Clone, Serialize, Deserialize, MongoModel)]
#[model(collection = "period_shop.days")]
pub(crate) struct ShopDay {
    #[serde(rename = "_id")]
    #[period(per = day, zone = "Europe/Rome")]
    id: Period<Shop>,
    #[sum(Sale, field = price, at = sold_at)]
    #[serde(default)]
    revenue: i64,
    #[sum(Sale, field = fee, at = sold_at)]
    #[serde(default = "zero")]
    fees: Decimal128,
    #[count(Sale, at = sold_at, only(paid = true))]
    #[serde(default)]
    paid: i64,
    #[count(Sale, at = sent_at)]
    #[serde(default)]
    sent: i64,
    #[avg(Sale, field = price, at = sold_at)]
    #[serde(default, rename = "mean")]
    average: Average,
    #[max(Sale, field = price, at = sold_at)]
    best: Option<i64>,
}

#[derive(Debug, Clone, Serialize, Deserialize, MongoModel)]
#[model(collection = "period_shop_months")]
pub(crate) struct ShopMonth {
    #[serde(rename = "_id")]
    #[period(per = month, zone = "Europe/Rome")]
    id: Period<Shop>,
    #[count(Sale, at = sold_at)]
    #[serde(default)]
    sales: i64,
}

fn zero() -> Decimal128 {
    "0".parse().expect("a decimal")
}

fn key<M>(n: i64) -> Id<M, i64> {
    Id::from_raw(n)
}

/// A time by the clocks of UTC.
fn utc(text: &str) -> DateTime {
    DateTime::parse_rfc3339_str(text).expect("a time")
}

/// The difference to UTC by the clocks of Rome in 2026.
fn offset(at: DateTime) -> Duration {
    let summer = utc("2026-03-29T01:00:00Z")..utc("2026-10-25T01:00:00Z");
    Duration::hours(if summer.contains(&at) { 2 } else { 1 })
}

/// The date by the clocks of Rome.
fn date(at: DateTime) -> NaiveDate {
    (at.to_chrono() + offset(at)).date_naive()
}

/// The moment at which a date begins in Rome. No clock changes near midnight there.
fn start(date: NaiveDate) -> DateTime {
    let midnight = date.and_hms_opt(0, 0, 0).expect("midnight");
    let about = DateTime::from_chrono(Utc.from_utc_datetime(&midnight) - Duration::hours(1));
    DateTime::from_chrono(Utc.from_utc_datetime(&midnight) - offset(about))
}

fn sale(n: i64, shop: i64, price: i64, at: &str) -> Sale {
    Sale {
        id: key(n),
        shop: Some(key(shop)),
        price,
        fee: format!("{n}.25").parse().expect("a decimal"),
        paid: n % 2 == 0,
        sold_at: utc(at),
        sent_at: (n % 3 == 0).then(|| utc("2026-03-30T12:00:00Z")),
        deleted: None,
    }
}

/// The numbers that a day is expected to have: revenue, fees in hundredths, sales, paid sales, and sent ones.
type Day = (i64, i64, i64, i64, i64);

/// The days and months are those of the sales as they are stored, and nothing is under way.
async fn check(bench: &Bench, what: &str) {
    recover(&bench.db).await.expect("recovered");
    settled(bench).await;
    compare(bench, what).await;
}

async fn compare(bench: &Bench, what: &str) {
    let mut want: BTreeMap<(i64, DateTime), Day> = BTreeMap::new();
    let mut months: BTreeMap<(i64, DateTime), i64> = BTreeMap::new();
    let sales = bench.raw("period_sales");
    let mut rows = sales.find(doc! { "deleted": null }).await.expect("found");
    while rows.advance().await.expect("read") {
        let row: Document = rows.deserialize_current().expect("a document");
        let Ok(shop) = row.get_i64("shop") else {
            continue;
        };
        if let Ok(at) = row.get_datetime("at") {
            let day = want.entry((shop, start(date(*at)))).or_default();
            let price = row.get_i64("p").expect("a price");
            day.0 += price;
            let fee = row.get_decimal128("fee").expect("a fee").to_string();
            let fee: f64 = fee.parse().expect("a number");
            #[allow(clippy::cast_possible_truncation, reason = "cents of small sums")]
            let cents = (fee * 100.0).round() as i64;
            day.1 += cents;
            day.2 += 1;
            day.3 += i64::from(row.get_bool("paid").expect("a bool"));
            let month = date(*at).with_day(1).expect("the first");
            *months.entry((shop, start(month))).or_default() += 1;
        }
        if let Ok(at) = row.get_datetime("sent_at") {
            want.entry((shop, start(date(*at)))).or_default().4 += 1;
        }
    }
    let mut have: BTreeMap<(i64, DateTime), Day> = BTreeMap::new();
    for day in ShopDay::scan(&bench.db, |d| d.all()).await.expect("days") {
        let fees: f64 = day.fees.to_string().parse().expect("a number");
        assert_eq!(day.average.sum(), day.revenue, "{what}: {day:?}");
        #[allow(clippy::cast_possible_truncation, reason = "cents of small sums")]
        let cents = (fees * 100.0).round() as i64;
        let numbers = (day.revenue, cents, day.average.count(), day.paid, day.sent);
        if numbers != Day::default() {
            have.insert((*day.id.parent().as_raw(), day.id.start()), numbers);
        }
    }
    assert_eq!(have, want, "{what}");
    let mut stored: BTreeMap<(i64, DateTime), i64> = BTreeMap::new();
    for month in ShopMonth::scan(&bench.db, |d| d.all())
        .await
        .expect("months")
    {
        if month.sales != 0 {
            stored.insert((*month.id.parent().as_raw(), month.id.start()), month.sales);
        }
    }
    assert_eq!(stored, months, "{what}");
    extremes::compare(bench, what).await;
}

async fn begin(bench: &Bench) {
    let models = [
        Shop::meta(),
        Sale::meta(),
        ShopDay::meta(),
        ShopMonth::meta(),
        extremes::ShopWeek::meta(),
    ];
    bench.index(&models).await;
    let shops = [1, 2].map(|n| Shop {
        id: key(n),
        sales: 0,
    });
    Shop::insert_many(&bench.db, &shops).await.expect("shops");
    let sales = [
        // The last minute of 28 March and the first of 29 March, a day of 23 hours.
        sale(0, 1, 10, "2026-03-28T22:59:00Z"),
        sale(1, 1, 20, "2026-03-28T23:00:00Z"),
        sale(2, 1, 40, "2026-03-29T21:59:59Z"),
        sale(3, 1, 80, "2026-03-29T22:00:00Z"),
        // 25 October has 25 hours.
        sale(4, 2, 160, "2026-10-24T22:00:00Z"),
        sale(5, 2, 320, "2026-10-25T22:59:59Z"),
        sale(6, 2, 640, "2026-10-25T23:00:00Z"),
        sale(7, 1, 1_280, "2026-10-25T12:00:00Z"),
    ];
    Sale::insert_many(&bench.db, &sales).await.expect("sales");
    bench.forget();
}

#[tokio::test]
async fn writes_of_children_change_their_periods() {
    on_both("period_updates", async |bench| {
        begin(bench).await;
        let db = &bench.db;
        check(bench, "insert_many").await;
        let late = sale(20, 1, 5, "2020-02-29T12:00:00Z");
        Sale::insert(db, &late).await.expect("stored");
        check(bench, "a late child").await;
        let update = |n| Sale::update(db, key(n));
        update(1).set(|s| s.price, 1_000).await.expect("set");
        check(bench, "another amount").await;
        update(1).inc(|s| s.price, 7).await.expect("raised");
        check(bench, "inc").await;
        let midnight = utc("2026-03-28T22:00:00Z");
        update(1).set(|s| s.sold_at, midnight).await.expect("moved");
        check(bench, "over midnight").await;
        update(1).set(|s| s.sold_at, midnight).await.expect("same");
        check(bench, "the same date").await;
        let other = utc("2026-03-28T21:00:00Z");
        update(1).set(|s| s.sold_at, other).await.expect("moved");
        check(bench, "within the day").await;
        let both = update(2).set(|s| s.sold_at, other);
        both.set(|s| s.price, 3).await.expect("moved");
        check(bench, "date and amount").await;
        update(2)
            .max(|s| s.sold_at, utc("2026-04-01T00:00:00Z"))
            .await
            .expect("later");
        check(bench, "max of the date").await;
        let moved = update(3).set(|s| s.shop, Some(key(2)));
        moved.await.expect("moved");
        check(bench, "another parent").await;
        let moved = update(3).set(|s| s.shop, Some(key(1)));
        let moved = moved.set(|s| s.sold_at, utc("2026-12-31T23:30:00Z"));
        moved
            .set(|s| s.price, 4)
            .set(|s| s.paid, true)
            .await
            .expect("moved");
        check(bench, "another parent, date and amount").await;
        update(4).set(|s| s.shop, None).await.expect("left");
        check(bench, "no parent").await;
        update(6).set(|s| s.sent_at, None).await.expect("unset");
        check(bench, "no date").await;
        update(6)
            .set(|s| s.sent_at, Some(other))
            .await
            .expect("set");
        check(bench, "a date again").await;
        let first = || Sale::update_many(db, |s| s.shop.eq(key(1)));
        first().inc(|s| s.price, 3).await.expect("raised");
        check(bench, "inc of many").await;
        first().set(|s| s.sold_at, midnight).await.expect("moved");
        check(bench, "another date of many").await;
        first().set(|s| s.shop, Some(key(2))).await.expect("moved");
        check(bench, "another parent of many").await;
    })
    .await;
}

#[tokio::test]
async fn saves_and_deletes_change_the_periods() {
    on_both("period_saves", async |bench| {
        begin(bench).await;
        let db = &bench.db;
        let mut read = Sale::get(db, key(5)).await.expect("read").expect("a sale");
        read.sold_at = utc("2026-07-01T22:00:00Z");
        read.price = 3;
        read.save(db).await.expect("saved");
        check(bench, "a save").await;
        sale(31, 2, 9, "2026-07-01T21:59:00Z")
            .save(db)
            .await
            .expect("saved");
        check(bench, "a save that inserts").await;
        let new = sale(32, 2, 9, "2026-07-03T21:59:00Z");
        Sale::upsert(db, &new)
            .inc(|s| s.price, 2)
            .await
            .expect("stored");
        check(bench, "an upsert that inserts").await;
        Sale::upsert(db, &new)
            .inc(|s| s.price, 2)
            .await
            .expect("raised");
        check(bench, "an upsert that updates").await;
        Sale::delete(db, key(5)).await.expect("deleted");
        check(bench, "a soft delete").await;
        Sale::restore(db, key(5)).await.expect("restored");
        check(bench, "a restore").await;
        let some = || Sale::delete_many(db, |s| s.id.is_in([1, 2, 3].map(key)));
        some().await.expect("deleted");
        check(bench, "soft deletes").await;
        Sale::purge(db, key(1)).await.expect("purged");
        Sale::delete(db, key(7)).await.expect("deleted");
        Sale::purge(db, key(7)).await.expect("purged");
        check(bench, "purges").await;
        Shop::delete(db, key(2)).await.expect("deleted");
        check(bench, "a parent that is gone").await;
    })
    .await;
}

#[tokio::test]
async fn a_transaction_changes_a_period_with_its_commit() {
    in_set("period_transaction", async |bench| {
        begin(bench).await;
        let db = &bench.db;
        let changed = transaction(db, async |tx| {
            let moved = Sale::update(db, key(1)).set(|s| s.sold_at, utc("2026-03-29T12:00:00Z"));
            moved.within(tx).await?;
            let new = sale(40, 2, 8, "2027-01-01T12:00:00Z");
            Sale::insert(db, &new).within(tx).await?;
            Ok(())
        });
        changed.await.expect("committed");
        check(bench, "a transaction").await;
    })
    .await;
}

#[tokio::test]
async fn other_programs_and_missing_days_are_found_and_corrected() {
    on_both("period_verify", async |bench| {
        begin(bench).await;
        let db = &bench.db;
        let models = [ShopDay::meta(), ShopMonth::meta(), extremes::ShopWeek::meta()];
        let defects = async || {
            let found = verify(db).models(&models).await.expect("looked");
            found.references.iter().map(|edge| edge.defects()).sum::<u64>()
        };
        assert_eq!(defects().await, 0);
        let foreign = doc! { "_id": 90_i64, "shop": 1_i64, "p": 8_i64, "fee": zero(), "paid": true, "at": utc("2025-01-01T12:00:00Z") };
        bench.seed("period_sales", [foreign]).await;
        // Revenue, paid sales, the two numbers of the average, the best price, and the month; and the best price of the week.
        assert_eq!(defects().await, 7);
        let done = backfill(db).models(&models).await.expect("filled");
        assert_eq!(done.parents, 3, "{done:?}");
        assert_eq!(defects().await, 0);
        compare(bench, "a backfill").await;
        let changed = doc! { "$set": { "at": utc("2026-03-29T12:00:00Z") } };
        let sales = bench.raw("period_sales");
        sales.update_one(doc! { "_id": 0_i64 }, changed).await.expect("changed");
        assert!(defects().await > 0);
        repair(db).models(&models).await.expect("repaired");
        check(bench, "a repair").await;
        for name in ["period_shop.days", "period_shop_weeks"] {
            bench.raw(name).delete_many(doc! {}).await.expect("dropped");
        }
        let day = Period::new(key(1), utc("2026-03-28T23:00:00Z"));
        ShopDay::recount_revenue(db, day).await.expect("recounted");
        repair(db).models(&models).await.expect("repaired");
        check(bench, "documents that another program has deleted").await;
    })
    .await;
}

#[tokio::test]
async fn a_range_has_zeros_for_days_without_children() {
    on_both("period_range", async |bench| {
        begin(bench).await;
        let db = &bench.db;
        let time = utc("2026-03-27T12:00:00Z")..utc("2026-03-30T22:00:00Z");
        bench.forget();
        let days = ShopDay::range(db, key(1), time).await.expect("read");
        assert_eq!(bench.sent(), ["aggregate"]);
        let read: Vec<(String, i64)> = days
            .iter()
            .map(|day| (date(day.id.start()).to_string(), day.revenue))
            .collect();
        let want = [
            ("2026-03-27", 0),
            ("2026-03-28", 10),
            ("2026-03-29", 60),
            ("2026-03-30", 80),
        ];
        assert_eq!(read, want.map(|(day, revenue)| (day.to_owned(), revenue)));
        let length = |n: usize| {
            days[n + 1].id.start().timestamp_millis() - days[n].id.start().timestamp_millis()
        };
        assert_eq!([0, 1, 2].map(|n| length(n) / 3_600_000), [24, 24, 23]);
        assert_eq!(days[0].fees, zero());
        assert_eq!(days[0].average.value(), None);
        let best: Vec<Option<i64>> = days.iter().map(|day| day.best).collect();
        assert_eq!(best, [None, Some(10), Some(40), Some(80)]);
        let year = utc("2026-01-01T00:00:00Z")..utc("2026-12-31T23:00:00Z");
        let months = ShopMonth::range(db, key(2), year.clone())
            .await
            .expect("read");
        let read: Vec<i64> = months.iter().map(|month| month.sales).collect();
        assert_eq!(read, [0, 0, 0, 0, 0, 0, 0, 0, 0, 3, 0, 0]);
        let nothing = ShopMonth::range(db, key(2), year.start..year.start).await;
        assert_eq!(nothing.expect("read").len(), 0);
    })
    .await;
}

/// A period costs an update of its own for its numbers, and one for an extreme, in a call that waits for everything.
#[tokio::test]
async fn a_period_is_changed_by_one_command() {
    on_both("period_commands", async |bench| {
        begin(bench).await;
        let db = &bench.db;
        let at = "2026-05-01T12:00:00Z";
        Sale::insert(db, &sale(50, 1, 5, at)).await.expect("stored");
        bench.forget();
        Sale::insert(db, &sale(52, 1, 5, at)).await.expect("stored");
        // The sale; the look at the shop and its mark.
        let sent = bench.sent();
        assert_eq!(sent[..3], ["insert", "findAndModify", "update"]);
        // The best of the day and of the week; the flag; a mark of each.
        let extremes = [
            "findAndModify",
            "findAndModify",
            "update",
            "update",
            "update",
        ];
        assert_eq!(sent[3..8], extremes);
        // The numbers of the shop, the day and the month; the flag; a token of each.
        let [three, others] = [["findAndModify"; 3], ["update"; 3]];
        assert_eq!(sent[8..11], three);
        assert_eq!(sent[11], "update");
        assert_eq!(sent[12..], others);
        check(bench, "one command each").await;
        let by_hand = ShopDay {
            revenue: 5,
            ..ShopDay::range(db, key(9), utc(at)..utc("2026-05-01T13:00:00Z"))
                .await
                .expect("read")
                .remove(0)
        };
        let refused = ShopDay::insert(db, &by_hand).await;
        let Err(Error::DerivedField { field, .. }) = refused else {
            panic!("{refused:?}");
        };
        assert_eq!(field, "revenue");
    })
    .await;
}
