//! Steps that the checks of a model refuse: the saga is undone, and says which rules the step would have broken.

use bson::doc;
use mongo_model::{Error, MongoModel, Saga, SagaOutcome};
use serde::{Deserialize, Serialize};

use crate::common::{Bench, on_both};

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "tills", check(low <= cash))]
pub struct Till {
    #[serde(rename = "_id")]
    pub id: i32,
    #[check(range = 0..=10)]
    pub cash: i64,
    #[check(range = ..=5)]
    pub low: i32,
    pub widest: i64,
    #[check(len = ..=3)]
    pub note: String,
    #[version]
    pub version: i64,
}

fn till(id: i32) -> Till {
    Till {
        id,
        cash: 5,
        low: 4,
        widest: i64::MAX,
        note: String::new(),
        version: 0,
    }
}

#[track_caller]
fn why(ended: SagaOutcome) -> Error {
    match ended {
        SagaOutcome::Undone {
            step: 1,
            why: Some(why),
        } => *why,
        ended => panic!("{ended:?}"),
    }
}

#[track_caller]
fn broken(error: Error) -> Vec<String> {
    match error {
        Error::Invalid {
            model: "Till",
            violations,
            ..
        } => violations.iter().map(ToString::to_string).collect(),
        error => panic!("{error:?}"),
    }
}

async fn assert_as_before(bench: &Bench) {
    for id in [1, 2] {
        let found = Till::get(&bench.db, id).await.expect("read");
        let stored = found.expect("there");
        assert_eq!(
            Till {
                version: 0,
                ..stored
            },
            till(id)
        );
    }
    assert_eq!(bench.len("_dn.sagas").await, 0);
}

#[tokio::test]
async fn an_undone_saga_says_which_rules_its_step_would_have_broken() {
    on_both("saga_checked", async |bench| {
        let db = &bench.db;
        Till::insert_many(db, [&till(1), &till(2)])
            .await
            .expect("stored");
        let add = |id: i32, cash: i64| Till::update(db, id).inc(|t| t.cash, cash);
        let saga = || Saga::new(db, "checked").step(add(1, 1), add(1, -1));

        let over = saga().step(add(2, 6).inc(|t| t.low, 2), add(2, -6));
        let over = over.run().await.expect("undone");
        let both = ["cash must be 0 to 10", "low must be at most 5"];
        assert_eq!(broken(why(over)), both);
        assert_as_before(bench).await;

        let compared = saga().step(add(2, -2), add(2, 2));
        let compared = compared.run().await.expect("undone");
        assert_eq!(broken(why(compared)), ["low must meet `low <= cash`"]);
        assert_as_before(bench).await;

        // The server refuses a result beyond 64 bits.
        let widen = |by| Till::update(db, 2).inc(|t| t.widest, by);
        let beyond = saga().step(widen(1), widen(-1)).run().await;
        let beyond = why(beyond.expect("undone"));
        assert!(matches!(beyond, Error::Overflow { .. }), "{beyond:?}");
        assert_as_before(bench).await;

        // A condition of the program that did not hold is no violation, whatever the result would be.
        let unmet = add(2, 6).only_if(|t| t.note.eq("closed"));
        let unmet = saga().step(unmet, add(2, -6)).run().await;
        let unmet = unmet.expect("undone");
        assert!(
            matches!(unmet, SagaOutcome::Undone { step: 1, why: None }),
            "{unmet:?}"
        );
        assert_as_before(bench).await;
    })
    .await;
}

/// A value that is known before is refused before the journal is stored.
#[tokio::test]
async fn a_step_that_stores_a_wrong_value_is_not_begun() {
    on_both("saga_checked_values", async |bench| {
        let db = &bench.db;
        Till::insert(db, &till(1)).await.expect("stored");
        bench.forget();
        let set = |note: &str| Till::update(db, 1).set(|t| t.note, note);
        let wrong = Saga::new(db, "value").step(set("long"), set("")).run();
        let wrong = wrong.await.expect_err("refused");
        assert_eq!(broken(wrong), ["note must have a length of at most 3"]);
        // The undo is checked, too.
        let undo = Saga::new(db, "undo").step(set("a"), set("long")).run();
        let undo = undo.await.expect_err("refused");
        assert_eq!(broken(undo), ["note must have a length of at most 3"]);
        let mut new = till(2);
        new.cash = 11;
        let insert = Saga::new(db, "insert").insert(Till::insert(db, &new)).run();
        let insert = insert.await.expect_err("refused");
        assert_eq!(broken(insert), ["cash must be 0 to 10"]);
        assert!(!bench.sent().contains(&"update".to_owned()));
        assert_eq!(bench.len("_dn.sagas").await, 0);
        let stored = bench.raw("tills").count_documents(doc! {}).await;
        assert_eq!(stored.expect("counted"), 1);
    })
    .await;
}
