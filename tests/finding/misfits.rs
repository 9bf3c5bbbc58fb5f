//! Groupings of values that other programs stored, and of documents that lack a field.

use bson::doc;
use mongo_model::{Error, MongoModel};
use serde::{Deserialize, Serialize};

use crate::common::{Bench, on_both};

#[derive(Debug, Clone, Serialize, Deserialize, MongoModel)]
#[model(collection = "grouped_readings")]
struct Reading {
    #[serde(rename = "_id")]
    id: i32,
    #[index]
    place: String,
    #[serde(default)]
    value: f64,
    #[serde(default)]
    count: i32,
}

async fn readings(bench: &Bench) {
    bench.index(&[Reading::meta()]).await;
    let raw = bench.raw("grouped_readings");
    raw.insert_many([
        doc! { "_id": 1, "place": "int", "value": 2_000_000_000, "count": 1 },
        doc! { "_id": 2, "place": "int", "value": 2_000_000_000, "count": 1 },
        doc! { "_id": 3, "place": "long", "value": 5_i64, "count": 1 },
        doc! { "_id": 4, "place": "absent", "value": 1.0, "count": 0 },
        doc! { "_id": 5, "place": "absent", "value": 1.0 },
        doc! { "_id": 6, "place": "text", "value": 1.0, "count": "7" },
        doc! { "_id": 7, "place": "text", "value": 1.0, "count": 2 },
        doc! { "_id": 8, "place": "double", "value": 1.0, "count": 1.5 },
        doc! { "_id": 9, "place": "double", "value": 1.0, "count": 2 },
    ])
    .await
    .expect("stored");
}

/// The error's text, of a grouping of one model and field.
fn failure<T: std::fmt::Debug>(grouped: Result<T, Error>) -> String {
    match grouped {
        Err(error @ Error::Decode { .. }) => {
            let source = std::error::Error::source(&error).map(ToString::to_string);
            format!("{error}: {}", source.unwrap_or_default())
        }
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn whole_numbers_count_as_floats_where_the_field_reads_them() {
    on_both("group_floats", async |bench| {
        readings(bench).await;
        let numbers = |place: &'static str| Reading::find(&bench.db, move |r| r.place.eq(place));
        for (place, sum, average) in [("int", 4e9, 2e9), ("long", 5.0, 5.0)] {
            let totals = numbers(place).group_by(|r| r.place);
            let totals = totals.sum(|r| r.value).avg(|r| r.value).await;
            assert_eq!(totals.expect("grouped")[0].totals, (sum, Some(average)));
        }
        // A document that lacks the field adds nothing.
        let totals = numbers("absent").group_by(|r| r.place);
        let totals = totals.sum(|r| r.count).avg(|r| r.count).await;
        let zero = "0".parse().expect("a decimal");
        assert_eq!(totals.expect("grouped")[0].totals, (0, Some(zero)));
    })
    .await;
}

#[tokio::test]
async fn values_of_another_type_are_errors_that_name_the_field() {
    on_both("group_misfits", async |bench| {
        readings(bench).await;
        let of = |place: &'static str| Reading::find(&bench.db, move |r| r.place.eq(place));
        for place in ["text", "double"] {
            let sum = failure(of(place).group_by(|r| r.place).sum(|r| r.count).await);
            assert!(sum.contains("count: 1 of the group's values"), "{sum}");
            let average = failure(of(place).group_by(|r| r.place).avg(|r| r.count).await);
            assert!(
                average.contains("count: 1 of the group's values"),
                "{average}"
            );
        }
        let key = failure(of("absent").group_by(|r| r.count).count().await);
        assert!(
            key.contains("Reading") && key.contains("count: expected"),
            "{key}"
        );
        let rest = of("absent").filter(|r| r.count.exists(true));
        let rest = rest.group_by(|r| r.count).count().await.expect("grouped");
        assert_eq!((rest.len(), rest[0].key, rest[0].totals), (1, 0, (1,)));
    })
    .await;
}
