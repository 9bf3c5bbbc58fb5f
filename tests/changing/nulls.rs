//! Null in stored documents: by other programs, and for this program's own `None`.

use bson::{Bson, Document, doc};
use mongo_model::{Error, MongoEmbed, MongoModel, Outcome, Result};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};

use crate::changing::{CHANGED, UNCHANGED};
use crate::common::{Bench, alone, on_both};

#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, MongoModel)]
#[model(collection = "sparse")]
struct Sparse {
    #[serde(rename = "_id")]
    id: i32,
    #[serde(default)]
    name: String,
    n: Option<i32>,
    #[serde(default)]
    total: i64,
    must: i64,
    #[serde(default)]
    #[embed(max = 5)]
    tags: Vec<String>,
    #[serde(default)]
    #[embed(max = 5)]
    set: BTreeSet<i64>,
    #[serde(default)]
    #[embed(max = 5)]
    map: BTreeMap<String, i64>,
    #[serde(default)]
    #[embed(max = 5)]
    rows: Vec<Row>,
    #[embed(max = 5)]
    list: Vec<i64>,
    home: Option<Home>,
    note: Option<Note>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoEmbed)]
struct Row {
    name: String,
    hits: Option<i32>,
    home: Option<Home>,
}

/// It cannot be read without its city.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoEmbed)]
struct Home {
    city: String,
    street: Option<String>,
}

/// It can be read with any of its fields.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoEmbed)]
struct Note {
    text: Option<String>,
    #[serde(default)]
    stars: i32,
    #[serde(default)]
    #[embed(max = 3)]
    by: Vec<String>,
}

/// A document in which everything is null that is read as absent.
fn null(id: i32) -> Document {
    doc! {
        "_id": id, "n": null, "must": 1_i64, "tags": null, "set": null, "map": null, "rows": null,
        "list": [], "home": null, "note": null,
    }
}

fn sparse(id: i32) -> Sparse {
    Sparse {
        id,
        must: 1,
        ..Sparse::default()
    }
}

fn row(name: &str) -> Row {
    Row {
        name: name.to_owned(),
        hits: None,
        home: None,
    }
}

async fn read(bench: &Bench, id: i32) -> Sparse {
    let read = Sparse::get(&bench.db, id).await;
    read.expect("readable").expect("there")
}

#[tokio::test]
async fn a_null_is_read_as_the_default_of_its_array_set_or_map() {
    alone("nulls_read", async |bench| {
        bench.seed("sparse", [null(1)]).await;
        assert_eq!(read(bench, 1).await, sparse(1));
        let found = Sparse::scan(&bench.db, |s| s.all()).await.expect("read");
        assert_eq!(found, [sparse(1)]);
        // A field without a default is still required.
        let mut other = null(2);
        other.insert("list", Bson::Null);
        bench.seed("sparse", [other]).await;
        let refused = Sparse::get(&bench.db, 2).await;
        let Err(Error::Decode { .. }) = &refused else {
            panic!("{refused:?}");
        };
        let text = refused.expect_err("refused").to_string();
        assert!(text.contains("list"), "{text}");
    })
    .await;
}

