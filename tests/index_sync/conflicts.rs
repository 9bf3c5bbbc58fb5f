//! Live indexes that conflict with declared ones.

use super::*;

#[tokio::test]
async fn every_difference_in_options_is_a_conflict_that_can_be_replaced() {
    for (n, (declared, live)) in [
        (UNIQUE, doc! { "key": { "a": 1 } }),
        (PLAIN, doc! { "key": { "a": 1 }, "unique": true }),
        (PLAIN, doc! { "key": { "a": 1 }, "sparse": true }),
        (PLAIN, doc! { "key": { "a": 1 }, "expireAfterSeconds": 60 }),
        (IndexRow { collation: Some(&ENGLISH), ..UNIQUE }, doc! { "key": { "a": 1 }, "unique": true }),
        (UNIQUE, doc! { "key": { "a": 1 }, "unique": true, "collation": { "locale": "en", "strength": 2 } }),
        (above(1), doc! { "key": { "a": 1 }, "partialFilterExpression": { "a": { "$gt": 2 } } }),
        (IndexRow { unique: true, ..above(1) }, doc! { "key": { "a": 1 }, "unique": true }),
        (
            IndexRow { text: Some(&TextRow { weights: &[("", 5)], default_language: None, language_override: None }), ..keys(&[("", KeyKind::Text)]) },
            doc! { "key": { "a": "text" }, "weights": { "a": 4 } },
        ),
        (keys(&[("", KeyKind::Text)]), doc! { "key": { "b": "text" }, "default_language": "german" }),
        (keys(&[("", KeyKind::Text)]), doc! { "key": { "k": 1, "b": "text" } }),
        (keys(&[("", KeyKind::Wildcard)]), doc! { "key": { "a.$**": 1 }, "storageEngine": { "wiredTiger": {} } }),
        (IndexRow { name: Some("old"), ..PLAIN }, doc! { "key": { "b": 1 } }),
    ]
    .into_iter()
    .enumerate()
    {
        let bench = Bench::new("index_conflict").await;
        let mut spec = live;
        spec.insert("name", "old");
        bench.create("things", spec).await;
        let thing = thing(vec![field("a", &[declared])]);
        let plan = bench.plan(&[thing]).await;
        let of_thing = &plan.collections[0];
        assert_eq!((of_thing.conflicts.len(), of_thing.create.len(), of_thing.unknown.len()), (1, 0, 0), "case {n}: {plan}");
        let failed = errors(sync_indexes(&bench.db).models(&[thing])).await;
        assert!(matches!(failed.errors()[0].cause, IndexFailure::Conflict(_)), "case {n}: {failed}");
        assert_eq!(bench.names("things").await, ["old"], "case {n}");
        let report = bench.replace(&[thing]).await;
        assert_eq!(report.collections[0].replaced.len(), 1, "case {n}: {report}");
        bench.assert_settled(&[thing]).await;
    }
}

#[tokio::test]
async fn what_can_stand_side_by_side_is_built_before_the_old_one_goes() {
    let bench = Bench::new("index_beside").await;
    bench
        .create(
            "things",
            doc! { "key": { "name": 1 }, "name": "name_1", "unique": true },
        )
        .await;
    let thing = thing(vec![field(
        "name",
        &[IndexRow {
            unique: true,
            ..above(3)
        }],
    )]);
    bench.sent();
    bench.replace(&[thing]).await;
    assert_eq!(
        bench.sent(),
        ["listIndexes", "createIndexes", "dropIndexes"]
    );
    bench.assert_settled(&[thing]).await;
}

#[tokio::test]
async fn what_cannot_is_dropped_directly_before_the_new_one_is_built() {
    let bench = Bench::new("index_instead").await;
    bench
        .create(
            "things",
            doc! { "key": { "at": 1 }, "name": "at_1", "expireAfterSeconds": 9 },
        )
        .await;
    bench
        .create("things", doc! { "key": { "z": 1 }, "name": "unknown" })
        .await;
    let thing = thing(vec![field("at", &[PLAIN]), field("new", &[PLAIN])]);
    bench.sent();
    bench.replace(&[thing]).await;
    let sent = bench.log.take();
    assert_eq!(
        sent.iter()
            .map(|command| command.name.as_str())
            .collect::<Vec<_>>(),
        [
            "listIndexes",
            "createIndexes",
            "dropIndexes",
            "createIndexes"
        ]
    );
    assert_eq!(
        sent[2].command.get_str("index").ok(),
        Some("at_1"),
        "only the one that is in the way"
    );
    assert_eq!(bench.names("things").await, ["at_1", "new_1", "unknown"]);
}

