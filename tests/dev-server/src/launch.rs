//! Starts private servers and waits until they are ready.

use std::{
    io,
    net::{Ipv4Addr, TcpListener, TcpStream},
    path::Path,
    time::Duration,
};

use mongodb::{
    Client,
    bson::{Document, doc},
    error::ErrorKind,
    options::{ClientOptions, ServerAddress},
};
use tokio::time::{Instant, sleep, timeout_at};

use crate::{
    Error,
    mongod::{End, Mongod},
};

/// The name of every replica set started here.
const REPLICA_SET: &str = "dev";
/// Long enough for a loaded machine; a server that is ready sooner is used sooner.
const READY_WITHIN: Duration = Duration::from_secs(120);
/// The pause between two looks at a server that is not ready.
const POLL: Duration = Duration::from_millis(20);
/// The code of the refusal to initiate a replica set again.
const ALREADY_INITIALIZED: i32 = 23;
/// How often other ports are tried after ones that were lost to another process.
const ATTEMPTS: usize = 8;

/// Servers that are ready for use.
pub(crate) struct Launched {
    /// The connection string of them all.
    pub(crate) uri: String,
    /// Dropping them ends them.
    pub(crate) members: Vec<Mongod>,
}

/// Starts a standalone, or a replica set of this many members, and waits until it is ready.
///
/// It blocks its thread for moments, so it is not for a runtime with other work to do.
pub(crate) async fn launch(
    binary: &Path,
    replica_set: Option<u8>,
    arguments: &[String],
) -> Result<Launched, Error> {
    let failed = |error: io::Error| Error::Start {
        reason: error.to_string(),
        log: String::new(),
    };
    for _ in 0..ATTEMPTS {
        let mut members = free_ports(replica_set.unwrap_or(1))
            .and_then(|ports| spawn(binary, &ports, replica_set.is_some(), arguments))
            .map_err(failed)?;
        match ready(&mut members, replica_set.is_some()).await {
            Ok(()) => {
                let uri = uri(&members, replica_set.is_some());
                return Ok(Launched { uri, members });
            }
            Err(NotReady::PortTaken) => {}
            Err(NotReady::Failed(reason)) => {
                let log = members.into_iter().map(Mongod::stop).collect();
                return Err(Error::Start { reason, log });
            }
        }
    }
    Err(Error::Start {
        reason: format!("{ATTEMPTS} times another process took the port that was free: try again"),
        log: String::new(),
    })
}

/// Ports that were free a moment ago. All are held before any is given up, so they differ.
fn free_ports(count: u8) -> io::Result<Vec<u16>> {
    let listeners: Vec<TcpListener> = (0..count)
        .map(|_| TcpListener::bind((Ipv4Addr::LOCALHOST, 0)))
        .collect::<io::Result<_>>()?;
    listeners
        .iter()
        .map(|listener| Ok(listener.local_addr()?.port()))
        .collect()
}

fn spawn(
    binary: &Path,
    ports: &[u16],
    replica_set: bool,
    arguments: &[String],
) -> io::Result<Vec<Mongod>> {
    let name = replica_set.then_some(REPLICA_SET);
    ports
        .iter()
        .map(|port| Mongod::spawn(binary, *port, name, arguments))
        .collect()
}

fn address(member: &Mongod) -> String {
    format!("127.0.0.1:{}", member.port())
}

fn uri(members: &[Mongod], replica_set: bool) -> String {
    let hosts: Vec<String> = members.iter().map(address).collect();
    let options = if replica_set {
        format!("?replicaSet={REPLICA_SET}")
    } else {
        String::new()
    };
    format!("mongodb://{}/{options}", hosts.join(","))
}

/// Why servers did not become ready.
enum NotReady {
    /// Another process took a port first: worth another try.
    PortTaken,
    /// Anything else, which another try would meet again.
    Failed(String),
}

/// Waits until the servers take commands, and a replica set also writes and reads on every member.
async fn ready(members: &mut [Mongod], replica_set: bool) -> Result<(), NotReady> {
    let deadline = Instant::now() + READY_WITHIN;
    let targets: Vec<(u16, String)> = members
        .iter()
        .map(|member| (member.port(), member.folder().to_owned()))
        .collect();
    let mut clients = Vec::new();
    for (port, folder) in targets {
        let client = direct(port).map_err(|error| NotReady::Failed(error.to_string()))?;
        poll(members, deadline, "an answer", async || {
            answers(&client, port, &folder).await
        })
        .await?;
        clients.push(client);
    }
    if replica_set {
        let config = config(members);
        poll(members, deadline, "the initiation", async || {
            initiate(&clients[0], &config).await
        })
        .await?;
        poll(members, deadline, "a primary and secondaries", async || {
            serves(&clients).await
        })
        .await?;
    }
    Ok(())
}

