//! Documents that a program stored before their source existed, and whose copies are pending because it died.

use bson::doc;
use bson::oid::ObjectId;
use mongo_model::denorm::Defect;
use mongo_model::model::ModelMeta;
use mongo_model::{Id, MongoModel, Sweeper, recover, verify};
use serde::{Deserialize, Serialize};

use crate::common::{Bench, on_both};
use crate::deleting::settled::settled;

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "back_isles")]
struct Isle {
    #[serde(rename = "_id")]
    id: Id<Isle, String>,
    name: String,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "back_flags")]
struct Flag {
    #[serde(rename = "_id")]
    id: Id<Flag, String>,
    colour: String,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "back_boats")]
struct Boat {
    #[serde(rename = "_id")]
    id: i32,
    #[parent(Isle)]
    isle: Id<Isle, String>,
    #[denorm(from = Isle, field = name)]
    isle_name: String,
    #[parent(Flag)]
    flag: Id<Flag, String>,
    #[denorm(from = Flag, field = colour, via = flag)]
    flag_colour: String,
}

/// The models of these tests: all documents that they store.
fn models() -> [&'static ModelMeta; 3] {
    [Isle::meta(), Flag::meta(), Boat::meta()]
}

/// A flag, and no isle.
async fn start(bench: &Bench) {
    let models = [Isle::meta(), Flag::meta(), Boat::meta()];
    bench.index(&models).await;
    let flag = Flag {
        id: Id::from_raw("fr".to_owned()),
        colour: "blue".to_owned(),
    };
    Flag::insert(&bench.db, &flag).await.expect("stored");
}

// A mark goes when there is nothing left that could become wrong: not before the source is there, or the reference is not.
#[tokio::test]
async fn a_source_that_comes_later_is_copied_to_those_that_were_there_before() {
    on_both("back_later", async |bench| {
        let db = &bench.db;
        start(bench).await;
        let dead = doc! { "_id": 1, "isle": "sark", "isle_name": "?", "flag": "fr", "flag_colour": "?",
        "_dn": { "u": [{ "t": ObjectId::new() }] } };
        bench.seed("back_boats", [dead]).await;

        let done = recover(db).await.expect("recovered");
        assert_eq!((done.targets, done.dangling), (0, 1));
        assert!(done.is_idle() && done.stuck.is_empty(), "{done:?}");
        let stored = bench.stored("back_boats", 1).await;
        assert!(stored.get_document("_dn").is_ok_and(|dn| dn.contains_key("u")), "{stored}");
        // The source that exists is copied all the same.
        assert_eq!(stored.get_str("flag_colour").ok(), Some("blue"));
        let found = verify(db).models(&models()).await.expect("looked");
        let orphans = found.reference("back_boats.isle").expect("looked at");
        assert_eq!(orphans.flagged(Defect::Orphan), 1, "{found}");
        let mut sweeper = Sweeper::new(db);
        for _ in 0..3 {
            assert!(sweeper.sweep().await.expect("looked").is_idle());
        }
        assert_eq!(bench.stored("back_boats", 1).await, stored);

        let isle = Isle {
            id: Id::from_raw("sark".to_owned()),
            name: "Sark".to_owned(),
        };
        Isle::insert(db, &isle).await.expect("stored");
        let done = recover(db).await.expect("recovered");
        assert_eq!((done.targets, done.dangling), (1, 0));
        let boat = Boat::get(db, 1).await.expect("read").expect("there");
        assert_eq!((boat.isle_name.as_str(), boat.flag_colour.as_str()), ("Sark", "blue"));
        let found = verify(db).models(&models()).await.expect("looked");
        assert!(found.is_clean() && found.unsettled == 0, "{found}");
        settled(bench).await;
    })
    .await;
}

