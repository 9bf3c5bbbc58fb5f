//! Embedded documents that another program has stored with their keys in another order: `add_to_set` and `pull` compare their fields.

use bson::{Bson, Document, doc};
use mongo_model::{Error, MongoEmbed, MongoModel};
use serde::{Deserialize, Serialize};

use crate::changing::{CHANGED, UNCHANGED};
use crate::common::on_both;

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoEmbed)]
struct Place {
    city: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    zip: Option<i64>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoEmbed)]
struct Stop {
    name: String,
    place: Place,
    #[serde(default)]
    note: Option<String>,
    #[embed(max = 3)]
    #[serde(default)]
    past: Vec<Place>,
    #[serde(default)]
    home: Option<Place>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoEmbed)]
#[serde(tag = "kind")]
enum Mark {
    Point { x: i32, y: i32 },
    Text { x: String },
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "routes")]
struct Route {
    #[serde(rename = "_id")]
    id: i32,
    #[embed(max = 4)]
    stops: Vec<Stop>,
    #[embed(max = 4)]
    #[serde(default)]
    marks: Vec<Mark>,
    #[serde(default)]
    changes: i32,
}

fn place(city: &str) -> Place {
    Place {
        city: city.to_owned(),
        zip: Some(7),
    }
}

fn stop(name: &str) -> Stop {
    Stop {
        name: name.to_owned(),
        place: place("Rome"),
        note: None,
        past: vec![
            place("Pisa"),
            Place {
                zip: None,
                ..place("Bari")
            },
        ],
        home: None,
    }
}

fn without_zip(place: Place) -> Place {
    Place { zip: None, ..place }
}

/// The same stop, as another program stores it.
fn other(name: &str) -> Document {
    doc! {
        "past": [{ "zip": 7, "city": "Pisa" }, { "zip": null, "city": "Bari" }],
        "place": { "zip": 7, "city": "Rome" },
        "name": name,
    }
}

#[tokio::test]
async fn a_struct_is_added_once_and_removed_in_whatever_order_its_keys_are() {
    on_both("key_order", async |bench| {
        let db = &bench.db;
        let marks = [
            doc! { "y": 2, "x": 1, "kind": "Point" },
            doc! { "x": "1", "kind": "Text" },
        ];
        let stops = vec![other("a"), other("b")];
        bench
            .seed(
                "routes",
                [doc! { "_id": 1, "stops": stops, "marks": marks.to_vec() }],
            )
            .await;
        let update = || Route::update(db, 1);
        let again = update().add_to_set(|r| r.stops, stop("a")).await;
        assert_eq!(again.expect("there already"), UNCHANGED);
        let point = Mark::Point { x: 1, y: 2 };
        let again = update().add_to_set(|r| r.marks, point.clone()).await;
        assert_eq!(again.expect("there already"), UNCHANGED);
        bench.forget();
        let both =
            update().add_all_to_set(|r| r.marks, [point.clone(), Mark::Point { x: 2, y: 1 }]);
        assert_eq!(both.await.expect("one is new"), CHANGED);
        bench.forget();
        let added = update().add_to_set(|r| r.stops, stop("c")).await;
        assert_eq!(added.expect("added"), CHANGED);
        assert_eq!(bench.sent(), ["update"], "no round trip more");
        let names = |route: &Route| {
            route
                .stops
                .iter()
                .map(|stop| stop.name.clone())
                .collect::<Vec<_>>()
        };
        let read = async || Route::get(db, 1).required().await.expect("read");
        assert_eq!(names(&read().await), ["a", "b", "c"]);
        assert_eq!(read().await.marks.len(), 3);

        for differs in [
            Stop {
                note: Some(String::new()),
                ..stop("a")
            },
            Stop {
                place: place("Bari"),
                ..stop("a")
            },
            Stop {
                past: stop("a").past[..1].to_vec(),
                ..stop("a")
            },
            Stop {
                past: stop("a").past.into_iter().rev().collect(),
                ..stop("a")
            },
            Stop {
                home: Some(place("Rome")),
                ..stop("a")
            },
            Stop {
                past: stop("a").past.into_iter().map(without_zip).collect(),
                ..stop("a")
            },
        ] {
            let pulled = update().pull(|r| r.stops, differs.clone()).await;
            pulled.expect("sent");
            assert_eq!(names(&read().await), ["a", "b", "c"], "{differs:?}");
        }
        bench.forget();
        update()
            .pull(|r| r.stops, stop("a"))
            .pull(|r| r.marks, point)
            .await
            .expect("pulled");
        assert_eq!(bench.sent(), ["update"], "no round trip more");
        assert_eq!(names(&read().await), ["b", "c"]);
        assert_eq!(read().await.marks.len(), 2);
    })
    .await;
}

#[tokio::test]
async fn updates_of_many_documents_compare_the_fields_too() {
    on_both("key_order_many", async |bench| {
        let db = &bench.db;
        let all = [
            doc! { "_id": 1, "stops": [other("a")] },
            doc! { "_id": 2, "stops": Bson::Array(vec![]) },
        ];
        bench.seed("routes", all).await;
        let many = || Route::update_many(db, |r| r.id.gt(0));
        let added = many()
            .add_to_set(|r| r.stops, stop("a"))
            .await
            .expect("added");
        assert_eq!(added.matched, 1, "the other one holds it");
        let two = many()
            .inc(|r| r.changes, 1)
            .add_to_set(|r| r.stops, stop("a"))
            .await;
        assert!(matches!(two, Err(Error::Impossible { .. })), "{two:?}");
        let pulled = many().pull(|r| r.stops, stop("a")).await.expect("pulled");
        assert_eq!(pulled.matched, 2);
        let empty = doc! { "stops": { "$size": 0 } };
        let left = bench.raw("routes").count_documents(empty).await;
        assert_eq!(left.expect("counted"), 2);
    })
    .await;
}
