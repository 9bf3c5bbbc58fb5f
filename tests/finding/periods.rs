//! Groups by the periods of the calendar, by several keys, and groups that are selected by their totals. Oracle: the same in memory, with
//! the clocks of Rome in 2026.

use std::collections::{BTreeMap, BTreeSet};

use bson::{Bson, DateTime, Decimal128, doc};
use chrono::{Datelike, Duration, NaiveDate, NaiveDateTime, TimeZone, Timelike, Utc};
use mongo_model::crud::Group;
use mongo_model::{Error, MongoModel, crud::Zone, zone};
use serde::{Deserialize, Serialize};

use crate::common::{Bench, alone, in_set, on_both};

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "takings", index(keys(shop, at)))]
struct Taking {
    #[serde(rename = "_id")]
    id: i64,
    shop: i64,
    at: DateTime,
    shown: Option<DateTime>,
    kind: Option<String>,
    price: Decimal128,
    quantity: i32,
    cents: i64,
    weight: f64,
}

fn utc(text: &str) -> DateTime {
    DateTime::parse_rfc3339_str(text).expect("a time")
}

/// The difference to UTC by the clocks of Rome in 2026.
fn offset(at: DateTime) -> Duration {
    let summer = utc("2026-03-29T01:00:00Z")..utc("2026-10-25T01:00:00Z");
    Duration::hours(if summer.contains(&at) { 2 } else { 1 })
}

/// The time by the clocks of Rome.
fn local(at: DateTime) -> NaiveDateTime {
    (at.to_chrono() + offset(at)).naive_utc()
}

/// The moment at which a date begins in Rome. No clock changes near midnight there.
fn start(date: NaiveDate) -> DateTime {
    let midnight = Utc.from_utc_datetime(&date.and_hms_opt(0, 0, 0).expect("midnight"));
    let about = DateTime::from_chrono(midnight - Duration::hours(1));
    DateTime::from_chrono(midnight - offset(about))
}

/// The beginning of the hour. Rome is whole hours from UTC.
fn hour(at: DateTime) -> DateTime {
    let at = at.to_chrono();
    let hour = at
        .date_naive()
        .and_hms_opt(at.hour(), 0, 0)
        .expect("an hour");
    DateTime::from_chrono(Utc.from_utc_datetime(&hour))
}

fn day(at: DateTime) -> DateTime {
    start(local(at).date())
}

fn week(at: DateTime) -> DateTime {
    let date = local(at).date();
    start(date - Duration::days(date.weekday().num_days_from_monday().into()))
}

fn month(at: DateTime) -> DateTime {
    start(local(at).date().with_day(1).expect("a first day"))
}

fn year(at: DateTime) -> DateTime {
    start(local(at).date().with_ordinal(1).expect("a first day"))
}

/// Takings that depend on a number alone, many of them around changes of the clocks.
fn takings(seed: u64, documents: i64) -> Vec<Taking> {
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    let mut next = move |below: i64| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 16) as i64 % below
    };
    let around = [
        "2026-03-28T22:00:00Z",
        "2026-10-24T21:00:00Z",
        "2026-06-30T20:00:00Z",
        "2026-12-31T20:00:00Z",
    ];
    let taking = |id| {
        let at = utc(around[next(4) as usize]).timestamp_millis() + next(60 * 3_600_000);
        let at = DateTime::from_millis(at);
        Taking {
            id,
            shop: next(2),
            at,
            shown: (next(3) > 0).then_some(at),
            kind: (next(4) > 0).then(|| ["a", "b"][next(2) as usize].to_owned()),
            price: format!("{}.{:02}", next(90), next(100))
                .parse()
                .expect("a decimal"),
            quantity: next(5) as i32,
            cents: next(1_000),
            weight: 0.5,
        }
    };
    (0..documents).map(taking).collect()
}

const ROME: Zone = zone!("Europe/Rome");

async fn store(bench: &Bench, takings: &[Taking]) {
    bench.index(&[Taking::meta()]).await;
    bench
        .raw("takings")
        .delete_many(doc! {})
        .await
        .expect("deleted");
    bench.place(takings).await;
}

/// The groups of these takings: the number of documents and the sum of the cents.
fn grouped<K: Ord>(takings: &[Taking], key: impl Fn(&Taking) -> K) -> Vec<(K, (u64, i64))> {
    let mut groups = BTreeMap::new();
    for taking in takings {
        let (number, cents) = groups.entry(key(taking)).or_insert((0, 0));
        *number += 1;
        *cents += taking.cents;
    }
    groups.into_iter().collect()
}

fn rows<K, V>(groups: Vec<Group<K, V>>) -> Vec<(K, V)> {
    groups
        .into_iter()
        .map(|group| (group.key, group.totals))
        .collect()
}

/// Sends the grouping of all takings by a key, with two totals.
macro_rules! by {
    ($bench:expr, $key:expr) => {
        rows(
            Taking::scan(&$bench.db, |t| t.all())
                .group_by($key)
                .count()
                .sum(|t| t.cents)
                .await
                .expect("grouped"),
        )
    };
}

