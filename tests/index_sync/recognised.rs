//! Which live index is which declared one.

use super::*;

#[tokio::test]
async fn keys_in_another_order_are_another_index() {
    let bench = Bench::new("index_keys").await;
    bench
        .create(
            "things",
            doc! { "key": { "b": 1, "a": 1 }, "name": "b_1_a_1" },
        )
        .await;
    bench
        .create(
            "things",
            doc! { "key": { "a": 1, "_id": 1 }, "name": "a_1__id_1" },
        )
        .await;
    let thing = model(
        "Thing",
        "things",
        &[keys(&[("a", KeyKind::Asc), ("b", KeyKind::Asc)])],
        vec![field("a", &[PLAIN]), field("b", &[])],
    );
    let plan = bench.plan(&[thing]).await;
    assert_eq!(names(&plan.collections[0].create), ["a_1_b_1", "a_1"]);
    assert_eq!(plan.collections[0].unknown.len(), 2);
    sync_indexes(&bench.db)
        .models(&[thing])
        .drop_unknown()
        .await
        .expect("synced");
    assert_eq!(bench.names("things").await, ["a_1", "a_1_b_1"]);
    bench.assert_settled(&[thing]).await;
}

#[tokio::test]
async fn every_kind_and_option_is_recognised_when_it_is_there() {
    let bench = Bench::new("index_kinds").await;
    let condition = |op| -> IndexRow {
        IndexRow {
            partial: vec![ConditionRow { path: "", op }].leak(),
            ..PLAIN
        }
    };
    let collation = |locale| -> IndexRow {
        let row = CollationRow {
            locale,
            strength: None,
            case_level: Some(true),
            numeric_ordering: Some(true),
        };
        IndexRow {
            collation: Some(Box::leak(Box::new(row))),
            ..PLAIN
        }
    };
    let thing = model(
        "Thing",
        "things",
        &[
            keys(&[("", KeyKind::Wildcard)]),
            keys(&[("a", KeyKind::Desc), ("b", KeyKind::Hashed)]),
        ],
        vec![
            field(
                "a",
                &[
                    PLAIN,
                    UNIQUE,
                    IndexRow {
                        sparse: true,
                        ..PLAIN
                    },
                    IndexRow {
                        collation: Some(&ENGLISH),
                        ..UNIQUE
                    },
                ],
            ),
            field(
                "b",
                &[
                    keys(&[("", KeyKind::Desc)]),
                    keys(&[("", KeyKind::Wildcard)]),
                    keys(&[("", KeyKind::Geo)]),
                ],
            ),
            field(
                "c",
                &[
                    IndexRow {
                        expire_after: Some(0),
                        ..PLAIN
                    },
                    IndexRow {
                        expire_after: Some(i32::MAX.unsigned_abs()),
                        ..UNIQUE
                    },
                ],
            ),
            field(
                "d",
                &[
                    above(5),
                    above(6),
                    condition(ConditionOp::Exists),
                    condition(ConditionOp::Type("string")),
                    condition(ConditionOp::Eq(Literal::Bool(true))),
                    condition(ConditionOp::Lte(Literal::Double(1.5))),
                ],
            ),
            field(
                "e",
                &[
                    "simple",
                    "da",
                    "fr_CA",
                    "th",
                    "vi",
                    "zh_Hant",
                    "de@collation=phonebook",
                ]
                .map(collation),
            ),
            field(
                "t",
                &[IndexRow {
                    keys: &[
                        KeyRow {
                            path: "a",
                            kind: KeyKind::Asc,
                        },
                        KeyRow {
                            path: "t",
                            kind: KeyKind::Text,
                        },
                        KeyRow {
                            path: "e",
                            kind: KeyKind::Text,
                        },
                    ],
                    text: Some(&TextRow {
                        weights: &[("e", 10)],
                        default_language: Some("german"),
                        language_override: Some("_lang"),
                    }),
                    ..PLAIN
                }],
            ),
        ],
    );
    let report = bench.sync(&[thing]).await;
    assert_eq!(report.collections[0].created.len(), 25, "{report}");
    bench.assert_settled(&[thing]).await;
}

#[tokio::test]
async fn what_other_clients_write_differently_is_the_same_index() {
    let bench = Bench::new("index_same").await;
    for spec in [
        doc! { "key": { "a": 1.0, "b": -1_i64 }, "name": "numbers", "background": true, "sparse": false },
        doc! { "key": { "at": 1_i64 }, "name": "expiry", "expireAfterSeconds": 60.0 },
        doc! { "key": { "c": 1 }, "name": "collation", "unique": true, "collation": { "strength": 2, "numericOrdering": false, "locale": "en" } },
        doc! { "key": { "d": 1 }, "name": "partial", "partialFilterExpression": { "$and": [{ "d": { "$gt": 5.0 } }] } },
        doc! { "key": { "title": 1, "author": "text" }, "name": "text", "weights": { "author": 1.0 }, "default_language": "english" },
    ] {
        bench.create("things", spec).await;
    }
    let thing = model(
        "Thing",
        "things",
        &[
            keys(&[("a", KeyKind::Asc), ("b", KeyKind::Desc)]),
            keys(&[("title", KeyKind::Asc), ("author", KeyKind::Text)]),
        ],
        vec![
            field("a", &[]),
            field("b", &[]),
            field(
                "at",
                &[IndexRow {
                    expire_after: Some(60),
                    ..PLAIN
                }],
            ),
            field(
                "c",
                &[IndexRow {
                    collation: Some(&ENGLISH),
                    ..UNIQUE
                }],
            ),
            field("d", &[above(5)]),
            field("title", &[]),
            field("author", &[]),
        ],
    );
    bench.assert_settled(&[thing]).await;
}

