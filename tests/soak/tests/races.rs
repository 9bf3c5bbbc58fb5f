//! One write waits between two of its steps while another one runs as a whole; then it goes on. Whichever two they are, no copy
//! is stale without a flag at any moment, and none is stale when both are done and nothing is flagged any more.
//!
//! At each point a write meets two others, in turn; all of them by `cargo test -p mongo-model-soak --test races -- --ignored`,
//! which takes minutes; of the writes with a word in their names by `RACES=word`.

use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use mongo_model::recover;
use mongo_model_dev_server::{DevServer, Topology};
use mongo_model_soak::family::Family;
use mongo_model_soak::parts::side_by_side;
use mongo_model_soak::points::{passed, point};
use mongo_model_soak::ways::Ways;
use mongo_model_soak::{reused, steps};
use mongodb::{Client, Database};

/// The writes that run meanwhile: each way to change a source, to add a copy, and to finish pending work; and writers that
/// die after their first write.
const COPIES: [&str; 9] = [
    "others die",
    "rename",
    "clear a field",
    "rename many",
    "push",
    "save other parts",
    "re-point",
    "re-point a copied copy",
    "recover",
];

/// The same for derived data of parents, for each group of models.
const KEPT: [(&str, &[&str]); 4] = [
    (
        "task owner person reassign",
        &["reassign", "delete a person"],
    ),
    (
        "message host rebuild recount",
        &["move a message", "delete a host"],
    ),
    (
        "tag author post sticker",
        &["delete an author", "delete a tag"],
    ),
    ("fellow club", &["delete a fellow", "leave a club"]),
];

/// The writes that run while `first` waits.
fn meanwhile(family: Family, first: &str) -> &'static [&'static str] {
    let of_group = |(words, _): &&(&str, &[&str])| {
        let mut words = words.split(' ');
        words.any(|word| first.contains(word))
    };
    match family {
        Family::Copies => &COPIES,
        Family::Kept => KEPT.iter().find(of_group).map_or(&[], |(_, steps)| *steps),
        Family::Reused => reused::steps::meanwhile(first),
    }
}

/// The first write that comes to a point waits there.
struct Stop {
    reached: Receiver<()>,
    go: SyncSender<()>,
}

impl Stop {
    fn at(name: &str) -> Self {
        let (reaching, reached) = sync_channel(1);
        let (go, going) = sync_channel(1);
        let going = Arc::new(Mutex::new(Some(going)));
        let callback = move || {
            let going = going.lock().unwrap().take();
            if let Some(going) = going {
                // The test that waits for either has failed if it is not there any more.
                let _ = reaching.send(());
                let _ = going.recv();
            }
        };
        fail::cfg_callback(point(name), callback).expect("a point");
        Stop { reached, go }
    }
}

/// Runs a write on a thread and a client of its own, as another process would.
fn apart(
    family: Family,
    uri: &str,
    db: &str,
    step: &'static str,
) -> std::thread::JoinHandle<mongo_model::Result<()>> {
    let (uri, db) = (uri.to_owned(), db.to_owned());
    std::thread::spawn(move || {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build();
        runtime.expect("a runtime").block_on(async {
            let client = Client::with_uri_str(uri).await.expect("a client");
            let done = family.run(&client.database(&db), step).await;
            client.shutdown().await;
            done
        })
    })
}

/// Nothing is lost now.
async fn nothing_lost(family: Family, db: &Database) -> Result<(), String> {
    let audit = family.audit(db).await.expect("read");
    if audit.lost().is_empty() && audit.foreign.is_empty() {
        return Ok(());
    }
    Err(format!("lost {:#?} {:#?}", audit.lost(), audit.foreign))
}

/// Races one pair at one point; returns the failures.
async fn race(
    family: Family,
    server: &DevServer,
    db: &Database,
    first: &'static str,
    name: &str,
    second: &str,
) -> Result<(), String> {
    let what = format!("{first}, stopped at {name} while: {second}");
    let flags = [first, second].contains(&"recover");
    let prepared = family.prepare(db, if flags { "recover" } else { first });
    prepared.await.expect("prepared");
    let Stop { reached, go } = Stop::at(name);
    let waiting = apart(family, server.uri(), db.name(), first);
    // The sender goes with the point, which goes when the write is over.
    let comes = tokio::task::spawn_blocking(move || {
        loop {
            // It spares the processor, which the write needs.
            if reached.recv_timeout(Duration::from_millis(1)).is_ok() {
                return (true, waiting);
            }
            if waiting.is_finished() {
                return (reached.try_recv().is_ok(), waiting);
            }
        }
    });
    let (comes, waiting) = comes.await.expect("no panic");
    let mut lost = Ok(());
    if comes {
        lost = nothing_lost(family, db).await;
        let done = match second {
            "others die" => steps::leave_flags(db).await,
            _ => family.run(db, second).await,
        };
        family.check(second, &done, &what);
        lost = lost.and(nothing_lost(family, db).await);
        go.send(()).expect("it waits");
    }
    fail::remove(point(name));
    let done = waiting.join().expect("no panic");
    family.check(first, &done, &what);
    lost.and(nothing_lost(family, db).await)?;
    let recovered = recover(db).await.expect("recovered");
    let audit = family.audit(db).await.expect("read");
    let may_dangle = family == Family::Reused;
    if !audit.stale.is_empty() || !(audit.dangling.is_empty() || may_dangle) {
        return Err(format!("after {recovered:?} {audit:#?}"));
    }
    match family.flagged(db).await.expect("counted") {
        0 => Ok(()),
        left => Err(format!("{left} flags are left")),
    }
}

