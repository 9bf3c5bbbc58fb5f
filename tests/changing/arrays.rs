//! Adding to and removing from arrays.

use bson::{Bson, bson, doc};
use mongo_model::{Error, MongoModel};

use crate::changing::{CHANGED, Line, Thing, UNCHANGED, array, entry, line, parts, strings, thing};
use crate::common::{alone, on_both};

#[tokio::test]
async fn elements_are_removed_by_value_condition_and_end() {
    on_both("pull", async |bench| {
        let db = &bench.db;
        let stored = Thing {
            tags: strings(&["a", "b", "a", "c"]),
            lines: vec![line("x", 1), line("y", 2), line("x", 3)],
            parts: vec![1, 2, 3],
            entries: vec![entry(1, "part"), entry(2, "part")],
            ..thing(1)
        };
        parts(bench).await;
        Thing::insert(db, &stored).await.expect("stored");
        bench.forget();
        let updated = Thing::update(db, 1)
            .pull(|t| t.tags, "a")
            .pull_where(|t| t.lines, |l| l.sku.eq("x").and(l.qty.gt(1)))
            .pop_first(|t| t.parts)
            .pull_where(|t| t.entries, |e| e.id.eq(1))
            .await;
        assert_eq!(updated.expect("changed"), CHANGED);
        assert_eq!(bench.sent(), ["update"]);
        let expected = Thing {
            tags: strings(&["b", "c"]),
            lines: vec![line("x", 1), line("y", 2)],
            parts: vec![2, 3],
            entries: vec![entry(2, "part")],
            ..stored
        };
        assert_eq!(Thing::get(db, 1).await.expect("read"), Some(expected));

        let updated = Thing::update(db, 1)
            .pop_last(|t| t.tags)
            .pull(|t| t.lines, line("y", 2))
            .pull(|t| t.parts, 3)
            .await;
        assert_eq!(updated.expect("changed"), CHANGED);
        let found = Thing::get(db, 1).await.expect("read").expect("there");
        assert_eq!((found.tags, found.parts), (strings(&["b"]), vec![2]));
        assert_eq!(found.lines, [line("x", 1)]);
        let updated = Thing::update(db, 1).pull(|t| t.tags, "absent").await;
        assert_eq!(updated.expect("asked"), UNCHANGED);
    })
    .await;
}

#[tokio::test]
async fn a_scalar_is_pushed_as_often_as_asked_and_a_set_holds_it_once() {
    on_both("twice", async |bench| {
        let db = &bench.db;
        Thing::insert(db, &thing(1)).await.expect("stored");
        Thing::update(db, 1)
            .push_all(|t| t.tags, ["a", "a"])
            .await
            .expect("pushed");
        Thing::update(db, 1)
            .push(|t| t.tags, "a")
            .await
            .expect("pushed");
        bench.forget();
        let again = Thing::update(db, 1).add_to_set(|t| t.tags, "a").await;
        assert_eq!(again.expect("there already"), UNCHANGED);
        let added = Thing::update(db, 1)
            .add_all_to_set(|t| t.tags, ["a", "b", "b"])
            .await;
        assert_eq!(added.expect("added"), CHANGED);
        let stored = bench.stored("things", 1).await;
        assert_eq!(array(&stored, "tags"), ["a", "a", "a", "b"].map(Bson::from));
    })
    .await;
}

#[tokio::test]
async fn what_is_there_already_is_success_even_at_the_bound() {
    on_both("at_bound", async |bench| {
        let db = &bench.db;
        let full = Thing {
            set: [1, 2, 3].into(),
            parts: vec![1, 2, 3],
            entries: vec![entry(1, "part"), entry(2, "part"), entry(3, "part")],
            ..thing(1)
        };
        parts(bench).await;
        Thing::insert(db, &full).await.expect("stored");
        assert_eq!(
            Thing::update(db, 1)
                .add_to_set(|t| t.set, 2)
                .await
                .expect("there"),
            UNCHANGED
        );
        assert_eq!(
            Thing::update(db, 1)
                .push(|t| t.parts, 2)
                .await
                .expect("there"),
            UNCHANGED
        );
        assert_eq!(
            Thing::update(db, 1)
                .push(|t| t.entries, entry(2, "b"))
                .await
                .expect("there"),
            UNCHANGED
        );
        // The rest of the update is applied all the same.
        let rest = Thing::update(db, 1)
            .push(|t| t.parts, 2)
            .inc(|t| t.count, 1)
            .await;
        assert_eq!(rest.expect("changed"), CHANGED);
        let expected = Thing { count: 11, ..full };
        assert_eq!(Thing::get(db, 1).await.expect("read"), Some(expected));
        for refused in [
            Thing::update(db, 1).add_to_set(|t| t.set, 4).await,
            Thing::update(db, 1).add_all_to_set(|t| t.set, [1, 4]).await,
            Thing::update(db, 1).push(|t| t.parts, 4).await,
            Thing::update(db, 1)
                .push(|t| t.entries, entry(4, "d"))
                .await,
        ] {
            assert!(
                matches!(refused, Err(Error::Full { max: 3, .. })),
                "{refused:?}"
            );
        }
    })
    .await;
}

