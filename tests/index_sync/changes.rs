//! The indexes that are created, changed, hidden and dropped, and the commands for that.

use super::*;

#[tokio::test]
async fn an_empty_database_gets_the_declared_indexes() {
    let bench = Bench::new("index_add").await;
    let thing = thing(vec![field("name", &[PLAIN]), field("email", &[UNIQUE])]);
    let report = bench.sync(&[thing]).await;
    assert_eq!(
        names(&report.collections[0].created),
        ["name_1", "email_1_unique"]
    );
    assert_eq!(bench.names("things").await, ["email_1_unique", "name_1"]);
    bench.assert_settled(&[thing]).await;
}

#[tokio::test]
async fn all_new_indexes_of_a_collection_are_one_command() {
    let bench = Bench::new("index_commands").await;
    let one = model(
        "One",
        "ones",
        &[],
        vec![
            field("a", &[PLAIN]),
            field("b", &[PLAIN]),
            field("c", &[PLAIN]),
        ],
    );
    let two = model("Two", "twos", &[], vec![field("a", &[PLAIN])]);
    bench.sync(&[one, two]).await;
    assert_eq!(
        bench.sent(),
        [
            "listIndexes",
            "listIndexes",
            "createIndexes",
            "createIndexes"
        ]
    );
    bench.assert_settled(&[one, two]).await;
}

#[tokio::test]
async fn a_plan_changes_nothing() {
    let bench = Bench::new("index_plan").await;
    bench
        .create("things", doc! { "key": { "age": 1 }, "name": "age_1" })
        .await;
    bench
        .create(
            "things",
            doc! { "key": { "weight": 1 }, "name": "weight_1" },
        )
        .await;
    let thing = thing(vec![field("password", &[PLAIN]), field("email", &[PLAIN])]);
    let absent = model("Absent", "absent", &[], vec![field("x", &[PLAIN])]);
    bench.sent();
    let plan = bench.plan(&[thing, absent]).await;
    assert_eq!(bench.sent(), ["listIndexes", "listIndexes"]);
    let [of_absent, of_thing] = plan.collections.as_slice() else {
        panic!("{plan}")
    };
    assert_eq!(names(&of_thing.create), ["password_1", "email_1"]);
    assert_eq!(
        of_thing
            .unknown
            .iter()
            .map(|index| index.name.as_str())
            .collect::<Vec<_>>(),
        ["age_1", "weight_1"]
    );
    assert_eq!(
        (names(&of_absent.create), of_absent.unknown.len()),
        (vec!["x_1"], 0)
    );
    assert_eq!(bench.names("things").await, ["age_1", "weight_1"]);
    assert_eq!(
        bench
            .db
            .list_collection_names()
            .await
            .expect("the collections"),
        ["things"],
        "a plan creates no collection"
    );
}

#[tokio::test]
async fn unknown_indexes_are_dropped_only_on_request() {
    let bench = Bench::new("index_unknown").await;
    bench
        .create("things", doc! { "key": { "age": 1 }, "name": "by age" })
        .await;
    let thing = thing(vec![field("name", &[PLAIN])]);
    let report = bench.sync(&[thing]).await;
    assert_eq!(report.collections[0].unknown[0].name, "by age");
    assert_eq!(
        report.to_string(),
        "things\n  created   `name_1` { name: 1 }\n  unknown   `by age` { age: 1 }\n"
    );
    assert_eq!(bench.names("things").await, ["by age", "name_1"]);
    bench.sent();
    let report = sync_indexes(&bench.db)
        .models(&[thing])
        .drop_unknown()
        .await
        .expect("synced");
    assert_eq!(
        report.to_string(),
        "things\n  dropped   `by age` { age: 1 }\n"
    );
    assert_eq!(bench.sent(), ["listIndexes", "dropIndexes"]);
    assert_eq!(bench.names("things").await, ["name_1"]);
    bench.assert_settled(&[thing]).await;
}

#[tokio::test]
async fn new_indexes_are_there_before_unknown_ones_go() {
    let bench = Bench::new("index_order").await;
    bench
        .create(
            "things",
            doc! { "key": { "name": 1, "_id": 1 }, "name": "old" },
        )
        .await;
    let thing = thing(vec![field("name", &[PLAIN])]);
    bench.sent();
    sync_indexes(&bench.db)
        .models(&[thing])
        .drop_unknown()
        .await
        .expect("synced");
    assert_eq!(
        bench.sent(),
        ["listIndexes", "createIndexes", "dropIndexes"]
    );
    assert_eq!(bench.names("things").await, ["name_1"]);
}