#[tokio::test]
async fn random_takings_are_in_the_periods_of_the_clocks() {
    alone("group_periods", async |bench| {
        for seed in 0..80 {
            let all = takings(seed, 30);
            store(bench, &all).await;
            assert_eq!(
                by!(bench, |t| t.at.hour_in(ROME)),
                grouped(&all, |t| hour(t.at))
            );
            assert_eq!(
                by!(bench, |t| t.at.day_in(ROME)),
                grouped(&all, |t| day(t.at))
            );
            assert_eq!(
                by!(bench, |t| t.at.week_in(ROME)),
                grouped(&all, |t| week(t.at))
            );
            assert_eq!(
                by!(bench, |t| t.at.month_in(ROME)),
                grouped(&all, |t| month(t.at))
            );
            assert_eq!(
                by!(bench, |t| t.at.year_in(ROME)),
                grouped(&all, |t| year(t.at))
            );
        }
    })
    .await;
}

#[tokio::test]
async fn several_keys_are_a_tuple() {
    on_both("group_keys", async |bench| {
        let all = takings(7, 60);
        store(bench, &all).await;
        let found = by!(bench, |t| (t.at.day_in(ROME), t.kind));
        assert_eq!(found, grouped(&all, |t| (day(t.at), t.kind.clone())));
        let found = by!(bench, |t| (t.shop, t.shown.month_in(ROME), t.kind));
        assert_eq!(
            found,
            grouped(&all, |t| (t.shop, t.shown.map(month), t.kind.clone()))
        );
        // Absent and null are the same key.
        bench
            .raw("takings")
            .update_many(
                doc! { "kind": null, "_id": { "$mod": [2, 0] } },
                doc! { "$unset": { "kind": 1 } },
            )
            .await
            .expect("removed");
        let found = by!(bench, |t| (t.at.day_in(ROME), t.kind));
        assert_eq!(found, grouped(&all, |t| (day(t.at), t.kind.clone())));
        let of_shop = Taking::find(&bench.db, |t| t.shop.eq(1))
            .group_by(|t| t.at.day_in(ROME))
            .count();
        bench.forget();
        of_shop.await.expect("grouped");
        bench.plan().await.assert_served_by("shop");
    })
    .await;
}

#[tokio::test]
async fn days_without_documents_are_filled() {
    in_set("group_filled", async |bench| {
        let all: Vec<Taking> = takings(3, 40).into_iter().filter(|t| t.shop == 1).collect();
        store(bench, &all).await;
        let (from, to) = (utc("2026-03-20T12:00:00Z"), utc("2026-04-02T12:00:00Z"));
        let inside: Vec<Taking> = all
            .iter()
            .filter(|t| (from..to).contains(&t.at))
            .cloned()
            .collect();
        let mut expected: BTreeMap<DateTime, (u64, i64)> = (20..32)
            .map(|n| {
                (
                    start(
                        NaiveDate::from_ymd_opt(2026, 3, 1).expect("a date")
                            + Duration::days(n - 1),
                    ),
                    (0, 0),
                )
            })
            .collect();
        expected.extend([
            (
                start(NaiveDate::from_ymd_opt(2026, 4, 1).expect("a date")),
                (0, 0),
            ),
            (
                start(NaiveDate::from_ymd_opt(2026, 4, 2).expect("a date")),
                (0, 0),
            ),
        ]);
        expected.extend(grouped(&inside, |t| day(t.at)));
        assert_eq!(expected.len(), 14);
        let filled = || {
            Taking::find(&bench.db, |t| {
                t.shop.eq(1).and(t.at.gte(from)).and(t.at.lt(to))
            })
            .group_by(|t| t.at.day_in(ROME).fill(from..to))
        };
        bench.forget();
        let found = rows(filled().count().sum(|t| t.cents).await.expect("grouped"));
        assert_eq!(found, expected.clone().into_iter().collect::<Vec<_>>());
        assert_eq!(bench.sent(), ["aggregate", "aggregate"]);
        let none = filled()
            .avg(|t| t.price)
            .min(|t| t.cents)
            .sum(|t| t.price)
            .count_distinct(|t| t.kind)
            .sum_product(|t| (t.weight, t.quantity));
        let first = none.await.expect("grouped").swap_remove(0);
        assert_eq!(
            first.totals,
            (None, None, "0".parse().expect("zero"), 0, 0.0)
        );
        let mut session = bench.transaction().await;
        let inside = filled()
            .count()
            .driver_session(&mut session)
            .await
            .expect("grouped");
        assert_eq!(inside.len(), 14);
        let empty = Taking::scan(&bench.db, |t| t.all())
            .limit(0)
            .group_by(|t| t.at.day_in(ROME).fill(from..to))
            .count();
        assert_eq!(empty.await.expect("grouped").len(), 14);
    })
    .await;
}

