//! Changed, moved and deleted documents.

use bson::DateTime;
use mongo_model::{MongoModel, settle};

use crate::common::{Bench, behind};
use crate::inserting::{commands, names};
use crate::models::{Comment, Issue, User, at_rest, comment, issue, shown, warm};

#[tokio::test]
async fn a_renamed_user_is_updated_and_copied_by_two_commands() {
    behind("answer_rename", async |bench| {
        let (user, _) = warm(bench).await;
        let db = &bench.db;
        User::update(db, user.id)
            .set(|u| u.name, "Grace")
            .await
            .expect("renamed");
        let sent = commands(bench);
        assert_eq!(sent[0], ("findAndModify".to_owned(), "users".to_owned()));
        let mut copies = names(&sent[1..]);
        copies.sort_unstable();
        // The copies in comments and in notes.
        assert_eq!(copies, [("update", "comments"), ("update", "notes")]);
        let copied = Comment::find_one(db, |c| c.author.eq(user.id)).await;
        assert_eq!(copied.expect("read").expect("stored").author_name, "Grace");
        settle(db).await;
        let mut behind = commands(bench);
        behind.retain(|(name, _)| name != "find");
        assert_eq!(names(&behind), [("update", "users")]);
        at_rest(bench).await;
    })
    .await;
}

/// Two issues with a comment each, and a third comment on the first.
async fn two_issues(bench: &Bench) -> (Issue, Issue, Comment) {
    let (user, from) = warm(bench).await;
    let db = &bench.db;
    let to = issue();
    Issue::insert(db, &to).await.expect("stored");
    settle(db).await;
    let moved = comment(&from, &user, 7);
    for new in [&comment(&to, &user, 1), &moved] {
        Comment::insert(db, new).await.expect("stored");
    }
    settle(db).await;
    bench.forget();
    (from, to, moved)
}

#[tokio::test]
async fn a_moved_comment_is_applied_to_both_issues_by_one_command() {
    behind("answer_move", async |bench| {
        let (from, to, moved) = two_issues(bench).await;
        let db = &bench.db;
        Comment::update(db, moved.id)
            .set(|c| c.issue, to.id)
            .await
            .expect("moved");
        assert_eq!(
            names(&commands(bench)),
            // The new issue is looked at first: a comment on none would be refused.
            [
                ("find", "issues"),
                ("findAndModify", "comments"),
                ("update", "issues"),
                // A list that was full would lack a comment now.
                ("find", "issues")
            ]
        );
        assert_eq!(shown(db, &from).await, (1, vec![0]));
        assert_eq!(shown(db, &to).await, (2, vec![1, 7]));
        at_rest(bench).await;
    })
    .await;
}

#[tokio::test]
async fn a_comment_that_its_issue_shows_is_changed_by_two_commands() {
    behind("answer_change", async |bench| {
        let (from, _, changed) = two_issues(bench).await;
        let db = &bench.db;
        Comment::update(db, changed.id)
            .set(|c| c.created, DateTime::from_millis(-3))
            .await
            .expect("changed");
        assert_eq!(
            names(&commands(bench)),
            [("findAndModify", "comments"), ("findAndModify", "issues")]
        );
        assert_eq!(shown(db, &from).await, (2, vec![-3, 0]));
        at_rest(bench).await;
    })
    .await;
}

#[tokio::test]
async fn a_comment_is_deleted_by_three_commands() {
    behind("answer_delete", async |bench| {
        let (from, _, gone) = two_issues(bench).await;
        let db = &bench.db;
        Comment::delete(db, gone.id).await.expect("deleted");
        assert_eq!(
            names(&commands(bench)),
            [
                ("findAndModify", "comments"),
                ("findAndModify", "issues"),
                ("delete", "comments"),
            ]
        );
        assert_eq!(shown(db, &from).await, (1, vec![0]));
        assert_eq!(Comment::get(db, gone.id).await.expect("read"), None);
        at_rest(bench).await;
    })
    .await;
}

/// A list that was full takes in the newest comment that it did not have.
#[tokio::test]
async fn a_full_list_that_loses_a_comment_is_filled_again() {
    behind("answer_refill", async |bench| {
        let (user, on) = warm(bench).await;
        let db = &bench.db;
        let all: Vec<Comment> = (1..=8).map(|n| comment(&on, &user, n)).collect();
        for new in &all {
            Comment::insert(db, new).await.expect("stored");
        }
        assert_eq!(shown(db, &on).await, (9, vec![4, 5, 6, 7, 8]));
        Comment::delete(db, all[6].id).await.expect("deleted");
        settle(db).await;
        assert_eq!(shown(db, &on).await, (8, vec![3, 4, 5, 6, 8]));
        at_rest(bench).await;
    })
    .await;
}

/// Whatever happens to a comment at the same time, its issue agrees with it in the end.
#[tokio::test]
async fn inserts_changes_moves_and_deletes_at_once_agree_in_the_end() {
    behind("answer_mixed", async |bench| {
        let (user, from) = warm(bench).await;
        let db = &bench.db;
        let to = issue();
        Issue::insert(db, &to).await.expect("stored");
        let tasks = (1..=30).map(|n| {
            let new = comment(&from, &user, n);
            let to = to.id;
            async move {
                Comment::insert(db, &new).await.expect("stored");
                if n % 2 == 0 {
                    let moved = Comment::update(db, new.id).set(|c| c.issue, to);
                    moved.await.expect("moved");
                }
                if n % 3 == 0 {
                    let changed = Comment::update(db, new.id).set(|c| c.text, "changed");
                    changed.await.expect("changed");
                }
                if n % 5 == 0 {
                    Comment::delete(db, new.id).await.expect("deleted");
                }
            }
        });
        futures::future::join_all(tasks).await;
        settle(db).await;
        // 30, of which 15 moved; 6 deleted, of which 3 had moved; and the first comment.
        assert_eq!(shown(db, &from).await, (13, vec![19, 21, 23, 27, 29]));
        assert_eq!(shown(db, &to).await, (12, vec![18, 22, 24, 26, 28]));
        at_rest(bench).await;
    })
    .await;
}

/// The list has entries of the comment as it was before, with higher revisions than the comment has now.
#[tokio::test]
async fn a_comment_that_another_program_replaced_is_listed_as_it_is() {
    behind("answer_wiped", async |bench| {
        let (from, _, changed) = two_issues(bench).await;
        let db = &bench.db;
        let to = async |n: i64| {
            let update = Comment::update(db, changed.id);
            let update = update.set(|c| c.created, DateTime::from_millis(n));
            update.await.expect("changed");
            settle(db).await;
        };
        for n in [8, 9, 10] {
            to(n).await;
        }
        assert_eq!(shown(db, &from).await, (2, vec![0, 10]));
        let mut replaced = bench.stored("answer_comments", changed.id.into_raw()).await;
        replaced.remove("_dn").expect("the library's fields");
        let comments = bench.raw("answer_comments");
        let same = bson::doc! { "_id": changed.id.into_raw() };
        comments
            .replace_one(same, replaced)
            .await
            .expect("replaced");
        to(4).await;
        assert_eq!(shown(db, &from).await, (2, vec![0, 4]));
        at_rest(bench).await;
    })
    .await;
}