#[tokio::test]
async fn a_reference_pushed_twice_stays_once() {
    on_both("once", async |bench| {
        let db = &bench.db;
        Thing::insert(db, &thing(1)).await.expect("stored");
        bench.forget();
        let first = Thing::update(db, 1).push_all(|t| t.parts, [7, 8, 7]).await;
        assert_eq!(first.expect("added"), CHANGED);
        assert_eq!(bench.sent(), ["update"]);
        assert_eq!(
            Thing::update(db, 1)
                .push(|t| t.parts, 7)
                .await
                .expect("there"),
            UNCHANGED
        );
        let some = Thing::update(db, 1).push_all(|t| t.parts, [8, 9]).await;
        assert_eq!(some.expect("added"), CHANGED);
        let stored = bench.stored("things", 1).await;
        assert_eq!(array(&stored, "parts"), [7, 8, 9].map(Bson::from));
    })
    .await;
}

/// Entries of one target are the same reference, whatever their copies say.
#[tokio::test]
async fn entries_are_compared_by_id() {
    on_both("entries", async |bench| {
        let db = &bench.db;
        parts(bench).await;
        Thing::insert(db, &thing(1)).await.expect("stored");
        let twice = [entry(7, "old"), entry(7, "new"), entry(8, "nut")];
        let added = Thing::update(db, 1).push_all(|t| t.entries, twice).await;
        assert_eq!(added.expect("added"), CHANGED);
        let again = Thing::update(db, 1)
            .push(|t| t.entries, entry(7, "newer"))
            .await;
        assert_eq!(again.expect("there"), UNCHANGED);
        let found = Thing::get(db, 1).await.expect("read").expect("there");
        // Whatever was pushed: a copy says what its source says.
        assert_eq!(found.entries, [entry(7, "part"), entry(8, "part")]);
        // Ids that other programs stored wider or as doubles are the same ids.
        let wide = doc! { "$set": { "entries.0.id": 7_i64, "entries.1.id": 8.0 } };
        bench
            .raw("things")
            .update_one(doc! { "_id": 1 }, wide)
            .await
            .expect("widened");
        let again = Thing::update(db, 1)
            .push_all(|t| t.entries, [entry(7, "x"), entry(8, "x")])
            .await;
        assert_eq!(again.expect("there"), UNCHANGED);
    })
    .await;
}

#[tokio::test]
async fn what_looks_like_an_operator_is_pushed_as_data() {
    alone("operators", async |bench| {
        let db = &bench.db;
        Thing::insert(db, &thing(1)).await.expect("stored");
        let odd = ["$each", "a.b", "nul\0", ""];
        Thing::update(db, 1)
            .push_all(|t| t.tags, odd)
            .await
            .expect("pushed");
        Thing::update(db, 1)
            .add_to_set(|t| t.tags, "$slice")
            .await
            .expect("added");
        Thing::update(db, 1)
            .pull(|t| t.tags, "")
            .await
            .expect("pulled");
        let stored = bench.stored("things", 1).await;
        assert_eq!(
            array(&stored, "tags"),
            ["$each", "a.b", "nul\0", "$slice"].map(Bson::from)
        );
    })
    .await;
}

#[tokio::test]
async fn no_values_are_nothing_to_add() {
    alone("none", async |bench| {
        let db = &bench.db;
        Thing::insert(db, &thing(1)).await.expect("stored");
        bench.forget();
        let nothing = Thing::update(db, 1)
            .push_all(|t| t.tags, Vec::<String>::new())
            .await;
        assert_eq!(nothing.expect("nothing to do").modified, 0);
        let nothing = Thing::update_many(db, |t| t.name.eq("thing"))
            .add_all_to_set(|t| t.set, Vec::<i64>::new())
            .await;
        assert_eq!(nothing.expect("nothing to do").modified, 0);
        assert_eq!(bench.sent(), [""; 0]);
        let rest = Thing::update(db, 1)
            .push_all(|t| t.lines, Vec::<Line>::new())
            .inc(|t| t.count, 1)
            .await;
        assert_eq!(rest.expect("changed"), CHANGED);
        assert_eq!(
            bench.stored("things", 1).await.get("count"),
            Some(&bson!(11_i64))
        );
    })
    .await;
}
