//! Periods in zones whose clocks change at midnight, or whose calendar lacks a day: a program remembers the periods that the server computes.

use std::collections::BTreeMap;

use bson::{DateTime, Document, doc};
use futures::TryStreamExt;
use mongo_model::model::ModelMeta;
use mongo_model::{Id, MongoModel, Period, verify};
use serde::{Deserialize, Serialize};

use crate::common::{Bench, alone};

#[derive(Debug, Clone, Serialize, Deserialize, MongoModel)]
#[model(collection = "zone_lines")]
pub(crate) struct Line {
    #[serde(rename = "_id")]
    id: Id<Line, i64>,
}

#[derive(Debug, Clone, Serialize, Deserialize, MongoModel)]
#[model(collection = "zone_trips")]
pub(crate) struct Trip {
    #[serde(rename = "_id")]
    id: Id<Trip, i64>,
    #[parent(Line)]
    line: Id<Line, i64>,
    starts: DateTime,
}

macro_rules! periods {
    ($($name:ident $collection:literal $per:ident $zone:literal;)+) => {
        $(
            #[derive(Debug, Clone, Serialize, Deserialize, MongoModel)]
            #[model(collection = $collection)]
            pub(crate) struct $name {
                #[serde(rename = "_id")]
                #[period(per = $per, zone = $zone)]
                id: Period<Line>,
                #[count(Trip, at = starts)]
                #[serde(default)]
                trips: i64,
            }
        )+

        /// The models, each with the server's unit and zone.
        fn all() -> Vec<(&'static ModelMeta, &'static str, &'static str)> {
            vec![$(($name::meta(), stringify!($per), $zone)),+]
        }

        async fn lengths(bench: &Bench, name: &str, from: DateTime, to: DateTime) -> Vec<DateTime> {
            match name {
                $($collection => {
                    let range = $name::range(&bench.db, Id::from_raw(1), from..to).await;
                    range.expect("read").iter().map(|row| row.id.start()).collect()
                })+
                _ => panic!("{name}"),
            }
        }
    };
}

periods! {
    // In November the clocks go from 1 a.m. to midnight, in March from midnight to 1 a.m.
    HavanaDay "zone_havana_days" day "America/Havana";
    // In April the clocks went from midnight to 1 a.m., in October from midnight to 11 p.m.
    CairoDay "zone_cairo_days" day "Africa/Cairo";
    // 30 December 2011 was left out.
    ApiaDay "zone_apia_days" day "Pacific/Apia";
    // The clocks change by half an hour.
    LordHoweHour "zone_howe_hours" hour "Australia/Lord_Howe";
    KathmanduHour "zone_kathmandu_hours" hour "Asia/Kathmandu";
    CairoWeek "zone_cairo_weeks" week "Africa/Cairo";
    ApiaMonth "zone_apia_months" month "Pacific/Apia";
    NewYorkHour "zone_york_hours" hour "America/New_York";
}

fn utc(text: &str) -> i64 {
    let time = DateTime::parse_rfc3339_str(text).expect("a time");
    time.timestamp_millis()
}

/// Moments around each change, in an order in which neighbours are apart.
fn moments() -> Vec<DateTime> {
    let changes = [
        "2025-11-02T05:00:00Z",
        "2026-03-08T05:00:00Z",
        "2026-11-01T05:00:00Z",
        "2026-04-23T22:00:00Z",
        "2026-10-29T21:00:00Z",
        "2011-12-30T10:00:00Z",
        "2026-04-04T15:00:00Z",
        "2026-10-03T15:30:00Z",
        "2026-12-31T23:00:00Z",
    ];
    let around = changes.iter().flat_map(|change| {
        let change = utc(change);
        // 37 has no divisor in common with 196.
        (0..196).map(move |n| change + ((n * 37) % 196 - 98) * 15 * 60_000 + n % 3 - 1)
    });
    around.map(DateTime::from_millis).collect()
}

#[tokio::test]
async fn remembered_periods_are_those_of_the_server() {
    alone("zones", async |bench| {
        let db = &bench.db;
        let mut models: Vec<&'static ModelMeta> = all().iter().map(|(meta, ..)| *meta).collect();
        models.extend([Line::meta(), Trip::meta()]);
        bench.index(&models).await;
        let line = Id::from_raw(1);
        Line::insert(db, &Line { id: line }).await.expect("stored");
        let trips = (0..).zip(moments());
        let trips = trips.map(|(n, starts)| Trip {
            id: Id::from_raw(n),
            line,
            starts,
        });
        let trips: Vec<Trip> = trips.collect();
        // Each part finds some periods that are known, and some that are not.
        for some in trips.chunks(150) {
            Trip::insert_many(db, some).await.expect("stored");
        }
        for (meta, unit, zone) in all() {
            let start = doc! { "$dateTrunc": {
                "date": "$starts", "unit": unit, "timezone": zone, "startOfWeek": "monday",
            } };
            let group = doc! { "$group": { "_id": start, "trips": { "$sum": 1_i64 } } };
            let want = counted(bench, "zone_trips", vec![group]).await;
            let own = doc! { "$project": { "_id": "$_id.d", "trips": 1 } };
            let have = counted(bench, meta.collection, vec![own]).await;
            assert_eq!(have, want, "{}", meta.name);
            // A range has each of them.
            let (first, last) = (utc("2026-03-01T00:00:00Z"), utc("2026-12-31T12:00:00Z"));
            let within = |at: &&DateTime| (first..last).contains(&at.timestamp_millis());
            let starts = lengths(
                bench,
                meta.collection,
                DateTime::from_millis(first),
                DateTime::from_millis(last),
            )
            .await;
            assert!(starts.is_sorted(), "{}", meta.name);
            let lacking: Vec<_> = want
                .keys()
                .filter(within)
                .filter(|at| !starts.contains(at))
                .collect();
            assert_eq!(lacking, Vec::<&DateTime>::new(), "{}", meta.name);
            let mut once = starts.clone();
            once.dedup();
            assert_eq!(once.len(), starts.len(), "{}", meta.name);
        }
        let found = verify(db).models(&models).await.expect("looked");
        assert!(found.is_clean(), "{found}");
    })
    .await;
}

async fn counted(bench: &Bench, name: &str, pipeline: Vec<Document>) -> BTreeMap<DateTime, i64> {
    let rows = bench.raw(name).aggregate(pipeline).await.expect("read");
    let rows: Vec<Document> = rows.try_collect().await.expect("read");
    let row = |row: &Document| {
        let at = *row.get_datetime("_id").expect("a date");
        (at, row.get_i64("trips").expect("a number"))
    };
    rows.iter().map(row).collect()
}
