//! Jobs that are not ready at once.

use std::time::Duration;

use bson::{DateTime, Document, doc};
use mongo_model::{Id, MongoModel};

use crate::common::{Bench, in_set, on_both};
use crate::queueing::referring::{Page, Print, Printer};
use crate::queueing::{LONG, Mail, mail, pass_time, pop};

/// The queue's state of a job, in `_dn.q`.
async fn state(bench: &Bench, id: i64) -> Document {
    let stored = bench.stored("mails", id).await;
    let dn = stored.get_document("_dn").expect("the library's own");
    dn.get_document("q").expect("a state").clone()
}

/// How far from now a job's time is, by the server's clock.
async fn left(bench: &Bench, id: i64) -> i64 {
    let state = state(bench, id).await;
    assert_eq!(state.len(), 1, "{state}");
    let at = state.get_datetime("at").expect("a time");
    let now = bench.db.run_command(doc! { "hello": 1 }).await;
    let now = now.expect("answered");
    let now = now.get_datetime("localTime").expect("a time");
    bench.forget();
    at.timestamp_millis() - now.timestamp_millis()
}

#[tokio::test]
async fn a_job_is_nobodys_before_it_has_waited() {
    on_both("queue_after", async |bench| {
        let db = &bench.db;
        bench.index(&[Mail::meta()]).await;
        // The most urgent of all, but not yet.
        let pushed = Mail::queue(db).push(&mail(1, 9)).after(LONG).await;
        assert_eq!(pushed.expect("stored").inserted, 1);
        let sent = bench.take();
        let names: Vec<&str> = sent.iter().map(|sent| sent.name.as_str()).collect();
        assert_eq!(names, ["insert", "update"]);
        // The only time in it is none of this program's.
        let stored = sent[0].command.get_array("documents").expect("documents")[0].as_document();
        let waits = doc! { "q": { "at": DateTime::from_millis(0), "in": 3_600_000_i64 } };
        assert_eq!(stored.expect("one").get_document("_dn").ok(), Some(&waits));
        let update = sent[1].command.get_array("updates").expect("updates")[0].to_string();
        assert!(
            update.contains("$$NOW") && !update.contains("DateTime"),
            "{update}"
        );
        assert!((3_500_000..=3_600_000).contains(&left(bench, 1).await));

        Mail::queue(db).push(&mail(2, 0)).await.expect("stored");
        assert_eq!(pop(bench).await.map(|leased| leased.job.id), Some(2));
        for _ in 0..3 {
            assert!(pop(bench).await.is_none());
        }
        bench.forget();
        assert!(pop(bench).await.is_none());
        for sent in bench.take() {
            let asked = match sent.name.as_str() {
                "findAndModify" => continue,
                _ => sent.command.get_array("updates").expect("updates")[0].as_document(),
            };
            let asked = asked.expect("one").get_document("q").expect("a filter");
            let plan = bench
                .explain(doc! { "find": "mails", "filter": asked })
                .await;
            plan.assert_served_by("_dn.q.at");
        }
        pass_time(bench, "mails", 1_i64).await;
        let taken = pop(bench).await.expect("it is time");
        assert_eq!(
            (&taken.job, taken.attempts(), taken.token()),
            (&mail(1, 9), 1, 1)
        );
    })
    .await;
}

#[tokio::test]
async fn a_job_waits_for_a_time() {
    on_both("queue_at", async |bench| {
        let db = &bench.db;
        bench.index(&[Mail::meta()]).await;
        let queue = Mail::queue(db);
        let far = DateTime::from_millis(4_000_000_000_000);
        queue.push(&mail(1, 9)).at(far).await.expect("stored");
        bench.only();
        assert_eq!(state(bench, 1).await, doc! { "at": far });
        // A time in the past is due now, also one before 1970.
        for (id, past) in [(2, 1_000), (3, -1_000)] {
            let past = DateTime::from_millis(past);
            queue.push(&mail(id, 0)).at(past).await.expect("stored");
        }
        assert_eq!(pop(bench).await.map(|leased| leased.job.id), Some(2));
        assert_eq!(pop(bench).await.map(|leased| leased.job.id), Some(3));
        assert!(pop(bench).await.is_none());
        pass_time(bench, "mails", 1_i64).await;
        assert_eq!(pop(bench).await.map(|leased| leased.job.id), Some(1));
    })
    .await;
}

