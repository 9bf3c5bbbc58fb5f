//! Queues: which worker gets which job, how leases end, and that no job is lost or done by two.

mod checked;
mod later;
mod lost;
mod referring;
mod stress;

use std::time::Duration;

use bson::{Bson, DateTime, doc};
use mongo_model::{Error, Leased, MongoModel};
use serde::{Deserialize, Serialize};

use crate::common::{Bench, alone, in_set, on_both};

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "mails", queue(priority = urgency, max_attempts = 3))]
pub struct Mail {
    #[serde(rename = "_id")]
    pub id: i64,
    #[serde(rename = "u")]
    pub urgency: i32,
    pub to: String,
}

pub(crate) fn mail(id: i64, urgency: i32) -> Mail {
    Mail {
        id,
        urgency,
        to: format!("{id}@example.org"),
    }
}

pub(crate) const LONG: Duration = Duration::from_secs(3_600);

/// Makes time go by for a job: its lease or its delay has ended, as the server's clock would say later.
pub(crate) async fn pass_time(bench: &Bench, collection: &str, id: impl Into<Bson>) {
    let past = doc! { "$set": { "_dn.q.at": DateTime::from_millis(1) } };
    let filter = doc! { "_id": id.into(), "_dn.q.at": { "$type": "date" } };
    let jobs = bench.raw(collection);
    let done = jobs.update_one(filter, past).await.expect("changed");
    assert_eq!(done.matched_count, 1, "it waits for nothing");
    bench.forget();
}

async fn pop(bench: &Bench) -> Option<Leased<Mail>> {
    Mail::queue(&bench.db).pop("w", LONG).await.expect("asked")
}

fn assert_lost<T: std::fmt::Debug>(done: Result<T, Error>, token: i64) {
    match done {
        Err(Error::LeaseLost { token: lost, .. }) => assert_eq!(lost, token),
        other => panic!("a lost lease was expected: {other:?}"),
    }
}

#[tokio::test]
async fn the_most_urgent_is_first_and_then_the_oldest() {
    on_both("queue_order", async |bench| {
        let db = &bench.db;
        bench.index(&[Mail::meta()]).await;
        let all = [(1, 0), (2, 5), (3, 0), (4, 5), (5, 9)].map(|(id, u)| mail(id, u));
        let pushed = Mail::queue(db).push_many(&all).await.expect("stored");
        assert_eq!(pushed.inserted, 5);
        let mut taken = Vec::new();
        while let Some(leased) = pop(bench).await {
            assert_eq!(
                (leased.attempts(), leased.token(), leased.worker()),
                (1, 1, "w")
            );
            taken.push(leased.job.id);
        }
        assert_eq!(taken, [5, 2, 4, 1, 3]);
        // They are leased, not gone.
        assert_eq!(bench.len("mails").await, 5);
    })
    .await;
}

#[tokio::test]
async fn a_job_is_found_by_the_index_however_many_there_are() {
    on_both("queue_index", async |bench| {
        let db = &bench.db;
        bench.index(&[Mail::meta()]).await;
        let all: Vec<Mail> = (0..2_000).map(|id| mail(id, (id % 7) as i32)).collect();
        Mail::queue(db).push_many(&all).await.expect("stored");
        // Many are leased, and many are put off.
        let leased =
            doc! { "$set": { "_dn.q": { "at": DateTime::MAX, "n": 1_i64, "t": 1_i64, "w": "x" } } };
        let jobs = bench.raw("mails");
        jobs.update_many(doc! { "_id": { "$lt": 500 } }, leased)
            .await
            .expect("leased");
        bench.forget();
        loop {
            let taken = pop(bench).await.expect("one");
            assert!(taken.job.id >= 500);
            let mut sent = bench.take();
            // One in many calls looks for what has ended, first.
            let looks = sent.len() == 2;
            let claim = sent.pop().expect("a command");
            assert_eq!(claim.name, "findAndModify");
            assert_eq!(
                *claim.command.get_document("sort").expect("an order"),
                doc! { "u": -1, "_id": 1 }
            );
            assert_eq!(
                claim
                    .command
                    .get_document("writeConcern")
                    .expect("a concern")
                    .get_str("w")
                    .ok(),
                Some("majority")
            );
            let plan = bench.explain(claim.command).await;
            plan.assert_served_by("_dn.q.at");
            assert!(!plan.has("SORT"), "{plan:#?}");
            assert!(plan.documents <= 1 && plan.keys <= 2, "{plan:#?}");
            if looks {
                let look = sent.pop().expect("a command").command;
                let update = look.get_array("updates").expect("updates")[0].as_document();
                let asked = update.expect("one").get_document("q").expect("a filter");
                let find = doc! { "find": "mails", "filter": asked };
                let plan = bench.explain(find).await;
                plan.assert_served_by("_dn.q.at");
                assert_eq!(plan.documents, 0, "{plan:#?}");
                break;
            }
        }
    })
    .await;
}

