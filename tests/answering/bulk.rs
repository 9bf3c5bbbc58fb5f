//! Many documents of one call.

use bson::doc;
use mongo_model::{Database, Error, MongoModel, recover, settle};

use crate::common::{Bench, behind};
use crate::concerns::is_standalone;
use crate::inserting::{commands, names};
use crate::models::{Comment, Issue, User, at_rest, comment, issue, shown, warm};

/// A user, and issues of which this program has counted nothing yet.
async fn issues(bench: &Bench, n: usize) -> (User, Vec<Issue>) {
    let (user, first) = warm(bench).await;
    let db = &bench.db;
    let mut issues = vec![first];
    issues.resize_with(n, issue);
    Issue::insert_many(db, &issues[1..]).await.expect("stored");
    settle(db).await;
    bench.forget();
    (user, issues)
}

/// `n` comments, one after the other on each of the issues.
fn comments(issues: &[Issue], user: &User, n: i64) -> Vec<Comment> {
    let on = issues.iter().cycle();
    (1..=n)
        .zip(on)
        .map(|(n, on)| comment(on, user, n))
        .collect()
}

/// How many comments each of these issues counts.
async fn counts(db: &Database, issues: &[Issue]) -> Vec<i64> {
    let mut counts = Vec::new();
    for on in issues {
        counts.push(shown(db, on).await.0);
    }
    counts
}

/// The commands behind the answers since the log was cleared; the test itself may have read.
pub(crate) async fn behind_answers(bench: &Bench) -> Vec<String> {
    settle(&bench.db).await;
    let sent = commands(bench).into_iter();
    let sent = sent.filter(|(name, _)| name != "find");
    sent.map(|(name, to)| format!("{name} {to}")).collect()
}

/// The first commands, which are sent at the same time, in order.
fn reads_of(awaited: &[(String, String)], many: usize) -> Vec<(&str, &str)> {
    let mut reads = names(&awaited[..many]);
    reads.sort_unstable();
    reads
}

/// These are the commands behind an answer, after the read that confirms the update of so many issues where the call has not waited until
/// it was durable.
pub(crate) async fn assert_behind(bench: &Bench, issues: usize, then: &[&str]) {
    let sent = behind_answers(bench).await;
    let read = match issues {
        1 => Some("findAndModify issues"),
        // The second half of a durable read of several; the first is a find.
        2..4 => Some("update issues"),
        // The update of many parents is durable itself.
        _ => None,
    };
    let read = match is_standalone(bench).await {
        true => read,
        false => None,
    };
    let expected: Vec<&str> = read.into_iter().chain(then.iter().copied()).collect();
    assert_eq!(sent, expected);
}

#[tokio::test]
async fn a_thousand_comments_on_ten_issues_are_applied_by_three_commands_after_each_other() {
    behind("answer_bulk", async |bench| {
        let (user, issues) = issues(bench, 10).await;
        let db = &bench.db;
        let new = comments(&issues, &user, 1_000);
        let done = Comment::insert_many(db, &new).await.expect("stored");
        let awaited = commands(bench);
        let reads = [("find", "issues"), ("find", "users")];
        assert_eq!(reads_of(&awaited, 2), reads);
        let then = [("insert", "comments"), ("update", "issues")];
        assert_eq!(names(&awaited[2..]), then);
        let mut expected = vec![100; 10];
        // The comment that was there before.
        expected[0] += 1;
        assert_eq!(counts(db, &issues).await, expected);
        let last = vec![951, 961, 971, 981, 991];
        assert_eq!(shown(db, &issues[0]).await.1, last);
        // Above 100 documents the references are left to a sweeper.
        assert_eq!(done.pending.len(), 2, "{:?}", done.pending);
        assert_behind(bench, 10, &["update comments", "update issues"]).await;
        recover(db).await.expect("recovered");
        at_rest(bench).await;
    })
    .await;
}

#[tokio::test]
async fn copies_of_a_few_comments_are_compared_behind_the_answer() {
    behind("answer_few", async |bench| {
        let (user, issues) = issues(bench, 10).await;
        let db = &bench.db;
        let mut new = comments(&issues, &user, 20);
        new[3].author_name = "not known".to_owned();
        let done = Comment::insert_many(db, &new).await.expect("stored");
        assert_eq!(done.pending, []);
        assert_eq!(names(&commands(bench)).len(), 4);
        let stored = Comment::get(db, new[3].id).await.expect("read");
        assert_eq!(stored.expect("stored").author_name, "Ada");
        let then = ["findAndModify users", "update comments", "update issues"];
        assert_behind(bench, 10, &then).await;
        at_rest(bench).await;
    })
    .await;
}

