//! New children are added to their parents by operators, and lose their flags together.

use bson::{Bson, DateTime, Document, doc};
use mongo_model::{Id, MongoModel, settle};

use crate::common::behind;
use crate::models::{Comment, Issue, User, at_rest, comment, issue, shown, warm};

/// The comments get ids in this order, so that comments of one time are not inserted in the order of the list.
fn with_ids(issue: &Issue, user: &User, times: &[i64]) -> Vec<Comment> {
    let mut ids: Vec<Id<Comment>> = times.iter().map(|_| Id::new()).collect();
    ids.sort_unstable_by_key(|id| std::cmp::Reverse(*id.as_raw()));
    let comments = times.iter().zip(ids).map(|(time, id)| Comment {
        id,
        created: DateTime::from_millis(*time),
        ..comment(issue, user, *time)
    });
    comments.collect()
}

/// The ids of the comments that a list of five shows: sorted by time, those of one time by id.
fn last_five(comments: &[Comment]) -> Vec<Bson> {
    let mut sorted: Vec<&Comment> = comments.iter().collect();
    sorted.sort_by_key(|one| (one.created, *one.id.as_raw()));
    let last = sorted.split_off(sorted.len().saturating_sub(5));
    last.iter().map(|one| one.id.into_raw().into()).collect()
}

fn listed(stored: &Document) -> Vec<Bson> {
    let list = stored.get_array("last").expect("a list").iter();
    let ids = list.map(|entry| entry.as_document().and_then(|entry| entry.get("id")));
    ids.map(|id| id.cloned().expect("an id")).collect()
}

#[tokio::test]
async fn a_list_of_comments_pushed_by_operators_is_sorted_by_time_and_id() {
    behind("answer_pushed", async |bench| {
        let (user, _) = warm(bench).await;
        let (db, on) = (&bench.db, issue());
        Issue::insert(db, &on).await.expect("stored");
        settle(db).await;
        // The last ones are too old for a full list.
        let all = with_ids(&on, &user, &[5, 5, 5, 7, 5, 7, 9, 5, 1, 0]);
        for (n, one) in all.iter().enumerate() {
            bench.forget();
            Comment::insert(db, one).await.expect("stored");
            let sent = bench.take().into_iter();
            let mut parents = sent.filter(|sent| sent.name == "findAndModify");
            // The first one reads what counting needs to know of the issue.
            if n > 0 {
                let update = parents.next().expect("an update of the issue").command;
                let update = update.get_document("update").expect("operators");
                assert!(update.contains_key("$push"), "{update}");
            }
            settle(db).await;
            let stored = bench.stored("answer_issues", on.id.into_raw()).await;
            assert_eq!(listed(&stored), last_five(&all[..=n]), "after {}", n + 1);
        }
        assert_eq!(shown(db, &on).await.0, 10);
        at_rest(bench).await;
    })
    .await;
}

/// A finisher that was faster has added the comment already: its entry is not added once more.
#[tokio::test]
async fn a_comment_that_the_list_has_already_is_not_pushed_again() {
    behind("answer_listed", async |bench| {
        let (user, on) = warm(bench).await;
        let (db, new) = (&bench.db, comment(&on, &user, 1));
        let entry =
            doc! { "id": new.id.into_raw(), "created": new.created, "text": &new.text, "_r": 2 };
        let issues = bench.raw("answer_issues");
        let added = issues.update_one(
            doc! { "_id": on.id.into_raw() },
            doc! { "$push": { "last": entry } },
        );
        assert_eq!(added.await.expect("added").modified_count, 1);
        Comment::insert(db, &new).await.expect("stored");
        assert_eq!(shown(db, &on).await, (2, vec![0, 1]));
        at_rest(bench).await;
    })
    .await;
}

#[tokio::test]
async fn comments_of_one_moment_lose_their_flags_by_one_statement() {
    behind("answer_cleared", async |bench| {
        let (user, on) = warm(bench).await;
        let db = &bench.db;
        let new: Vec<Comment> = (1..=20).map(|n| comment(&on, &user, n)).collect();
        let inserts = new.iter().map(|new| Comment::insert(db, new).into_future());
        for done in futures::future::join_all(inserts).await {
            done.expect("stored");
        }
        settle(db).await;
        let mut cleared = 0;
        for sent in bench.take() {
            if sent.command.get_str("update").ok() != Some("answer_comments") {
                continue;
            }
            for statement in sent.command.get_array("updates").expect("statements") {
                let statement = statement.as_document().expect("a statement");
                let update = statement.get_document("u").expect("operators");
                let unset = update.get_document("$unset").expect("flags");
                let names: Vec<&String> = unset.keys().collect();
                assert_eq!(names, ["_dn.u", "_dn.c", "_dn.p"], "{update}");
                cleared += 1;
            }
        }
        // At most one for each command that stored some of them.
        assert!(
            (1..=4).contains(&cleared),
            "{cleared} statements for 20 comments"
        );
        at_rest(bench).await;
    })
    .await;
}
