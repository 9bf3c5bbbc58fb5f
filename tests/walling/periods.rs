//! Periods of parents with a tenant: every command about their documents has the tenant, and none of them counts another tenant's children.

use std::collections::{BTreeMap, BTreeSet};

use bson::{Bson, DateTime, Document, doc};
use futures::TryStreamExt;
use mongo_model::denorm::Verified;
use mongo_model::{
    Error, Id, MongoModel, Period, Tenants, backfill, recover, repair, transaction, verify,
};
use serde::{Deserialize, Serialize};

use super::proof::open_filters;
use super::random::{Random, refused, seen};
use super::{Org, org, tenant};
use crate::common::{Bench, in_set, on_both};

/// How many calls a test makes on each server.
const CALLS: u32 = 250;

#[derive(Debug, Clone, Serialize, Deserialize, MongoModel)]
#[model(collection = "markets", tenant = org)]
pub(crate) struct Market {
    #[serde(rename = "_id")]
    id: Id<Market, i64>,
    org: Id<Org>,
}

#[derive(Debug, Clone, Serialize, Deserialize, MongoModel)]
#[model(collection = "takings", tenant = org)]
pub(crate) struct Taking {
    #[serde(rename = "_id")]
    id: Id<Taking, i64>,
    org: Id<Org>,
    #[parent(Market, on_delete = cascade)]
    market: Id<Market, i64>,
    cents: i64,
    taken_at: DateTime,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "market_days", tenant = org)]
pub(crate) struct MarketDay {
    #[serde(rename = "_id")]
    #[period(per = day, zone = "Europe/Rome")]
    id: Period<Market>,
    #[serde(rename = "o")]
    org: Id<Org>,
    #[sum(Taking, field = cents, at = taken_at)]
    #[serde(default)]
    cents: i64,
    #[count(Taking, at = taken_at)]
    #[serde(default)]
    takings: i64,
    #[max(Taking, field = cents, at = taken_at)]
    best: Option<i64>,
}

/// The library's own work. It finds documents by the `_id`s and tokens of documents that the call has found in its tenant.
const OWN_WORK: &[&str] = &[
    "find takings: _dn.c.t",
    "find takings: _dn.u.t",
    "find takings: _id",
    "find takings: _dn.p _dn.b",
    "findAndModify takings: _id",
    "update takings: _dn.c.t",
    // A day whose best taking has left or got another value is compared with its takings.
    "find market_days: _dn.v.t _dn.del",
    "find market_days: _id",
    "findAndModify market_days: _id",
    "update market_days: _dn.v.t",
];

fn key<M>(n: i64) -> Id<M, i64> {
    Id::from_raw(n)
}

/// Noon of a day of March 2026.
fn noon(day: i64) -> DateTime {
    let first = DateTime::parse_rfc3339_str("2026-03-01T12:00:00Z").expect("a time");
    DateTime::from_millis(first.timestamp_millis() + (day - 1) * 86_400_000)
}

/// Midnight in Rome: the beginning of a day before the clocks change.
fn start(day: i64) -> DateTime {
    DateTime::from_millis(noon(day).timestamp_millis() - 13 * 3_600_000)
}

fn taking(of: u8, n: i64, market: i64, day: i64) -> Taking {
    Taking {
        id: key(n),
        org: org(of),
        market: key(market),
        cents: n,
        taken_at: noon(day),
    }
}

/// Indexes, and two markets of each of two tenants.
async fn prepare(bench: &Bench) {
    bench
        .index(&[Market::meta(), Taking::meta(), MarketDay::meta()])
        .await;
    for of in [1, 2] {
        let markets = [1, 2].map(|n| Market {
            id: key(i64::from(of) * 10 + n),
            org: org(of),
        });
        let db = tenant(bench, of);
        Market::insert_many(&db, &markets).await.expect("stored");
    }
    bench.forget();
}

/// By tenant, market and day: cents, takings, and the best of them.
type Days = BTreeMap<(String, i64, DateTime), (i64, i64, Option<i64>)>;

async fn all(bench: &Bench, name: &str) -> Vec<Document> {
    let rows = bench.raw(name).find(Document::new()).await.expect("sent");
    rows.try_collect().await.expect("read")
}

