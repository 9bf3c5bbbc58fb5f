//! Writes that give the document, upserts, changes of single elements, and deletes that compare the version.

use bson::{Bson, doc};
use mongo_model::{Error, MongoEmbed, MongoModel};
use serde::{Deserialize, Serialize};

use crate::common::{assert_too_long, in_set, on_both};

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "counters")]
pub(crate) struct Counter {
    #[serde(rename = "_id")]
    pub(crate) id: String,
    pub(crate) last: i64,
    #[index(unique)]
    pub(crate) code: i32,
    #[embed(max = 2)]
    pub(crate) tags: Vec<String>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoEmbed)]
pub(crate) struct Member {
    pub(crate) user: i32,
    pub(crate) role: String,
    pub(crate) points: i64,
    pub(crate) until: Option<i64>,
    #[embed(max = 2)]
    pub(crate) marks: Vec<String>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "teams")]
pub(crate) struct Squad {
    #[serde(rename = "_id")]
    pub(crate) id: i32,
    #[index]
    pub(crate) name: String,
    #[embed(max = 3)]
    pub(crate) members: Vec<Member>,
    #[version]
    pub(crate) version: i64,
}

/// Holds a copy of the name of a squad, and is deleted with it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "matches")]
pub(crate) struct Match {
    #[serde(rename = "_id")]
    pub(crate) id: i32,
    #[parent(Squad, on_delete = cascade)]
    pub(crate) squad: i32,
    #[denorm(from = Squad, field = name)]
    pub(crate) squad_name: String,
    pub(crate) place: String,
}

fn counter(id: &str, code: i32) -> Counter {
    Counter {
        id: id.to_owned(),
        last: 1,
        code,
        tags: vec![],
    }
}

fn member(user: i32, role: &str) -> Member {
    Member {
        user,
        role: role.to_owned(),
        points: 1,
        until: Some(1),
        marks: vec![],
    }
}

fn squad(id: i32) -> Squad {
    Squad {
        id,
        name: "a".to_owned(),
        members: vec![member(1, "guest"), member(2, "guest"), member(3, "admin")],
        version: 0,
    }
}

fn game(id: i32) -> Match {
    Match {
        id,
        squad: 1,
        squad_name: "wrong".to_owned(),
        place: "x".to_owned(),
    }
}

#[tokio::test]
async fn an_update_gives_the_document() {
    on_both("returning", async |bench| {
        let db = &bench.db;
        Counter::insert(db, &counter("c", 1)).await.expect("stored");
        bench.forget();
        let after = Counter::update(db, "c").inc(|c| c.last, 1).returning();
        let after = after.await.expect("changed");
        assert_eq!((after.last, after.outcome.modified), (2, 1));
        assert_eq!(bench.sent(), ["findAndModify"]);
        let before = Counter::update(db, "c")
            .inc(|c| c.last, 5)
            .returning_before();
        assert_eq!(before.await.expect("changed").into_document().last, 2);
        assert_eq!(bench.sent(), ["findAndModify"]);
        let missing = Counter::update(db, "d")
            .inc(|c| c.last, 1)
            .returning()
            .await;
        assert!(
            matches!(missing, Err(Error::NotFound { .. })),
            "{missing:?}"
        );
        // Nothing to change: the document as it is.
        let same = Counter::update(db, "c")
            .push_all(|c| c.tags, [""; 0])
            .returning();
        assert_eq!(same.await.expect("read").last, 7);
        // The bound of an array holds.
        let tags = ["a", "b"];
        let pushed = Counter::update(db, "c")
            .push_all(|c| c.tags, tags)
            .returning();
        assert_eq!(pushed.await.expect("pushed").tags, tags);
        let full = Counter::update(db, "c")
            .push(|c| c.tags, "c")
            .returning()
            .await;
        assert!(matches!(full, Err(Error::Full { .. })), "{full:?}");
        // Counters of racing writers: each gets a number of its own.
        let racing = (0..20).map(|_| {
            let db = db.clone();
            tokio::spawn(async move {
                let next = Counter::update(&db, "c").inc(|c| c.last, 1).returning();
                next.await.expect("changed").last
            })
        });
        let mut numbers = Vec::new();
        for one in racing.collect::<Vec<_>>() {
            numbers.push(one.await.expect("no panic"));
        }
        numbers.sort_unstable();
        assert_eq!(numbers, (8..28).collect::<Vec<i64>>());
    })
    .await;
}

