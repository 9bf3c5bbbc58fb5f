//! Very many tasks read and write at once.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

use bson::doc;
use bson::oid::ObjectId;
use futures::{FutureExt, TryStreamExt};
use mongo_model::{Database, Id, MongoModel, settle};

use super::{Message, Server, create, ordered, store_messages};
use crate::Result;
use crate::context::{Context, durable};
use crate::race::{Measure, Ratio};
use crate::report::{Limit, Row, Section};
use crate::seeded::Seeded;
use crate::stats;

const SERVERS: usize = 200;
const MESSAGES: usize = 50 * SERVERS;

/// By hand, with the write concern of mongo-model's writes.
const DURABLE: &str = "by hand, durable";

/// The waits of all calls of a variant, in milliseconds, by its turn.
type Waits = Arc<Mutex<Vec<Vec<f64>>>>;

/// One call of a task.
enum Call {
    /// A message by its id.
    Get(usize),
    /// The last 20 messages of a server.
    Last(usize),
    /// A message's number.
    Count(usize),
    /// A new message of a server.
    Insert(usize),
    /// Another name for a server, which its messages follow.
    Rename(usize),
}

impl Call {
    fn next(random: &mut Seeded) -> Self {
        match random.below(100) {
            0..60 => Call::Get(random.below(MESSAGES)),
            60..80 => Call::Last(random.below(SERVERS)),
            80..92 => Call::Count(random.below(MESSAGES)),
            92..98 => Call::Insert(random.below(SERVERS)),
            _ => Call::Rename(random.below(SERVERS)),
        }
    }
}

pub(super) async fn measure(context: &Context, section: &mut Section) -> Result<()> {
    let tasks = context.size(context.sizes.tasks, 8);
    let calls = context.size(50, 4);
    let db = &context.db;
    create(context, SERVERS).await?;
    store_messages(db, 0..MESSAGES, |n| n % SERVERS).await?;
    let title = format!("{tasks} tasks that read and write");
    let lasting = durable(db);
    let (by_hand, by_hand_durable, ours) = (Waits::default(), Waits::default(), Waits::default());
    let race = context
        .race(&title, 10)
        .sends("by hand", || {
            all(db.clone(), tasks, calls, Arc::clone(&by_hand), false).boxed()
        })
        .after(|| rest(db).boxed())
        .sends(DURABLE, || {
            let waits = Arc::clone(&by_hand_durable);
            all(lasting.clone(), tasks, calls, waits, false).boxed()
        })
        .after(|| rest(db).boxed())
        .sends("mongo-model", || {
            all(db.clone(), tasks, calls, Arc::clone(&ours), true).boxed()
        })
        .run()
        .await?;
    settle(db).await;
    let limit = Limit::AtMost(1.25);
    let row = Row::wall(&title, &race, "mongo-model", DURABLE, limit);
    section.rows.push(row);
    let p99 = |waits: &Waits| -> Vec<f64> {
        let waits = waits.lock().unwrap_or_else(PoisonError::into_inner);
        // The first turn of each is not counted.
        let turns = waits.iter().skip(1);
        turns.map(|turn| stats::at(turn.clone(), 0.99)).collect()
    };
    let (plain, theirs, ours) = (p99(&by_hand), p99(&by_hand_durable), p99(&ours));
    let paired = ours.iter().zip(&theirs).map(|(ours, theirs)| ours / theirs);
    let ratio = Ratio {
        median: stats::median(paired.collect()),
        p10: stats::p10(ours.clone()) / stats::p10(theirs.clone()),
    };
    section
        .rows
        .push(Row::of(&title, "p99 by hand, durable", ratio, limit));
    section.notes.push(format!(
        "{title}: the p99 of a call is {:.1} ms by hand, {:.1} ms with writes that no crash takes back, {:.1} ms with mongo-model.",
        stats::median(plain),
        stats::median(theirs),
        stats::median(ours)
    ));
    section.tables.push(race.table("call", Measure::Client));
    Ok(())
}

/// Waits for the work of the other variant that goes on after its calls.
async fn rest(db: &Database) -> Result<usize> {
    settle(db).await;
    Ok(0)
}

async fn all(db: Database, tasks: usize, calls: usize, waits: Waits, ours: bool) -> Result<usize> {
    let turn = {
        let mut waits = waits.lock().unwrap_or_else(PoisonError::into_inner);
        waits.push(Vec::new());
        waits.len()
    };
    let started: Vec<_> = (0..tasks)
        .map(|task| {
            let db = db.clone();
            tokio::spawn(async move {
                let mut random = Seeded::new((turn * tasks + task) as u64);
                let mut waits = Vec::with_capacity(calls);
                for _ in 0..calls {
                    let call = Call::next(&mut random);
                    let start = Instant::now();
                    match ours {
                        true => by_library(&db, call).await?,
                        false => by_driver(&db, call).await?,
                    }
                    waits.push(start.elapsed().as_secs_f64() * 1e3);
                }
                Result::Ok(waits)
            })
        })
        .collect();
    for task in started {
        let of_task = task.await??;
        let mut waits = waits.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(turn) = waits.last_mut() {
            turn.extend(of_task);
        }
    }
    if ours {
        settle(&db).await;
    }
    Ok(tasks * calls)
}

fn message(server: usize) -> Message {
    Message {
        id: Id::new(),
        host: Id::from_raw(ordered(1, server)),
        host_name: "first".to_owned(),
        number: 0,
        text: "connection refused: no route to host, will not be tried again".to_owned(),
    }
}

async fn by_library(db: &Database, call: Call) -> Result<()> {
    match call {
        Call::Get(n) => drop(Message::get(db, Id::from_raw(ordered(2, n))).await?),
        Call::Last(n) => {
            let host = Id::from_raw(ordered(1, n));
            drop(Message::by_host(db, host).limit(20).await?);
        }
        Call::Count(n) => {
            let id = Id::from_raw(ordered(2, n));
            Message::update(db, id).inc(|m| m.number, 1).await?;
        }
        Call::Insert(n) => drop(Message::insert(db, &message(n)).await?),
        Call::Rename(n) => {
            let (id, name) = (Id::from_raw(ordered(1, n)), ObjectId::new().to_hex());
            Server::update(db, id).set(|s| s.name, name).await?;
        }
    }
    Ok(())
}

async fn by_driver(db: &Database, call: Call) -> Result<()> {
    let messages = db.collection::<Message>("scale_messages");
    match call {
        Call::Get(n) => {
            drop(messages.find_one(doc! { "_id": ordered(2, n) }).await?);
        }
        Call::Last(n) => {
            let find = messages
                .find(doc! { "host": ordered(1, n) })
                .sort(doc! { "number": -1, "_id": -1 });
            drop(find.limit(20).await?.try_collect::<Vec<_>>().await?);
        }
        Call::Count(n) => {
            let change = doc! { "$inc": { "number": 1_i64 } };
            let this = doc! { "_id": ordered(2, n) };
            messages.update_one(this, change).await?;
        }
        Call::Insert(n) => {
            messages.insert_one(message(n)).await?;
        }
        Call::Rename(n) => {
            let name = ObjectId::new().to_hex();
            let this = doc! { "_id": ordered(1, n) };
            let servers = db.collection::<Server>("scale_hosts");
            let change = doc! { "$set": { "name": &name } };
            servers.update_one(this, change).await?;
            let its = doc! { "host": ordered(1, n) };
            let change = doc! { "$set": { "host_name": &name } };
            messages.update_many(its, change).await?;
        }
    }
    Ok(())
}
