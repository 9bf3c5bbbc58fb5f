//! Updates that the library refuses before it sends them, and updates of missing documents.

use bson::{Bson, doc};
use mongo_model::{Error, MongoModel, Outcome, Result};

use crate::changing::{Home, Line, Part, Size, Thing, entry, line, parts, strings, thing};
use crate::common::{alone, assert_too_long, on_both};

#[tokio::test]
async fn values_over_a_bound() {
    alone("too_long", async |bench| {
        let db = &bench.db;
        let one = || Thing::update(db, 1);
        let many = || Thing::update_many(db, |t| t.name.eq("x"));
        let six = || vec!["x"; 6];
        assert_too_long(one().push_all(|t| t.tags, six()).await, "tags", 5);
        assert_too_long(many().push_all(|t| t.tags, six()).await, "tags", 5);
        assert_too_long(one().set(|t| t.tags, strings(&six())).await, "tags", 5);
        assert_too_long(one().add_all_to_set(|t| t.set, 0..4).await, "set", 3);
        assert_too_long(one().push_all(|t| t.parts, 0..4).await, "parts", 3);
        let home = Home {
            city: String::new(),
            rooms: strings(&["a", "b", "c"]),
        };
        assert_too_long(one().set(|t| t.home, home.clone()).await, "home.r", 2);
        assert_too_long(many().set(|t| t.home, home.clone()).await, "home.r", 2);
        assert_too_long(one().set(|t| t.home.rooms, &home.rooms).await, "home.r", 2);
        let over = Line {
            marks: home.rooms,
            ..line("x", 1)
        };
        assert_too_long(one().push(|t| t.lines, &over).await, "lines.marks", 2);
        assert_too_long(one().add_to_set(|t| t.lines, &over).await, "lines.marks", 2);
        assert_too_long(one().set(|t| t.lines, vec![over]).await, "lines.0.marks", 2);
        assert_eq!(bench.sent(), [""; 0]);
    })
    .await;
}

#[tokio::test]
async fn updates_that_change_nothing_or_a_field_twice() {
    alone("twice", async |bench| {
        let db = &bench.db;
        let one = || Thing::update(db, 1);
        for empty in [
            one().await,
            Thing::update_many(db, |t| t.name.eq("x")).await,
        ] {
            assert!(
                matches!(empty, Err(Error::EmptyUpdate { model: "Thing" })),
                "{empty:?}"
            );
        }
        let twice = [
            (
                one().set(|t| t.count, 1).set(|t| t.count, 2).await,
                "Thing.count",
            ),
            (
                one().set(|t| t.count, 1).inc(|t| t.count, 2).await,
                "Thing.count",
            ),
            (
                one().push(|t| t.tags, "a").push(|t| t.tags, "b").await,
                "Thing.tags",
            ),
            (
                one().push(|t| t.tags, "a").pull(|t| t.tags, "b").await,
                "Thing.tags",
            ),
            (
                one().pop_last(|t| t.tags).add_to_set(|t| t.tags, "b").await,
                "Thing.tags",
            ),
            // A document and a field inside it: the server refuses both at once.
            (
                one().set(|t| t.home, None).set(|t| t.home.city, "x").await,
                "Thing.home.city",
            ),
            (
                one().set(|t| t.home.city, "x").set(|t| t.home, None).await,
                "Thing.home",
            ),
            (
                one()
                    .push(|t| t.home.rooms, "x")
                    .set(|t| t.home, None)
                    .await,
                "Thing.home",
            ),
        ];
        for (result, expected) in twice {
            let Err(Error::ChangedTwice { field }) = &result else {
                panic!("{expected}: {result:?}");
            };
            assert_eq!(field, expected);
        }
        assert_eq!(bench.sent(), [""; 0]);
    })
    .await;
}

#[tokio::test]
async fn a_document_that_is_not_there() {
    on_both("not_found", async |bench| {
        let db = &bench.db;
        Thing::insert(db, &thing(1)).await.expect("stored");
        bench.forget();
        let results = [
            (Thing::update(db, 9).set(|t| t.name, "x").await, 1),
            (Thing::update(db, 9).push(|t| t.tags, "x").await, 2),
            (
                Thing::update(db, 9)
                    .add_to_set(|t| t.set, 1)
                    .inc(|t| t.count, 1)
                    .await,
                2,
            ),
            (Thing::update(db, 9).pull(|t| t.tags, "x").await, 1),
        ];
        let mut commands = 0;
        for (result, sent) in results {
            let Err(Error::NotFound { model: "Thing", id }) = &result else {
                panic!("{result:?}");
            };
            assert_eq!(**id, Bson::Int32(9));
            commands += sent;
        }
        assert_eq!(bench.sent().len(), commands);
        assert_eq!(
            bench.len("things").await,
            1,
            "an update stores no new document"
        );
    })
    .await;
}

/// That a change makes a document too large is seen by the server alone.
#[tokio::test]
async fn a_document_does_not_outgrow_the_server() {
    on_both("outgrown", async |bench| {
        let db = &bench.db;
        let eight = "x".repeat(8 * 1024 * 1024);
        let large = Thing {
            name: eight.clone(),
            ..thing(1)
        };
        Thing::insert_many(db, [&large, &thing(2)])
            .await
            .expect("stored");
        parts(bench).await;
        let bolt = Part {
            id: 99,
            name: eight.clone(),
            size: Size { width: 1 },
            qty: 1,
        };
        Part::insert(db, &bolt).await.expect("stored");
        let outgrown = |result: Result<Outcome>| match result {
            Err(error @ Error::Outgrown { model: "Thing", .. }) => assert_eq!(
                error.to_string(),
                "Thing: the change would make a document over MongoDB's limit of 16777216 bytes"
            ),
            other => panic!("{:.500}", format!("{other:?}")),
        };
        outgrown(Thing::update(db, 1).push(|t| t.tags, &*eight).await);
        outgrown(Thing::update(db, 1).set(|t| t.nick, eight.clone()).await);
        let all = Thing::update_many(db, |t| t.name.eq(&*eight));
        outgrown(all.set(|t| t.nick, eight.clone()).await);
        // One that brings a copy along.
        let entry = entry(99, &eight);
        outgrown(Thing::update(db, 1).push(|t| t.entries, entry).await);
        assert_eq!(Thing::get(db, 1).await.expect("read"), Some(large));
    })
    .await;
}

/// An error that only the server can detect is returned unchanged, and nothing is written.
#[tokio::test]
async fn null_where_an_array_should_be() {
    alone("null", async |bench| {
        let stored = doc! { "_id": 1, "tags": null };
        bench.seed("things", [stored.clone()]).await;
        let pushed = Thing::update(&bench.db, 1).push(|t| t.tags, "x").await;
        let Err(Error::OtherType { field, found, .. }) = pushed else {
            panic!("{pushed:?}");
        };
        assert_eq!((field.as_str(), found), ("Thing.tags", "null"));
        assert_eq!(bench.stored("things", 1).await, stored);
    })
    .await;
}