#[tokio::test]
async fn a_change_with_a_condition_gives_the_document() {
    on_both("returning_if", async |bench| {
        let db = &bench.db;
        Counter::insert(db, &counter("c", 1)).await.expect("stored");
        bench.forget();
        let update = || Counter::update(db, "c").only_if(|c| c.last.lt(3));
        let done = update().inc(|c| c.last, 1).returning().await.expect("done");
        assert_eq!(done.done().map(|after| after.last), Some(2));
        let before = update().inc(|c| c.last, 1).returning_before();
        let before = before.await.expect("done").done();
        assert_eq!(before.map(|before| before.last), Some(2));
        assert_eq!(bench.sent(), ["findAndModify", "findAndModify"]);
        bench.forget();
        let returning = Counter::update(db, "c").inc(|c| c.last, 1).returning();
        let not = returning
            .only_if(|c| c.last.lt(3))
            .await
            .expect("an answer");
        assert!(!not.is_done());
        assert_eq!(not.current().map(|current| current.last), Some(3));
        assert_eq!(bench.sent(), ["findAndModify", "find"]);
        let gone = Counter::update(db, "d")
            .only_if(|c| c.last.lt(3))
            .inc(|c| c.last, 1);
        let gone = gone.returning().await;
        assert!(matches!(gone, Err(Error::NotFound { .. })), "{gone:?}");

        // Of a document that others copy.
        bench.index(&[Match::meta()]).await;
        Squad::insert(db, &squad(1)).await.expect("stored");
        Match::insert(db, &game(1)).await.expect("stored");
        let renamed = Squad::update(db, 1)
            .only_if(|s| s.name.ne("b"))
            .set(|s| s.name, "b");
        let renamed = renamed
            .returning()
            .await
            .expect("done")
            .done()
            .expect("met");
        assert_eq!(renamed.name, "b");
        let stored = Match::get(db, 1).await.expect("read").expect("there");
        assert_eq!(stored.squad_name, "b");
        let again = Squad::update(db, 1)
            .only_if(|s| s.name.ne("b"))
            .set(|s| s.name, "c");
        let again = again.returning().await.expect("an answer").current();
        assert_eq!(again.map(|squad| squad.name).as_deref(), Some("b"));
    })
    .await;
}

#[tokio::test]
async fn a_source_and_a_copy_are_given() {
    on_both("returning_copies", async |bench| {
        let db = &bench.db;
        bench.index(&[Squad::meta(), Match::meta()]).await;
        let stored = Squad::insert(db, &squad(1))
            .returning()
            .await
            .expect("stored");
        assert_eq!(stored.into_document(), squad(1));
        let game = Match::insert(db, &game(1))
            .returning()
            .await
            .expect("stored");
        assert_eq!((game.squad_name.as_str(), game.outcome.inserted), ("a", 1));
        bench.forget();
        let renamed = Squad::update(db, 1).set(|s| s.name, "b").returning();
        let renamed = renamed.await.expect("changed");
        assert_eq!((renamed.name.as_str(), renamed.version), ("b", 1));
        assert_eq!(bench.sent()[0], "findAndModify");
        assert_eq!(renamed.outcome.pending, []);
        let copy = Match::get(db, 1).await.expect("read").expect("stored");
        assert_eq!(copy.squad_name, "b");
        let before = Squad::update(db, 1)
            .set(|s| s.name, "c")
            .returning_before()
            .await;
        assert!(
            matches!(before, Err(Error::Impossible { .. })),
            "{before:?}"
        );
        assert_eq!(
            bench.stored("teams", 1).await.get_str("name").ok(),
            Some("b")
        );
        let moved = Match::update(db, 1).set(|m| m.squad, 1).returning();
        assert_eq!(moved.await.expect("changed").squad_name, "b");
    })
    .await;
}