#[tokio::test]
async fn every_operator_takes_a_null_for_absent() {
    on_both("nulls", async |bench| {
        let db = &bench.db;
        bench.seed("sparse", (3..=12).map(null)).await;
        let mut second = null(2);
        second.insert("total", Bson::Null);
        bench.seed("sparse", [null(1), second]).await;
        // Its own `None` is a null, too.
        Sparse::insert(db, &sparse(20)).await.expect("stored");
        let one = |id: i32| Sparse::update(db, id);
        bench.forget();
        one(2).mul(|s| s.total, 3).await.expect("changed");
        let sent = ["update", "find", "update", "update"];
        assert_eq!(bench.sent(), sent, "refused, seen, made absent, changed");
        assert_eq!(one(20).inc(|s| s.n, 2).await.expect("changed"), CHANGED);
        let once = one(20).inc(|s| s.n, 2);
        bench.forget();
        assert_eq!(once.await.expect("changed"), CHANGED);
        assert_eq!(bench.sent(), ["update"]);
        assert_eq!(one(1).inc(|s| s.n, 2).await.expect("changed"), CHANGED);
        one(3).push(|s| s.tags, "a").await.expect("changed");
        one(4).add_to_set(|s| s.set, 5).await.expect("changed");
        one(5).pull(|s| s.tags, "a").await.expect("nothing to do");
        one(6).pop_last(|s| s.tags).await.expect("nothing to do");
        let pulled = one(7).pull_where(|s| s.rows, |r| r.name.eq("x"));
        pulled.await.expect("nothing to do");
        let set = || one(8).set_where(|s| s.rows, |r| r.name.eq("x"), |r| r.hits, 1);
        assert_eq!(set().await.expect("nothing to do"), UNCHANGED);
        assert_eq!(
            set().set(|s| s.name, "eight").await.expect("changed"),
            CHANGED
        );
        let several = one(9)
            .inc(|s| s.n, 1)
            .push(|s| s.tags, "b")
            .set(|s| s.note.text, "c");
        several.await.expect("changed");
        let returned = one(10).inc(|s| s.n, 7).returning().await;
        assert_eq!(returned.expect("changed").n, Some(7));
        let swapped = one(11).only_if(|s| s.must.eq(1)).inc(|s| s.n, 1).await;
        assert!(swapped.expect("changed").is_done());
        let unmet = one(12).only_if(|s| s.must.eq(2)).inc(|s| s.n, 1).await;
        assert!(!unmet.expect("an answer").is_done());
        assert_eq!(bench.stored("sparse", 12).await, null(12), "untouched");
        let upserted = Sparse::upsert(db, &sparse(12)).inc(|s| s.n, 1).await;
        assert_eq!(upserted.expect("changed").matched, 1);
        let gone = one(99).inc(|s| s.n, 1).await;
        assert!(matches!(gone, Err(Error::NotFound { .. })), "{gone:?}");

        assert_eq!(read(bench, 1).await.n, Some(2));
        assert_eq!(read(bench, 20).await.n, Some(4));
        assert_eq!(read(bench, 3).await.tags, ["a"]);
        assert_eq!(read(bench, 4).await.set, [5].into());
        assert_eq!(
            read(bench, 8).await,
            Sparse {
                name: "eight".to_owned(),
                ..sparse(8)
            }
        );
        let nine = read(bench, 9).await;
        assert_eq!((nine.n, nine.tags), (Some(1), vec!["b".to_owned()]));
        assert_eq!(nine.note.and_then(|note| note.text).as_deref(), Some("c"));
        assert_eq!(read(bench, 12).await.n, Some(1));
        for id in [2, 5, 6, 7] {
            assert_eq!(read(bench, id).await, sparse(id));
        }
    })
    .await;
}

#[tokio::test]
async fn a_transaction_takes_nulls_too() {
    crate::common::in_set("nulls_in", async |bench| {
        bench.seed("sparse", [null(1)]).await;
        let done: Result<Outcome> = mongo_model::transaction(&bench.db, async |tx| {
            let update = Sparse::update(&bench.db, 1)
                .inc(|s| s.n, 2)
                .push(|s| s.tags, "a");
            update.within(tx).await
        })
        .await;
        assert_eq!(done.expect("committed"), CHANGED);
        assert_eq!(read(bench, 1).await.n, Some(2));
    })
    .await;
}

#[tokio::test]
async fn elements_with_nulls_are_changed() {
    on_both("nulls_inside", async |bench| {
        let db = &bench.db;
        let rows = vec![row("x"), row("y")];
        let stored = Sparse { rows, ..sparse(1) };
        Sparse::insert(db, &stored).await.expect("stored");
        let one = || Sparse::update(db, 1);
        let inc = one().inc_where(|s| s.rows, |r| r.name.eq("x"), |r| r.hits, 3);
        assert_eq!(inc.await.expect("changed"), CHANGED);
        // An element without the embedded document is passed over: it could not be read with a street alone.
        let street = one().set_where(
            |s| s.rows,
            |r| r.name.eq("x"),
            |r| r.home.street,
            "a".to_owned(),
        );
        assert_eq!(street.await.expect("passed over"), UNCHANGED);
        let city = one().set_where(|s| s.rows, |r| r.name.eq("x"), |r| r.home.city, "b");
        assert_eq!(city.await.expect("changed"), CHANGED);
        let hits = Some(3);
        let home = Some(Home {
            city: "b".to_owned(),
            street: None,
        });
        let rows = vec![
            Row {
                hits,
                home,
                ..row("x")
            },
            row("y"),
        ];
        assert_eq!(read(bench, 1).await, Sparse { rows, ..sparse(1) });
    })
    .await;
}

