//! New documents.

use bson::doc;
use mongo_model::{MongoModel, settle};

use crate::common::{Bench, behind};
use crate::concerns::is_standalone;
use crate::models::{
    Comment, Issue, Note, Poster, Reply, Thread, at_rest, comment, issue, shown, user, warm,
};

/// The names of the commands, and of the collections that they were sent to.
pub(crate) fn commands(bench: &Bench) -> Vec<(String, String)> {
    let sent = bench.take().into_iter();
    let sent = sent.map(|sent| {
        let to = sent.command.get_str(&sent.name).unwrap_or_default();
        (sent.name.clone(), to.replace("answer_", ""))
    });
    sent.collect()
}

pub(crate) fn names(commands: &[(String, String)]) -> Vec<(&str, &str)> {
    commands
        .iter()
        .map(|(name, to)| (name.as_str(), to.as_str()))
        .collect()
}

#[tokio::test]
async fn a_comment_is_inserted_and_applied_by_two_commands_after_each_other() {
    behind("answer_insert", async |bench| {
        let (user, issue) = warm(bench).await;
        let new = comment(&issue, &user, 1);
        Comment::insert(&bench.db, &new).await.expect("stored");
        let awaited = commands(bench);
        // The sources are read beside the insert.
        let mut first = names(&awaited[..2]);
        first.sort_unstable();
        assert_eq!(first, [("find", "users"), ("insert", "comments")]);
        assert_eq!(names(&awaited[2..]), [("findAndModify", "issues")]);
        assert_eq!(shown(&bench.db, &issue).await, (2, vec![0, 1]));
        settle(&bench.db).await;
        let mut behind = commands(bench);
        behind.retain(|(name, _)| name != "find");
        let mut expected = vec![
            ("findAndModify", "users"),
            ("update", "comments"),
            ("update", "issues"),
        ];
        if is_standalone(bench).await {
            // The update of the issue was not waited for until it was durable.
            expected.insert(0, ("findAndModify", "issues"));
        }
        assert_eq!(names(&behind), expected);
        at_rest(bench).await;
    })
    .await;
}

/// A poster and a thread without replies, stored after everything that this program has to learn once is known.
async fn empty_thread(bench: &Bench) -> (Poster, Thread) {
    warm(bench).await;
    bench
        .index(&[Poster::meta(), Thread::meta(), Reply::meta()])
        .await;
    let db = &bench.db;
    let poster = Poster {
        id: mongo_model::Id::new(),
        name: "Ada".to_owned(),
    };
    Poster::insert(db, &poster).await.expect("stored");
    let thread = Thread {
        id: mongo_model::Id::new(),
        last: Vec::new(),
        replies: 0,
    };
    Thread::insert(db, &thread).await.expect("stored");
    (poster, thread)
}

#[tokio::test]
async fn a_reply_with_a_time_of_the_server_takes_one_command_more() {
    behind("answer_times", async |bench| {
        let db = &bench.db;
        let (poster, thread) = empty_thread(bench).await;
        for n in 1..3 {
            let reply = Reply {
                id: mongo_model::Id::new(),
                thread: thread.id,
                author: poster.id,
                author_name: poster.name.clone(),
                created: bson::DateTime::MIN,
            };
            settle(db).await;
            bench.forget();
            Reply::insert(db, &reply).await.expect("stored");
            let awaited = commands(bench);
            let stored = Reply::get(db, reply.id).await.expect("read");
            let created = stored.expect("stored").created;
            let shown = Thread::get(db, thread.id).await.expect("read");
            let shown = shown.expect("stored");
            assert_eq!(shown.replies, n);
            assert_eq!(
                shown.last.last().expect("shown").created,
                created,
                "the time by the server's clock"
            );
            if n == 1 {
                // The first one under a parent learns first where its count stands.
                continue;
            }
            let mut first = names(&awaited[..2]);
            first.sort_unstable();
            assert_eq!(first, [("find", "posters"), ("update", "replies")]);
            // The parent shows the time that the server gave.
            let then = [("find", "replies"), ("findAndModify", "threads")];
            assert_eq!(names(&awaited[2..]), then);
        }
        at_rest(bench).await;
    })
    .await;
}