#[tokio::test]
async fn an_index_that_is_retired_is_hidden_first() {
    let bench = Bench::new("index_hide").await;
    bench
        .create("things", doc! { "key": { "age": 1 }, "name": "age_1" })
        .await;
    let thing = thing(vec![field("name", &[])]);
    let retire = || {
        sync_indexes(&bench.db)
            .models(&[thing])
            .hide_unknown()
            .drop_unknown()
    };
    let report = retire().await.expect("synced");
    assert_eq!(
        (
            report.collections[0].hidden.len(),
            report.collections[0].dropped.len()
        ),
        (1, 0)
    );
    assert_eq!(
        bench.live("things").await[0].get_bool("hidden").ok(),
        Some(true)
    );
    let report = sync_indexes(&bench.db)
        .models(&[thing])
        .hide_unknown()
        .await
        .expect("synced");
    assert_eq!(
        (
            report.collections[0].hidden.len(),
            report.collections[0].unknown.len()
        ),
        (0, 1),
        "it is hidden already"
    );
    let report = retire().await.expect("synced");
    assert_eq!(report.collections[0].dropped[0].name, "age_1");
    assert!(bench.names("things").await.is_empty());
}

#[tokio::test]
async fn a_hidden_index_that_is_declared_is_shown_again() {
    let bench = Bench::new("index_unhide").await;
    bench
        .create(
            "things",
            doc! { "key": { "name": 1 }, "name": "n", "hidden": true },
        )
        .await;
    let thing = thing(vec![field("name", &[PLAIN])]);
    let report = bench.sync(&[thing]).await;
    assert_eq!(
        report.to_string(),
        "things\n  changed   `n` { name: 1 } hidden: hidden to false\n"
    );
    bench.assert_settled(&[thing]).await;
}

#[tokio::test]
async fn an_expiry_is_changed_in_place_under_the_name_it_has() {
    let bench = Bench::new("index_expiry").await;
    bench
        .create(
            "things",
            doc! { "key": { "at": 1 }, "name": "theirs", "expireAfterSeconds": 60 },
        )
        .await;
    bench
        .create(
            "things",
            doc! { "key": { "seen": 1 }, "name": "plain", "hidden": true },
        )
        .await;
    // Variants of the same keys: a change by keys would not know which one.
    bench
        .create(
            "things",
            doc! { "key": { "at": 1 }, "name": "sparse", "sparse": true },
        )
        .await;
    let expiring = |seconds| IndexRow {
        expire_after: Some(seconds),
        ..PLAIN
    };
    let thing = thing(vec![
        field(
            "at",
            &[
                expiring(3600),
                IndexRow {
                    sparse: true,
                    ..expiring(7200)
                },
            ],
        ),
        field("seen", &[expiring(5)]),
    ]);
    bench.sent();
    bench.sync(&[thing]).await;
    assert_eq!(
        bench.sent(),
        ["listIndexes", "collMod", "collMod", "collMod"]
    );
    let live = bench.live("things").await;
    let seconds: Vec<_> = live
        .iter()
        .map(|spec| {
            (
                name(spec),
                spec.get_i32("expireAfterSeconds").expect("an expiry"),
            )
        })
        .collect();
    assert_eq!(seconds, [("plain", 5), ("sparse", 7200), ("theirs", 3600)]);
    bench.assert_settled(&[thing]).await;
}

#[tokio::test]
async fn programs_that_start_together_do_not_disturb_each_other() {
    let bench = Bench::new("index_together").await;
    bench
        .create("things", doc! { "key": { "old": 1 }, "name": "old_1" })
        .await;
    let thing = thing(vec![
        field("a", &[PLAIN]),
        field("b", &[UNIQUE]),
        field(
            "c",
            &[IndexRow {
                expire_after: Some(9),
                ..PLAIN
            }],
        ),
    ]);
    let run = || {
        sync_indexes(&bench.db)
            .models(&[thing])
            .drop_unknown()
            .into_future()
    };
    for result in futures::future::join_all((0..4).map(|_| run())).await {
        result.expect("synced");
    }
    bench.assert_settled(&[thing]).await;
}

#[tokio::test]
async fn nothing_is_sent_before_it_is_awaited() {
    fn send<T: Send>(value: T) -> T {
        value
    }
    let bench = Bench::new("index_lazy").await;
    let thing = thing(vec![field("a", &[PLAIN])]);
    drop(send(plan_indexes(&bench.db).models(&[thing]).into_future()));
    drop(send(sync_indexes(&bench.db).models(&[thing]).into_future()));
    assert!(bench.sent().is_empty());
}

#[tokio::test]
async fn the_write_concern_of_the_database_is_kept() {
    let bench = Bench::new("index_concern").await;
    let options = mongodb::options::DatabaseOptions::builder()
        .write_concern(
            mongodb::options::WriteConcern::builder()
                .w(mongodb::options::Acknowledgment::Majority)
                .build(),
        )
        .build();
    let db = bench
        .db
        .client()
        .database_with_options(bench.db.name(), options);
    sync_indexes(&db)
        .models(&[thing(vec![field("a", &[PLAIN])])])
        .await
        .expect("synced");
    let sent = bench.log.take();
    assert_eq!(
        sent[1].command.get_document("writeConcern").ok(),
        Some(&doc! { "w": "majority" })
    );
}
