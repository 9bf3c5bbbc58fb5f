//! A server with a stand-in for its search process: it answers the commands about searches itself, and passes all others on.

use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::Arc;
use std::thread;

use bson::{Document, doc};
use mongo_model::Database;
use mongo_model_dev_server::monitor::{CommandLog, StartedCommand};
use mongo_model_dev_server::{DevServer, Topology};
use mongodb::options::{ClientOptions, ServerAddress, ServerMonitoringMode};

use crate::common::Bench;

/// Gives the reply to a command, or `None` for one that the server gets.
type Answer = dyn Fn(&Document) -> Option<Document> + Send + Sync;

/// A client of the server with the search process, and what it sends.
pub(super) struct SearchServer {
    pub(super) db: Database,
    log: CommandLog,
}

impl SearchServer {
    pub(super) async fn start(
        bench: &Bench,
        answer: impl Fn(&Document) -> Option<Document> + Send + Sync + 'static,
    ) -> Self {
        let server = DevServer::shared(Topology::Standalone).await;
        let server = server.expect("a server");
        let options = ClientOptions::parse(server.uri()).await.expect("options");
        let ServerAddress::Tcp { host, port } = &options.hosts[0] else {
            panic!("a server that listens");
        };
        let address = format!("{host}:{}", port.unwrap_or(27017));
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let door = listener.local_addr().expect("its address");
        let answer: Arc<Answer> = Arc::new(answer);
        thread::spawn(move || {
            for client in listener.incoming().map_while(Result::ok) {
                let Ok(server) = TcpStream::connect(&address) else {
                    return;
                };
                let answer = Arc::clone(&answer);
                thread::spawn(move || pass(client, server, &*answer));
            }
        });
        let log = CommandLog::new();
        let client = server.client_with(|options| {
            options.hosts = vec![ServerAddress::Tcp {
                host: door.ip().to_string(),
                port: Some(door.port()),
            }];
            // A monitor that is answered without a question does not fit a proxy that alternates.
            options.server_monitoring_mode = Some(ServerMonitoringMode::Poll);
            log.attach(options);
        });
        let db = client.await.expect("a client").database(bench.db.name());
        SearchServer { db, log }
    }

    /// The commands since the last call.
    pub(super) fn take(&self) -> Vec<StartedCommand> {
        self.log.take()
    }
}

/// One message of the wire protocol: its first four bytes are its length.
fn message(from: &mut TcpStream) -> Option<Vec<u8>> {
    let mut length = [0; 4];
    from.read_exact(&mut length).ok()?;
    let mut all = length.to_vec();
    all.resize(usize::try_from(i32::from_le_bytes(length)).ok()?, 0);
    from.read_exact(&mut all[4..]).ok()?;
    Some(all)
}

/// The reply to a question, whose document stands behind a header, flags and the kind of the section.
fn reply(question: &[u8], answer: &Answer) -> Option<Vec<u8>> {
    let command = Document::from_reader(question.get(21..)?).ok()?;
    let body = bson::serialize_to_vec(&answer(&command)?).ok()?;
    let mut reply = i32::try_from(body.len() + 21).ok()?.to_le_bytes().to_vec();
    reply.extend([0; 4]);
    reply.extend(&question[4..8]);
    reply.extend(2013_i32.to_le_bytes());
    reply.extend([0; 5]);
    reply.extend(body);
    Some(reply)
}

fn pass(mut client: TcpStream, mut server: TcpStream, answer: &Answer) {
    while let Some(question) = message(&mut client) {
        let reply = reply(&question, answer).or_else(|| {
            server.write_all(&question).ok()?;
            message(&mut server)
        });
        if reply.is_none_or(|reply| client.write_all(&reply).is_err()) {
            return;
        }
    }
}

/// The first stage of an `aggregate`, if it is of this name.
pub(super) fn first_stage<'c>(command: &'c Document, name: &str) -> Option<&'c Document> {
    let stages = command.get_array("pipeline").ok()?;
    stages.first()?.as_document()?.get_document(name).ok()
}

/// The reply of a cursor with one batch.
pub(super) fn batch(documents: Vec<Document>) -> Document {
    doc! { "cursor": { "id": 0_i64, "ns": "d.c", "firstBatch": documents }, "ok": 1.0 }
}