// Any program may delete such a document, or change its reference; then the mark is cleared too.
#[tokio::test]
async fn what_waits_for_a_source_can_be_changed() {
    on_both("back_changed", async |bench| {
        let db = &bench.db;
        start(bench).await;
        for id in ["herm", "jethou"] {
            let isle = Isle {
                id: Id::from_raw(id.to_owned()),
                name: id.to_uppercase(),
            };
            Isle::insert(db, &isle).await.expect("stored");
        }
        let dead = |n: i32| {
            doc! { "_id": n, "isle": "sark", "isle_name": "?", "flag": "fr", "flag_colour": "blue",
            "_dn": { "u": [{ "t": ObjectId::new() }] } }
        };
        bench.seed("back_boats", [dead(1), dead(2)]).await;
        assert_eq!(recover(db).await.expect("recovered").dangling, 2);
        let herm = Id::from_raw("herm".to_owned());
        Boat::update(db, 1)
            .set(|b| b.isle, herm)
            .await
            .expect("changed");
        Boat::delete(db, 2).await.expect("deleted");
        recover(db).await.expect("recovered");
        let boat = Boat::get(db, 1).await.expect("read").expect("there");
        assert_eq!(boat.isle_name, "HERM");
        settled(bench).await;
    })
    .await;
}

// An unchecked delete leaves copies that nothing keeps right: they are marked, so that they follow what comes back under the `_id`.
#[tokio::test]
async fn an_id_that_comes_back_after_an_unchecked_delete() {
    on_both("back_unchecked", async |bench| {
        let db = &bench.db;
        start(bench).await;
        let isle = |id: &str, name: &str| Isle {
            id: Id::from_raw(id.to_owned()),
            name: name.to_owned(),
        };
        let flag: Id<Flag, String> = Id::from_raw("fr".to_owned());
        for (n, id) in ["sark", "herm"].into_iter().enumerate() {
            Isle::insert(db, &isle(id, "?")).await.expect("stored");
            let boat = Boat {
                id: n as i32,
                isle: Id::from_raw(id.to_owned()),
                isle_name: String::new(),
                flag: flag.clone(),
                flag_colour: String::new(),
            };
            Boat::insert(db, &boat).await.expect("stored");
            let named = Isle::update(db, Id::from_raw(id.to_owned())).set(|i| i.name, "old");
            named.await.expect("named");
        }
        settled(bench).await;
        Isle::delete(db, Id::from_raw("sark".to_owned()))
            .without_rules()
            .await
            .expect("deleted");
        let herm: Id<Isle, String> = Id::from_raw("herm".to_owned());
        let gone = Isle::delete_many(db, |i| i.id.eq(herm))
            .without_rules()
            .await;
        assert_eq!(gone.expect("deleted").deleted, 1);
        let found = verify(db).models(&models()).await.expect("looked");
        let orphans = found.reference("back_boats.isle").expect("looked at");
        assert_eq!(orphans.flagged(Defect::Orphan), 2, "{found}");
        assert_eq!(recover(db).await.expect("recovered").dangling, 2);
        for id in ["sark", "herm"] {
            Isle::insert(db, &isle(id, "new")).await.expect("stored");
        }
        assert!(
            verify(db)
                .models(&models())
                .await
                .expect("looked")
                .is_clean()
        );
        recover(db).await.expect("recovered");
        let boats = Boat::scan(db, |b| b.all()).await.expect("read");
        assert!(
            boats.iter().all(|boat| boat.isle_name == "new"),
            "{boats:?}"
        );
        assert!(boats.iter().all(|boat| boat.flag_colour == "blue"));
        let named = Isle::update(db, Id::from_raw("sark".to_owned())).set(|i| i.name, "newer");
        named.await.expect("named");
        let boat = Boat::get(db, 0).await.expect("read").expect("there");
        assert_eq!(boat.isle_name, "newer");
        settled(bench).await;
    })
    .await;
}

