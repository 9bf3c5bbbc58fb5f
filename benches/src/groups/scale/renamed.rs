//! A source that a great many documents copy from is renamed: how long that takes, how much memory, how long others wait meanwhile, and what
//! is left of it when it is interrupted.

use std::process::{Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use bson::{Bson, Document, doc};
use futures::TryStreamExt;
use mongo_model::{Database, Id, MongoModel, recover};
use mongodb::Client;

use super::{Message, Server, create, memory, ordered, stale, store_messages};
use crate::Result;
use crate::context::Context;
use crate::race::Ratio;
use crate::report::{Limit, Row, Section};
use crate::stats;

/// The messages that other writers change meanwhile; they are of a server that keeps its name.
const OTHERS: usize = 10_000;
const WRITERS: usize = 4;
const ROUNDS: usize = 3;

/// The times of one turn.
struct Turn {
    seconds: f64,
    grown: f64,
    /// Milliseconds per write of another writer.
    waits: Vec<f64>,
}

pub(super) async fn measure(context: &Context, section: &mut Section) -> Result<()> {
    let followers = context.size(context.sizes.followers, 2_000);
    eprintln!("   a rename that {followers} documents follow");
    let db = &context.db;
    create(context, 2).await?;
    store_messages(db, 0..followers, |_| 0).await?;
    store_messages(db, followers..followers + OTHERS, |_| 1).await?;
    let others = followers..followers + OTHERS;
    let alone = quiet(db, &others).await?;
    let (mut by_hand, mut ours) = (Vec::new(), Vec::new());
    for n in 0..context.size(ROUNDS, 1) {
        // By hand the source is not changed: its next revision is the library's.
        let name = format!("by hand {n}");
        by_hand.push(beside_others(db, &others, bare(db, &name)).await?);
        let name = format!("ours {n}");
        let turn = beside_others(db, &others, followed(db, &name, followers)).await?;
        ours.push(turn);
        left_over(db, &name).await?;
    }
    report(section, followers, alone, &by_hand, &ours);
    for interrupted in ["dropped", "killed"] {
        let note = resumed(context, followers, interrupted).await?;
        section.notes.push(note);
    }
    Ok(())
}

fn report(
    section: &mut Section,
    followers: usize,
    alone: Vec<f64>,
    by_hand: &[Turn],
    ours: &[Turn],
) {
    let work = format!("rename that {followers} documents follow, beside {WRITERS} writers");
    let median =
        |turns: &[Turn], of: fn(&Turn) -> f64| stats::median(turns.iter().map(of).collect());
    let p99 = |turn: &Turn| stats::at(turn.waits.clone(), 0.99);
    let ratio = |of: fn(&Turn) -> f64| {
        let paired = ours
            .iter()
            .zip(by_hand)
            .map(|(ours, theirs)| of(ours) / of(theirs));
        let median = stats::median(paired.collect());
        Ratio {
            median,
            p10: median,
        }
    };
    let limit = Limit::AtMost(1.5);
    let row = Row::of(&work, "bare updateMany", ratio(|turn| turn.seconds), limit);
    section.rows.push(row.without_bar());
    let against = "others' p99 during a bare updateMany";
    let row = Row::of(
        &work,
        against,
        ratio(|turn| stats::at(turn.waits.clone(), 0.99)),
        limit,
    );
    section.rows.push(row.without_bar());
    let grown = median(ours, |turn| turn.grown);
    section.rows.push(Row::number(
        &work,
        "memory of the client",
        grown,
        16.0,
        "MiB",
    ));
    for (name, turns) in [("bare updateMany", by_hand), ("mongo-model", ours)] {
        let worst = |of: fn(&Turn) -> f64| turns.iter().map(of).fold(0.0, f64::max);
        section.notes.push(format!(
            "{work}: {name} takes {:.1} s; the client grows by {:.1} MiB; a write of another writer takes {:.1} ms (median), {:.1} ms (p99), {:.1} ms (the longest).",
            median(turns, |turn| turn.seconds),
            worst(|turn| turn.grown),
            median(turns, |turn| stats::median(turn.waits.clone())),
            stats::median(turns.iter().map(p99).collect()),
            worst(|turn| stats::at(turn.waits.clone(), 1.0)),
        ));
    }
    section.notes.push(format!(
        "The same writers alone: {:.1} ms (median), {:.1} ms (p99).",
        stats::median(alone.clone()),
        stats::at(alone, 0.99),
    ));
}

async fn bare(db: &Database, name: &str) -> Result<()> {
    let messages = db.collection::<Document>("scale_messages");
    let change = doc! { "$set": { "host_name": name } };
    messages
        .update_many(doc! { "host": ordered(1, 0) }, change)
        .await?;
    Ok(())
}

/// The rename, with its progress.
async fn followed(db: &Database, name: &str, followers: usize) -> Result<()> {
    let mut rename = std::pin::pin!(rename(db, name));
    let mut ticks = tokio::time::interval(Duration::from_secs(2));
    ticks.tick().await;
    loop {
        tokio::select! {
            done = &mut rename => return done,
            _ = ticks.tick() => {
                let done = progress(db, name, followers).await?;
                eprintln!("      {done} of {followers} follow");
            }
        }
    }
}

async fn rename(db: &Database, name: &str) -> Result<()> {
    let id = Id::from_raw(ordered(1, 0));
    let done = Server::update(db, id).set(|s| s.name, name).await?;
    match done.pending.first() {
        Some(pending) => Err(format!("copies are left pending: {pending}").into()),
        None => Ok(()),
    }
}

/// How many of the messages have a name: the server writes them in the order of their ids, so few are read.
async fn progress(db: &Database, name: &str, followers: usize) -> Result<usize> {
    let messages = db.collection::<Document>("scale_messages");
    let (mut done, mut end) = (0, followers);
    while done < end {
        let middle = done + (end - done) / 2;
        let has = doc! { "_id": ordered(2, middle), "host_name": name };
        match messages.find_one(has).await? {
            Some(_) => done = middle + 1,
            None => end = middle,
        }
    }
    Ok(done)
}

async fn quiet(db: &Database, others: &std::ops::Range<usize>) -> Result<Vec<f64>> {
    let wait = async {
        tokio::time::sleep(Duration::from_secs(2)).await;
        Ok(())
    };
    Ok(beside_others(db, others, wait).await?.waits)
}

/// Does the work while other writers write; they pause a little between two writes, so that the machine is not theirs.
async fn beside_others(
    db: &Database,
    others: &std::ops::Range<usize>,
    work: impl Future<Output = Result<()>>,
) -> Result<Turn> {
    let over = Arc::new(AtomicBool::new(false));
    let writers: Vec<_> = (0..WRITERS)
        .map(|writer| {
            let (over, others) = (Arc::clone(&over), others.clone());
            let messages = db.collection::<Document>("scale_messages");
            tokio::spawn(async move {
                let mut waits = Vec::new();
                let mut n = writer;
                while !over.load(Ordering::Relaxed) {
                    let id = ordered(2, others.start + n % OTHERS);
                    let change = doc! { "$inc": { "number": 1_i64 } };
                    let start = Instant::now();
                    messages.update_one(doc! { "_id": id }, change).await?;
                    waits.push(start.elapsed().as_secs_f64() * 1e3);
                    n += WRITERS;
                    tokio::time::sleep(Duration::from_millis(2)).await;
                }
                Ok::<_, mongodb::error::Error>(waits)
            })
        })
        .collect();
    let start = Instant::now();
    let (done, grown) = memory::grown(work).await;
    let seconds = start.elapsed().as_secs_f64();
    over.store(true, Ordering::Relaxed);
    done?;
    let mut waits = Vec::new();
    for writer in writers {
        waits.extend(writer.await??);
    }
    Ok(Turn {
        seconds,
        grown,
        waits,
    })
}

async fn left_over(db: &Database, name: &str) -> Result<()> {
    match stale(db, 0, name).await? {
        0 => Ok(()),
        stale => Err(format!("{stale} copies are stale").into()),
    }
}

/// Interrupts a rename where a quarter follows, and resumes it.
async fn resumed(context: &Context, followers: usize, how: &str) -> Result<String> {
    let db = &context.db;
    let quarter = async {
        while progress(db, how, followers).await? < followers / 4 {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
        Result::Ok(())
    };
    if how == "dropped" {
        tokio::select! {
            done = rename(db, how) => done?,
            reached = quarter => reached?,
        }
    } else {
        let mut child = Command::new(std::env::current_exe()?)
            .args(["--rename", context.uri(), db.name(), how])
            .stdout(Stdio::null())
            .spawn()?;
        quarter.await?;
        child.kill()?;
        child.wait()?;
    }
    stop_on_server(db).await?;
    let reached = progress(db, how, followers).await?;
    let flagged = db.collection::<Document>("scale_hosts");
    let flagged = flagged.count_documents(doc! { "_dn.p": { "$exists": true } });
    let flagged = flagged.await?;
    let start = Instant::now();
    let (recovered, grown) = memory::grown(recover(db).into_future()).await;
    let recovered = recovered?;
    let seconds = start.elapsed().as_secs_f64();
    left_over(db, how).await?;
    Ok(format!(
        "Rename {how} where {reached} of {followers} documents followed ({flagged} source flagged): `recover` brought {} source to its copies in {seconds:.1} s, with {grown:.1} MiB; 0 stale.",
        recovered.sources
    ))
}

/// Stops updates whose caller has gone: without that the server would finish them.
async fn stop_on_server(db: &Database) -> Result<()> {
    let admin = db.client().database("admin");
    let namespace = format!("{}.scale_messages", db.name());
    loop {
        let its = [
            doc! { "$currentOp": {} },
            doc! { "$match": { "op": "update", "ns": &namespace } },
        ];
        let running: Vec<Document> = admin.aggregate(its).await?.try_collect().await?;
        if running.is_empty() {
            return Ok(());
        }
        for operation in running {
            let id = operation.get("opid").cloned().unwrap_or(Bson::Null);
            admin.run_command(doc! { "killOp": 1, "op": id }).await?;
        }
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
}

/// The program that is killed: renames, and ends.
pub(crate) async fn rename_in_this_process(uri: &str, database: &str, name: &str) -> Result<()> {
    // It knows the models, and so what follows.
    let _ = Message::meta();
    let client = Client::with_uri_str(uri).await?;
    rename(&client.database(database), name).await
}
