//! Children of periods that another program inserts, moves, changes and deletes; one of another tenant is in no period.

use std::collections::BTreeMap;

use bson::{DateTime, Document, doc};
use futures::TryStreamExt;
use mongo_model::{MongoModel, Period, Tenants, verify};
use serde::{Deserialize, Serialize};

use crate::common::{Bench, in_set};
use crate::running::Running;

#[derive(Debug, Clone, Serialize, Deserialize, MongoModel)]
#[model(collection = "f_piers", tenant = org)]
struct Pier {
    #[serde(rename = "_id")]
    id: i64,
    org: i64,
}

#[derive(Debug, Clone, Serialize, Deserialize, MongoModel)]
#[model(collection = "f_calls", tenant = org)]
struct PortCall {
    #[serde(rename = "_id")]
    id: i64,
    org: i64,
    #[parent(Pier, on_delete = cascade)]
    pier: i64,
    tons: i64,
    #[serde(rename = "at")]
    landed_at: DateTime,
}

#[derive(Debug, Clone, Serialize, Deserialize, MongoModel)]
#[model(collection = "f_pier_days", tenant = org)]
struct PierDay {
    #[serde(rename = "_id")]
    #[period(per = day, zone = "Europe/Rome")]
    id: Period<Pier>,
    org: i64,
    #[count(PortCall, at = landed_at)]
    calls: i64,
    #[sum(PortCall, field = tons, at = landed_at)]
    tons: i64,
    #[max(PortCall, field = tons, at = landed_at)]
    heaviest: Option<i64>,
}

/// Noon of a day of March 2026.
fn noon(day: i64) -> DateTime {
    let first = DateTime::parse_rfc3339_str("2026-03-01T12:00:00Z").expect("a time");
    DateTime::from_millis(first.timestamp_millis() + (day - 1) * 86_400_000)
}

fn landed(n: i64, pier: i64, day: i64) -> Document {
    doc! { "_id": n, "org": pier, "pier": pier, "tons": n, "at": noon(day) }
}

/// By pier and day of March: the numbers of the days that have any, and the heaviest call.
async fn days(bench: &Bench) -> BTreeMap<(i64, i64), (i64, i64, i64)> {
    let rows = bench.raw("f_pier_days").find(doc! {}).await.expect("sent");
    let rows: Vec<Document> = rows.try_collect().await.expect("read");
    let row = |row: &Document| {
        let id = row.get_document("_id").expect("an id");
        let start = id.get_datetime("d").expect("a date").timestamp_millis();
        let day = (start - noon(1).timestamp_millis()) / 86_400_000 + 2;
        let number = |name| row.get_i64(name).expect("a number");
        let pier = id.get_i64("p").expect("a pier");
        assert_eq!(row.get_i64("org").ok(), Some(pier), "{row}");
        let heaviest = row.get_i64("heaviest").unwrap_or(0);
        ((pier, day), (number("calls"), number("tons"), heaviest))
    };
    let days = rows.iter().map(row);
    days.filter(|(_, numbers)| *numbers != (0, 0, 0)).collect()
}

#[tokio::test]
async fn children_of_periods_come_move_change_and_go() {
    in_set("follow_periods", async |bench| {
        let models = [Pier::meta(), PortCall::meta(), PierDay::meta()];
        bench.index(&models).await;
        let running = Running::begin(bench).await;
        for n in [1, 2] {
            let pier = Pier { id: n, org: n };
            Pier::insert(&bench.db.tenant(n), &pier)
                .await
                .expect("stored");
        }
        let calls = bench.raw("f_calls");
        let all = [
            landed(1, 1, 5),
            landed(2, 1, 5),
            landed(4, 1, 6),
            landed(8, 2, 5),
        ];
        calls.insert_many(all).await.expect("stored");
        running.caught_up(&bench.db).await;
        let first = [
            ((1, 5), (2, 3, 2)),
            ((1, 6), (1, 4, 4)),
            ((2, 5), (1, 8, 8)),
        ];
        assert_eq!(days(bench).await, BTreeMap::from(first));
        let change = async |n: i64, set: Document| {
            let done = calls
                .update_one(doc! { "_id": n }, doc! { "$set": set })
                .await;
            assert_eq!(done.expect("changed").modified_count, 1);
            running.caught_up(&bench.db).await;
        };
        change(1, doc! { "at": noon(7) }).await;
        change(2, doc! { "tons": 30_i64 }).await;
        let moved = [
            ((1, 5), (1, 30, 30)),
            ((1, 6), (1, 4, 4)),
            ((1, 7), (1, 1, 1)),
            ((2, 5), (1, 8, 8)),
        ];
        assert_eq!(days(bench).await, BTreeMap::from(moved));
        // A child that refers through the wall has left its period, and is in no other one.
        change(8, doc! { "pier": 1_i64 }).await;
        calls
            .delete_one(doc! { "_id": 4_i64 })
            .await
            .expect("deleted");
        running.caught_up(&bench.db).await;
        let left = [((1, 5), (1, 30, 30)), ((1, 7), (1, 1, 1))];
        assert_eq!(days(bench).await, BTreeMap::from(left));
        let wrong = doc! { "$set": { "calls": 7_i64, "heaviest": 7_i64 } };
        let numbers = bench.raw("f_pier_days").update_many(doc! {}, wrong).await;
        assert!(numbers.expect("changed").modified_count > 0);
        running.caught_up(&bench.db).await;
        assert_eq!(days(bench).await, BTreeMap::from(left));
        let found = verify(&bench.db).only::<PierDay>().await.expect("verified");
        assert!(found.is_settled(), "{found}");
        running.kill().await;
    })
    .await;
}

#[tokio::test]
async fn the_children_of_one_period_are_found_by_an_index() {
    in_set("follow_periods_index", async |bench| {
        let models = [Pier::meta(), PortCall::meta(), PierDay::meta()];
        bench.index(&models).await;
        let one = bench.db.tenant(1_i64);
        Pier::insert(&one, &Pier { id: 1, org: 1 })
            .await
            .expect("stored");
        let calls = (1..=28).map(|day| landed(day, 1, day));
        bench.seed("f_calls", calls).await;
        let start = DateTime::from_millis(noon(5).timestamp_millis() - 13 * 3_600_000);
        PierDay::recount_tons(&one, Period::new(1, start))
            .await
            .expect("counted");
        let counts = |sent: &mongo_model_dev_server::monitor::StartedCommand| {
            sent.name == "aggregate" && sent.command.get_str("aggregate").ok() == Some("f_calls")
        };
        let sent = bench
            .take()
            .into_iter()
            .find(counts)
            .expect("a sum")
            .command;
        let plan = bench.explain(sent).await;
        assert_eq!(plan.indexes, [["pier", "at"]], "{plan:#?}");
        assert_eq!(days(bench).await, BTreeMap::from([((1, 5), (0, 5, 0))]));
    })
    .await;
}
