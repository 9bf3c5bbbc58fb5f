//! Whatever stopped, and whatever other programs did: the copies converge to their sources.

use bson::{Bson, doc};
use mongo_model::{Id, MongoModel, Sweeper, after_commit, recover, verify};
use serde::{Deserialize, Serialize};

use crate::common::{Bench, in_set, on_both};
use crate::settled::{everything, revision, settled, shown};

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "heal_users")]
struct User {
    #[serde(rename = "_id")]
    id: Id<User>,
    name: String,
    #[index(unique)]
    email: String,
    nick: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "heal_posts")]
struct Post {
    #[serde(rename = "_id")]
    id: Id<Post>,
    #[parent(User, sort = -time)]
    author: Id<User>,
    #[denorm(from = User, field = name)]
    author_name: String,
    #[denorm(from = User, field = nick)]
    nick: Option<String>,
    time: i64,
}

/// It refers to users by their addresses.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "heal_mails")]
struct Mail {
    #[serde(rename = "_id")]
    id: Id<Mail>,
    #[parent(User, key = email)]
    from: String,
    #[denorm(from = User, field = name)]
    from_name: String,
}

/// Where the revisions of sources start at 1: no natural key leads there.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "heal_tags")]
struct Tag {
    #[serde(rename = "_id")]
    id: Id<Tag>,
    word: String,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "heal_pages")]
struct Page {
    #[serde(rename = "_id")]
    id: Id<Page>,
    #[parent(Tag)]
    tag: Id<Tag>,
    #[denorm(from = Tag, field = word)]
    word: String,
}

fn user(name: &str) -> User {
    User {
        id: Id::new(),
        name: name.to_owned(),
        email: format!("{name}@example.com"),
        nick: Some("nn".to_owned()),
    }
}

fn post(user: &User) -> Post {
    Post {
        id: Id::new(),
        author: user.id,
        author_name: user.name.clone(),
        nick: user.nick.clone(),
        time: 0,
    }
}

async fn start(bench: &Bench) -> (Tag, Page) {
    bench
        .index(&[
            User::meta(),
            Post::meta(),
            Mail::meta(),
            Tag::meta(),
            Page::meta(),
        ])
        .await;
    let tag = Tag {
        id: Id::new(),
        word: "w1".to_owned(),
    };
    let page = Page {
        id: Id::new(),
        tag: tag.id,
        word: "w1".to_owned(),
    };
    Tag::insert(&bench.db, &tag).await.expect("stored");
    Page::insert(&bench.db, &page).await.expect("stored");
    bench.forget();
    (tag, page)
}

async fn word(bench: &Bench, page: &Page) -> String {
    let stored = shown::<Page>(bench, &page.id).await;
    stored.get_str("word").expect("a word").to_owned()
}

// An aborted transaction leaves source and copies as they were, and what it left pending is nothing.
#[tokio::test]
async fn an_abort_leaves_nothing_to_finish() {
    in_set("heal_abort", async |bench| {
        let db = &bench.db;
        let (tag, page) = start(bench).await;
        let before = everything(bench).await;
        let mut session = bench.transaction().await;
        let renamed = Tag::update(db, tag.id)
            .set(|t| t.word, "w2")
            .driver_session(&mut session)
            .await
            .expect("changed");
        let another = Page {
            id: Id::new(),
            ..page.clone()
        };
        let inserted = Page::insert(db, &another)
            .driver_session(&mut session)
            .await;
        let inserted = inserted.expect("stored");
        assert_eq!((renamed.pending.len(), inserted.pending.len()), (1, 1));
        session.abort_transaction().await.expect("aborted");
        let pending = renamed.pending.into_iter().chain(inserted.pending);
        assert_eq!(after_commit(db, pending).await.expect("nothing to do"), []);
        assert_eq!(everything(bench).await, before);
        settled(bench).await;
    })
    .await;
}