#[tokio::test]
async fn groups_are_selected_by_their_totals() {
    alone("group_selected", async |bench| {
        let all = takings(11, 120);
        store(bench, &all).await;
        let by_hour = || {
            Taking::scan(&bench.db, |t| t.all())
                .group_by(|t| t.at.hour_in(ROME))
                .count()
                .sum(|t| t.cents)
        };
        let mut expected = grouped(&all, |t| hour(t.at));
        let found = rows(
            by_hour()
                .having(|(number, _)| number.gte(2))
                .having(|(_, cents)| cents.lt(1_500))
                .await
                .expect("grouped"),
        );
        let meets = |(number, cents): &(u64, i64)| *number >= 2 && *cents < 1_500;
        let some: Vec<_> = expected
            .iter()
            .filter(|(_, totals)| meets(totals))
            .copied()
            .collect();
        assert!(!some.is_empty() && some.len() < expected.len());
        assert_eq!(found, some);
        let either =
            by_hour().having(|(number, cents)| number.eq(3).or(cents.gt(1_500).and(number.lte(4))));
        let meets = |(number, cents): &(u64, i64)| *number == 3 || *cents > 1_500 && *number <= 4;
        let some: Vec<_> = expected
            .iter()
            .filter(|(_, totals)| meets(totals))
            .copied()
            .collect();
        assert_eq!(rows(either.await.expect("grouped")), some);
        expected.sort_by_key(|(hour, (_, cents))| (-cents, *hour));
        let found = by_hour()
            .sort(|(_, cents)| cents.desc())
            .limit(5)
            .await
            .expect("grouped");
        assert_eq!(rows(found), expected[..5]);
        assert!(by_hour().limit(0).await.expect("grouped").is_empty());
        // A value that cannot be read is an error, whatever is selected.
        bench
            .raw("takings")
            .update_one(doc! { "_id": 5 }, doc! { "$set": { "cents": "many" } })
            .await
            .expect("spoiled");
        let spoiled = by_hour()
            .having(|(number, _)| number.gt(1_000))
            .sort(|(number, _)| number.asc())
            .limit(1)
            .await;
        assert!(matches!(&spoiled, Err(Error::Decode { .. })), "{spoiled:?}");
    })
    .await;
}

#[tokio::test]
async fn products_and_different_values() {
    alone("group_products", async |bench| {
        let all = takings(5, 50);
        store(bench, &all).await;
        let totals = Taking::scan(&bench.db, |t| t.all())
            .group_by(|t| t.shop)
            .sum_product(|t| (t.price, t.quantity))
            .sum_product(|t| (t.cents, t.quantity))
            .count_distinct(|t| t.kind)
            .await
            .expect("grouped");
        for Group {
            key,
            totals: (money, cents, kinds),
        } in totals
        {
            let of_shop = || all.iter().filter(|t| t.shop == key);
            let hundredths = |t: &Taking| {
                t.price
                    .to_string()
                    .replace('.', "")
                    .parse::<i64>()
                    .expect("digits")
                    * i64::from(t.quantity)
            };
            assert_eq!(
                money.to_string().replace('.', ""),
                of_shop().map(hundredths).sum::<i64>().to_string()
            );
            assert_eq!(
                cents,
                of_shop()
                    .map(|t| t.cents * i64::from(t.quantity))
                    .sum::<i64>()
            );
            let different: BTreeSet<_> = of_shop().filter_map(|t| t.kind.as_ref()).collect();
            assert_eq!(kinds, different.len() as u64);
        }
        // More than 64 bits hold.
        let all = Taking {
            cents: i64::MAX / 2,
            quantity: 3,
            ..all[0].clone()
        };
        store(bench, &[all]).await;
        let large = Taking::scan(&bench.db, |t| t.all())
            .group_by(|t| t.shop)
            .sum_product(|t| (t.cents, t.quantity))
            .await;
        assert!(
            matches!(&large, Err(Error::SumTooLarge { .. })),
            "{large:?}"
        );
    })
    .await;
}

#[tokio::test]
async fn what_is_no_date_or_no_zone_is_an_error() {
    alone("group_dates", async |bench| {
        store(bench, &takings(1, 3)).await;
        for form in ["", "$at", "Europe/Rome\0", "1", "Europe Rome"] {
            assert!(
                matches!(Zone::named(form), Err(Error::Impossible { .. })),
                "{form}"
            );
        }
        let nowhere = Zone::named("Europe/Nowhere").expect("the form of a name");
        let unknown = Taking::scan(&bench.db, |t| t.all())
            .group_by(|t| t.at.day_in(nowhere))
            .count()
            .await;
        let text = unknown.expect_err("refused").to_string();
        assert!(text.contains("Europe/Nowhere"), "{text}");
        for value in [Bson::Null, Bson::String("2026-03-29".to_owned())] {
            bench
                .raw("takings")
                .update_one(doc! { "_id": 1 }, doc! { "$set": { "at": value } })
                .await
                .expect("spoiled");
            let wrong = Taking::scan(&bench.db, |t| t.all())
                .group_by(|t| t.at.day_in(ROME))
                .count()
                .await;
            let text = wrong.expect_err("refused").to_string();
            assert!(text.contains("`at`") || text.contains(" at"), "{text}");
        }
    })
    .await;
}