#[tokio::test]
async fn a_replacement_that_cannot_be_built_leaves_the_old_index() {
    let bench = Bench::new("index_kept").await;
    bench
        .insert(
            "things",
            [
                doc! { "_id": 7, "a": 1, "t": 1 },
                doc! { "_id": 8, "a": 1, "t": 1 },
            ],
        )
        .await;
    bench
        .create("things", doc! { "key": { "a": 1 }, "name": "old" })
        .await;
    let beside = thing(vec![field("a", &[UNIQUE])]);
    let instead = thing(vec![field(
        "a",
        &[IndexRow {
            name: Some("old"),
            ..UNIQUE
        }],
    )]);
    for thing in [beside, instead] {
        let before = bench.live("things").await;
        let failed = errors(sync_indexes(&bench.db).models(&[thing]).replace_conflicts()).await;
        let IndexFailure::Replace {
            source,
            restore,
            duplicates,
            ..
        } = &failed.errors()[0].cause
        else {
            panic!("{failed}")
        };
        assert_eq!((code(source), restore.is_none()), (11000, true));
        assert_eq!(bench.live("things").await, before);
        assert_eq!(duplicates.len(), 1, "{duplicates:?}");
        let end = "several documents have the same key: those with the _ids 7 and 8; the old index is as it was";
        assert!(failed.to_string().ends_with(end), "{failed}");
    }
}

#[tokio::test]
async fn a_conflict_stops_nothing_else() {
    let bench = Bench::new("index_policy").await;
    bench
        .create(
            "ones",
            doc! { "key": { "customId": 1 }, "name": "customId_1" },
        )
        .await;
    bench
        .create(
            "ones",
            doc! { "key": { "at": 1 }, "name": "at_1", "expireAfterSeconds": 60 },
        )
        .await;
    bench
        .create("ones", doc! { "key": { "old": 1 }, "name": "old_1" })
        .await;
    bench
        .create(
            "twos",
            doc! { "key": { "x": 1 }, "name": "x_1", "sparse": true },
        )
        .await;
    let one = model(
        "One",
        "ones",
        &[],
        vec![
            field("customId", &[UNIQUE]),
            field("name", &[PLAIN]),
            field(
                "at",
                &[IndexRow {
                    expire_after: Some(30),
                    ..PLAIN
                }],
            ),
        ],
    );
    let two = model("Two", "twos", &[], vec![field("x", &[PLAIN])]);
    let three = model("Three", "threes", &[], vec![field("x", &[PLAIN])]);
    let failed = errors(
        sync_indexes(&bench.db)
            .models(&[one, two, three])
            .drop_unknown(),
    )
    .await;
    assert_eq!(
        failed
            .errors()
            .iter()
            .map(|error| (error.collection.as_str(), error.models[0]))
            .collect::<Vec<_>>(),
        [("ones", "One"), ("twos", "Two")]
    );
    let text = failed.to_string();
    assert!(text.contains("ones (One): not built because of a conflict: `customId_1_unique` { customId: 1 } unique against"), "{text}");
    assert!(
        text.contains("unique is declared true but is false")
            && text.contains("sparse is declared false but is true"),
        "{text}"
    );
    assert_eq!(
        bench.names("ones").await,
        ["at_1", "customId_1", "name_1", "old_1"],
        "nothing is dropped where something failed"
    );
    let at = bench.live("ones").await.swap_remove(0);
    let seconds = at.get_i64("expireAfterSeconds").ok();
    let seconds = seconds.or_else(|| at.get_i32("expireAfterSeconds").ok().map(i64::from));
    assert_eq!(seconds, Some(30), "changed in place: {at}");
    assert_eq!(bench.names("threes").await, ["x_1"]);
    let created: Vec<_> = failed
        .report()
        .collections
        .iter()
        .filter(|report| !report.is_unchanged())
        .map(|report| report.collection.as_str())
        .collect();
    assert_eq!(created, ["ones", "threes"]);
}

#[tokio::test]
async fn models_of_one_collection_are_planned_together() {
    let bench = Bench::new("index_shared").await;
    let one = model(
        "One",
        "things",
        &[],
        vec![field("a", &[PLAIN]), field("kind", &[PLAIN])],
    );
    let two = model(
        "Two",
        "things",
        &[],
        vec![field("b", &[PLAIN]), field("kind", &[PLAIN])],
    );
    let report = sync_indexes(&bench.db)
        .models(&[one, two])
        .drop_unknown()
        .await
        .expect("synced");
    assert_eq!(report.collections.len(), 1);
    assert_eq!(bench.names("things").await, ["a_1", "b_1", "kind_1"]);
    bench.assert_settled(&[one, two]).await;
    let expiring = |name, seconds| {
        model(
            name,
            "expiring",
            &[],
            vec![field(
                "at",
                &[IndexRow {
                    expire_after: Some(seconds),
                    ..PLAIN
                }],
            )],
        )
    };
    let both = [expiring("Ten", 10), expiring("Twenty", 20)];
    let failed = errors(sync_indexes(&bench.db).models(&both).replace_conflicts()).await;
    assert!(
        failed
            .to_string()
            .contains("expiring (Ten, Twenty): not built because of a conflict"),
        "{failed}"
    );
    assert!(
        failed
            .to_string()
            .contains("the same index is declared with two expiries"),
        "{failed}"
    );
}