// B61, B62: pending work of calls in a session is finished once, by the first program that finds it, however often it is called.
#[tokio::test]
async fn pending_work_is_finished_once() {
    on_both("heal_session", async |bench| {
        let db = &bench.db;
        let (tag, page) = start(bench).await;
        let mut session = bench.client.start_session().await.expect("a session");
        let mut pending = Vec::new();
        for new in ["w2", "w3"] {
            let done = Tag::update(db, tag.id)
                .set(|t| t.word, new)
                .driver_session(&mut session)
                .await
                .expect("changed");
            pending.extend(done.pending);
        }
        assert_eq!(word(bench, &page).await, "w1");
        let left = after_commit(db, pending.clone()).await.expect("finished");
        assert_eq!(left, []);
        assert_eq!(word(bench, &page).await, "w3");
        let before = everything(bench).await;
        after_commit(db, pending).await.expect("finished before");
        assert_eq!(everything(bench).await, before);
        settled(bench).await;
    })
    .await;
}

// No program calls `after_commit`: a program that starts finds the flags, and so does a sweeper that has seen them twice.
#[tokio::test]
async fn forgotten_work_is_found() {
    on_both("heal_forgotten", async |bench| {
        let db = &bench.db;
        let (tag, page) = start(bench).await;
        let mut session = bench.client.start_session().await.expect("a session");
        let mut forget = async |new: &str| {
            let another = Page {
                id: Id::new(),
                word: "?".to_owned(),
                ..page.clone()
            };
            let update = Tag::update(db, tag.id).set(|t| t.word, new);
            update.driver_session(&mut session).await.expect("changed");
            let insert = Page::insert(db, &another).driver_session(&mut session);
            insert.await.expect("stored");
            another
        };
        let another = forget("w2").await;
        let done = recover(db).await.expect("recovered");
        assert_eq!((done.sources, done.targets, done.dangling), (1, 1, 0));
        assert_eq!(word(bench, &page).await, "w2");
        assert_eq!(word(bench, &another).await, "w2");
        settled(bench).await;

        let another = forget("w3").await;
        let mut sweeper = Sweeper::new(db);
        assert!(sweeper.sweep().await.expect("looked").is_idle());
        assert_eq!(word(bench, &page).await, "w2");
        let done = sweeper.sweep().await.expect("looked");
        assert_eq!((done.sources, done.targets), (1, 1));
        assert_eq!(word(bench, &page).await, "w3");
        assert_eq!(word(bench, &another).await, "w3");
        settled(bench).await;
    })
    .await;
}

// The fan-out stopped in the middle; the copies that it had written are not written again.
#[tokio::test]
async fn a_fan_out_goes_on_where_it_stopped() {
    on_both("heal_half", async |bench| {
        let db = &bench.db;
        let (tag, _) = start(bench).await;
        let id = *tag.id.as_raw();
        let row = |n: i32| doc! { "_id": n, "tag": id, "word": "w1", "_r_tag": 1 };
        bench.seed("heal_pages", (0..10).map(row)).await;
        let w1 = doc! { "$set": { "word": "w2" }, "$inc": { "_dn.r": 1 }, "$addToSet": { "_dn.p": "heal_pages.tag" } };
        let tags = bench.raw("heal_tags");
        tags.update_one(doc! { "_id": id }, w1).await.expect("W1");
        // Three of ten; a fan-out that wrote them again would undo the mark of the test.
        let w2 = doc! { "$set": { "word": "done", "_r_tag": 2 } };
        let pages = bench.raw("heal_pages");
        let some = doc! { "_id": { "$in": [0, 1, 2] } };
        pages.update_many(some, w2).await.expect("W2");
        let done = recover(db).await.expect("recovered");
        assert_eq!(done.sources, 1);
        let count = async |word: &str| {
            let found = bench.raw("heal_pages").count_documents(doc! { "word": word }).await;
            found.expect("counted")
        };
        assert_eq!((count("done").await, count("w2").await), (3, 8));
        settled(bench).await;
    })
    .await;
}

