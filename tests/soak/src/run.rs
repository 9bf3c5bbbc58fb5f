//! A run: clients and sweepers that are killed and started again, servers too, and a look at every copy when all is over.

use std::fmt;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use bson::{Document, doc};
use futures::TryStreamExt;
use mongo_model::{Database, recover};
use mongo_model_dev_server::{DevServer, Environment, Topology};

use crate::client::Mode;
use crate::family::Family;
use crate::random::Random;

/// A client is killed this often.
const KILL: Duration = Duration::from_millis(250);
/// How many rounds of recovery may be needed before nothing is left: what the server refused once is tried again.
const ROUNDS: usize = 20;

/// The settings of a run.
#[derive(Debug, Clone)]
pub struct Settings {
    /// The program that is started as client and as sweeper: the binary of this package.
    pub program: PathBuf,
    /// How long clients write.
    pub seconds: u64,
    /// The kind of server.
    pub topology: Topology,
    /// The family of models that clients write.
    pub family: Family,
    /// The way copies are kept correct.
    pub mode: Mode,
    /// How many clients write at once.
    pub clients: u8,
    /// How many sweepers there are.
    pub sweepers: u8,
    /// Seconds between two disturbances of the servers.
    pub disturb: u64,
}

/// The results of a run.
#[derive(Debug, Clone, Default)]
pub struct Report {
    /// Clients and sweepers killed.
    pub client_kills: u64,
    /// Servers killed; on a replica set always the primary.
    pub server_kills: u64,
    /// Primaries that were made to step down.
    pub step_downs: u64,
    /// Operations that were acknowledged.
    pub acknowledged: u64,
    /// Copies compared with their source.
    pub copies: usize,
    /// Documents that carried a flag when everything was over.
    pub flags: u64,
    /// Copies that were stale when everything was over.
    pub stale: usize,
    /// Those of them that nothing leads back to.
    pub lost: Vec<String>,
    /// Copies that were still stale after the recovery.
    pub stale_after: Vec<String>,
    /// References to nothing.
    pub dangling: Vec<String>,
    /// Snapshots that are of another part than that beside them.
    pub foreign: Vec<String>,
    /// The duration of the recovery.
    pub recovery: Duration,
    /// Flags left after it.
    pub flags_after: u64,
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "client kills             {}", self.client_kills)?;
        writeln!(f, "server kills             {}", self.server_kills)?;
        writeln!(f, "step-downs               {}", self.step_downs)?;
        writeln!(f, "writes acknowledged      {}", self.acknowledged)?;
        writeln!(f, "copies checked           {}", self.copies)?;
        writeln!(f, "stale at the stop        {}", self.stale)?;
        writeln!(f, "  of them not flagged    {}", self.lost.len())?;
        writeln!(f, "documents with flags     {}", self.flags)?;
        writeln!(
            f,
            "recovery                 {:.3} s",
            self.recovery.as_secs_f64()
        )?;
        writeln!(f, "stale after recovery     {}", self.stale_after.len())?;
        writeln!(f, "dangling                 {}", self.dangling.len())?;
        writeln!(f, "foreign snapshots        {}", self.foreign.len())?;
        write!(f, "flags after recovery     {}", self.flags_after)?;
        let details = self
            .lost
            .iter()
            .chain(&self.stale_after)
            .chain(&self.dangling)
            .chain(&self.foreign);
        details.take(8).try_for_each(|line| write!(f, "\n  {line}"))
    }
}

/// A program that is killed when this is dropped.
struct Killed {
    child: Child,
    count: Option<JoinHandle<()>>,
}

impl Killed {
    fn start(program: &Path, arguments: &[&str], acknowledged: &Arc<AtomicU64>) -> Self {
        let mut child = Command::new(program)
            .args(arguments)
            // It ends when this ends.
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("the soak program starts");
        let acknowledged = Arc::clone(acknowledged);
        let count = child.stdout.take().map(|mut output| {
            std::thread::spawn(move || {
                let mut bytes = [0; 256];
                while let Ok(n @ 1..) = output.read(&mut bytes) {
                    acknowledged.fetch_add(n as u64, Ordering::Relaxed);
                }
            })
        });
        Killed { child, count }
    }
}

impl Drop for Killed {
    fn drop(&mut self) {
        // It may have ended by itself, which is as good.
        let _ = self.child.kill();
        let _ = self.child.wait();
        if let Some(count) = self.count.take() {
            let _ = count.join();
        }
    }
}

