//! One-to-squillions: hosts and their log messages.
//!
//! A message refers to its host and holds a copy of the host's address. A host keeps its newest thousand messages and counts all
//! of them. The lines of its kernel log are stored in buckets of fifty.
//!
//! `cargo run --example logs` finds a MongoDB server (or fetches one), uses a database of its own, stores two hosts with 6,000
//! messages, and drops the database at the end.
//!
//! Each step prints a sentence and, below it, the commands that the driver sent, in order. Three things to look for:
//! 5,000 messages, or three messages of each host, take one command, served by an index; a change of the address
//! updates 5,400 messages with one `update`; 120 lines in three buckets are one read and one `insert`.

use bson::DateTime;
use futures::TryStreamExt;
use mongo_model::{BucketId, Database, Id, MongoEmbed, MongoModel, recover, sync_indexes};
use mongo_model_dev_server::monitor::CommandLog;
use mongo_model_dev_server::{DevServer, Topology};
use serde::{Deserialize, Serialize};

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "hosts")]
pub struct Host {
    #[serde(rename = "_id")]
    pub id: Id<Host>,
    pub name: String,
    #[index(unique)]
    pub ipaddr: String,
    /// The library maintains this list and the count below: every insert, update or delete of a message updates its host.
    #[recent(LogMsg, max = 1000, sort = time, fields(time, message))]
    pub logmsgs: Vec<RecentLogMsg>,
    #[count(LogMsg)]
    pub messages: i64,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "logmsg")]
pub struct LogMsg {
    #[serde(rename = "_id")]
    pub id: Id<LogMsg>,
    #[immutable]
    pub time: DateTime,
    pub message: String,
    /// The index `{ host: 1, time: -1, _id: -1 }` is generated: newest first without a sort.
    #[parent(Host, sort = -time, on_delete = cascade)]
    pub host: Id<Host>,
    /// Follows its host.
    #[denorm(from = Host, field = ipaddr)]
    pub ipaddr: String,
}

/// A line of the kernel's log.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoEmbed)]
pub struct KernelLine {
    /// The idempotency key: a line that is sent twice is stored once.
    pub id: i64,
    pub message: String,
}

/// Fifty such lines of one host.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "kernel_pages", bucket(lines))]
pub struct KernelPage {
    #[serde(rename = "_id")]
    pub id: BucketId<Host>,
    #[parent(Host, on_delete = cascade)]
    pub host: Id<Host>,
    pub count: i64,
    #[embed(max = 50)]
    pub lines: Vec<KernelLine>,
}

/// The results of the program, for the test that runs it.
#[derive(Debug)]
pub struct Found {
    /// How many of the last 5,000 messages of the first host there are.
    pub last: usize,
    /// The newest and the oldest of them.
    pub ends: [String; 2],
    /// The latest three messages of each host.
    pub latest: Vec<(String, Vec<String>)>,
    /// How many messages each host has.
    pub counts: Vec<(String, u64)>,
    /// How many messages followed when the first host's address changed.
    pub followed: usize,
    /// How many messages the pages held.
    pub pages: Vec<usize>,
    /// For each host, how many messages it keeps, the last of them, and how many it has.
    pub kept: Vec<(usize, String, i64)>,
    /// How many documents went with the first host.
    pub gone: u64,
    /// How many lines of the kernel were stored, and how many were there already.
    pub pushed: [u64; 2],
    /// How many lines the third page shows, how many there are, and the newest.
    pub kernel: (usize, u64, i64),
}

fn host(name: &str, ipaddr: &str) -> Host {
    Host {
        id: Id::new(),
        name: name.to_owned(),
        ipaddr: ipaddr.to_owned(),
        logmsgs: Vec::new(),
        messages: 0,
    }
}

