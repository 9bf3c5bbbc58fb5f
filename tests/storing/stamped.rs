//! `#[created]`, `#[updated]` and `#[immutable]`: the server's clock, in every write and only there.

use bson::{DateTime, Document, doc};
use mongo_model::{Error, MongoModel};
use serde::{Deserialize, Serialize};

use crate::common::{Bench, alone, in_set, on_both};

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "tickets")]
pub(crate) struct Ticket {
    #[serde(rename = "_id")]
    pub(crate) id: i32,
    #[created]
    #[index]
    pub(crate) created_at: DateTime,
    #[updated]
    #[serde(rename = "changed")]
    pub(crate) updated_at: DateTime,
    #[immutable]
    #[index(unique)]
    pub(crate) number: String,
    #[index]
    pub(crate) title: String,
}

/// The same with a version.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "drafts")]
pub(crate) struct Draft {
    #[serde(rename = "_id")]
    pub(crate) id: i32,
    #[created]
    pub(crate) created_at: Option<DateTime>,
    #[updated]
    pub(crate) updated_at: Option<DateTime>,
    #[immutable]
    pub(crate) author: Option<String>,
    pub(crate) title: String,
    #[version]
    pub(crate) version: i64,
}

/// Refers to a board with a copy, and to a ticket by its number; the board lists it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "board_notes")]
pub(crate) struct Note {
    #[serde(rename = "_id")]
    pub(crate) id: i32,
    #[parent(Board)]
    pub(crate) board: i32,
    #[denorm(from = Board, field = name)]
    pub(crate) board_name: String,
    #[parent(Ticket, key = number)]
    pub(crate) ticket: Option<String>,
    #[created]
    pub(crate) created_at: DateTime,
    #[updated]
    pub(crate) updated_at: DateTime,
    pub(crate) text: String,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "boards")]
pub(crate) struct Board {
    #[serde(rename = "_id")]
    pub(crate) id: i32,
    #[updated]
    pub(crate) updated_at: DateTime,
    pub(crate) name: String,
    #[recent(Note, max = 2, sort = created_at, fields(created_at, text))]
    pub(crate) latest: Vec<BoardNote>,
}

/// A time that no server has.
const NEVER: DateTime = DateTime::from_millis(7);

fn ticket(id: i32) -> Ticket {
    Ticket {
        id,
        created_at: NEVER,
        updated_at: NEVER,
        number: format!("T{id}"),
        title: "a".to_owned(),
    }
}

fn note(id: i32) -> Note {
    Note {
        id,
        board: 1,
        board_name: String::new(),
        ticket: None,
        created_at: NEVER,
        updated_at: NEVER,
        text: format!("note {id}"),
    }
}

/// The server's time.
async fn now(bench: &Bench) -> DateTime {
    let reply = bench.db.run_command(doc! { "hello": 1 }).await;
    let time = *reply
        .expect("asked")
        .get_datetime("localTime")
        .expect("a time");
    bench.forget();
    time
}

fn times(document: &Document, created: &str, updated: &str) -> (DateTime, DateTime) {
    let time = |name| *document.get_datetime(name).expect("a date");
    (time(created), time(updated))
}

/// Puts both times of a document back, as if it had been written long ago.
async fn age(bench: &Bench, collection: &str, id: i32, updated: &str) {
    let aged = doc! { "$set": { "created_at": NEVER, updated: NEVER } };
    let done = bench
        .raw(collection)
        .update_one(doc! { "_id": id }, aged)
        .await;
    assert_eq!(done.expect("aged").matched_count, 1);
    bench.forget();
}

#[tokio::test]
async fn new_documents() {
    on_both("stamped_new", async |bench| {
        let db = &bench.db;
        bench.index(&[Ticket::meta()]).await;
        let before = now(bench).await;
        let outcome = Ticket::insert(db, &ticket(1)).await.expect("stored");
        assert_eq!(
            (outcome.inserted, bench.sent()),
            (1, vec!["update".to_owned()])
        );
        let many: Vec<Ticket> = (2..=1_500).map(ticket).collect();
        let outcome = Ticket::insert_many(db, &many).await.expect("stored");
        assert_eq!(
            (outcome.inserted, bench.sent()),
            (1_499, vec!["update".to_owned()])
        );
        ticket(1_501).save(db).await.expect("stored");
        assert_eq!(bench.sent(), ["update"]);
        let after = now(bench).await;
        for id in [1, 2, 1_500, 1_501] {
            let stored = bench.stored("tickets", id).await;
            let (created, updated) = times(&stored, "created_at", "changed");
            assert!(before <= created && created <= after, "{stored}");
            assert_eq!(created, updated);
            assert_eq!(stored.get_str("number").ok(), Some(&*format!("T{id}")));
            assert_eq!(stored.keys().next().map(String::as_str), Some("_id"));
        }
        // An `_id` that exists, and a unique value, are duplicates as in any insert.
        let exists = Ticket::insert(db, &ticket(1)).await.expect_err("exists");
        assert!(Ticket::is_duplicate_id(&exists), "{exists:?}");
        let mut same = ticket(2_000);
        same.number = "T1".to_owned();
        let exists = Ticket::insert(db, &same).await.expect_err("exists");
        assert!(Ticket::is_duplicate_number(&exists), "{exists:?}");
        let exists = Ticket::insert_many(db, [&ticket(2_001), &ticket(1), &ticket(2_002)]).await;
        let Err(Error::Duplicate {
            position, value, ..
        }) = exists
        else {
            panic!("{exists:?}");
        };
        assert_eq!((position, value.into_inner()), (Some(1), 1.into()));
        assert_eq!(bench.len("tickets").await, 1_502);
    })
    .await;
}