#[tokio::test]
async fn embedded_fields_and_references_have_their_indexes_at_dotted_paths() {
    fn nothing() -> &'static ModelMeta {
        unreachable!("no index needs it")
    }
    static REFS: RelationRow = RelationRow::many(nothing).entry().copied();
    static PARENT: RelationRow = RelationRow::one(nothing).sort("time", true).copied();
    let bench = Bench::new("index_paths").await;
    let thing = thing(vec![
        embedded(
            "items",
            Kind::Array,
            vec![
                field("sku", &[UNIQUE]),
                embedded("size", Kind::Document, vec![field("h", &[PLAIN])]),
            ],
        ),
        field("parts", &[]).relation(&REFS),
        field("host", &[]).relation(&PARENT),
        field("time", &[]),
    ]);
    assert!(
        definitions(thing)
            .iter()
            .any(|index| index.source == Source::Automatic)
    );
    bench.sync(&[thing]).await;
    assert_eq!(
        bench.names("things").await,
        [
            "host_1__id_1",
            "host_1_time_-1__id_-1",
            "items.size.h_1",
            "items.sku_1_unique",
            "parts.id_1__id_1"
        ]
    );
    bench.assert_settled(&[thing]).await;
}

#[tokio::test]
async fn the_servers_own_indexes_are_never_unknown() {
    let bench = Bench::new("index_own").await;
    for (name, options) in [
        ("capped", doc! { "capped": true, "size": 4096 }),
        (
            "clustered",
            doc! { "clusteredIndex": { "key": { "_id": 1 }, "unique": true, "name": "theirs" } },
        ),
        (
            "series",
            doc! { "timeseries": { "timeField": "t", "metaField": "m" } },
        ),
    ] {
        let mut command = doc! { "create": name };
        command.extend(options);
        bench.db.run_command(command).await.expect("a collection");
    }
    // Servers since 6.3 make this one with the collection.
    bench
        .create(
            "series",
            doc! { "key": { "m": 1, "t": 1 }, "name": "m_1_t_1" },
        )
        .await;
    bench
        .create("series", doc! { "key": { "t": 1, "m": 1 }, "name": "mine" })
        .await;
    let [capped, clustered, series] =
        ["capped", "clustered", "series"].map(|name| model("Thing", name, &[], vec![]));
    bench.assert_settled(&[capped, clustered]).await;
    let plan = bench.plan(&[series]).await;
    assert_eq!(
        plan.collections[0]
            .unknown
            .iter()
            .map(|index| index.name.as_str())
            .collect::<Vec<_>>(),
        ["mine"]
    );
    sync_indexes(&bench.db)
        .models(&[capped, clustered, series])
        .drop_unknown()
        .await
        .expect("synced");
    assert_eq!(bench.names("series").await, ["m_1_t_1"]);
}

#[tokio::test]
async fn a_collection_with_a_collation_gives_it_to_its_indexes() {
    let bench = Bench::new("index_collation").await;
    bench
        .db
        .run_command(doc! { "create": "things", "collation": { "locale": "fr" } })
        .await
        .expect("a collection");
    let french = CollationRow {
        locale: "fr",
        strength: None,
        case_level: None,
        numeric_ordering: None,
    };
    let binary = CollationRow {
        locale: "simple",
        ..french
    };
    let with = |row| -> IndexRow {
        IndexRow {
            collation: Some(Box::leak(Box::new(row))),
            ..PLAIN
        }
    };
    let thing = thing(vec![
        field("a", &[PLAIN]),
        field("b", &[with(french)]),
        field("c", &[with(binary)]),
        field("d", &[keys(&[("", KeyKind::Text)])]),
        field(
            "e",
            &[keys(&[("", KeyKind::Hashed)]), keys(&[("", KeyKind::Geo)])],
        ),
    ]);
    bench.sync(&[thing]).await;
    bench.assert_settled(&[thing]).await;
    let live = bench.live("things").await;
    let collated: Vec<&str> = live
        .iter()
        .filter(|spec| spec.contains_key("collation"))
        .map(name)
        .collect();
    assert_eq!(collated, ["a_1", "b_1_fr", "e_2dsphere", "e_hashed"]);
}