/// The days are those of the takings whose market is of the same tenant, and nothing is under way.
async fn check(bench: &Bench, what: &str) {
    let markets = all(bench, "markets").await;
    let mut want = Days::new();
    for one in all(bench, "takings").await {
        let (of, market) = (one.get("org"), one.get("market"));
        let same = |other: &&Document| other.get("org") == of && other.get("_id") == market;
        let at = one.get_datetime("taken_at").expect("a date");
        let day = (at.timestamp_millis() - noon(1).timestamp_millis()) / 86_400_000 + 1;
        if markets.iter().any(|market| same(&market)) {
            let market = one.get_i64("market").expect("a market");
            let of = of.expect("a tenant").to_string();
            let numbers = want.entry((of, market, start(day))).or_default();
            let cents = one.get_i64("cents").expect("cents");
            numbers.0 += cents;
            numbers.1 += 1;
            numbers.2 = numbers.2.max(Some(cents));
        }
    }
    let mut have = Days::new();
    for day in all(bench, "market_days").await {
        let id = day.get_document("_id").expect("an id");
        let start = *id.get_datetime("d").expect("a date");
        let market = id.get_i64("p").expect("a market");
        let number = |name| day.get_i64(name).expect("a number");
        let best = day.get_i64("best").ok();
        let numbers = (number("cents"), number("takings"), best);
        let of = day.get("o").expect("a tenant").to_string();
        if numbers != (0, 0, None) {
            have.insert((of, market, start), numbers);
        }
    }
    assert_eq!(have, want, "{what}");
    let report = verify(&bench.db).only::<MarketDay>().await;
    let report = report.expect("verified");
    assert!(report.is_settled(), "{what}: {report}");
}

/// The filters of the last commands that have no tenant and are no work of the library.
fn open(bench: &Bench, of: u8) -> (usize, BTreeSet<String>) {
    let (seen, open) = open_filters(&bench.take(), &Bson::from(org(of)));
    let own = |shape: &String| !OWN_WORK.contains(&shape.as_str());
    (seen.len(), open.into_iter().filter(own).collect())
}

async fn call(bench: &Bench, of: u8, random: &mut Random, ids: &mut Vec<i64>) {
    let db = tenant(bench, of);
    let id = random.of(ids).unwrap_or_default();
    let mut number = |most| i64::try_from(random.below(most)).expect("small");
    // The markets of both tenants.
    let market = 10 * (1 + number(2)) + 1 + number(2);
    let (day, what) = (20 + number(5), number(10));
    match what {
        0..=3 => {
            let new = taking(of, 1 + ids.len() as i64, market, day);
            if refused(Taking::insert(&db, &new).await).is_some() {
                ids.push(*new.id.as_raw());
            }
        }
        4 => {
            let update = Taking::update(&db, key(id)).inc(|t| t.cents, 7);
            drop(refused(update.await));
        }
        5 => {
            let update = Taking::update(&db, key(id)).set(|t| t.taken_at, noon(day));
            drop(refused(update.await));
        }
        6 => {
            let update = Taking::update(&db, key(id)).set(|t| t.market, key(market));
            let update = update.set(|t| t.taken_at, noon(day));
            drop(refused(update.await));
        }
        7 => {
            let many = Taking::update_many(&db, |t| t.market.eq(key(market)));
            drop(many.set(|t| t.taken_at, noon(day)).await.expect("moved"));
        }
        8 => drop(refused(Taking::delete(&db, key(id)).await)),
        _ => {
            let time = noon(19)..noon(26);
            let days = MarketDay::range(&db, key(market), time).await;
            let days = days.expect("read");
            assert_eq!(days.len(), 8);
            seen(org(of), days.iter().map(|day| day.org));
            if market / 10 != i64::from(of) {
                assert!(days.iter().all(|day| (day.cents, day.takings) == (0, 0)));
            }
        }
    }
}