/// A copy that a list shows is filled in before the insert, from the source as this program has seen it last.
#[tokio::test]
async fn a_copy_that_a_list_shows_is_read_before_the_insert_once() {
    behind("answer_shown", async |bench| {
        let db = &bench.db;
        let (poster, thread) = empty_thread(bench).await;
        let reply = async || {
            settle(db).await;
            bench.forget();
            let new = Reply {
                id: mongo_model::Id::new(),
                thread: thread.id,
                author: poster.id,
                author_name: String::new(),
                created: bson::DateTime::MIN,
            };
            Reply::insert(db, &new).await.expect("stored");
            let sent = commands(bench);
            let shown = Thread::get(db, thread.id).await.expect("read");
            let last = shown.expect("stored").last.pop().expect("shown");
            let stored = Reply::get(db, new.id).await.expect("read");
            assert_eq!(stored.expect("stored").author_name, last.author_name);
            let sent = sent.iter().map(|(name, to)| format!("{name} {to}"));
            (sent.collect::<Vec<_>>(), last.author_name)
        };
        let (first, name) = reply().await;
        assert_eq!((first[0].as_str(), name.as_str()), ("find posters", "Ada"));
        let mut each = vec![
            "find posters",
            "update replies",
            "find replies",
            "findAndModify threads",
        ];
        assert_eq!(first.len(), each.len() + 1, "{first:?}");
        let (mut second, _) = reply().await;
        second[..2].sort_unstable();
        assert_eq!(second, each);
        // The value that was read last is outdated: the separate steps correct it.
        let posters = bench.raw("answer_posters");
        let renamed = doc! { "$set": { "name": "Eve" }, "$inc": { "_dn.r": 1 } };
        let same = doc! { "_id": poster.id.into_raw() };
        posters.update_one(same, renamed).await.expect("renamed");
        let (third, name) = reply().await;
        assert_eq!(name, "Eve");
        assert!(third.len() > each.len(), "{third:?}");
        let (mut fourth, name) = reply().await;
        assert_eq!(name, "Eve");
        fourth[..2].sort_unstable();
        each.sort_unstable();
        fourth.sort_unstable();
        assert_eq!(fourth, each);
        settle(db).await;
        mongo_model::repair(db).await.expect("repaired");
        at_rest(bench).await;
    })
    .await;
}

#[tokio::test]
async fn a_copy_that_differs_is_right_when_the_call_answers() {
    behind("answer_copy", async |bench| {
        let (author, issue) = warm(bench).await;
        let mut new = comment(&issue, &author, 1);
        new.author_name = "not known".to_owned();
        Comment::insert(&bench.db, &new).await.expect("stored");
        assert_eq!(bench.sent().len(), 4);
        let stored = Comment::get(&bench.db, new.id)
            .await
            .expect("read")
            .expect("stored");
        assert_eq!(stored.author_name, "Ada");
        assert_eq!(shown(&bench.db, &issue).await, (2, vec![0, 1]));
        at_rest(bench).await;

        let note = Note {
            id: mongo_model::Id::new(),
            author: author.id,
            author_name: String::new(),
        };
        Note::insert(&bench.db, &note).await.expect("stored");
        let sent = commands(bench);
        assert_eq!(sent.len(), 3, "{sent:?}");
        assert_eq!(names(&sent)[2], ("update", "notes"));
        let stored = Note::get(&bench.db, note.id)
            .await
            .expect("read")
            .expect("stored");
        assert_eq!(stored.author_name, "Ada");
        at_rest(bench).await;
    })
    .await;
}

#[tokio::test]
async fn a_source_that_does_not_exist_is_found_before_the_answer() {
    behind("answer_dangling", async |bench| {
        let (_, issue) = warm(bench).await;
        let new = comment(&issue, &user("nobody"), 1);
        let error = Comment::insert(&bench.db, &new)
            .await
            .expect_err("dangling");
        assert!(
            matches!(error, mongo_model::Error::Dangling { .. }),
            "{error}"
        );
        assert_eq!(shown(&bench.db, &issue).await, (1, vec![0]));
        assert_eq!(bench.len("answer_comments").await, 1);
        at_rest(bench).await;
    })
    .await;
}

