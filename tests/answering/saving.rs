//! Whole documents that are saved, and updates of many.

use bson::DateTime;
use mongo_model::{MongoModel, settle};

use crate::bulk::{assert_behind, behind_answers};
use crate::common::{Bench, behind};
use crate::inserting::commands;
use crate::models::{Comment, Issue, User, at_rest, comment, issue, shown, user, warm};

/// The commands since the log was cleared, as one text each.
fn sent(bench: &Bench) -> Vec<String> {
    let sent = commands(bench).into_iter();
    sent.map(|(name, to)| format!("{name} {to}")).collect()
}

/// Two issues, the first with comments 0 to 3, the second with comment 9.
async fn four(bench: &Bench) -> (User, Issue, Issue, Vec<Comment>) {
    let (user, from) = warm(bench).await;
    let db = &bench.db;
    let to = issue();
    Issue::insert(db, &to).await.expect("stored");
    settle(db).await;
    let mut new: Vec<Comment> = (1..=3).map(|n| comment(&from, &user, n)).collect();
    new.push(comment(&to, &user, 9));
    Comment::insert_many(db, &new).await.expect("stored");
    settle(db).await;
    new.pop();
    bench.forget();
    (user, from, to, new)
}

#[tokio::test]
async fn a_saved_comment_is_shown_by_its_issue() {
    behind("answer_save", async |bench| {
        let (_, from, _, comments) = four(bench).await;
        let db = &bench.db;
        let mut changed = comments[2].clone();
        changed.created = DateTime::from_millis(-1);
        changed.save(db).await.expect("saved");
        assert_eq!(
            sent(bench),
            ["findAndModify comments", "findAndModify issues"]
        );
        assert_eq!(shown(db, &from).await, (4, vec![-1, 0, 1, 2]));
        assert_behind(bench, 1, &["update comments", "update issues"]).await;
        at_rest(bench).await;
    })
    .await;
}

#[tokio::test]
async fn a_comment_that_is_saved_elsewhere_is_applied_to_both_issues_by_one_command() {
    behind("answer_save_moved", async |bench| {
        let (_, from, to, comments) = four(bench).await;
        let db = &bench.db;
        let eve = user("Eve");
        User::insert(db, &eve).await.expect("stored");
        settle(db).await;
        bench.forget();
        let mut moved = comments[2].clone();
        (moved.issue, moved.author) = (to.id, eve.id);
        moved.save(db).await.expect("saved");
        let awaited = [
            // A save that finds its references unchanged ends here.
            "findAndModify comments",
            "find comments",
            "find issues",
            "find users",
            "findAndModify comments",
            "update issues",
            // A list that was full would lack a comment now.
            "find issues",
        ];
        assert_eq!(sent(bench), awaited);
        assert_eq!(shown(db, &from).await, (3, vec![0, 1, 2]));
        assert_eq!(shown(db, &to).await, (2, vec![3, 9]));
        let stored = Comment::get(db, moved.id).await.expect("read");
        assert_eq!(stored.expect("stored").author_name, "Eve");
        let then = ["findAndModify users", "update comments", "update issues"];
        assert_behind(bench, 2, &then).await;
        at_rest(bench).await;
    })
    .await;
}

/// Without the reply to a save, the program does not know whether its document is new.
#[tokio::test]
async fn a_new_comment_that_is_saved_is_listed_and_counted() {
    behind("answer_save_new", async |bench| {
        let (user, _, to, _) = four(bench).await;
        let db = &bench.db;
        comment(&to, &user, 8).save(db).await.expect("saved");
        assert_eq!(shown(db, &to).await, (2, vec![8, 9]));
        settle(db).await;
        at_rest(bench).await;
    })
    .await;
}

#[tokio::test]
async fn many_moved_comments_are_applied_by_one_command() {
    behind("answer_move_many", async |bench| {
        let (_, from, to, comments) = four(bench).await;
        let db = &bench.db;
        let some = [comments[0].id, comments[2].id];
        let update = Comment::update_many(db, |c| c.id.is_in(some)).set(|c| c.issue, to.id);
        assert_eq!(update.await.expect("moved").pending, []);
        let awaited = [
            "find issues",
            "update comments",
            "find comments",
            // A value that a crash may undo is not written to an issue.
            "find comments",
            "update comments",
            "update issues",
            // A list that was full would lack a comment now.
            "find issues",
        ];
        assert_eq!(sent(bench), awaited);
        assert_eq!(shown(db, &from).await, (2, vec![0, 2]));
        assert_eq!(shown(db, &to).await, (3, vec![1, 3, 9]));
        assert_behind(bench, 2, &["update comments", "update issues"]).await;
        at_rest(bench).await;
    })
    .await;
}

#[tokio::test]
async fn many_comments_that_issues_show_lose_their_flags_behind_the_answer() {
    behind("answer_edit_many", async |bench| {
        let (_, from, to, _) = four(bench).await;
        let db = &bench.db;
        let update = Comment::update_many(db, |c| c.issue.is_in([from.id, to.id]));
        let update = update.set(|c| c.text, "new");
        assert_eq!(update.await.expect("changed").pending, []);
        let awaited = [
            "update comments",
            "find comments",
            "find comments",
            "update comments",
            "update issues",
        ];
        // After that it looks for lists that may lack a comment now.
        assert_eq!(sent(bench)[..5], awaited);
        let stored = Issue::get(db, from.id).await.expect("read").expect("there");
        assert!(
            stored.last.iter().all(|one| one.text == "new"),
            "{stored:?}"
        );
        settle(db).await;
        at_rest(bench).await;
    })
    .await;
}

#[tokio::test]
async fn copies_in_many_comments_are_compared_behind_the_answer() {
    behind("answer_copies_many", async |bench| {
        let (_, from, _, comments) = four(bench).await;
        let db = &bench.db;
        let eve = user("Eve");
        User::insert(db, &eve).await.expect("stored");
        settle(db).await;
        bench.forget();
        let update = Comment::update_many(db, |c| c.issue.eq(from.id));
        let update = update.set(|c| c.author, eve.id);
        assert_eq!(update.await.expect("changed").pending, []);
        assert_eq!(sent(bench), ["find users", "update comments"]);
        let stored = Comment::get(db, comments[0].id).await.expect("read");
        assert_eq!(stored.expect("stored").author_name, "Eve");
        // The targets of all references of these comments.
        let then = behind_answers(bench).await;
        assert_eq!(then[..2], ["findAndModify issues", "findAndModify users"]);
        at_rest(bench).await;
    })
    .await;
}

#[tokio::test]
async fn settled_calls_leave_nothing_behind() {
    behind("answer_settled_many", async |bench| {
        let (_, from, to, comments) = four(bench).await;
        let db = &bench.db;
        let some = [comments[0].id, comments[2].id];
        let moved = Comment::update_many(db, |c| c.id.is_in(some)).set(|c| c.issue, to.id);
        moved.settled().await.expect("moved");
        let mut back = comments[2].clone();
        back.text = "back".to_owned();
        back.save(db).settled().await.expect("saved");
        bench.forget();
        assert_eq!(settle(db).await.open, 0);
        assert_eq!(bench.sent(), [""; 0]);
        assert_eq!(shown(db, &from).await, (3, vec![0, 2, 3]));
        at_rest(bench).await;
    })
    .await;
}