#[tokio::test]
async fn a_part_of_an_absent_document_is_stored_only_if_it_can_be_read() {
    on_both("nulls_part", async |bench| {
        let db = &bench.db;
        bench.seed("sparse", [null(1), doc! { "_id": 2, "must": 1_i64, "list": [] }]).await;
        for id in [1, 2] {
            let street = Sparse::update(db, id).set(|s| s.home.street, "a".to_owned()).await;
            let Err(Error::AbsentDocument { field, .. }) = &street else {
                panic!("{street:?}");
            };
            assert_eq!(field, "Sparse.home");
            let text = street.expect_err("refused").to_string();
            assert_eq!(
                text,
                format!("Sparse.home is absent in {id}, and could not be read with the changed fields alone")
            );
            assert_eq!(read(bench, id).await, sparse(id));
            let both = Sparse::update(db, id).set(|s| s.home.street, "a".to_owned()).set(|s| s.home.city, "b");
            assert_eq!(both.await.expect("a whole one"), CHANGED);
            let street = Sparse::update(db, id).unset(|s| s.home.street);
            assert_eq!(street.await.expect("there"), CHANGED);
            let stars = Sparse::update(db, id).inc(|s| s.note.stars, 2).push(|s| s.note.by, "me");
            assert_eq!(stars.await.expect("changed"), CHANGED);
            let read = read(bench, id).await;
            assert_eq!(read.home.map(|home| home.city).as_deref(), Some("b"));
            assert_eq!(read.note.map(|note| note.stars), Some(2));
        }
    })
    .await;
}

#[tokio::test]
async fn update_many_takes_nulls_and_passes_over_what_it_cannot_change() {
    on_both("nulls_many", async |bench| {
        let db = &bench.db;
        let with = |id: i32, field: &str, value: Bson| {
            let mut stored = null(id);
            stored.insert(field, value);
            stored
        };
        bench
            .seed(
                "sparse",
                [
                    null(1),
                    with(2, "n", 5.into()),
                    with(3, "must", Bson::Null),
                    with(4, "tags", "no array".into()),
                    with(5, "n", "no number".into()),
                    with(6, "home", doc! { "city": "a" }.into()),
                    null(7),
                ],
            )
            .await;
        let many = || Sparse::update_many(db, |s| s.id.lte(10));
        let changed = async |update: mongo_model::update::UpdateMany<'_, Sparse>| {
            let done = update.await.expect("to the end");
            (done.matched, done.modified)
        };
        assert_eq!(
            changed(many().inc(|s| s.n, 1)).await,
            (6, 6),
            "all but the text"
        );
        assert_eq!(
            changed(many().inc(|s| s.must, 1)).await,
            (6, 6),
            "all but the null"
        );
        assert_eq!(
            changed(many().push(|s| s.tags, "a")).await,
            (6, 6),
            "all but the text"
        );
        assert_eq!(changed(many().pull(|s| s.tags, "b")).await, (6, 0));
        assert_eq!(
            changed(many().set(|s| s.home.street, "a".to_owned())).await,
            (1, 1)
        );
        assert_eq!(
            changed(many().set(|s| s.note.text, "a".to_owned())).await,
            (7, 7)
        );
        let rows = many().set_where(|s| s.rows, |r| r.name.eq("x"), |r| r.hits, 1);
        assert_eq!(changed(rows).await, (0, 0), "none has rows");
        let stored = bench.stored("sparse", 1).await;
        assert_eq!(stored.get_i32("n").ok(), Some(1));
        assert_eq!(stored.get_array("tags").map(Vec::len).ok(), Some(1));
    })
    .await;
}