#[tokio::test]
async fn an_insert_gives_what_is_stored() {
    on_both("insert_returning", async |bench| {
        let db = &bench.db;
        let stored = Counter::insert(db, &counter("c", 1)).returning().await;
        assert_eq!(bench.sent(), ["insert"]);
        assert_eq!(stored.expect("stored").into_document(), counter("c", 1));
        let again = Counter::insert(db, &counter("c", 1)).returning().await;
        assert!(Counter::is_duplicate_id(&again.expect_err("exists")));
    })
    .await;
}

#[tokio::test]
async fn an_upsert_stores_or_changes() {
    on_both("upsert", async |bench| {
        let db = &bench.db;
        bench.index(&[Counter::meta()]).await;
        let first = Counter::upsert(db, &counter("c", 1)).inc(|c| c.last, 1);
        let first = first.await.expect("stored");
        assert_eq!((first.inserted, first.matched), (1, 0));
        assert_eq!(bench.sent(), ["update", "insert"]);
        let second = Counter::upsert(db, &counter("c", 9)).inc(|c| c.last, 1);
        let second = second.await.expect("changed");
        assert_eq!((second.inserted, second.matched), (0, 1));
        assert_eq!(bench.sent(), ["update"]);
        let stored = Counter::get(db, "c").await.expect("read").expect("stored");
        assert_eq!(
            (stored.last, stored.code),
            (2, 1),
            "the new values are for a new document"
        );
        // Without changes: stored if there is none.
        bench.forget();
        let kept = Counter::upsert(db, &counter("c", 9)).await.expect("there");
        assert_eq!((kept.inserted, kept.matched, kept.modified), (0, 1, 0));
        assert_eq!(bench.sent(), ["insert"]);
        // A push that finds no document.
        let pushed = Counter::upsert(db, &counter("d", 2)).push(|c| c.tags, "x");
        assert_eq!(pushed.await.expect("stored").inserted, 1);
        // Another document has the unique value.
        let taken = Counter::upsert(db, &counter("e", 2))
            .inc(|c| c.last, 1)
            .await;
        assert!(Counter::is_duplicate_code(&taken.expect_err("taken")));
        let racing = (0..50).map(|_| {
            let db = db.clone();
            tokio::spawn(async move {
                Counter::upsert(&db, &counter("r", 3))
                    .inc(|c| c.last, 1)
                    .await
            })
        });
        let mut inserted = 0;
        for one in racing.collect::<Vec<_>>() {
            inserted += one
                .await
                .expect("no panic")
                .expect("stored or changed")
                .inserted;
        }
        let stored = Counter::get(db, "r").await.expect("read").expect("stored");
        assert_eq!((inserted, stored.last), (1, 50));
    })
    .await;
}