// Another program replaced the source as a whole, which wiped its revision, and did so again between two changes.
#[tokio::test]
async fn a_wiped_revision_fences_nothing_out() {
    on_both("heal_wiped", async |bench| {
        let db = &bench.db;
        let (tag, page) = start(bench).await;
        for n in 2..5 {
            let word = format!("w{n}");
            let update = Tag::update(db, tag.id).set(|t| t.word, word);
            update.await.expect("changed");
        }
        let id = *tag.id.as_raw();
        let mut last = shown::<Page>(bench, &page.id).await;
        for (n, by_many) in [(6, false), (7, true), (8, false)] {
            let tags = bench.raw("heal_tags");
            let replaced = tags
                .replace_one(doc! { "_id": id }, doc! { "word": "raw" })
                .await;
            replaced.expect("replaced");
            let new = format!("w{n}");
            let done = if by_many {
                // `$inc` of what is not there is 1, which says so.
                Tag::update_many(db, |t| t.id.eq(tag.id))
                    .set(|t| t.word, &*new)
                    .await
            } else {
                Tag::update(db, tag.id).set(|t| t.word, &*new).await
            };
            assert_eq!(done.expect("changed").pending, []);
            assert_eq!(word(bench, &page).await, new);
            let now = shown::<Page>(bench, &page.id).await;
            let r = |document: &bson::Document| match document.get("_r_tag") {
                Some(Bson::Int32(r)) => i64::from(*r),
                Some(Bson::Int64(r)) => *r,
                other => panic!("{other:?}"),
            };
            assert!(r(&now) > r(&last));
            last = now;
            settled(bench).await;
        }
    })
    .await;
}

// Another program replaced the source, and a writer that changed it after that died. The next writer finds revision 2.
#[tokio::test]
async fn a_wiped_revision_is_told_after_several_changes() {
    on_both("heal_wiped_twice", async |bench| {
        let db = &bench.db;
        let (tag, page) = start(bench).await;
        for n in 2..7 {
            let word = format!("w{n}");
            let update = Tag::update(db, tag.id).set(|t| t.word, word);
            update.await.expect("changed");
        }
        let this = doc! { "_id": *tag.id.as_raw() };
        let tags = bench.raw("heal_tags");
        for (n, by_many) in [(7, false), (8, true), (9, false)] {
            let replaced = tags.replace_one(this.clone(), doc! { "word": "raw" }).await;
            replaced.expect("replaced");
            let w1 = doc! {
                "$set": { "word": "dead" },
                "$inc": { "_dn.r": 1, "_dn.g": 1 },
                "$addToSet": { "_dn.p": "heal_pages.tag" },
            };
            tags.update_one(this.clone(), w1).await.expect("W1");
            let new = format!("w{n}");
            let done = if by_many {
                Tag::update_many(db, |t| t.id.eq(tag.id))
                    .set(|t| t.word, &*new)
                    .await
            } else {
                Tag::update(db, tag.id).set(|t| t.word, &*new).await
            };
            assert_eq!(done.expect("changed").pending, []);
            assert_eq!(word(bench, &page).await, new);
            settled(bench).await;
            let own = bench.stored("heal_tags", *tag.id.as_raw()).await;
            let own = own.get_document("_dn").expect("own fields");
            assert_eq!(
                own.keys().collect::<Vec<_>>(),
                ["r"],
                "the count goes with the flag"
            );
        }
    })
    .await;
}