#[tokio::test]
async fn a_value_of_another_type_is_named() {
    on_both("nulls_other", async |bench| {
        let db = &bench.db;
        let mut stored = null(1);
        stored.insert("must", Bson::Null);
        stored.insert("tags", "a");
        stored.insert("note", 3);
        stored.insert("list", Bson::Null);
        stored.insert("rows", vec![doc! { "name": "x", "hits": "many" }]);
        bench.seed("sparse", [stored.clone()]).await;
        let one = || Sparse::update(db, 1);
        let named = |done: Result<Outcome>| match done {
            Err(Error::OtherType {
                field,
                operator,
                found,
                ..
            }) => (field, operator, found),
            other => panic!("{other:?}"),
        };
        let expect = |field: &str, operator: &'static str, found: &'static str| {
            (field.to_owned(), operator, found)
        };
        assert_eq!(
            named(one().inc(|s| s.must, 1).await),
            expect("Sparse.must", "$inc", "null")
        );
        assert_eq!(
            named(one().mul(|s| s.must, 1).await),
            expect("Sparse.must", "$mul", "null")
        );
        assert_eq!(
            named(one().push(|s| s.tags, "b").await),
            expect("Sparse.tags", "$push", "string")
        );
        assert_eq!(
            named(one().push(|s| s.list, 1).await),
            expect("Sparse.list", "$push", "null")
        );
        assert_eq!(
            named(one().add_to_set(|s| s.list, 1).await),
            expect("Sparse.list", "$push", "null")
        );
        assert_eq!(
            named(one().pull(|s| s.list, 1).await),
            expect("Sparse.list", "$pullAll", "null")
        );
        assert_eq!(
            named(one().pop_first(|s| s.list).await),
            expect("Sparse.list", "$pop", "null")
        );
        assert_eq!(
            named(one().set(|s| s.note.stars, 1).await),
            expect("Sparse.note", "$set", "int32")
        );
        let inc = one().inc_where(|s| s.rows, |r| r.name.eq("x"), |r| r.hits, 1);
        assert_eq!(
            named(inc.await),
            expect("Sparse.rows.hits", "$inc", "string")
        );
        assert_eq!(bench.stored("sparse", 1).await, stored);
        let text = one()
            .inc(|s| s.must, 1)
            .await
            .expect_err("refused")
            .to_string();
        assert_eq!(
            text,
            "Sparse.must is null in 1, which `$inc` does not change"
        );
    })
    .await;
}

#[tokio::test]
async fn writers_at_once_count_from_a_null() {
    on_both("nulls_at_once", async |bench| {
        let db = &bench.db;
        bench.seed("sparse", [null(1)]).await;
        let incs = (0..12).map(|_| Sparse::update(db, 1).inc(|s| s.n, 1).into_future());
        for done in futures::future::join_all(incs).await {
            assert_eq!(done.expect("changed"), CHANGED);
        }
        assert_eq!(read(bench, 1).await.n, Some(12));
    })
    .await;
}

#[tokio::test]
async fn a_null_that_no_model_reads_is_named_and_set_repairs_it() {
    on_both("nulls_repaired", async |bench| {
        let db = &bench.db;
        bench
            .seed("sparse", [doc! { "_id": 1, "must": null, "list": null }])
            .await;
        let update = || Sparse::update(db, 1);
        let other = |result: Result<Outcome>| match result {
            Err(Error::OtherType { field, found, .. }) => (field, found),
            other => panic!("{other:?}"),
        };
        let null = |field: &str| (field.to_owned(), "null");
        assert_eq!(
            other(update().inc(|s| s.must, 1).await),
            null("Sparse.must")
        );
        assert_eq!(
            other(update().push(|s| s.list, 1).await),
            null("Sparse.list")
        );
        let read = Sparse::get(db, 1).await;
        assert!(matches!(read, Err(Error::Decode { .. })), "{read:?}");
        let set = update().set(|s| s.must, 1).set(|s| s.list, Vec::new());
        set.await.expect("repaired");
        // An empty array is one that operators change.
        update().push(|s| s.list, 1).await.expect("pushed");
        update().pull(|s| s.list, 1).await.expect("pulled");
        update().pop_last(|s| s.list).await.expect("nothing to do");
        let read = Sparse::get(db, 1).await.expect("readable");
        assert_eq!(read, Some(sparse(1)));
    })
    .await;
}