/// Races each write at each point with what may run meanwhile: with all of it, or in turn with some of it.
async fn meet((family, words): (Family, &[&str]), mut ways: Ways) {
    let server = DevServer::shared(Topology::Standalone)
        .await
        .expect("a server");
    let client = server.client().await.expect("a client");
    let db = client.database(&server.unique_db("races"));
    family.index(&db).await.expect("indexes");
    let mut wrong = Vec::new();
    let only = std::env::var("RACES").ok();
    let wanted = |step: &&&str| {
        let of_part = words.is_empty() || words.iter().any(|word| step.starts_with(word));
        let asked_for = only.as_ref().is_none_or(|only| step.contains(only));
        of_part && asked_for
    };
    for first in family.steps().iter().filter(wanted) {
        let prepared = family.prepare(&db, first);
        prepared.await.expect("prepared");
        for (name, _) in passed(family.points(), family.run(&db, first)).await {
            let all = meanwhile(family, first);
            let mut some: Vec<&str> = (0..2)
                .flat_map(|_| ways.of(name, 1, all))
                .map(|(_, second)| second)
                .collect();
            some.sort_unstable();
            some.dedup();
            for second in some {
                if let Err(what) = race(family, server, &db, first, name, second).await {
                    let what = format!("{first}, stopped at {name} while: {second}: {what}");
                    eprintln!("{what}");
                    wrong.push(what);
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{} of them: {wrong:#?}", wrong.len());
    db.drop().await.expect("dropped");
}

/// Races that showed what documents need which come back: what is moved to a parent that goes, what comes late to one that is there
/// again, and a delete that another program has finished.
const CAME_BACK: [(&str, &str, &str); 12] = [
    ("item: move", "after_i1", "item: delete parent"),
    ("item: save", "after_i1", "item: delete parent"),
    ("note: move", "after_i1", "note: delete parent"),
    ("essay: save", "after_i1", "essay: replace parent"),
    ("story: move", "after_i1", "story: delete parent"),
    ("remark: save", "after_i1", "remark: delete parent"),
    ("thing: delete parent", "after_d3", "thing: replace all"),
    ("thing: delete parents", "after_d1", "thing: replace all"),
    ("player: delete parent", "after_d3", "player: replace all"),
    ("player: delete parent", "after_d1", "player: replace all"),
    ("essay: delete parent", "after_d1", "essay: replace all"),
    ("story: delete parent", "after_d1", "story: replace all"),
];

#[tokio::test]
async fn what_comes_back_may_meet_what_went() {
    let test = "what_comes_back_may_meet_what_went";
    side_by_side(test, &[("reused", ())], async |()| {
        let server = DevServer::shared(Topology::Standalone)
            .await
            .expect("a server");
        let client = server.client().await.expect("a client");
        let db = client.database(&server.unique_db("races"));
        let family = Family::Reused;
        family.index(&db).await.expect("indexes");
        let mut wrong = Vec::new();
        for (first, name, second) in CAME_BACK {
            if let Err(what) = race(family, server, &db, first, name, second).await {
                wrong.push(format!(
                    "{first}, stopped at {name} while: {second}: {what}"
                ));
            }
        }
        assert!(wrong.is_empty(), "{} of them: {wrong:#?}", wrong.len());
        db.drop().await.expect("dropped");
    })
    .await;
}

/// The parts of the tests: a family, and how the names of its writes begin; no word: all of its writes. The family of ids that
/// return has as many pairs of writes as the others together.
const PARTS: [(&str, (Family, &[&str])); 5] = [
    ("reused items", (Family::Reused, &["item", "essay", "note"])),
    ("reused things", (Family::Reused, &["thing", "remark"])),
    ("reused players", (Family::Reused, &["player", "story"])),
    ("copies", (Family::Copies, &[])),
    ("kept", (Family::Kept, &[])),
];

#[test]
fn the_parts_have_every_write_of_what_comes_back() {
    let words: Vec<&str> = PARTS
        .iter()
        .flat_map(|(_, (_, words))| *words)
        .copied()
        .collect();
    for step in Family::Reused.steps() {
        let parts = words.iter().filter(|word| step.starts_with(**word));
        assert_eq!(parts.count(), 1, "{step}");
    }
}

#[tokio::test]
async fn a_write_may_meet_another_anywhere() {
    let test = "a_write_may_meet_another_anywhere";
    side_by_side(test, &PARTS, async |part| {
        meet(part, Ways::in_turn(Topology::Standalone)).await;
    })
    .await;
}

#[tokio::test]
#[ignore = "minutes"]
async fn a_write_may_meet_any_other_anywhere() {
    let test = "a_write_may_meet_any_other_anywhere";
    side_by_side(test, &PARTS, async |part| {
        meet(part, Ways::all()).await;
    })
    .await;
}