/// Starts servers of its own, and everything else.
///
/// # Panics
/// Where servers or programs do not start, or a server does not come back: nothing was tested then.
pub async fn soak(settings: &Settings) -> Report {
    let environment = Environment {
        mongodb_uri: None,
        ..Environment::from_process()
    };
    let server = DevServer::start_in(environment, settings.topology);
    let server = server.await.expect("a server");
    let client = server.client().await.expect("a client");
    let db = client.database("soak");
    let family = settings.family;
    family.index(&db).await.expect("indexes");
    family.seed(&db).await.expect("seeded");

    let mut report = Report::default();
    disturb(settings, &server, &mut report).await;
    settled(family, &server, &db).await;

    let at_stop = family.audit(&db).await.expect("read");
    report.copies = at_stop.copies;
    report.stale = at_stop.stale.len();
    report.lost = at_stop.lost().into_iter().map(str::to_owned).collect();
    report.flags = family.flagged(&db).await.expect("counted");
    let start = Instant::now();
    for _ in 0..ROUNDS {
        if recover(&db).await.expect("recovered").is_idle() {
            break;
        }
    }
    report.recovery = start.elapsed();
    let after = family.audit(&db).await.expect("read");
    report.stale_after = after.stale.into_iter().map(|stale| stale.what).collect();
    report.dangling = after.dangling;
    report.foreign = after.foreign;
    report.flags_after = family.flagged(&db).await.expect("counted");
    report
}

/// Lets clients write, and kills processes, until the time is over. No process runs afterwards.
async fn disturb(settings: &Settings, server: &DevServer, report: &mut Report) {
    let acknowledged = Arc::new(AtomicU64::new(0));
    let mut random = Random::new(rand_seed());
    let mut seed = 0_u64;
    let mut start = |n: u8| {
        seed += 1;
        let (uri, seed) = (server.uri(), seed.to_string());
        let sweeper = ["sweeper", uri];
        let names = (settings.family.name(), settings.mode.name());
        let writer = ["client", uri, names.0, names.1, &seed];
        let arguments: &[&str] = if n < settings.sweepers {
            &sweeper
        } else {
            &writer
        };
        Killed::start(&settings.program, arguments, &acknowledged)
    };
    let all = settings.sweepers + settings.clients;
    let mut programs: Vec<Killed> = (0..all).map(&mut start).collect();
    let begin = Instant::now();
    let mut next = Duration::from_secs(settings.disturb);
    while begin.elapsed() < Duration::from_secs(settings.seconds) {
        tokio::time::sleep(KILL).await;
        let victim = random.below(all);
        // The old one is gone before the new one starts.
        let place = &mut programs[usize::from(victim)];
        let _ = place.child.kill();
        *place = start(victim);
        report.client_kills += 1;
        if begin.elapsed() > next {
            next += Duration::from_secs(settings.disturb);
            let set = matches!(settings.topology, Topology::ReplicaSet(3));
            if set && (report.server_kills + report.step_downs) % 3 == 1 {
                report.step_downs += u64::from(server.step_down().await);
            } else if let Some(primary) = server.primary().await {
                server.kill_and_restart(primary).expect("killed");
                report.server_kills += 1;
            }
        }
    }
    // All of them at once: none of them goes on behind the others.
    for program in &mut programs {
        let _ = program.child.kill();
    }
    drop(programs);
    report.acknowledged = acknowledged.load(Ordering::Relaxed);
}

/// Another one for every run.
fn rand_seed() -> u64 {
    let [.., a, b, c, d] = bson::oid::ObjectId::new().bytes();
    u32::from_be_bytes([a, b, c, d]).into()
}

/// Waits until all servers are up, no command of a killed client still runs, and all visible data is durable.
async fn settled(family: Family, server: &DevServer, db: &Database) {
    while server.primary().await.is_none() {
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    while running(db).await != Some(0) {
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    for collection in family.collections() {
        let nothing = doc! { "update": collection, "updates": [{ "q": { "_id": 0 }, "u": { "$set": { "x": 1 } } }], "writeConcern": { "w": "majority", "j": true } };
        db.run_command(nothing).await.expect("durable");
    }
}

/// How many operations on this database the server is busy with; `None` if it does not say.
async fn running(db: &Database) -> Option<usize> {
    let of_this = format!("^{}\\.", db.name());
    let pipeline = [
        doc! { "$currentOp": { "allUsers": true, "idleConnections": false } },
        doc! { "$match": { "ns": { "$regex": of_this }, "active": true } },
    ];
    let admin = db.client().database("admin");
    let rows = admin.aggregate(pipeline).await.ok()?;
    let rows: Vec<Document> = rows.try_collect().await.ok()?;
    Some(rows.len())
}