/// The epochs of issues that another program stored are read beside the sources.
#[tokio::test]
async fn comments_on_unknown_issues_take_one_read_more() {
    behind("answer_unknown", async |bench| {
        let (user, _) = warm(bench).await;
        let other = bench.stranger().await;
        let unknown: Vec<Issue> = (0..10).map(|_| issue()).collect();
        let raw = unknown.iter().map(|new| {
            let id = new.id.into_raw();
            doc! { "_id": id, "title": "", "last": [], "comments": 0_i64 }
        });
        other
            .db
            .collection("answer_issues")
            .insert_many(raw)
            .await
            .expect("stored");
        bench.end(other).await;
        let db = &bench.db;
        let new = comments(&unknown, &user, 20);
        Comment::insert_many(db, &new).await.expect("stored");
        let awaited = commands(bench);
        let reads = [("find", "issues"), ("find", "issues"), ("find", "users")];
        assert_eq!(reads_of(&awaited, 3), reads);
        let then = [("insert", "comments"), ("update", "issues")];
        assert_eq!(names(&awaited[3..]), then);
        assert_eq!(counts(db, &unknown).await, [2; 10]);
        at_rest(bench).await;
    })
    .await;
}

/// The comments after the one that is refused are not stored: their issues do not count them.
#[tokio::test]
async fn comments_after_a_duplicate_are_not_counted() {
    behind("answer_duplicate", async |bench| {
        let (user, issues) = issues(bench, 10).await;
        let db = &bench.db;
        for settled in [false, true] {
            let before = counts(db, &issues).await;
            let mut new = comments(&issues, &user, 10);
            new[4].id = new[1].id;
            let insert = Comment::insert_many(db, &new);
            let done = match settled {
                true => insert.settled().await,
                false => insert.await,
            };
            match done.expect_err("a duplicate") {
                Error::Duplicate { position, .. } => assert_eq!(position, Some(4)),
                error => panic!("{error}"),
            }
            settle(db).await;
            let after = counts(db, &issues).await.into_iter().zip(before);
            let more: Vec<i64> = after.map(|(after, before)| after - before).collect();
            assert_eq!(more, [1, 1, 1, 1, 0, 0, 0, 0, 0, 0]);
            recover(db).await.expect("recovered");
            at_rest(bench).await;
        }
    })
    .await;
}

/// A comment on an issue that is not there is refused before anything is stored.
#[tokio::test]
async fn one_of_the_issues_is_missing() {
    behind("answer_missing", async |bench| {
        let (user, mut issues) = issues(bench, 5).await;
        let db = &bench.db;
        issues.insert(2, issue());
        let new = comments(&issues, &user, 12);
        let refused = Comment::insert_many(db, &new).await.expect_err("dangling");
        assert!(matches!(refused, Error::Dangling { .. }), "{refused}");
        issues.remove(2);
        assert_eq!(counts(db, &issues).await, [1, 0, 0, 0, 0]);
        assert_eq!(bench.len("answer_comments").await, 1);
        settle(db).await;
        recover(db).await.expect("recovered");
        assert!(recover(db).await.expect("recovered").is_idle());
    })
    .await;
}

/// Calls of many documents and of one on the same issues at once.
#[tokio::test]
async fn many_calls_at_once_agree_in_the_end() {
    behind("answer_calls", async |bench| {
        let (user, issues) = issues(bench, 3).await;
        let db = &bench.db;
        let calls = (0..20).map(|n| {
            let new = comments(&issues, &user, 30);
            let (one, user, issues) = (&issues[n % 3], &user, &issues);
            async move {
                Comment::insert_many(db, &new).await.expect("stored");
                let single = comment(one, user, 40);
                Comment::insert(db, &single).await.expect("stored");
                Comment::delete(db, new[0].id).await.expect("deleted");
                let moved = Comment::update(db, new[1].id).set(|c| c.issue, issues[2].id);
                moved.await.expect("moved");
            }
        });
        futures::future::join_all(calls).await;
        settle(db).await;
        // 30 on three issues and one more by each call, of which one is deleted, and one moves from the second to the third.
        let own: Vec<i64> = vec![1 + 20 * 9 + 7, 20 * 9 + 7, 20 * 11 + 6];
        assert_eq!(counts(db, &issues).await, own);
        for on in &issues {
            assert_eq!(shown(db, on).await.1, [40; 5]);
        }
        at_rest(bench).await;
    })
    .await;
}

#[tokio::test]
async fn a_settled_call_of_many_leaves_nothing_behind() {
    behind("answer_bulk_settled", async |bench| {
        let (user, issues) = issues(bench, 10).await;
        let db = &bench.db;
        let new = comments(&issues, &user, 20);
        Comment::insert_many(db, &new)
            .settled()
            .await
            .expect("stored");
        bench.forget();
        assert_eq!(settle(db).await.open, 0);
        assert_eq!(bench.sent(), [""; 0]);
        assert_eq!(counts(db, &issues[1..]).await, [2; 9]);
        at_rest(bench).await;
    })
    .await;
}