#[tokio::test]
async fn elements_that_meet_a_condition() {
    on_both("set_where", async |bench| {
        let db = &bench.db;
        Squad::insert_many(db, [&squad(1), &squad(2)])
            .await
            .expect("stored");
        bench.forget();
        let done = Squad::update(db, 1)
            .set_where(|s| s.members, |m| m.user.eq(2), |m| m.role, "$admin.x")
            .inc_where(
                |s| s.members,
                |m| m.role.eq("guest").and(m.user.lt(2)),
                |m| m.points,
                5,
            )
            .unset_where(
                |s| s.members,
                |m| m.user.eq(3).or(m.user.eq(9)),
                |m| m.until,
            )
            .set(|s| s.name, "b")
            .await
            .expect("changed");
        assert_eq!((done.matched, done.modified), (1, 1));
        let sent = bench.sent();
        assert!(
            sent[0] == "update" || sent[0] == "findAndModify",
            "{sent:?}"
        );
        let stored = Squad::get(db, 1).await.expect("read").expect("stored");
        let mut expected = squad(1);
        expected.members[1].role = "$admin.x".to_owned();
        expected.members[0].points = 6;
        expected.members[2].until = None;
        expected.name = "b".to_owned();
        expected.version = 1;
        assert_eq!(stored, expected);
        // No element meets the condition: nothing but the version changes.
        bench.forget();
        let none = Squad::update(db, 1).set_where(|s| s.members, |m| m.user.eq(7), |m| m.role, "x");
        assert_eq!(none.await.expect("sent").matched, 1);
        assert_eq!(bench.sent(), ["update"]);
        // Many documents, with the same filter for all.
        let all = Squad::update_many(db, |s| s.name.is_in(["a", "b"]));
        let all = all
            .set_where(|s| s.members, |m| m.user.eq(1), |m| m.role, "owner")
            .await;
        assert_eq!(all.expect("changed").matched, 2);
        for id in [1, 2] {
            let stored = Squad::get(db, id).await.expect("read").expect("stored");
            assert_eq!(stored.members[0].role, "owner");
        }
        // The bound of an array inside an element, and one path twice.
        bench.forget();
        let marks = vec![String::new(); 3];
        let long =
            Squad::update(db, 1).set_where(|s| s.members, |m| m.user.eq(1), |m| m.marks, marks);
        assert_too_long(long.await, "members.marks", 2);
        let twice = Squad::update(db, 1)
            .set_where(|s| s.members, |m| m.user.eq(1), |m| m.role, "x")
            .set_where(|s| s.members, |m| m.user.eq(2), |m| m.role, "y");
        assert!(matches!(twice.await, Err(Error::ChangedTwice { .. })));
        let twice = Squad::update(db, 1)
            .set_where(|s| s.members, |m| m.user.eq(1), |m| m.role, "x")
            .push(|s| s.members, member(4, "x"));
        assert!(matches!(twice.await, Err(Error::ChangedTwice { .. })));
        assert_eq!(bench.sent(), [""; 0]);
    })
    .await;
}

#[tokio::test]
async fn a_delete_compares_the_version() {
    on_both("delete_if_unchanged", async |bench| {
        let db = &bench.db;
        bench.index(&[Squad::meta(), Match::meta()]).await;
        Squad::insert(db, &squad(1)).await.expect("stored");
        Match::insert(db, &game(1)).await.expect("stored");
        let stale = Squad::get(db, 1).await.expect("read").expect("stored");
        Squad::update(db, 1)
            .set(|s| s.name, "b")
            .await
            .expect("changed");
        let refused = stale.delete_if_unchanged(db).await;
        let Err(Error::Conflict(conflict)) = refused else {
            panic!("{refused:?}");
        };
        assert_eq!(conflict.current::<Squad>().expect("decodes").name, "b");
        assert_eq!(
            (bench.len("teams").await, bench.len("matches").await),
            (1, 1)
        );
        let tombstones = bench.stored("teams", 1).await;
        assert!(!tombstones.to_string().contains("\"del\""), "{tombstones}");
        let fresh = Squad::get(db, 1).await.expect("read").expect("stored");
        let deleted = fresh.delete_if_unchanged(db).await.expect("deleted");
        assert_eq!((deleted.deleted, deleted.cascaded), (1, 1));
        assert_eq!(
            (bench.len("teams").await, bench.len("matches").await),
            (0, 0)
        );
        let gone = fresh.delete_if_unchanged(db).await;
        assert!(matches!(gone, Err(Error::Gone { .. })), "{gone:?}");
    })
    .await;
}

