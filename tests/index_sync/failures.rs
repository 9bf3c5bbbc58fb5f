//! Errors of the server.

use super::*;

#[tokio::test]
async fn one_bad_index_does_not_hold_up_the_others() {
    let bench = Bench::new("index_duplicates").await;
    bench
        .insert(
            "users",
            [
                doc! { "_id": 1, "username": "x", "email": 1 },
                doc! { "_id": 2, "username": "x", "email": 2 },
                doc! { "_id": 3, "username": "x", "email": 3 },
                doc! { "_id": 4, "username": "y", "email": 4 },
                doc! { "_id": 5, "email": 5 },
                doc! { "_id": 6, "username": Bson::Null, "email": 6 },
            ],
        )
        .await;
    bench
        .create("users", doc! { "key": { "old": 1 }, "name": "old_1" })
        .await;
    let user = model(
        "User",
        "users",
        &[],
        vec![field("username", &[UNIQUE]), field("email", &[PLAIN])],
    );
    let other = model("Other", "others", &[], vec![field("a", &[PLAIN])]);
    let failed = errors(
        sync_indexes(&bench.db)
            .models(&[user, other])
            .drop_unknown(),
    )
    .await;
    let [error] = failed.errors() else {
        panic!("{failed}")
    };
    let IndexFailure::Create {
        index,
        source,
        duplicates,
    } = &error.cause
    else {
        panic!("{failed}")
    };
    assert_eq!(
        (
            error.collection.as_str(),
            index.name.as_deref(),
            code(source)
        ),
        ("users", Some("username_1_unique"), 11000)
    );
    assert_eq!(duplicates.len(), 2, "{duplicates:?}");
    let text = failed.to_string();
    let [one, other] = ["1 and 3 (3 documents)", "5 and 6"];
    let start = "users (User): cannot create `username_1_unique` { username: 1 } unique: \
                 several documents have the same key: those with the _ids ";
    let ends = [
        format!("{start}{one}; {other}"),
        format!("{start}{other}; {one}"),
    ];
    assert!(ends.iter().any(|end| text.ends_with(end)), "{text}");
    assert!(std::error::Error::source(&failed).is_some());
    assert_eq!(
        bench.names("users").await,
        ["email_1", "old_1"],
        "nothing is dropped where something failed"
    );
    assert_eq!(bench.names("others").await, ["a_1"]);
}

/// What the index leaves out, and how it compares strings, is the same to the search for what is in its way.
#[tokio::test]
async fn documents_in_the_way_of_partial_sparse_and_collated_indexes() {
    let bench = Bench::new("index_in_the_way").await;
    let documents = [
        doc! { "_id": 1, "n": 1, "s": 1, "t": "a" },
        doc! { "_id": 2, "n": 1, "t": "b" },
        doc! { "_id": 3, "n": 5, "s": 1, "t": "A" },
        doc! { "_id": 4, "n": 5, "t": "c" },
    ];
    bench.insert("things", documents).await;
    let thing = thing(vec![
        field(
            "n",
            &[IndexRow {
                unique: true,
                ..above(3)
            }],
        ),
        field(
            "s",
            &[IndexRow {
                sparse: true,
                ..UNIQUE
            }],
        ),
        field(
            "t",
            &[IndexRow {
                collation: Some(&ENGLISH),
                ..UNIQUE
            }],
        ),
    ]);
    let failed = errors(sync_indexes(&bench.db).models(&[thing])).await;
    let found = failed.errors().iter().map(|error| match &error.cause {
        IndexFailure::Create { duplicates, .. } => {
            duplicates.iter().map(ToString::to_string).collect()
        }
        cause => vec![cause.to_string()],
    });
    let found: Vec<Vec<String>> = found.collect();
    assert_eq!(found, [["3 and 4"], ["1 and 3"], ["1 and 3"]]);
}

#[tokio::test]
async fn collections_that_cannot_be_read_are_named() {
    let bench = Bench::new("index_view").await;
    bench
        .db
        .run_command(doc! { "create": "view", "viewOn": "things", "pipeline": [] })
        .await
        .expect("a view");
    let view = model("View", "view", &[], vec![field("a", &[PLAIN])]);
    let thing = thing(vec![field("a", &[PLAIN])]);
    let failed = errors(sync_indexes(&bench.db).models(&[view, thing])).await;
    assert!(
        matches!(failed.errors(), [error] if error.collection == "view" && matches!(error.cause, IndexFailure::List(_))),
        "{failed}"
    );
    assert_eq!(bench.names("things").await, ["a_1"]);
    let failed = plan_indexes(&bench.db)
        .models(&[view])
        .await
        .expect_err("not readable");
    assert!(
        failed
            .to_string()
            .contains("view (View): its indexes cannot be listed"),
        "{failed}"
    );
}

#[tokio::test]
async fn a_namespace_that_is_too_long_is_told_before_anything_is_sent() {
    let bench = Bench::new("index_namespace").await;
    let room = 255 - bench.db.name().len() - 1;
    let fits = model(
        "Fits",
        "x".repeat(room).leak(),
        &[],
        vec![field("a", &[PLAIN])],
    );
    bench.sync(&[fits]).await;
    bench.sent();
    let too_long = model(
        "Long",
        "x".repeat(room + 1).leak(),
        &[],
        vec![field("a", &[PLAIN])],
    );
    for failed in [
        plan_indexes(&bench.db)
            .models(&[fits, too_long])
            .await
            .map(drop)
            .expect_err("too long"),
        sync_indexes(&bench.db)
            .models(&[fits, too_long])
            .await
            .map(drop)
            .expect_err("too long"),
    ] {
        assert!(
            matches!(failed, Error::NamespaceTooLong { bytes: 256, .. }),
            "{failed}"
        );
    }
    assert!(bench.sent().is_empty());
}