/// Repeats `attempt` until it succeeds, a server ends or the deadline is over.
async fn poll(
    members: &mut [Mongod],
    deadline: Instant,
    awaited: &str,
    attempt: impl AsyncFn() -> Result<(), String>,
) -> Result<(), NotReady> {
    loop {
        for member in &mut *members {
            match member.ended() {
                Ok(None) => {}
                Ok(Some(End::PortTaken)) => return Err(NotReady::PortTaken),
                Ok(Some(End::Other(status))) => {
                    return Err(NotReady::Failed(format!("mongod ended with {status}")));
                }
                Err(error) => return Err(NotReady::Failed(error.to_string())),
            }
        }
        let reason = match timeout_at(deadline, attempt()).await {
            Ok(Ok(())) => return Ok(()),
            Ok(Err(reason)) => reason,
            Err(_) => "no reply".to_owned(),
        };
        if Instant::now() >= deadline {
            let seconds = READY_WITHIN.as_secs();
            return Err(NotReady::Failed(format!(
                "waited {seconds} seconds for {awaited}: {reason}"
            )));
        }
        sleep(POLL).await;
    }
}

/// A client that talks to this one server, also before it belongs to a replica set.
pub(crate) fn direct(port: u16) -> mongodb::error::Result<Client> {
    let address = ServerAddress::Tcp {
        host: Ipv4Addr::LOCALHOST.to_string(),
        port: Some(port),
    };
    let options = ClientOptions::builder()
        .hosts(vec![address])
        .direct_connection(true)
        .server_selection_timeout(Duration::from_secs(1))
        .build();
    Client::with_options(options)
}

pub(crate) async fn admin(client: &Client, command: Document) -> Result<Document, String> {
    client
        .database("admin")
        .run_command(command)
        .await
        .map_err(|error| error.to_string())
}

/// Checks if the server on this port answers and has this data folder: another process may have
/// taken the port first, and our server is then about to end.
async fn answers(client: &Client, port: u16, folder: &str) -> Result<(), String> {
    // A refused connection is cheap to try again, whereas the driver pauses half a second after it.
    TcpStream::connect((Ipv4Addr::LOCALHOST, port)).map_err(|error| error.to_string())?;
    let options = match admin(client, doc! { "getCmdLineOpts": 1 }).await {
        // A server that was started with `--auth` answers, but does not say which folder it has.
        Err(refused) if refused.contains("(Unauthorized)") => return Ok(()),
        answer => answer?,
    };
    let path = options
        .get_document("parsed")
        .and_then(|parsed| parsed.get_document("storage"))
        .and_then(|storage| storage.get_str("dbPath"))
        .map_err(|error| error.to_string())?;
    if Path::new(path).ends_with(folder) {
        Ok(())
    } else {
        Err(format!("port {port} belongs to another server"))
    }
}

/// The replica set that the servers are to be.
fn config(members: &[Mongod]) -> Document {
    let members: Vec<Document> = (0i32..)
        .zip(members)
        .map(|(id, member)| doc! { "_id": id, "host": address(member) })
        .collect();
    doc! {
        "_id": REPLICA_SET,
        "members": members,
        // The first election waits for this long, and so does every one a test provokes.
        "settings": { "electionTimeoutMillis": 2000 },
    }
}

/// Makes the servers one replica set. It is worth another try after a refusal: a server answers
/// commands a moment before it answers the other members, and one of them has to be first.
async fn initiate(first: &Client, config: &Document) -> Result<(), String> {
    let command = doc! { "replSetInitiate": config };
    match first.database("admin").run_command(command).await {
        Ok(_) => Ok(()),
        Err(error) => match *error.kind {
            // The reply to an earlier try was lost.
            ErrorKind::Command(ref refusal) if refusal.code == ALREADY_INITIALIZED => Ok(()),
            _ => Err(error.to_string()),
        },
    }
}

/// Checks if one member takes writes and every other one serves as a secondary.
async fn serves(clients: &[Client]) -> Result<(), String> {
    let mut primaries = 0;
    let mut secondaries = 0;
    for client in clients {
        let hello = admin(client, doc! { "hello": 1 }).await?;
        primaries += usize::from(hello.get_bool("isWritablePrimary").unwrap_or(false));
        secondaries += usize::from(hello.get_bool("secondary").unwrap_or(false));
    }
    if primaries == 1 && primaries + secondaries == clients.len() {
        Ok(())
    } else {
        Err(format!(
            "{primaries} primaries and {secondaries} secondaries of {} members",
            clients.len()
        ))
    }
}
