//! A connection that loses replies: the server runs the command, and the client does not learn it. Or it loses the request, and
//! the server does nothing.

#![allow(dead_code, reason = "each test program uses some of it")]

use std::io::{Read, Write};
use std::net::{Shutdown, SocketAddr, TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::thread;

use mongo_model::Database;
use mongo_model_dev_server::{DevServer, Topology};
use mongodb::Client;
use mongodb::options::{ClientOptions, ServerAddress};

type Hook = Box<dyn FnMut() + Send>;

#[derive(Default)]
struct Plan {
    /// The bytes that mark a message: its reply is lost.
    marked: Vec<u8>,
    /// The number of marked messages that pass first.
    skip: usize,
    /// The number of marked messages to lose.
    left: usize,
    /// The message itself is lost, not its reply.
    unsent: bool,
    /// The command that was lost last, or the answer to it.
    lost: Option<String>,
    /// Runs after the server has replied, and before the client knows that it will get no reply.
    then: Option<Hook>,
}

/// A proxy in front of the standalone server, which can lose replies.
#[derive(Clone)]
pub(crate) struct Lossy {
    plan: Arc<Mutex<Plan>>,
    door: SocketAddr,
}

impl Lossy {
    /// Starts the proxy.
    pub(crate) async fn open() -> Self {
        let server = DevServer::shared(Topology::Standalone)
            .await
            .expect("a server");
        let options = ClientOptions::parse(server.uri()).await.expect("options");
        let ServerAddress::Tcp { host, port } = &options.hosts[0] else {
            panic!("a server that listens");
        };
        let address = format!("{host}:{}", port.unwrap_or(27017));
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let lossy = Lossy {
            plan: Arc::default(),
            door: listener.local_addr().expect("its address"),
        };
        let plan = Arc::clone(&lossy.plan);
        thread::spawn(move || {
            for client in listener.incoming().map_while(Result::ok) {
                let Ok(server) = TcpStream::connect(&address) else {
                    return;
                };
                let plan = Arc::clone(&plan);
                thread::spawn(move || pass(client, server, &plan));
            }
        });
        lossy
    }

    /// The database of this name, through the proxy.
    pub(crate) async fn database(&self, name: &str) -> Database {
        let uri = format!("mongodb://{}/?directConnection=true", self.door);
        Client::with_uri_str(uri)
            .await
            .expect("a client")
            .database(name)
    }

    /// Loses the replies to the next `times` messages that hold `marked`; `then` runs each time before that shows.
    pub(crate) fn lose(&self, times: usize, marked: &str, then: impl FnMut() + Send + 'static) {
        self.plan(Plan {
            marked: marked.as_bytes().to_vec(),
            left: times,
            then: Some(Box::new(then)),
            ..Plan::default()
        });
    }

    /// Loses one message that holds `marked`, after `skip` others, or its answer if the server gets it (`sent`); `then` runs before
    /// that shows.
    pub(crate) fn lose_one(
        &self,
        skip: usize,
        marked: &str,
        sent: bool,
        then: impl FnMut() + Send + 'static,
    ) {
        self.plan(Plan {
            marked: marked.as_bytes().to_vec(),
            skip,
            left: 1,
            unsent: !sent,
            then: Some(Box::new(then)),
            ..Plan::default()
        });
    }

    /// Loses nothing more.
    pub(crate) fn stop(&self) {
        self.plan(Plan::default());
    }

    fn plan(&self, plan: Plan) {
        *self.plan.lock().expect("a plan") = plan;
    }

    /// The name of the command that was lost last, or the answer to it.
    pub(crate) fn lost(&self) -> Option<String> {
        self.plan.lock().expect("a plan").lost.clone()
    }

    /// The number of replies still to be lost.
    pub(crate) fn left(&self) -> usize {
        self.plan.lock().expect("a plan").left
    }
}

/// One message of the wire protocol: its first four bytes are its length.
fn message(from: &mut TcpStream) -> Option<Vec<u8>> {
    let mut length = [0; 4];
    from.read_exact(&mut length).ok()?;
    let whole = usize::try_from(i32::from_le_bytes(length)).ok()?;
    let mut all = length.to_vec();
    all.resize(whole, 0);
    from.read_exact(&mut all[4..]).ok()?;
    Some(all)
}

/// The name of the command in a message: the first field of its document, behind 21 bytes of the message, the document's length and the
/// field's type.
fn command(question: &[u8]) -> Option<String> {
    let name = question.get(26..)?.split(|byte| *byte == 0).next()?;
    String::from_utf8(name.to_vec()).ok()
}

/// Passes questions and answers on, one after the other, until an answer is to be lost. A monitor that is answered without
/// having asked is served by its own direction.
fn pass(mut client: TcpStream, mut server: TcpStream, plan: &Mutex<Plan>) {
    let lost = Arc::new(Mutex::new(false));
    let (mut back, mut answers) = match (client.try_clone(), server.try_clone()) {
        (Ok(back), Ok(answers)) => (back, answers),
        _ => return,
    };
    let losing = Arc::clone(&lost);
    let (told, tell) = std::sync::mpsc::channel();
    thread::spawn(move || {
        while let Some(answer) = message(&mut answers) {
            if *losing.lock().expect("whether") {
                let _ = told.send(());
                return;
            }
            if back.write_all(&answer).is_err() {
                return;
            }
        }
        let _ = back.shutdown(Shutdown::Both);
    });
    while let Some(question) = message(&mut client) {
        let (mut then, unsent) = {
            let mut plan = plan.lock().expect("a plan");
            let marked = !plan.marked.is_empty()
                && question
                    .windows(plan.marked.len())
                    .any(|part| part == plan.marked);
            if marked && plan.left > 0 && plan.skip > 0 {
                plan.skip -= 1;
                (None, false)
            } else if marked && plan.left > 0 {
                plan.left -= 1;
                plan.lost = command(&question);
                *lost.lock().expect("whether") = true;
                (plan.then.take(), plan.unsent)
            } else {
                (None, false)
            }
        };
        if !unsent && server.write_all(&question).is_err() {
            break;
        }
        if *lost.lock().expect("whether") {
            if !unsent {
                let _ = tell.recv();
            }
            if let Some(then) = &mut then {
                then();
            }
            let mut plan = plan.lock().expect("a plan");
            if plan.then.is_none() {
                plan.then = then;
            }
            break;
        }
    }
    let _ = client.shutdown(Shutdown::Both);
    let _ = server.shutdown(Shutdown::Both);
}
