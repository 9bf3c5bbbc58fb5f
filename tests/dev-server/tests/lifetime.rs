//! A server ends with what started it, in whatever way that ends, and leaves nothing behind.
#![cfg(unix)]

use std::{
    env,
    io::{BufRead, BufReader},
    net::TcpStream,
    path::PathBuf,
    process::{self, Child, Command, Stdio},
    thread,
    time::{Duration, Instant},
};

use mongo_model_dev_server::{DevServer, Environment, Topology};
use mongodb::bson::{Bson, doc};

/// Tells [`child`] that it runs as a child, and how it is to end.
const ROLE: &str = "MONGO_MODEL_DEV_SERVER_CHILD";
/// The prefix of the line with the traces of the child's server.
const MARK: &str = "server:";
/// Long enough for a loaded machine; what is over sooner is noticed sooner.
const PATIENCE: Duration = Duration::from_secs(60);

async fn start(topology: Topology) -> DevServer {
    let environment = Environment {
        mongodb_uri: None,
        ..Environment::from_process()
    };
    DevServer::start_in(environment, topology).await.unwrap()
}

/// The traces of a server that can be seen from outside.
#[derive(Debug)]
struct Traces {
    address: String,
    /// The mongod.
    pid: String,
    /// The process group of the mongod and its supervisor, which has the id of the supervisor.
    group: String,
    folder: PathBuf,
}

impl Traces {
    async fn of(server: &DevServer) -> Self {
        let admin = server.client().await.unwrap().database("admin");
        let status = admin.run_command(doc! { "serverStatus": 1 }).await.unwrap();
        let options = admin
            .run_command(doc! { "getCmdLineOpts": 1 })
            .await
            .unwrap();
        let parsed = options.get_document("parsed").unwrap();
        let folder = parsed.get_document("storage").unwrap().get_str("dbPath");
        let port = parsed.get_document("net").unwrap().get_i32("port").unwrap();
        let pid = status
            .get("pid")
            .and_then(Bson::as_i64)
            .unwrap()
            .to_string();
        Self {
            address: format!("127.0.0.1:{port}"),
            group: ps(&["-o", "pgid=", "-p", &pid]).trim().to_owned(),
            pid,
            folder: folder.unwrap().into(),
        }
    }

    fn answers(&self) -> bool {
        TcpStream::connect(&self.address).is_ok()
    }

    fn is_gone(&self) -> bool {
        // A zombie only waits for its status to be read, which is up to the parent.
        let has_processes = ps(&["-A", "-o", "pgid=,stat="]).lines().any(|line| {
            let (group, state) = line.trim().split_once(' ').unwrap();
            group == self.group && !state.trim().starts_with('Z')
        });
        !has_processes && !self.answers() && !self.folder.exists()
    }

    fn assert_there(&self) {
        assert!(self.answers() && self.folder.exists(), "{self:?}");
    }

    fn assert_gone_soon(&self) {
        let deadline = Instant::now() + PATIENCE;
        while !self.is_gone() {
            assert!(Instant::now() < deadline, "still there: {self:?}");
            thread::sleep(Duration::from_millis(20));
        }
    }
}

fn ps(arguments: &[&str]) -> String {
    let output = Command::new("ps").args(arguments).output().unwrap();
    String::from_utf8(output.stdout).unwrap()
}

fn signal(signal: &str, pid: &str) {
    let status = Command::new("kill").args([signal, pid]).status().unwrap();
    assert!(status.success(), "kill {signal} {pid}");
}

/// Starts this program anew for [`child`] alone, and waits until its server is there.
fn spawn(role: &str) -> (Child, Traces) {
    let mut child = Command::new(env::current_exe().unwrap())
        .args(["--exact", "child", "--nocapture"])
        .env(ROLE, role)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let line = BufReader::new(child.stdout.take().unwrap())
        .lines()
        .map(Result::unwrap)
        .find_map(|line| Some(line.split_once(MARK)?.1.to_owned()))
        .expect("the child ended without a server");
    let [address, pid, group, folder] = line.split('|').collect::<Vec<_>>()[..] else {
        panic!("{line}");
    };
    let traces = Traces {
        address: address.to_owned(),
        pid: pid.to_owned(),
        group: group.to_owned(),
        folder: folder.into(),
    };
    (child, traces)
}

/// Not a test but the process that others start and see the end of; without a role it does nothing.
#[tokio::test]
async fn child() {
    let Ok(role) = env::var(ROLE) else { return };
    let server = start(Topology::Standalone).await;
    let Traces {
        address,
        pid,
        group,
        folder,
    } = Traces::of(&server).await;
    // It goes on after a kill, for as long as the parent keeps the input open. Had it inherited the
    // pipe whose end the supervisor waits for, the server would go on too.
    let mut bystander = Command::new("cat")
        .stdin(Stdio::inherit())
        .stdout(Stdio::null())
        .spawn()
        .unwrap();
    println!("{MARK}{address}|{pid}|{group}|{}", folder.display());
    // Its input ends when the parent has seen the server, or is gone itself.
    bystander.wait().unwrap();
    match role.as_str() {
        "exit" => process::exit(0),
        "abort" => process::abort(),
        _ => panic!("unknown role {role}"),
    }
}

#[test]
fn a_server_ends_when_its_parent_is_killed() {
    let (mut child, server) = spawn("is killed before it ends otherwise");
    server.assert_there();
    let _held_for_the_bystander = child.stdin.take();
    // On Unix this is SIGKILL.
    child.kill().unwrap();
    child.wait().unwrap();
    server.assert_gone_soon();
}

#[test]
fn a_server_ends_when_its_parent_exits_without_destructors() {
    for role in ["exit", "abort"] {
        let (mut child, server) = spawn(role);
        server.assert_there();
        drop(child.stdin.take());
        child.wait().unwrap();
        server.assert_gone_soon();
    }
}

#[test]
fn an_interrupt_of_the_supervisor_leaves_the_clean_up_to_it() {
    let (mut child, server) = spawn("is killed before it ends otherwise");
    for name in ["-INT", "-TERM", "-HUP"] {
        signal(name, &server.group);
    }
    server.assert_there();
    child.kill().unwrap();
    child.wait().unwrap();
    server.assert_gone_soon();
}

#[tokio::test]
async fn a_dropped_server_is_gone_at_once() {
    let server = start(Topology::ReplicaSet(1)).await;
    let traces = Traces::of(&server).await;
    traces.assert_there();
    drop(server);
    assert!(traces.is_gone(), "{traces:?}");
}

#[tokio::test]
async fn a_supervisor_does_not_outlive_its_mongod() {
    let server = start(Topology::Standalone).await;
    let traces = Traces::of(&server).await;
    signal("-KILL", &traces.pid);
    traces.assert_gone_soon();
    drop(server);
}