#[tokio::test]
async fn done_is_gone_and_only_its_worker_says_so() {
    on_both("queue_ack", async |bench| {
        let db = &bench.db;
        bench.index(&[Mail::meta()]).await;
        Mail::queue(db).push(&mail(1, 0)).await.expect("stored");
        let first = pop(bench).await.expect("one");
        assert_eq!(first.job, mail(1, 0));
        assert!(pop(bench).await.is_none());

        // Its lease ends, and another takes it.
        pass_time(bench, "mails", 1_i64).await;
        let mut second = pop(bench).await.expect("again");
        assert_eq!((second.attempts(), second.token()), (2, 2));
        bench.forget();
        assert_lost(first.ack(db).await, 1);
        assert_lost(first.nack(db, Duration::ZERO).await, 1);
        let mut stale = first.clone();
        assert_lost(stale.extend(db, LONG).await, 1);
        let error = first.ack(db).await.expect_err("lost");
        assert_eq!(
            error.to_string(),
            "the lease 1 of Mail 1 is lost: it was given back, or has ended and belongs to another holder"
        );
        assert_eq!(bench.len("mails").await, 1);

        // It ends before another worker takes the job: the job is still its worker's.
        pass_time(bench, "mails", 1_i64).await;
        let before = second.until();
        second.extend(db, LONG * 2).await.expect("extended");
        assert!(second.until() > before);
        assert!(pop(bench).await.is_none());
        pass_time(bench, "mails", 1_i64).await;
        bench.forget();
        let done = second.ack(db).await.expect("done");
        assert_eq!(done.deleted, 1);
        let sent = bench.only();
        let delete = sent.get_array("deletes").expect("deletes")[0].as_document();
        assert_eq!(
            *delete.expect("one").get_document("q").expect("a filter"),
            doc! { "_id": 1_i64, "_dn.q.t": 2_i64, "_dn.q.w": "w" }
        );
        assert_eq!(bench.len("mails").await, 0);
        assert_lost(second.ack(db).await, 2);
    })
    .await;
}

#[tokio::test]
async fn what_is_given_back_comes_again_until_it_is_a_dead_letter() {
    on_both("queue_nack", async |bench| {
        let db = &bench.db;
        bench.index(&[Mail::meta()]).await;
        Mail::queue(db)
            .push_many([&mail(1, 0), &mail(2, -1)])
            .await
            .expect("stored");
        let first = pop(bench).await.expect("one");
        first.nack(db, Duration::ZERO).await.expect("given back");
        // It is given back: there is no more to say.
        assert_lost(first.ack(db).await, 1);
        let again = pop(bench).await.expect("again");
        assert_eq!((again.job.id, again.attempts()), (1, 2));
        again.nack(db, LONG).await.expect("put off");
        let other = pop(bench).await.expect("the other");
        assert_eq!(other.job.id, 2);
        assert!(pop(bench).await.is_none());
        pass_time(bench, "mails", 1_i64).await;
        let last = pop(bench).await.expect("the last time");
        assert_eq!((last.job.id, last.attempts(), last.token()), (1, 3, 3));
        last.nack(db, Duration::ZERO).await.expect("given back");
        assert!(pop(bench).await.is_none());
        bench.forget();
        let dead = Mail::queue(db).dead().await.expect("found");
        assert_eq!(dead, [mail(1, 0)]);
        bench.plan().await.assert_served_by("_dn.q.at");

        // One that is left each time ends there too.
        for token in 1..=3 {
            pass_time(bench, "mails", 2_i64).await;
            let left = pop(bench).await.map(|left| left.token());
            assert_eq!(left, (token < 3).then_some(token + 1));
        }
        assert_eq!(Mail::queue(db).dead().await.expect("found").len(), 2);

        // Alive once more: with all its attempts, but never under a token that was given before.
        assert!(matches!(
            Mail::queue(db).revive(7).await,
            Err(Error::NotFound { .. })
        ));
        Mail::queue(db).revive(1).await.expect("revived");
        let revived = pop(bench).await.expect("alive");
        assert_eq!(
            (revived.job.id, revived.attempts(), revived.token()),
            (1, 1, 4)
        );
        assert!(matches!(
            Mail::queue(db).revive(1).await,
            Err(Error::NotFound { .. })
        ));
        assert_lost(last.ack(db).await, 3);
    })
    .await;
}