// The revision outgrows 32 bits.
#[tokio::test]
async fn revisions_outgrow_32_bits() {
    on_both("heal_overflow", async |bench| {
        let db = &bench.db;
        let (tag, page) = start(bench).await;
        let at = doc! { "$set": { "_dn.r": i32::MAX - 1 } };
        bench
            .raw("heal_tags")
            .update_one(doc! { "_id": *tag.id.as_raw() }, at)
            .await
            .expect("set");
        for n in 2..6 {
            let new = format!("w{n}");
            let update = Tag::update(db, tag.id).set(|t| t.word, &*new);
            assert_eq!(update.await.expect("changed").pending, []);
            assert_eq!(word(bench, &page).await, new);
            settled(bench).await;
        }
        let r = revision::<Tag>(bench, &tag.id).await;
        assert_eq!(r, Bson::Int64(i64::from(i32::MAX) + 3));
        assert_eq!(shown::<Page>(bench, &page.id).await.get("_r_tag"), Some(&r));
        // Many at once, by `$inc` in place of an expression.
        let many = Tag::update_many(db, |t| t.id.eq(tag.id)).set(|t| t.word, "many");
        many.await.expect("changed");
        assert_eq!(word(bench, &page).await, "many");
        settled(bench).await;
    })
    .await;
}

// Values that look like expressions are values, on every way to the server.
#[tokio::test]
async fn values_are_not_expressions() {
    on_both("heal_literal", async |bench| {
        let db = &bench.db;
        let (tag, page) = start(bench).await;
        for new in ["$word", "$$ROOT", "{ $literal: 1 }", ""] {
            Tag::update(db, tag.id)
                .set(|t| t.word, new)
                .await
                .expect("changed");
            assert_eq!(word(bench, &page).await, new);
            bench.forget();
            Tag::update(db, tag.id)
                .set(|t| t.word, new)
                .await
                .expect("the same");
            assert_eq!(bench.sent(), ["findAndModify"], "{new}");
            let saved = Tag {
                word: format!("{new}$x"),
                ..tag.clone()
            };
            saved.save(db).await.expect("saved");
            assert_eq!(word(bench, &page).await, saved.word);
            let another = Page {
                id: Id::new(),
                word: new.to_owned(),
                ..page.clone()
            };
            Page::insert(db, &another).await.expect("stored");
            assert_eq!(word(bench, &another).await, saved.word);
            another.save(db).refresh().await.expect("saved");
            assert_eq!(word(bench, &another).await, saved.word);
            settled(bench).await;
        }
    })
    .await;
}

// A source is deleted by another program and another one takes its key: its revisions are newer than all that were.
#[tokio::test]
async fn a_key_that_is_used_again() {
    on_both("heal_key", async |bench| {
        let db = &bench.db;
        start(bench).await;
        let ann = user("ann");
        User::insert(db, &ann).await.expect("stored");
        let mail = Mail {
            id: Id::new(),
            from: ann.email.clone(),
            from_name: "?".to_owned(),
        };
        Mail::insert(db, &mail).await.expect("stored");
        for n in 0..5 {
            let name = format!("ann {n}");
            let update = User::update(db, ann.id).set(|u| u.name, name);
            update.await.expect("renamed");
        }
        let users = bench.raw("heal_users");
        users.delete_one(doc! {}).await.expect("deleted");
        let other = User {
            id: Id::new(),
            name: "other".to_owned(),
            ..ann.clone()
        };
        User::insert(db, &other).await.expect("stored");
        User::update(db, other.id)
            .set(|u| u.name, "other ann")
            .await
            .expect("renamed");
        let stored = shown::<Mail>(bench, &mail.id).await;
        assert_eq!(stored.get_str("from_name").ok(), Some("other ann"));
        settled(bench).await;
    })
    .await;
}

