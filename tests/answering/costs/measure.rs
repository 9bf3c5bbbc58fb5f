//! Counts the commands of calls, and the round trips that follow one another.

use std::collections::HashSet;
use std::sync::{Arc, Mutex, PoisonError};

use mongo_model::model::{ModelMeta, WriteCosts};
use mongo_model::{Database, settle, sync_indexes};
use mongo_model_dev_server::{DevServer, Topology};
use mongodb::event::EventHandler;
use mongodb::event::command::CommandEvent;

/// How often a call is made until nothing that it sends at once was sent one after the other.
const TRIES: i32 = 40;

/// A command as it was sent, or the end of it.
#[derive(Debug, Clone)]
enum Event {
    Started(i32, String),
    Ended(i32),
}

/// A database, and the commands that are sent to it.
#[derive(Debug)]
pub(crate) struct Bench {
    pub(crate) db: Database,
    topology: Topology,
    events: Arc<Mutex<Vec<Event>>>,
    /// The differences from the costs, so that one run shows all of them.
    differs: Mutex<Vec<String>>,
}

/// Runs a test on a standalone server and on a replica set.
pub(crate) async fn on_both(name: &str, test: impl AsyncFn(&Bench)) {
    for topology in [Topology::Standalone, Topology::ReplicaSet(1)] {
        let server = DevServer::shared(topology).await.expect("a server");
        let events: Arc<Mutex<Vec<Event>>> = Arc::default();
        let log = Arc::clone(&events);
        let client = server.client_with(|options| {
            options.command_event_handler = Some(EventHandler::callback(move |event| {
                let event = match event {
                    CommandEvent::Started(one) => {
                        let to = one.command.get_str(&one.command_name).unwrap_or_default();
                        Event::Started(one.request_id, format!("{} {to}", one.command_name))
                    }
                    CommandEvent::Succeeded(one) => Event::Ended(one.request_id),
                    CommandEvent::Failed(one) => Event::Ended(one.request_id),
                    _ => return,
                };
                let mut log = log.lock().unwrap_or_else(PoisonError::into_inner);
                log.push(event);
            }));
        });
        let client = client.await.expect("a client");
        let db = client.database(&server.unique_db(name));
        let bench = Bench {
            db,
            topology,
            events,
            differs: Mutex::default(),
        };
        test(&bench).await;
        let differs = std::mem::take(&mut *bench.differs.lock().expect("no panic before"));
        assert!(differs.is_empty(), "{differs:#?}");
        bench.db.drop().await.expect("dropped");
    }
}

impl Bench {
    pub(crate) async fn index(&self, models: &[&'static ModelMeta]) {
        sync_indexes(&self.db)
            .models(models)
            .await
            .expect("indexes");
    }

    /// Checks the number of indexes against those that the collection has.
    pub(crate) async fn indexes(&self, meta: &'static ModelMeta) {
        let collection = self.db.collection::<bson::Document>(meta.collection);
        let stored = collection.list_index_names().await.expect("listed");
        assert_eq!(meta.costs().insert.indexes, stored.len(), "{}", meta.name);
    }

    fn take(&self) -> Vec<Event> {
        let mut events = self.events.lock().unwrap_or_else(PoisonError::into_inner);
        std::mem::take(&mut *events)
    }
}

/// How many commands were sent, and how many of them followed one another.
fn read(events: &[Event]) -> (Vec<String>, usize) {
    let (mut names, mut waves) = (Vec::new(), 0);
    let (mut wave, mut over) = (HashSet::new(), true);
    for event in events {
        match event {
            Event::Started(_, name) if name.starts_with("hello") => {}
            Event::Started(id, name) => {
                if over {
                    waves += 1;
                    wave.clear();
                    over = false;
                }
                wave.insert(*id);
                names.push(name.clone());
            }
            Event::Ended(id) => over |= wave.contains(id),
        }
    }
    (names, waves)
}

/// When the commands behind the answer are sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Behind {
    /// After it.
    After,
    /// Beside later commands of the call.
    Beside,
}

/// Makes a call again and again, each time with another number, and compares it with its costs. What is sent at once may come one after
/// the other, so the fewest round trips count; the number of commands is the same each time.
pub(crate) async fn measured(
    bench: &Bench,
    what: &str,
    (costs, when): (WriteCosts, Behind),
    prepare: impl AsyncFn(&Database, i32),
    call: impl AsyncFn(&Database, i32),
) {
    let db = &bench.db;
    let confirming = match bench.topology {
        Topology::Standalone => costs.confirming,
        _ => 0,
    };
    let behind = costs.behind + confirming;
    let expected = (costs.awaited, costs.round_trips, behind);
    // This call learns what a program learns once.
    prepare(db, 1).await;
    call(db, 1).await;
    let mut shown = String::new();
    for n in 2..TRIES {
        prepare(db, n).await;
        settle(db).await;
        drop(bench.take());
        call(db, n).await;
        let awaited = bench.take();
        settle(db).await;
        let (names, round_trips) = read(&awaited);
        let (later, _) = read(&bench.take());
        let found = (names.len(), round_trips, later.len());
        shown = format!(
            "{what} on {:?}: {found:?} instead of {expected:?}: {names:?}, {later:?}",
            bench.topology
        );
        let all = found.0 + found.2 == costs.awaited + behind;
        if !all || found.0 < costs.awaited || round_trips < costs.round_trips {
            break;
        }
        let sent = when == Behind::Beside || found == expected;
        if sent && round_trips == costs.round_trips {
            return;
        }
    }
    let mut differs = bench.differs.lock().expect("no panic before");
    differs.push(shown);
}