#[tokio::test]
async fn every_command_of_random_calls_has_the_tenant() {
    on_both("wall_periods", async |bench| {
        prepare(bench).await;
        let mut random = Random(38);
        let (mut ids, mut looked_at, mut found) = (Vec::new(), 0, BTreeSet::new());
        for _ in 0..CALLS {
            let of = if random.below(2) == 0 { 1 } else { 2 };
            call(bench, of, &mut random, &mut ids).await;
            let (seen, open) = open(bench, of);
            looked_at += seen;
            found.extend(open);
        }
        assert!(looked_at > 400, "{looked_at} filters and documents");
        assert_eq!(found, BTreeSet::new());
        check(bench, "random calls").await;
    })
    .await;
}

#[tokio::test]
async fn a_transaction_counts_in_its_tenant() {
    in_set("wall_period_tx", async |bench| {
        prepare(bench).await;
        let one = tenant(bench, 1);
        Taking::insert(&one, &taking(1, 1, 11, 20))
            .await
            .expect("stored");
        bench.forget();
        let done = transaction(&bench.db, async |tx| {
            let new = [taking(1, 2, 11, 20), taking(1, 3, 12, 21)];
            Taking::insert_many(&one, &new).within(tx).await?;
            let days = MarketDay::range(&one, key(11), noon(20)..noon(21)).within(tx);
            assert_eq!(days.await?[0].takings, 2);
            Ok(())
        });
        done.await.expect("committed");
        let (_, open) = open(bench, 1);
        assert_eq!(open, BTreeSet::new());
        recover(&bench.db).await.expect("recovered");
        check(bench, "a transaction").await;
    })
    .await;
}

fn defects(found: &Verified) -> u64 {
    let all = found.references.iter();
    all.map(|report| report.defects()).sum()
}

#[tokio::test]
async fn a_child_of_another_tenant_is_in_no_period() {
    on_both("wall_period_crossing", async |bench| {
        prepare(bench).await;
        let (one, two) = (tenant(bench, 1), tenant(bench, 2));
        // A program without the library has stored a reference through the wall, and one inside of it.
        bench
            .place([&taking(2, 90, 11, 20), &taking(1, 91, 11, 21)])
            .await;
        assert_eq!(
            defects(&verify(&two).only::<MarketDay>().await.expect("verified")),
            0
        );
        let found = verify(&one).only::<MarketDay>().await.expect("verified");
        assert_eq!(defects(&found), 3, "{found}");
        let day = |day| Period::new(key(11), start(day));
        for of in [&two, &one] {
            let counted = MarketDay::recount_cents(of, day(20)).await;
            let is_there = std::ptr::eq(of, &one);
            assert_eq!(counted.is_ok(), is_there, "{counted:?}");
        }
        backfill(&bench.db)
            .models(&[MarketDay::meta()])
            .await
            .expect("filled");
        check(bench, "a backfill").await;
        Taking::insert(&one, &taking(1, 1, 11, 20))
            .await
            .expect("stored");
        check(bench, "a child of the same day").await;
        bench
            .raw("market_days")
            .delete_many(doc! {})
            .await
            .expect("dropped");
        repair(&one).await.expect("repaired");
        check(bench, "a repair").await;
        let days = MarketDay::range(&two, key(11), noon(20)..noon(22))
            .await
            .expect("read");
        let days = days.iter().map(|day| (day.org, day.takings));
        assert_eq!(days.collect::<Vec<_>>(), [(org(2), 0); 3]);
        assert!(MarketDay::get(&two, day(21)).await.expect("read").is_none());
    })
    .await;
}

#[tokio::test]
async fn no_period_is_asked_about_or_moved_across_tenants() {
    on_both("wall_period_across", async |bench| {
        prepare(bench).await;
        Taking::insert(&tenant(bench, 1), &taking(1, 1, 11, 20))
            .await
            .expect("stored");
        let across = bench.db.across_tenants::<Id<Org>>("a test");
        bench.forget();
        let range = MarketDay::range(&across, key(11), noon(20)..noon(22)).await;
        let moved = MarketDay::move_tenant(&across, Period::new(key(11), start(20)), org(2)).await;
        for refused in [range.map(drop), moved.map(drop)] {
            assert!(
                matches!(refused, Err(Error::Impossible { .. })),
                "{refused:?}"
            );
        }
        assert_eq!(bench.count(), 0);
    })
    .await;
}
