//! An embedded document in a filter is compared by its fields, in whatever order another program has stored them. Oracle: what the
//! documents are in memory.

use bson::{Bson, Document, doc};
use mongo_model::{MongoEmbed, MongoModel};
use serde::{Deserialize, Serialize};

use crate::common::{Bench, alone};

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoEmbed)]
struct Point {
    x: i32,
    y: i32,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoEmbed)]
struct Place {
    city: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    zip: Option<i64>,
    at: Option<Point>,
    #[embed(max = 3)]
    #[serde(default)]
    doors: Vec<Point>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoEmbed)]
#[serde(tag = "kind")]
enum Mark {
    Dot { x: i32 },
    Text { x: String },
    Nothing,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoEmbed)]
struct Leg {
    n: i32,
    to: Place,
    #[embed(max = 3)]
    #[serde(default)]
    stops: Vec<Point>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "trips")]
struct Trip {
    #[serde(rename = "_id")]
    id: i32,
    start: Place,
    mark: Mark,
    home: Option<Place>,
    #[embed(max = 3)]
    #[serde(default)]
    legs: Vec<Leg>,
    #[index]
    first: Point,
}

/// All places of a small world: absent, null and present; empty and full.
fn places() -> Vec<Place> {
    let mut places = Vec::new();
    for city in ["Rome", "Oslo"] {
        for zip in [None, Some(7)] {
            for at in [None, Some(Point { x: 1, y: 2 }), Some(Point { x: 2, y: 1 })] {
                for doors in [vec![], vec![Point { x: 1, y: 2 }], points(&[3, 4])] {
                    let (city, at) = (city.to_owned(), at.clone());
                    places.push(Place {
                        city,
                        zip,
                        at,
                        doors,
                    });
                }
            }
        }
    }
    places
}

fn points(xs: &[i32]) -> Vec<Point> {
    xs.iter().map(|x| Point { x: *x, y: 2 }).collect()
}

fn mark(n: usize) -> Mark {
    match n % 4 {
        0 => Mark::Dot { x: 1 },
        1 => Mark::Dot { x: 2 },
        2 => Mark::Text { x: "1".to_owned() },
        _ => Mark::Nothing,
    }
}

fn trips() -> Vec<Trip> {
    let places = places();
    let next = |n: usize| places[n % places.len()].clone();
    let trip = |(n, start): (usize, &Place)| {
        let legs = (0..n % 3).map(|leg| Leg {
            n: leg as i32,
            to: next(n + leg + 1),
            stops: points(&[1, 2][..(n + leg) % 3]),
        });
        Trip {
            id: n as i32,
            start: start.clone(),
            mark: mark(n),
            home: (n % 2 == 0).then(|| next(n + 5)),
            legs: legs.collect(),
            first: Point {
                x: n as i32 % 2,
                y: 1,
            },
        }
    };
    places.iter().enumerate().map(trip).collect()
}

/// The value with the keys of all documents inside of it in the reverse order.
fn reversed(value: Bson) -> Bson {
    match value {
        Bson::Document(document) => {
            let fields: Vec<(String, Bson)> = document.into_iter().collect();
            let fields = fields.into_iter().rev();
            Bson::Document(fields.map(|(key, value)| (key, reversed(value))).collect())
        }
        Bson::Array(elements) => Bson::Array(elements.into_iter().map(reversed).collect()),
        value => value,
    }
}

/// Stores the trips, every second one as another program does.
async fn store(bench: &Bench) -> Vec<Trip> {
    bench.index(&[Trip::meta()]).await;
    let trips = trips();
    let documents = trips.iter().map(|trip| {
        let document = bson::serialize_to_document(trip).expect("a document");
        match trip.id / 2 % 2 {
            0 => document,
            _ => reversed(document.into())
                .as_document()
                .expect("a document")
                .clone(),
        }
    });
    let documents: Vec<Document> = documents.collect();
    bench
        .raw("trips")
        .insert_many(documents)
        .await
        .expect("stored");
    trips
}

/// Compares what a filter finds with what the oracle says, and gives the number of documents.
macro_rules! compare {
    ($bench:expr, $trips:expr, $filter:expr, $is_meant:expr) => {{
        let mut found = Trip::scan(&$bench.db, $filter).ids().await.expect("found");
        found.sort_unstable();
        let is_meant: &dyn Fn(&Trip) -> bool = &$is_meant;
        let meant = $trips.iter().filter(|trip| is_meant(trip));
        let meant: Vec<i32> = meant.map(|trip| trip.id).collect();
        assert_eq!(found, meant);
        found.len()
    }};
}

#[tokio::test]
async fn a_document() {
    alone("by_fields", async |bench| {
        let trips = store(bench).await;
        let places = places();
        for place in &places {
            let same = |other: &Place| other == place;
            let found = compare!(bench, trips, |t| t.start.eq(place), |t| same(&t.start));
            assert_eq!(found, 1);
            compare!(bench, trips, |t| t.start.ne(place), |t| !same(&t.start));
            compare!(bench, trips, |t| t.home.eq(place.clone()), |t| t
                .home
                .as_ref()
                .is_some_and(same));
            compare!(bench, trips, |t| t.legs.any(|leg| leg.to.eq(place)), |t| t
                .legs
                .iter()
                .any(|leg| same(&leg.to)));
        }
        let some = &places[3..9];
        let found = compare!(bench, trips, |t| t.start.is_in(some), |t| some
            .contains(&t.start));
        assert_eq!(found, 6);
        compare!(bench, trips, |t| t.start.not_in(some), |t| !some
            .contains(&t.start));
        for n in 0..4 {
            let mark = mark(n);
            let found = compare!(bench, trips, |t| t.mark.eq(mark.clone()), |t| t.mark
                == mark);
            assert_eq!(found, 9);
        }
    })
    .await;
}

#[tokio::test]
async fn an_array() {
    alone("by_fields_array", async |bench| {
        let trips = store(bench).await;
        for trip in &trips {
            let legs = &trip.legs;
            compare!(bench, trips, |t| t.legs.eq(legs), |t| t.legs == *legs);
            compare!(bench, trips, |t| t.legs.ne(legs), |t| t.legs != *legs);
            let doors = &trip.start.doors;
            compare!(bench, trips, |t| t.start.doors.eq(doors), |t| t.start.doors
                == *doors);
            for leg in legs {
                let found = compare!(bench, trips, |t| t.legs.contains(leg), |t| t
                    .legs
                    .contains(leg));
                assert_ne!(found, 0);
                let stops = &leg.stops;
                compare!(
                    bench,
                    trips,
                    |t| t.legs.any(|leg| leg.stops.eq(stops)),
                    |t| t.legs.iter().any(|leg| leg.stops == *stops)
                );
            }
        }
    })
    .await;
}

#[tokio::test]
async fn an_index_on_the_whole_finds_what_is_stored_in_the_same_order() {
    alone("by_fields_index", async |bench| {
        let trips = store(bench).await;
        let first = Point { x: 1, y: 1 };
        bench.forget();
        let found = Trip::find(&bench.db, |t| t.first.eq(&first)).ids().await;
        bench.plan().await.assert_served_by("first");
        let is_reversed = |trip: &Trip| trip.id / 2 % 2 == 1;
        let meant = trips
            .iter()
            .filter(|trip| trip.first == first && !is_reversed(trip));
        assert_eq!(found.expect("found").len(), meant.count());
        compare!(bench, trips, |t| t.first.ne(&first), |t| t.first != first);
    })
    .await;
}