#[tokio::test]
async fn a_settled_call_leaves_nothing_behind() {
    behind("answer_settled", async |bench| {
        let (user, issue) = warm(bench).await;
        let new = comment(&issue, &user, 1);
        Comment::insert(&bench.db, &new)
            .settled()
            .await
            .expect("stored");
        bench.forget();
        assert_eq!(settle(&bench.db).await.open, 0);
        assert_eq!(bench.sent(), [""; 0]);
        at_rest(bench).await;
    })
    .await;
}

/// The parents of one collection are updated by one command, and so are the documents of one collection.
#[tokio::test]
async fn comments_on_many_issues_share_commands() {
    behind("answer_many", async |bench| {
        let (user, first) = warm(bench).await;
        let db = &bench.db;
        let mut issues = vec![first];
        for _ in 0..19 {
            let other = issue();
            Issue::insert(db, &other).await.expect("stored");
            issues.push(other);
        }
        settle(db).await;
        let round = async |n: i64| {
            let new: Vec<Comment> = issues.iter().map(|on| comment(on, &user, n)).collect();
            let inserts = new.iter().map(|new| Comment::insert(db, new).into_future());
            for done in futures::future::join_all(inserts).await {
                assert_eq!(done.expect("stored").pending, []);
            }
            settle(db).await;
        };
        // The first comment on an issue reads what counting needs to know of it.
        round(1).await;
        bench.forget();
        round(2).await;
        let sent = commands(bench);
        assert!(
            sent.len() <= 40,
            "{} commands for 20 comments: {sent:?}",
            sent.len()
        );
        for (n, on) in issues.iter().enumerate() {
            let count = if n == 0 { 3 } else { 2 };
            assert_eq!(shown(db, on).await.0, count);
        }
        at_rest(bench).await;
    })
    .await;
}

/// One of the comments that are stored together has an id that is there already.
#[tokio::test]
async fn a_comment_that_is_refused_says_so_and_the_others_are_stored() {
    behind("answer_refused", async |bench| {
        let (user, on) = warm(bench).await;
        let db = &bench.db;
        let mut new: Vec<Comment> = (1..=20).map(|n| comment(&on, &user, n)).collect();
        new[19].id = new[3].id;
        let inserts = new.iter().map(|new| Comment::insert(db, new).into_future());
        let done = futures::future::join_all(inserts).await;
        let refused = done.iter().filter(|done| done.is_err()).count();
        assert_eq!(refused, 1, "{done:?}");
        settle(db).await;
        assert_eq!(shown(db, &on).await.0, 20);
        assert_eq!(bench.len("answer_comments").await, 20);
        at_rest(bench).await;
    })
    .await;
}

/// While one update of the issue is under way, the other comments gather.
#[tokio::test]
async fn many_comments_on_one_issue_share_updates_of_it() {
    behind("answer_group", async |bench| {
        let (user, issue) = warm(bench).await;
        let new: Vec<Comment> = (1..=200).map(|n| comment(&issue, &user, n)).collect();
        let inserts = new
            .iter()
            .map(|new| Comment::insert(&bench.db, new).into_future());
        for done in futures::future::join_all(inserts).await {
            assert_eq!(done.expect("stored").pending, []);
        }
        let (count, last) = shown(&bench.db, &issue).await;
        assert_eq!((count, last), (201, vec![196, 197, 198, 199, 200]));
        settle(&bench.db).await;
        let sent = commands(bench);
        let to_issues = sent
            .iter()
            .filter(|(name, to)| to == "issues" && name != "find");
        let to_issues = to_issues.count();
        assert!(to_issues < 60, "{to_issues} updates of the issue");
        assert!(sent.len() < 3 * new.len(), "{} commands", sent.len());
        at_rest(bench).await;
        let stored = bench.stored("answer_issues", issue.id.into_raw()).await;
        assert_eq!(
            stored.get_document("_dn").expect("own").get("v"),
            None,
            "{stored}"
        );
        assert_eq!(
            doc! { "comments": stored.get("comments") },
            doc! { "comments": 201_i64 }
        );
    })
    .await;
}