#[tokio::test]
async fn racing_inserters_store_one() {
    on_both("stamped_race", async |bench| {
        let racing = (0..50).map(|_| {
            let db = bench.db.clone();
            tokio::spawn(async move { Ticket::insert(&db, &ticket(1)).await })
        });
        let mut stored = 0;
        for one in racing.collect::<Vec<_>>() {
            match one.await.expect("no panic") {
                Ok(_) => stored += 1,
                Err(error) => assert!(Ticket::is_duplicate_id(&error), "{error:?}"),
            }
        }
        assert_eq!(stored, 1);
    })
    .await;
}

#[tokio::test]
async fn every_write_sets_the_time_of_the_last() {
    on_both("stamped_writes", async |bench| {
        let db = &bench.db;
        bench.index(&[Ticket::meta()]).await;
        Ticket::insert(db, &ticket(1)).await.expect("stored");
        let mut stale = ticket(1);
        stale.title = "saved".to_owned();
        stale.number = "other".to_owned();
        for write in 0..3 {
            age(bench, "tickets", 1, "changed").await;
            let before = now(bench).await;
            match write {
                0 => Ticket::update(db, 1).set(|t| t.title, "b").await,
                1 => {
                    Ticket::update_many(db, |t| t.title.eq("b"))
                        .set(|t| t.title, "c")
                        .await
                }
                _ => stale.save(db).await,
            }
            .expect("written");
            assert_eq!(bench.sent(), ["update"], "{write}");
            let stored = bench.stored("tickets", 1).await;
            let (created, updated) = times(&stored, "created_at", "changed");
            assert_eq!(created, NEVER, "the time of creation stays: {write}");
            assert!(before <= updated, "{write}: {stored}");
            assert_eq!(
                stored.get_str("number").ok(),
                Some("T1"),
                "immutable: {write}"
            );
        }
        let stored = bench.stored("tickets", 1).await;
        assert_eq!(stored.get_str("title").ok(), Some("saved"));
    })
    .await;
}

#[tokio::test]
async fn with_a_version() {
    on_both("stamped_version", async |bench| {
        let db = &bench.db;
        let mut draft = Draft {
            id: 1,
            created_at: None,
            updated_at: None,
            author: Some("kate".to_owned()),
            title: "a".to_owned(),
            version: 0,
        };
        Draft::insert(db, &draft).await.expect("stored");
        age(bench, "drafts", 1, "updated_at").await;
        let before = now(bench).await;
        draft.author = None;
        draft.save_if_unchanged(db).await.expect("stored");
        let stored = bench.stored("drafts", 1).await;
        let (created, updated) = times(&stored, "created_at", "updated_at");
        assert!(created == NEVER && before <= updated, "{stored}");
        assert_eq!(stored.get_str("author").ok(), Some("kate"));
        age(bench, "drafts", 1, "updated_at").await;
        let saved = Draft::save_many_if_unchanged(db, [&mut draft])
            .await
            .expect("sent")
            .complete()
            .expect("stored");
        assert_eq!(saved.saved, 1);
        Draft::update(db, 1)
            .set(|d| d.title, "b")
            .await
            .expect("changed");
        let stored = bench.stored("drafts", 1).await;
        let (created, updated) = times(&stored, "created_at", "updated_at");
        assert!(created == NEVER && before <= updated, "{stored}");
        assert_eq!(stored.get_i64("version").ok(), Some(3));
        // A document from before the attributes: its creation is unknown, and stays so.
        bench
            .seed(
                "drafts",
                [doc! { "_id": 2, "title": "old", "version": 0_i64 }],
            )
            .await;
        let mut old = Draft::get(db, 2).await.expect("read").expect("stored");
        old.author = Some("eve".to_owned());
        old.save_if_unchanged(db).await.expect("stored");
        let stored = bench.stored("drafts", 2).await;
        assert!(
            !stored.contains_key("created_at") && !stored.contains_key("author"),
            "{stored}"
        );
    })
    .await;
}

