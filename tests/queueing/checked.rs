//! Jobs that break a rule of their model are not pushed, by no call.

use std::time::Duration;

use mongo_model::{Error, MongoModel, Result};
use serde::{Deserialize, Serialize};

use super::LONG;
use crate::common::on_both;

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "checked_calls", queue, check(first < last))]
pub struct Call {
    #[serde(rename = "_id")]
    pub id: i64,
    #[check(pattern = "^[0-9]+$", len = 3..=9)]
    pub number: String,
    pub first: i32,
    pub last: i32,
    #[check(range = 0..=2)]
    pub tries: i32,
}

fn call(id: i64, number: &str) -> Call {
    Call {
        id,
        number: number.to_owned(),
        first: 1,
        last: 2,
        tries: 0,
    }
}

#[track_caller]
fn broken<T: std::fmt::Debug>(result: Result<T>) -> (Option<usize>, Vec<String>) {
    match result.expect_err("a rule is broken") {
        Error::Invalid {
            position,
            violations,
            ..
        } => (
            position,
            violations.iter().map(ToString::to_string).collect(),
        ),
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn no_job_that_breaks_a_rule_is_pushed() {
    on_both("queue_checked", async |bench| {
        let db = &bench.db;
        bench.index(&[Call::meta()]).await;
        bench.forget();
        let queue = || Call::queue(db);
        let wrong = Call {
            first: 2,
            ..call(1, "x")
        };
        let all = [
            "number must match `^[0-9]+$`",
            "number must have a length of 3 to 9",
            "first must meet `first < last`",
        ];
        let all = all.map(str::to_owned).to_vec();
        assert_eq!(broken(queue().push(&wrong).await), (None, all.clone()));
        let later = queue().push(&wrong).after(Duration::from_secs(9)).await;
        assert_eq!(broken(later), (None, all.clone()));
        let many = [call(1, "123"), wrong];
        assert_eq!(
            broken(queue().push_many(&many).await),
            (Some(1), all.clone())
        );
        assert_eq!(bench.sent(), Vec::<String>::new(), "nothing is sent");
        assert_eq!(bench.len("checked_calls").await, 0);

        // A leased job is a document like others.
        queue().push(&many[0]).await.expect("pushed");
        let leased = queue().pop("w", LONG).await.expect("asked").expect("a job");
        let tries = |by| Call::update(db, 1).inc(|c| c.tries, by);
        tries(2).await.expect("changed");
        let over = vec!["tries must be 0 to 2".to_owned()];
        assert_eq!(broken(tries(1).await), (None, over));
        leased.ack(db).await.expect("done");
    })
    .await;
}