// The program that has deleted the document compares the copies by itself when it stores one under the same `_id`.
#[tokio::test]
async fn the_program_that_deleted_it_copies_what_comes_back() {
    on_both("back_unchecked_own", async |bench| {
        let db = &bench.db;
        start(bench).await;
        let isle = |name: &str| Isle {
            id: Id::from_raw("sark".to_owned()),
            name: name.to_owned(),
        };
        Isle::insert(db, &isle("old")).await.expect("stored");
        let boat = Boat {
            id: 1,
            isle: isle("").id,
            isle_name: String::new(),
            flag: Id::from_raw("fr".to_owned()),
            flag_colour: String::new(),
        };
        Boat::insert(db, &boat).settled().await.expect("stored");
        let shown = async || {
            let boat = Boat::get(db, 1).await.expect("read");
            boat.expect("stored").isle_name
        };
        for (name, settles) in [("new", false), ("newer", true)] {
            Isle::delete(db, isle("").id)
                .without_rules()
                .await
                .expect("deleted");
            let isle = isle(name);
            let insert = Isle::insert(db, &isle);
            if settles {
                insert.settled().await.expect("stored");
            } else {
                insert.await.expect("stored");
                mongo_model::settle(db).await;
            }
            assert_eq!(shown().await, name);
        }
        settled(bench).await;
    })
    .await;
}

// A program that serves several databases looks for copies to compare in the database alone from which it has deleted.
#[tokio::test]
async fn an_insert_compares_copies_in_the_database_of_the_delete_alone() {
    on_both("back_here", async |bench| {
        start(bench).await;
        let isle = Isle {
            id: Id::from_raw("sark".to_owned()),
            name: "Sark".to_owned(),
        };
        let sent = async || {
            bench.forget();
            Isle::insert(&bench.db, &isle)
                .settled()
                .await
                .expect("stored");
            bench.sent().len()
        };
        on_both("back_elsewhere", async |elsewhere| {
            start(elsewhere).await;
            Isle::insert(&elsewhere.db, &isle).await.expect("stored");
            let gone = Isle::delete(&elsewhere.db, isle.id.clone())
                .without_rules()
                .await;
            assert_eq!(gone.expect("deleted").deleted, 1);
        })
        .await;
        let before = sent().await;
        let gone = Isle::delete(&bench.db, isle.id.clone())
            .without_rules()
            .await;
        assert_eq!(gone.expect("deleted").deleted, 1);
        let after = sent().await;
        assert!(after > before, "{before} commands, then {after}");
    })
    .await;
}

/// It goes with its isle; nothing refers to it, and nothing keeps anything of it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "back_docks")]
struct Dock {
    #[serde(rename = "_id")]
    id: i32,
    #[parent(Isle, on_delete = cascade)]
    isle: Id<Isle, String>,
    #[denorm(from = Isle, field = name)]
    isle_name: String,
}

// The delete of the children of an isle arrives after the isle was stored again, with a new child: that one stays.
#[tokio::test]
async fn a_late_delete_of_children_spares_those_of_a_parent_that_came_back() {
    on_both("back_docks", async |bench| {
        let db = &bench.db;
        bench
            .index(&[Isle::meta(), Boat::meta(), Flag::meta(), Dock::meta()])
            .await;
        let isle = Isle {
            id: Id::from_raw("sark".to_owned()),
            name: "Sark".to_owned(),
        };
        let dock = |id| Dock {
            id,
            isle: isle.id.clone(),
            isle_name: isle.name.clone(),
        };
        Isle::insert(db, &isle).await.expect("stored");
        Dock::insert(db, &dock(1)).await.expect("stored");
        bench.forget();
        let gone = Isle::delete(db, isle.id.clone()).await.expect("deleted");
        assert_eq!((gone.deleted, gone.cascaded), (1, 1));
        let mut late: Vec<_> = bench
            .take()
            .into_iter()
            .map(|sent| sent.command)
            .filter(|command| {
                command
                    .get_str("delete")
                    .is_ok_and(|name| name == "back_docks")
            })
            .collect();
        assert_eq!(late.len(), 1, "{late:?}");
        Isle::insert(db, &isle).await.expect("stored again");
        Dock::insert(db, &dock(2)).await.expect("stored");
        let mut late = late.remove(0);
        for own in [
            "lsid",
            "txnNumber",
            "$clusterTime",
            "$db",
            "$readPreference",
        ] {
            late.remove(own);
        }
        let reply = db.run_command(late).await.expect("arrived");
        assert_eq!(reply.get_i32("n").ok(), Some(0), "{reply}");
        assert_eq!(bench.len("back_docks").await, 1);
        let found = verify(db).only::<Dock>().await.expect("verified");
        assert!(found.is_settled(), "{found}");
    })
    .await;
}
