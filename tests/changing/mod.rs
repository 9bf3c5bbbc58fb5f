//! Changing documents: every operator, the updates that are refused before they are sent, and the round trips.

mod arrays;
mod bounds;
mod copied;
mod key_order;
mod nulls;
mod optional;
mod ranges;
mod refused;
mod variants;
mod widths;

use std::collections::BTreeSet;

use bson::{Bson, Document, doc};
use mongo_model::{MongoEmbed, MongoModel, Outcome};
use serde::{Deserialize, Serialize};

use crate::common::{Bench, alone, on_both};

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "parts")]
pub struct Part {
    #[serde(rename = "_id")]
    pub id: i32,
    pub name: String,
    pub size: Size,
    pub qty: i64,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoEmbed)]
pub struct Size {
    pub width: i64,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoEmbed)]
pub struct Line {
    pub sku: String,
    pub qty: i32,
    #[embed(max = 2)]
    pub marks: Vec<String>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoEmbed)]
pub struct Home {
    pub city: String,
    #[embed(max = 2)]
    #[serde(rename = "r")]
    pub rooms: Vec<String>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "things")]
pub struct Thing {
    #[serde(rename = "_id")]
    pub id: i32,
    #[index]
    pub name: String,
    pub nick: Option<String>,
    pub count: i64,
    pub small: u32,
    pub score: f64,
    pub hits: Option<i32>,
    pub seen: Option<bson::DateTime>,
    #[embed(max = 5)]
    pub tags: Vec<String>,
    #[embed(max = 3)]
    pub lines: Vec<Line>,
    pub home: Option<Home>,
    #[embed(max = 3)]
    pub set: BTreeSet<i64>,
    #[refs(Part, max = 3, unchecked)]
    pub parts: Vec<i32>,
    #[refs(Part, max = 3)]
    #[denorm(from = Part, fields(name, size))]
    pub entries: Vec<ThingEntry>,
    #[parent(Part, unchecked)]
    pub main: Option<i32>,
}

pub(crate) fn line(sku: &str, qty: i32) -> Line {
    Line {
        sku: sku.to_owned(),
        qty,
        marks: vec![],
    }
}

pub(crate) fn entry(id: i32, name: &str) -> ThingEntry {
    ThingEntry {
        id,
        name: name.to_owned(),
        size: Size { width: 1 },
    }
}

/// Parts to refer to.
pub(crate) async fn parts(bench: &Bench) {
    let part = |id| doc! { "_id": id, "name": "part", "size": { "width": 1_i64 }, "qty": 1_i64 };
    bench.seed("parts", (1..10_i32).map(part)).await;
}

pub(crate) fn thing(id: i32) -> Thing {
    Thing {
        id,
        name: "thing".to_owned(),
        nick: Some("nick".to_owned()),
        count: 10,
        small: 10,
        score: 1.5,
        hits: Some(1),
        seen: None,
        tags: vec![],
        lines: vec![],
        home: Some(Home {
            city: "Rome".to_owned(),
            rooms: vec![],
        }),
        set: BTreeSet::new(),
        parts: vec![],
        entries: vec![],
        main: None,
    }
}

pub(crate) fn strings(values: &[&str]) -> Vec<String> {
    values.iter().map(|&value| value.to_owned()).collect()
}

pub(crate) const CHANGED: Outcome = Outcome {
    inserted: 0,
    matched: 1,
    modified: 1,
    pending: Vec::new(),
};
pub(crate) const UNCHANGED: Outcome = Outcome {
    inserted: 0,
    matched: 1,
    modified: 0,
    pending: Vec::new(),
};

#[tokio::test]
async fn every_operator_in_one_command() {
    on_both("operators", async |bench| {
        let db = &bench.db;
        Thing::insert_many(db, [&thing(1), &thing(2)])
            .await
            .expect("stored");
        bench.forget();
        let updated = Thing::update(db, 1)
            .set(|t| t.name, "$new.name")
            .set(|t| t.home.city, "Oslo")
            .set(|t| t.main, 7)
            .unset(|t| t.nick)
            .inc(|t| t.count, -3)
            .mul(|t| t.score, 2.0)
            .min(|t| t.small, 3)
            .max(|t| t.hits, 9)
            .current_date(|t| t.seen)
            .push(|t| t.tags, "a")
            .push_all(|t| t.lines, [line("x", 1), line("y", 2)])
            .push(|t| t.home.rooms, "bath")
            .add_to_set(|t| t.set, 5)
            .await
            .expect("changed");
        assert_eq!(updated, CHANGED);
        assert_eq!(bench.sent(), ["update"], "one round trip");

        let found = Thing::get(db, 1).await.expect("read").expect("there");
        let now = bson::DateTime::now().timestamp_millis();
        let seen = found.seen.expect("set").timestamp_millis();
        assert!((now - seen).abs() < 3_600_000, "{seen} is not about {now}");
        let expected = Thing {
            name: "$new.name".to_owned(),
            home: Some(Home {
                city: "Oslo".to_owned(),
                rooms: strings(&["bath"]),
            }),
            main: Some(7),
            nick: None,
            count: 7,
            score: 3.0,
            small: 3,
            hits: Some(9),
            seen: found.seen,
            tags: strings(&["a"]),
            lines: vec![line("x", 1), line("y", 2)],
            set: [5].into(),
            ..thing(1)
        };
        assert_eq!(found, expected);
        let stored = bench.stored("things", 1).await;
        assert!(!stored.contains_key("nick"), "{stored}");
        for (field, same) in [
            ("count", "Int64"),
            ("small", "Int64"),
            ("hits", "Int32"),
            ("main", "Int32"),
        ] {
            let found = stored
                .get(field)
                .map(|value| format!("{:?}", value.element_type()));
            assert_eq!(found.as_deref(), Some(same), "{field}");
        }
        assert_eq!(
            Thing::get(db, 2).await.expect("read"),
            Some(thing(2)),
            "the other is untouched"
        );
    })
    .await;
}

