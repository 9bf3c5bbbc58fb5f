//! Errors of the server.

use super::*;

#[tokio::test]
async fn one_bad_index_does_not_hold_up_the_others() {
    let bench = Bench::new("index_duplicates").await;
    bench
        .insert(
            "users",
            [
                doc! { "username": "x", "email": 1 },
                doc! { "username": "x", "email": 2 },
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
    let IndexFailure::Create { index, source } = &error.cause else {
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
    assert!(
        failed
            .to_string()
            .contains("users (User): cannot create `username_1_unique` { username: 1 } unique: "),
        "{failed}"
    );
    assert!(std::error::Error::source(&failed).is_some());
    assert_eq!(
        bench.names("users").await,
        ["email_1", "old_1"],
        "nothing is dropped where something failed"
    );
    assert_eq!(bench.names("others").await, ["a_1"]);
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