/// A write to a leased job, by its worker or by another program, leaves the lease alone.
#[tokio::test]
async fn other_writes_leave_the_lease_alone() {
    on_both("queue_writes", async |bench| {
        let db = &bench.db;
        bench.index(&[Mail::meta()]).await;
        Mail::queue(db).push(&mail(1, 0)).await.expect("stored");
        let leased = pop(bench).await.expect("one");
        Mail::update(db, 1)
            .set(|m| m.to, "b@example.org")
            .await
            .expect("changed");
        let saved = Mail {
            urgency: 7,
            ..mail(1, 0)
        };
        saved.save(db).await.expect("saved");
        assert_eq!(Mail::get(db, 1).await.expect("read"), Some(saved));
        assert!(pop(bench).await.is_none());
        leased.ack(db).await.expect("done");
        // A document that `save` inserts is a job like any other.
        let new = mail(2, 0).save(db).await.expect("saved");
        assert_eq!(new.inserted, 1);
        assert_eq!(pop(bench).await.map(|leased| leased.job.id), Some(2));
    })
    .await;
}

/// Leases are as long as the server says, whatever this program's clock shows.
#[tokio::test]
async fn the_server_says_until_when() {
    on_both("queue_clock", async |bench| {
        let db = &bench.db;
        bench.index(&[Mail::meta()]).await;
        Mail::queue(db).push(&mail(1, 0)).await.expect("stored");
        bench.forget();
        let leased = pop(bench).await.expect("one");
        for sent in bench.take() {
            let text = sent.command.to_string();
            assert!(
                text.contains("$$NOW") || sent.name != "findAndModify",
                "{text}"
            );
        }
        let now = bench
            .db
            .run_command(doc! { "hello": 1 })
            .await
            .expect("answered");
        let now = now.get_datetime("localTime").expect("a time");
        let left = leased.until().timestamp_millis() - now.timestamp_millis();
        assert!((3_500_000..=3_600_000).contains(&left), "{left}");
        // A lease of no time has ended at once.
        let leased = {
            leased.nack(db, Duration::ZERO).await.expect("given back");
            leased
        };
        let short = Mail::queue(db)
            .pop("a", Duration::ZERO)
            .await
            .expect("asked")
            .expect("one");
        let other = Mail::queue(db)
            .pop("b", LONG)
            .await
            .expect("asked")
            .expect("one");
        assert!(other.token() > short.token() && short.token() > leased.token());
        // The longest possible time.
        let mut other = other;
        other.extend(db, Duration::MAX).await.expect("extended");
    })
    .await;
}

#[tokio::test]
async fn a_job_is_ready_when_its_transaction_is_committed() {
    in_set("queue_tx", async |bench| {
        let db = &bench.db;
        bench.index(&[Mail::meta()]).await;
        let mut session = bench.transaction().await;
        Mail::queue(db)
            .push(&mail(1, 0))
            .driver_session(&mut session)
            .await
            .expect("stored");
        assert!(pop(bench).await.is_none());
        session.commit_transaction().await.expect("committed");
        assert_eq!(pop(bench).await.map(|leased| leased.job.id), Some(1));
    })
    .await;
}

#[tokio::test]
async fn a_job_that_cannot_be_read_stays_away_and_ends() {
    alone("queue_unreadable", async |bench| {
        bench.index(&[Mail::meta()]).await;
        bench
            .seed("mails", [doc! { "_id": 1_i64, "u": 0, "to": 5 }])
            .await;
        for _ in 0..3 {
            let error = Mail::queue(&bench.db)
                .pop("w", LONG)
                .await
                .expect_err("unreadable");
            assert!(matches!(error, Error::Decode { model: "Mail", .. }));
            assert!(pop(bench).await.is_none());
            pass_time(bench, "mails", 1_i64).await;
        }
        assert!(pop(bench).await.is_none());
        let dead = bench.stored("mails", 1_i64).await;
        let state = dead.get_document("_dn").and_then(|dn| dn.get_document("q"));
        assert_eq!(state.expect("a state").get_str("at").ok(), Some("dead"));
    })
    .await;
}