#[tokio::test]
async fn the_command_says_what_was_asked() {
    alone("command", async |bench| {
        let db = &bench.db;
        Thing::insert(db, &thing(1)).await.expect("stored");
        bench.forget();
        let update = Thing::update(db, 1)
            .inc(|t| t.count, 2)
            .push(|t| t.tags, "a");
        update.set(|t| t.home.city, "Oslo").await.expect("changed");
        let sent = bench.only();
        let updates = sent.get_array("updates").expect("updates");
        let [Bson::Document(one)] = updates.as_slice() else {
            panic!("{updates:?}");
        };
        // A home with nothing but a city could not be read.
        let has_home = doc! { "home": { "$type": "object" } };
        let has_room = doc! { "_id": 1, "tags.4": { "$exists": false } };
        let filter = doc! { "$and": [has_room, has_home] };
        assert_eq!(one.get_document("q").ok(), Some(&filter));
        let change = doc! {
            "$inc": { "count": 2_i64 },
            "$set": { "home.city": "Oslo" },
            "$push": { "tags": { "$each": ["a"] } },
        };
        assert_eq!(one.get_document("u").ok(), Some(&change));
    })
    .await;
}

#[tokio::test]
async fn absent_fields_count_as_nothing() {
    alone("absent", async |bench| {
        let db = &bench.db;
        parts(bench).await;
        bench.seed("things", [doc! { "_id": 1 }]).await;
        let updated = Thing::update(db, 1)
            .inc(|t| t.count, 2)
            .mul(|t| t.score, 2.0)
            .min(|t| t.hits, 4)
            .max(|t| t.small, 6)
            .unset(|t| t.nick)
            .set(|t| t.home.city, "Oslo")
            .push(|t| t.home.rooms, "bath")
            .push(|t| t.tags, "a")
            .add_to_set(|t| t.set, 1)
            .push(|t| t.parts, 3)
            .push(|t| t.entries, entry(4, "bolt"))
            .await
            .expect("changed");
        assert_eq!(updated, CHANGED);
        assert_eq!(bench.sent(), ["update", "findAndModify", "update"]);
        let expected = doc! {
            "_id": 1,
            "count": 2_i64,
            "score": 0.0,
            "hits": 4,
            "small": 6_i64,
            "home": { "city": "Oslo", "r": ["bath"] },
            "tags": ["a"],
            "set": [1_i64],
            "parts": [3],
            // The revision of its source, which another program wrote without one.
            "entries": [{ "id": 4, "name": "part", "size": { "width": 1_i64 }, "_r": 0_i64 }],
        };
        assert_eq!(bench.stored("things", 1).await, expected);
    })
    .await;
}

#[tokio::test]
async fn min_and_max_only_move_one_way() {
    alone("min_max", async |bench| {
        let db = &bench.db;
        Thing::insert(db, &thing(1)).await.expect("stored");
        let updated = Thing::update(db, 1)
            .min(|t| t.count, 11)
            .max(|t| t.score, 1.0)
            .await;
        assert_eq!(updated.expect("asked"), UNCHANGED);
        assert_eq!(Thing::get(db, 1).await.expect("read"), Some(thing(1)));
    })
    .await;
}

#[tokio::test]
async fn update_many_changes_all_in_one_command() {
    on_both("many", async |bench| {
        let db = &bench.db;
        bench.index(&[Thing::meta()]).await;
        let full = Thing {
            tags: vec!["x".to_owned(); 5],
            ..thing(2)
        };
        let other = Thing {
            name: "other".to_owned(),
            ..thing(3)
        };
        Thing::insert_many(db, [&thing(1), &full, &other])
            .await
            .expect("stored");
        bench.forget();
        let updated = Thing::update_many(db, |t| t.name.eq("thing"))
            .inc(|t| t.count, 1)
            .await;
        assert_eq!(
            updated.expect("changed"),
            Outcome {
                inserted: 0,
                matched: 2,
                modified: 2,
                pending: Vec::new(),
            }
        );
        let sent = bench.only();
        let one = sent.get_array("updates").expect("updates")[0]
            .as_document()
            .cloned();
        assert_eq!(
            one.and_then(|one| one.get_bool("multi").ok()),
            Some(true),
            "{sent}"
        );
        let counts = async || {
            let all = Thing::scan(db, |t| t.all())
                .sort(|t| t.id.asc())
                .await
                .expect("read");
            all.into_iter()
                .map(|t| (t.count, t.tags.len()))
                .collect::<Vec<_>>()
        };
        assert_eq!(counts().await, [(11, 0), (11, 5), (10, 0)]);
        let pushed = Thing::update_many(db, |t| t.name.eq("thing"))
            .push(|t| t.tags, "a")
            .await;
        assert_eq!(
            pushed.expect("changed"),
            Outcome {
                inserted: 0,
                matched: 1,
                modified: 1,
                pending: Vec::new(),
            }
        );
        assert_eq!(
            counts().await,
            [(11, 1), (11, 5), (10, 0)],
            "what is full is left as it is"
        );
        let none = Thing::update_many(db, |t| t.name.eq("none"))
            .inc(|t| t.count, 1)
            .await;
        assert_eq!(
            none.expect("asked"),
            Outcome {
                inserted: 0,
                matched: 0,
                modified: 0,
                pending: Vec::new(),
            }
        );
    })
    .await;
}

/// The array at a top-level field.
pub(crate) fn array<'d>(stored: &'d Document, field: &str) -> &'d [Bson] {
    stored.get_array(field).expect("an array")
}