#[tokio::test]
async fn many_wait_together_and_others_not_at_all() {
    on_both("queue_after_many", async |bench| {
        let db = &bench.db;
        bench.index(&[Mail::meta()]).await;
        let queue = Mail::queue(db);
        let all: Vec<Mail> = (0..10_001).map(|id| mail(id, 0)).collect();
        let pushed = queue.push_many(&all).after(Duration::MAX).await;
        assert_eq!(pushed.expect("stored").inserted, 10_001);
        let sent = bench.sent();
        assert_eq!(
            sent.iter().filter(|name| *name == "update").count(),
            2,
            "{sent:?}"
        );
        let begun = doc! { "_dn.q.in": { "$exists": true } };
        let jobs = bench.raw("mails");
        assert_eq!(jobs.count_documents(begun).await.expect("counted"), 0);
        assert!(pop(bench).await.is_none());
        // No wait is none.
        bench.forget();
        queue
            .push(&mail(-1, 0))
            .after(Duration::ZERO)
            .await
            .expect("stored");
        let stored = bench.only().get_array("documents").expect("documents")[0].clone();
        assert!(!stored.as_document().expect("one").contains_key("_dn"));
        assert_eq!(pop(bench).await.map(|leased| leased.job.id), Some(-1));
    })
    .await;
}

/// The program ends between the insert and the write with the server's time: the test above shows the document that is stored then.
#[tokio::test]
async fn a_wait_that_nobody_has_begun_begins_when_somebody_looks() {
    on_both("queue_after_crash", async |bench| {
        bench.index(&[Mail::meta()]).await;
        let waits = doc! { "q": { "at": DateTime::from_millis(0), "in": 3_600_000_i64 } };
        let job = doc! { "_id": 1_i64, "u": 9, "to": "1@example.org", "_dn": waits };
        bench.seed("mails", [job]).await;
        for _ in 0..3 {
            assert!(pop(bench).await.is_none());
        }
        assert!((3_500_000..=3_600_000).contains(&left(bench, 1).await));
        pass_time(bench, "mails", 1_i64).await;
        assert_eq!(pop(bench).await.map(|leased| leased.job), Some(mail(1, 9)));
    })
    .await;
}

#[tokio::test]
async fn a_transaction_that_is_not_committed_has_pushed_nothing() {
    in_set("queue_after_tx", async |bench| {
        let db = &bench.db;
        bench.index(&[Mail::meta()]).await;
        for (id, commit) in [(1, false), (2, true)] {
            let mut session = bench.transaction().await;
            let push = Mail::queue(db).push(&mail(id, 0)).after(LONG);
            push.driver_session(&mut session).await.expect("stored");
            if commit {
                session.commit_transaction().await.expect("committed");
            } else {
                session.abort_transaction().await.expect("aborted");
            }
        }
        assert_eq!(bench.len("mails").await, 1);
        assert!((3_500_000..=3_600_000).contains(&left(bench, 2).await));
        assert!(pop(bench).await.is_none());
    })
    .await;
}

/// A job that waits is counted, and its copies are right, as of any other.
#[tokio::test]
async fn what_hangs_on_a_job_that_waits_follows() {
    on_both("queue_after_refs", async |bench| {
        let db = &bench.db;
        let models = [Printer::meta(), Print::meta(), Page::meta()];
        bench.index(&models).await;
        let printer = Printer {
            id: Id::new(),
            name: "laser".to_owned(),
            waiting: 0,
        };
        Printer::insert(db, &printer).await.expect("stored");
        let print = |at: i64| Print {
            id: Id::new(),
            at: DateTime::from_millis(at),
            printer: printer.id,
            printer_name: "wrong".to_owned(),
        };
        let (one, two, three) = (print(1), print(2), print(3));
        let queue = Print::queue(db);
        let pushed = queue.push(&one).after(LONG).await.expect("stored");
        assert!(pushed.pending.is_empty(), "{pushed:?}");
        let pushed = queue.push_many([&two, &three]).after(LONG).await;
        assert!(pushed.expect("stored").pending.is_empty());
        let found = Printer::get(db, printer.id).await.expect("read");
        assert_eq!(found.expect("there").waiting, 3);
        assert!(queue.pop("w", LONG).await.expect("asked").is_none());
        pass_time(bench, "prints", three.id.into_raw()).await;
        let taken = queue.pop("w", LONG).await.expect("asked").expect("one");
        assert_eq!(
            (taken.job.id, taken.job.printer_name.as_str()),
            (three.id, "laser")
        );
        assert!(queue.pop("w", LONG).await.expect("asked").is_none());
        taken.ack(db).await.expect("done");
        let found = mongo_model::verify(db).await.expect("verified");
        assert!(found.is_clean(), "{found}");
    })
    .await;
}