/// Seeds a database, reads the messages in every way there is, and prints every step with the commands it sent.
pub async fn logs(db: &Database, log: &CommandLog) -> Result<Found, Box<dyn std::error::Error>> {
    // Each step waits for all of its commands, so that they are printed with it.
    mongo_model::settle_in_calls(true);
    let say = |what: &str| {
        let sent: Vec<String> = log.take().into_iter().map(|sent| sent.name).collect();
        println!("{what}\n    sent: {}", sent.join(", "));
    };
    let text = |messages: &[LogMsg]| -> Vec<String> {
        messages.iter().map(|found| found.message.clone()).collect()
    };

    let report = sync_indexes(db).await?;
    say(&format!(
        "Create the indexes of every model in the program:\n{report}"
    ));

    let hosts = [
        host("goofy", "127.66.66.66"),
        host("pluto", "127.66.66.67"),
        host("idle", "127.66.66.68"),
    ];
    Host::insert_many(db, &hosts).await?;
    let messages: Vec<LogMsg> = (0..6_000)
        .map(|n: u32| LogMsg {
            id: Id::new(),
            time: DateTime::from_millis(1_700_000_000_000 + i64::from(n)),
            message: format!("message {n}"),
            // Nine of ten messages are the first host's.
            host: hosts[usize::from(n.is_multiple_of(10))].id,
            ipaddr: hosts[usize::from(n.is_multiple_of(10))].ipaddr.clone(),
        })
        .collect();
    let done = LogMsg::insert_many(db, &messages).await?;
    say(&format!(
        "Insert three hosts and {} messages. Their copies will be compared later; pending: {}.",
        done.inserted, done.pending[0]
    ));
    let recovered = recover(db).await?;
    say(&format!(
        "Compare the copies of {} messages now.",
        recovered.targets
    ));

    let goofy = Host::find_one(db, |h| h.ipaddr.eq("127.66.66.66"))
        .await?
        .ok_or("it was just inserted")?;
    let last = LogMsg::by_host(db, goofy.id).limit(5_000).await?;
    let ends = [&last[0], &last[last.len() - 1]].map(|found| found.message.clone());
    say(&format!(
        "Find the last {} messages of {}: {} .. {}.",
        last.len(),
        goofy.name,
        ends[0],
        ends[1]
    ));

    let mut latest = Vec::new();
    for (host, messages) in LogMsg::by_host_many(db, &hosts[..2]).limit(3).await? {
        latest.push((host.name.clone(), text(&messages)));
    }
    say(&format!(
        "Find the latest three messages of two hosts with one command: {latest:?}."
    ));

    let mut counts = Vec::new();
    for (host, count) in LogMsg::by_host_many(db, &hosts).count().await? {
        counts.push((host.name.clone(), count));
    }
    say(&format!(
        "Count the messages of each host in the index: {counts:?}."
    ));

    let (mut pages, mut after) = (Vec::new(), None);
    loop {
        let page = LogMsg::by_host(db, hosts[1].id)
            .page(250)
            .after(after)
            .await?;
        pages.push(page.items.len());
        after = page.next;
        if after.is_none() {
            break;
        }
    }
    say(&format!(
        "Read the messages of {} page by page: {pages:?}. Each page starts in the index where the last one ended.",
        hosts[1].name
    ));

    let joined = LogMsg::find(db, |m| m.host.eq(hosts[1].id))
        .sort(|m| m.time.desc())
        .limit(2)
        .join(LogMsg::load_host_many)
        .await?;
    let told: Vec<String> = joined
        .iter()
        .map(|found| {
            let host = found.loaded.value().map_or("?", |host| host.name.as_str());
            format!("{host}: {}", found.message)
        })
        .collect();
    say(&format!(
        "Find two messages and join their host with two commands: {told:?}."
    ));
    let moved = "10.1.2.3";
    Host::update(db, goofy.id).set(|h| h.ipaddr, moved).await?;
    let followed = LogMsg::by_host(db, goofy.id).await?;
    let followed = followed
        .iter()
        .filter(|found| found.ipaddr == moved)
        .count();
    say(&format!(
        "Change the address of {} to {moved}. {followed} messages follow.",
        goofy.name
    ));

    let urgent = LogMsg {
        id: Id::new(),
        time: DateTime::from_millis(1_700_000_100_000),
        message: "cpu is on fire".to_owned(),
        host: hosts[1].id,
        ipaddr: String::new(),
    };
    LogMsg::insert(db, &urgent).await?;
    say("Insert one more message. One command updates its host and reads the address.");
    LogMsg::update(db, messages[5_999].id)
        .set(|m| m.host, hosts[1].id)
        .await?;
    say(
        "Give a message to another host. The list of the first host is filled up with an older message.",
    );
    let mut kept = Vec::new();
    for host in &hosts {
        let host = Host::get(db, host.id).await?.ok_or("it is stored")?;
        let last = host.logmsgs.last().map(|kept| kept.message.clone());
        kept.push((host.logmsgs.len(), last.unwrap_or_default(), host.messages));
    }
    say(&format!(
        "Read from the hosts the lengths of their lists, their newest messages and their counts: {kept:?}."
    ));

    let kernel = |n: i64| KernelLine {
        id: n,
        message: format!("eth0: link {n}"),
    };
    let first = KernelPage::push_many(db, goofy.id, (0..120).map(kernel)).await?;
    say(&format!(
        "Push 120 kernel lines of {} into {} buckets, which one command opens.",
        goofy.name, first.opened
    ));
    let again = KernelPage::push_many(db, goofy.id, (100..130).map(kernel)).await?;
    say(&format!(
        "Push 20 of them again with 10 new ones: {} are stored, {} were there.",
        again.added, again.there
    ));
    KernelPage::push(db, goofy.id, kernel(130)).await?;
    say("Push one more line with one read and one update.");
    let third = KernelPage::page(db, goofy.id, 2)
        .await?
        .ok_or("it was opened")?;
    say("Read the third page.");
    let newest = KernelPage::iterate(db, goofy.id)
        .newest_first()
        .batch_size(1);
    let newest = std::pin::pin!(newest.stream())
        .try_next()
        .await?
        .ok_or("there are lines")?;
    say(&format!(
        "Read the newest line from one bucket: {}.",
        newest.message
    ));
    let lines = KernelPage::count_items(db, goofy.id).await?;
    say(&format!("Count {lines} lines without reading them."));

    let gone = Host::delete(db, goofy.id).await?.cascaded;
    say(&format!(
        "Delete {}, and {gone} messages and buckets with it.",
        goofy.name
    ));
    Ok(Found {
        kept,
        gone,
        pushed: [first.added + again.added, again.there],
        kernel: (third.lines.len(), lines, newest.id),
        followed,
        last: last.len(),
        ends,
        latest,
        counts,
        pages,
    })
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let server = DevServer::start(Topology::Standalone).await?;
    let log = CommandLog::new();
    let client = server.client_with(|options| log.attach(options)).await?;
    let db = client.database(&server.unique_db("logs"));
    logs(&db, &log).await?;
    db.drop().await?;
    Ok(())
}