// Children move through the index of their sort key while the fan-out walks them; none is missed.
#[tokio::test]
async fn children_that_move_are_not_missed() {
    on_both("heal_moving", async |bench| {
        let db = &bench.db;
        start(bench).await;
        let ann = user("ann");
        User::insert(db, &ann).await.expect("stored");
        let row =
            |n: i64| doc! { "_id": n, "author": *ann.id.as_raw(), "author_name": "ann", "time": n };
        bench.seed("heal_posts", (0..4_000).map(row)).await;
        let posts = bench.raw("heal_posts");
        for round in 0..4_i64 {
            let name = format!("ann {round}");
            let rename = async {
                let done = User::update(db, ann.id).set(|u| u.name, &*name).await;
                assert_eq!(done.expect("renamed").pending, []);
            };
            // From the end of the sorted index to its start and back, a tenth of the documents at a time.
            let moving = async {
                for n in 0..40_i64 {
                    let some = doc! { "_id": { "$mod": [10, n % 10] } };
                    let shift = if n % 2 == 0 { 10_000 } else { -10_000 };
                    let moved = posts.update_many(some, doc! { "$inc": { "time": shift } });
                    moved.await.expect("moved");
                }
            };
            tokio::join!(rename, moving);
            let missed = doc! { "author_name": { "$ne": &name } };
            let missed = posts.count_documents(missed).await;
            assert_eq!(missed.expect("counted"), 0);
        }
        let fresh = post(&ann);
        Post::insert(db, &fresh).await.expect("stored");
        let stored = shown::<Post>(bench, &fresh.id).await;
        assert_eq!(stored.get_str("author_name").ok(), Some("ann 3"));
        settled(bench).await;
    })
    .await;
}

// Another program replaces a source and so wipes its revision; the clock of the next writer is behind the one that gave it.
#[tokio::test]
async fn a_source_whose_revision_was_wiped_is_followed_by_newer_copies() {
    on_both("heal_wiped", async |bench| {
        bench.index(&[User::meta(), Post::meta()]).await;
        let db = &bench.db;
        let user = User {
            id: Id::new(),
            name: "Ann".to_owned(),
            email: "ann@example.org".to_owned(),
            nick: None,
        };
        User::insert(db, &user).await.expect("stored");
        let post = Post {
            id: Id::new(),
            author: user.id,
            author_name: user.name.clone(),
            nick: None,
            time: 1,
        };
        Post::insert(db, &post).await.expect("stored");
        let hour_ahead = bson::DateTime::now().timestamp_millis() + 3_600_000;
        let ahead = doc! { "$set": { "_dn.r": hour_ahead * 1_000 } };
        let users = bench.raw("heal_users");
        users
            .update_one(doc! { "_id": user.id.into_raw() }, ahead)
            .await
            .expect("changed");
        User::update(db, user.id)
            .set(|u| u.name, "Anna")
            .await
            .expect("renamed");
        let wiped = doc! { "name": "Anna", "email": "ann@example.org", "nick": null };
        users
            .replace_one(doc! { "_id": user.id.into_raw() }, wiped)
            .await
            .expect("replaced");
        let renamed = User::update(db, user.id).set(|u| u.name, "Hanna").await;
        assert!(renamed.expect("renamed").pending.is_empty());
        let stored = bench.stored("heal_posts", post.id.into_raw()).await;
        assert_eq!(stored.get_str("author_name").ok(), Some("Hanna"));
        let found = verify(db).only::<Post>().await.expect("verified");
        assert!(found.is_settled(), "{found}");
    })
    .await;
}

// Right copies beside a flag: whatever the flag stands for may still change them.
#[tokio::test]
async fn a_flag_of_any_kind_keeps_a_report_from_being_settled() {
    on_both("heal_flagged", async |bench| {
        bench.index(&[User::meta(), Post::meta()]).await;
        let db = &bench.db;
        let user = User {
            id: Id::new(),
            name: "Ann".to_owned(),
            email: "ann@example.org".to_owned(),
            nick: None,
        };
        User::insert(db, &user).await.expect("stored");
        let edge = "heal_posts.author";
        let flagged = doc! { "$set": { "_dn.p": [edge] } };
        let users = bench.raw("heal_users");
        users
            .update_one(doc! { "_id": user.id.into_raw() }, flagged)
            .await
            .expect("flagged");
        let found = verify(db).only::<Post>().await.expect("verified");
        assert_eq!((found.is_clean(), found.flagged), (true, 1), "{found}");
        assert!(
            !found.is_settled() && found.to_string().contains("flag"),
            "{found}"
        );
        recover(db).await.expect("recovered");
        let found = verify(db).only::<Post>().await.expect("verified");
        assert!(found.is_settled(), "{found}");
    })
    .await;
}