/// A list of the last children shows the time that the server wrote; the upkeep of copies and lists is no write of the program.
#[tokio::test]
async fn copies_and_lists() {
    on_both("stamped_lists", async |bench| {
        let db = &bench.db;
        bench
            .index(&[Board::meta(), Note::meta(), Ticket::meta()])
            .await;
        let board = Board {
            id: 1,
            updated_at: NEVER,
            name: "main".to_owned(),
            latest: vec![],
        };
        Board::insert(db, &board).await.expect("stored");
        age(bench, "boards", 1, "updated_at").await;
        for id in 1..=2 {
            Note::insert(db, &note(id)).await.expect("stored");
        }
        Note::insert_many(db, [&note(3), &note(4)])
            .await
            .expect("stored");
        let board = Board::get(db, 1).await.expect("read").expect("stored");
        assert_eq!(board.updated_at, NEVER, "the list is upkeep");
        let mut listed: Vec<_> = board
            .latest
            .iter()
            .map(|one| (one.created_at, one.id))
            .collect();
        listed.sort();
        assert_eq!(listed.iter().map(|(_, id)| *id).collect::<Vec<_>>(), [3, 4]);
        for (time, id) in listed {
            let stored = Note::get(db, id).await.expect("read").expect("stored");
            assert_eq!(stored.created_at, time);
            assert_eq!(stored.board_name, "main");
        }
        age(bench, "board_notes", 4, "updated_at").await;
        Board::update(db, 1)
            .set(|b| b.name, "other")
            .await
            .expect("changed");
        let copy = Note::get(db, 4).await.expect("read").expect("stored");
        assert_eq!(
            (copy.board_name.as_str(), copy.updated_at),
            ("other", NEVER)
        );
        // A save of the note, whose copy stays as it is stored, and one to another text.
        let mut saved = copy.clone();
        saved.text = "new".to_owned();
        saved.save(db).await.expect("saved");
        let after = Note::get(db, 4).await.expect("read").expect("stored");
        assert!(
            after.updated_at > NEVER && after.created_at == NEVER,
            "{after:?}"
        );
        assert_eq!((&*after.text, &*after.board_name), ("new", "other"));
        let verified = mongo_model::verify(db).await.expect("verified");
        assert!(verified.is_clean(), "{verified:?}");
    })
    .await;
}

#[tokio::test]
async fn an_immutable_key_that_others_refer_by() {
    on_both("stamped_key", async |bench| {
        let db = &bench.db;
        bench
            .index(&[Board::meta(), Note::meta(), Ticket::meta()])
            .await;
        Ticket::insert(db, &ticket(1)).await.expect("stored");
        bench
            .seed(
                "boards",
                [doc! { "_id": 1, "updated_at": NEVER, "name": "main", "latest": [] }],
            )
            .await;
        let mut one = note(1);
        one.ticket = Some("T1".to_owned());
        Note::insert(db, &one).await.expect("stored");
        let mut changed = ticket(1);
        changed.title = "b".to_owned();
        changed.save(db).await.expect("saved");
        let stored = bench.stored("tickets", 1).await;
        assert_eq!(
            (stored.get_str("number").ok(), stored.get_str("title").ok()),
            (Some("T1"), Some("b"))
        );
    })
    .await;
}

#[tokio::test]
async fn in_a_transaction() {
    in_set("stamped_transaction", async |bench| {
        let db = &bench.db;
        bench.index(&[Ticket::meta()]).await;
        let before = now(bench).await;
        mongo_model::transaction(db, async |tx| {
            Ticket::insert_many(db, [&ticket(1), &ticket(2)])
                .within(tx)
                .await?;
            Ticket::update(db, 1)
                .set(|t| t.title, "b")
                .within(tx)
                .await?;
            Ok(())
        })
        .await
        .expect("committed");
        for id in [1, 2] {
            let (created, updated) =
                times(&bench.stored("tickets", id).await, "created_at", "changed");
            assert!(before <= created && created <= updated);
        }
    })
    .await;
}

/// An index on the time serves a filter on it.
#[tokio::test]
async fn a_time_is_found_by_its_index() {
    alone("stamped_index", async |bench| {
        let db = &bench.db;
        bench.index(&[Ticket::meta()]).await;
        Ticket::insert(db, &ticket(1)).await.expect("stored");
        bench.forget();
        let found = Ticket::find(db, |t| t.created_at.gt(NEVER))
            .await
            .expect("found");
        bench.plan().await.assert_served_by("created_at");
        assert_eq!(found.len(), 1);
    })
    .await;
}
