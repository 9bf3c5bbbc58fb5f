//! The least and the greatest value of the children of one parent in one period.

use std::collections::BTreeMap;

use bson::{DateTime, Document, doc};
use futures::TryStreamExt;
use mongo_model::{MongoModel, Period};
use serde::{Deserialize, Serialize};

use super::{Sale, Shop, begin, check, key, sale, utc};
use crate::common::{Bench, on_both};

/// Extremes alone, by two dates.
#[derive(Debug, Clone, Serialize, Deserialize, MongoModel)]
#[model(collection = "period_shop_weeks")]
pub(crate) struct ShopWeek {
    #[serde(rename = "_id")]
    #[period(per = week, zone = "Europe/Rome")]
    id: Period<Shop>,
    #[max(Sale, field = price, at = sold_at)]
    best: Option<i64>,
    #[min(Sale, field = price, at = sent_at, only(paid = true))]
    #[serde(rename = "low", skip_serializing_if = "Option::is_none")]
    least: Option<i64>,
}

type Extremes = BTreeMap<(i64, DateTime), i64>;

/// The stored values of a field of the periods.
async fn stored(bench: &Bench, collection: &str, field: &str) -> Extremes {
    let rows = bench.raw(collection).find(doc! {}).await.expect("sent");
    let rows: Vec<Document> = rows.try_collect().await.expect("read");
    values(&rows, field)
}

fn values(rows: &[Document], field: &str) -> Extremes {
    let value = |row: &Document| {
        let id = row.get_document("_id").expect("an id");
        let start = *id.get_datetime("d").expect("a date");
        Some((
            (id.get_i64("p").expect("a shop"), start),
            row.get_i64(field).ok()?,
        ))
    };
    rows.iter().filter_map(value).collect()
}

/// The values of a fresh grouping of the sales.
async fn grouped(bench: &Bench, unit: &str, at: &str, of: &str, only: Document) -> Extremes {
    let start = doc! { "date": format!("${at}"), "unit": unit, "timezone": "Europe/Rome", "startOfWeek": "monday" };
    let mut sales = doc! { "deleted": null, "shop": { "$ne": null }, at: { "$type": "date" } };
    sales.extend(only);
    let group = doc! { "_id": { "p": "$shop", "d": { "$dateTrunc": start } }, "is": { of: "$p" } };
    let pipeline = [doc! { "$match": sales }, doc! { "$group": group }];
    let rows = bench.raw("period_sales").aggregate(pipeline).await;
    let rows: Vec<Document> = rows.expect("sent").try_collect().await.expect("read");
    values(&rows, "is")
}

/// The extremes of all periods are those of the sales as they are stored.
pub(super) async fn compare(bench: &Bench, what: &str) {
    let days = stored(bench, "period_shop.days", "best").await;
    let want = grouped(bench, "day", "at", "$max", doc! {}).await;
    assert_eq!(days, want, "{what}: the best of a day");
    let weeks = stored(bench, "period_shop_weeks", "best").await;
    let want = grouped(bench, "week", "at", "$max", doc! {}).await;
    assert_eq!(weeks, want, "{what}: the best of a week");
    let weeks = stored(bench, "period_shop_weeks", "low").await;
    let want = grouped(bench, "week", "sent_at", "$min", doc! { "paid": true }).await;
    assert_eq!(weeks, want, "{what}: the least of a week");
}

/// A new extreme is a part of the one update of its period, and only a child that had the extreme makes the library read others: by the
/// index on the reference and the date.
#[tokio::test]
async fn the_next_extreme_is_read_when_the_present_one_leaves() {
    on_both("period_extremes_next", async |bench| {
        begin(bench).await;
        let db = &bench.db;
        let (first, second) = ("2026-05-04T12:00:00Z", "2026-05-05T12:00:00Z");
        for (n, price) in [(60, 5), (61, 9), (62, 7)] {
            let sold = sale(n, 1, price, first);
            Sale::insert(db, &sold).await.expect("stored");
        }
        let reads = |bench: &Bench| {
            let sent = bench.take().into_iter();
            let mut finds = sent.filter(|sent| {
                sent.name == "find" && sent.command.get_str("find").ok() == Some("period_sales")
            });
            let find = finds.find(|sent| sent.command.contains_key("sort"));
            find.map(|sent| sent.command)
        };
        check(bench, "sales of one day").await;
        bench.forget();
        Sale::insert(db, &sale(63, 1, 11, first))
            .await
            .expect("stored");
        assert_eq!(reads(bench), None, "nothing is read for a new extreme");
        check(bench, "a new extreme").await;
        let update = |n| Sale::update(db, key(n));
        update(62)
            .set(|s| s.sold_at, utc(second))
            .await
            .expect("moved");
        assert_eq!(reads(bench), None, "nothing is read for one in the middle");
        check(bench, "one in the middle moves").await;
        bench.forget();
        update(63).set(|s| s.price, 6).await.expect("set");
        let find = reads(bench).expect("a read of the next");
        check(bench, "the extreme sinks").await;
        let plan = bench.explain(find).await;
        assert_eq!(plan.indexes, [["shop", "at"]], "{plan:#?}");
        update(61)
            .set(|s| s.sold_at, utc(second))
            .await
            .expect("moved");
        check(bench, "the extreme moves within the week").await;
        let day = |text: &str| Period::new(key(1), utc(text));
        let begins = day("2026-05-03T22:00:00Z");
        let stored = super::ShopDay::get(db, begins).await.expect("read");
        assert_eq!(stored.expect("a day").best, Some(6));
        for n in [60, 63] {
            Sale::delete(db, key(n)).await.expect("deleted");
        }
        check(bench, "a day without sales").await;
        let empty = super::ShopDay::get(db, day("2026-05-03T22:00:00Z")).await;
        assert_eq!(empty.expect("read").expect("a day").best, None);
        // Another program wrote a value; the call makes it again, also where the document is gone.
        let week = || Period::new(key(1), utc("2026-05-03T22:00:00Z"));
        let weeks = bench.raw("period_shop_weeks");
        let wrong = doc! { "$set": { "best": 1_i64 } };
        weeks.update_many(doc! {}, wrong).await.expect("changed");
        ShopWeek::rebuild_best(db, week()).await.expect("made");
        let stored = ShopWeek::get(db, week()).await.expect("read");
        assert_eq!(stored.expect("a week").best, Some(9));
        weeks.delete_many(doc! {}).await.expect("dropped");
        ShopWeek::rebuild_best(db, week()).await.expect("made");
        let stored = ShopWeek::get(db, week()).await.expect("read");
        assert_eq!(stored.expect("a week").best, Some(9));
    })
    .await;
}