/// Writers and deleters race: either a writer's version is deleted by nobody, or the delete came first.
#[tokio::test]
async fn racing_deletes_and_writes() {
    on_both("delete_race", async |bench| {
        let db = &bench.db;
        bench.index(&[Squad::meta(), Match::meta()]).await;
        for id in 0..20 {
            Squad::insert(db, &squad(id)).await.expect("stored");
            let read = Squad::get(db, id).await.expect("read").expect("stored");
            let (deleting, writing) = (db.clone(), db.clone());
            let delete = tokio::spawn(async move { read.delete_if_unchanged(&deleting).await });
            let write =
                tokio::spawn(async move { Squad::update(&writing, id).set(|s| s.name, "b").await });
            let (deleted, written) = (delete.await.expect("ran"), write.await.expect("ran"));
            let there = Squad::get(db, id).await.expect("read");
            match (deleted, written) {
                (Ok(_), Err(Error::NotFound { .. })) => assert_eq!(there, None),
                (Err(Error::Conflict(_)), Ok(_)) => assert_eq!(there.expect("kept").name, "b"),
                other => panic!("{other:?}"),
            }
        }
    })
    .await;
}

#[tokio::test]
async fn in_a_transaction() {
    in_set("returning_transaction", async |bench| {
        let db = &bench.db;
        bench.index(&[Squad::meta(), Match::meta()]).await;
        let number = mongo_model::transaction(db, async |tx| {
            let squad = Squad::insert(db, &squad(1)).within(tx).returning().await?;
            assert_eq!(squad.outcome.inserted, 1);
            let game = Match::insert(db, &game(1)).within(tx).returning().await?;
            assert_eq!(game.squad_name, "a");
            Counter::upsert(db, &counter("c", 1))
                .inc(|c| c.last, 1)
                .within(tx)
                .await?;
            let next = Counter::update(db, "c")
                .inc(|c| c.last, 1)
                .within(tx)
                .returning();
            Ok(next.await?.last)
        });
        assert_eq!(number.await.expect("committed"), 2);
        let read = Squad::get(db, 1).await.expect("read").expect("stored");
        mongo_model::transaction(db, async |tx| read.delete_if_unchanged(db).within(tx).await)
            .await
            .expect("deleted");
        assert_eq!(
            (bench.len("teams").await, bench.len("matches").await),
            (0, 0)
        );
    })
    .await;
}

/// Strings as keys, and an absent string.
#[tokio::test]
async fn keys_and_absent_strings() {
    use mongo_model::Id;
    #[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
    #[model(collection = "settings")]
    struct Setting {
        #[serde(rename = "_id")]
        id: Id<Setting, String>,
        note: Option<String>,
    }
    #[derive(Debug, Default, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
    #[model(collection = "events")]
    struct Event {
        #[serde(rename = "_id")]
        id: Id<Event>,
        name: String,
    }
    on_both("string_keys", async |bench| {
        let db = &bench.db;
        let setting = Setting {
            id: Id::from_raw("color".to_owned()),
            note: None,
        };
        Setting::insert(db, &setting).await.expect("stored");
        let note = String::from("red");
        Setting::update(db, "color")
            .set(|s| s.note, note.clone())
            .await
            .expect("changed");
        let found = Setting::get(db, "color")
            .await
            .expect("read")
            .expect("stored");
        assert_eq!(found.note.as_deref(), Some("red"));
        Setting::update(db, "color")
            .set(|s| s.note, None)
            .await
            .expect("changed");
        assert_eq!(
            bench.stored("settings", "color").await.get("note"),
            Some(&Bson::Null)
        );
        let (one, two) = (Event::default(), Event::default());
        Event::insert_many(db, [&one, &two]).await.expect("two ids");
        assert_eq!(
            bench
                .raw("events")
                .count_documents(doc! {})
                .await
                .expect("counted"),
            2
        );
    })
    .await;
}
