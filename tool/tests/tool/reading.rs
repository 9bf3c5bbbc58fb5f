//! Commands that only read: they send nothing that writes, a user who may only read can run them, and Ctrl-C stops them.

use std::io::{BufRead, BufReader, Read};
use std::process::{Command, Stdio};

use bson::{Document, doc};
use mongo_model_dev_server::{DevServer, Environment, Topology};

use crate::support::{Place, command, demo, run};

/// Commands that read.
const READS: [&str; 9] = [
    "aggregate",
    "buildInfo",
    "count",
    "explain",
    "find",
    "getMore",
    "hello",
    "listCollections",
    "listIndexes",
];

#[tokio::test(flavor = "multi_thread", worker_threads = 1)]
async fn commands_that_only_read_send_nothing_that_writes() {
    let place = Place::spoiled("sent").await;
    for args in [
        &["check", "--full"][..],
        &["check", "--sample", "1"],
        &["plan", "--validators", "error"],
        &["verify"],
        &["explain"],
        &["report", "--usage"],
    ] {
        let mut args = args.to_vec();
        args.push("--show-commands");
        let ran = place.demo(&args);
        let sent: Vec<&str> = ran
            .err
            .lines()
            .filter_map(|line| line.strip_prefix("sent: "))
            .collect();
        assert!(sent.len() > 2, "{args:?}: {}", ran.err);
        for line in sent {
            let name = line.split(' ').next().unwrap_or_default();
            let writes = !READS.contains(&name) || line.contains("$out") || line.contains("$merge");
            assert!(!writes || name == "endSessions", "{args:?} sent {line}");
        }
    }
    // What is asserted of commands that read would be wrong of one that writes.
    let ran = place.demo(&["repair", "--yes", "--show-commands"]);
    assert!(ran.err.contains("sent: update "), "{}", ran.err);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 1)]
async fn a_user_who_may_only_read_can_check() {
    let environment = Environment {
        mongodb_uri: None,
        arguments: vec!["--auth".to_owned()],
        ..Environment::from_process()
    };
    let server = DevServer::start_in(environment, Topology::Standalone)
        .await
        .expect("a server");
    let host = server
        .uri()
        .trim_start_matches("mongodb://")
        .split(['/', '?'])
        .next()
        .unwrap_or_default();
    // The first user may be made by a program on the same machine.
    let client = server.client().await.expect("a client");
    let root = doc! { "createUser": "root", "pwd": "root-s3cret", "roles": ["root"] };
    client
        .database("admin")
        .run_command(root)
        .await
        .expect("made");
    let as_root = format!("mongodb://root:root-s3cret@{host}/shop?authSource=admin");
    run(demo(), &["apply", "--yes", "--uri", &as_root]).code(0);
    let root = mongodb::Client::with_uri_str(&as_root)
        .await
        .expect("a client");
    crate::seed::spoil(&root.database("shop"))
        .await
        .expect("filled");
    let reader = doc! { "createUser": "reader", "pwd": "reader-s3cret", "roles": [{ "role": "read", "db": "shop" }] };
    root.database("admin")
        .run_command(reader)
        .await
        .expect("made");
    let as_reader = format!("mongodb://reader:reader-s3cret@{host}/shop?authSource=admin");
    for (command, code) in [
        ("check", 1),
        ("plan", 0),
        ("verify", 1),
        ("explain", 0),
        ("report", 0),
    ] {
        let ran = run(demo(), &[command, "--uri", &as_reader]).code(code);
        assert!(
            !ran.out.contains("s3cret") && !ran.err.contains("s3cret"),
            "{command}"
        );
    }
    let ran = run(demo(), &["report", "--usage", "--uri", &as_reader]).code(2);
    assert!(
        ran.err.contains("the user may not do this") && ran.err.contains("clusterMonitor"),
        "{}",
        ran.err
    );
    let ran = run(demo(), &["repair", "--yes", "--uri", &as_reader]).code(2);
    assert!(ran.err.contains("the user may not do this"), "{}", ran.err);
    let wrong = format!("mongodb://reader:other-s3cret@{host}/shop?authSource=admin");
    let ran = run(demo(), &["check", "--uri", &wrong]).code(2);
    assert!(
        ran.err
            .contains("the server refused the user name or the password"),
        "{}",
        ran.err
    );
    assert!(!ran.err.contains("s3cret"), "{}", ran.err);
}

#[cfg(unix)]
#[tokio::test(flavor = "multi_thread", worker_threads = 1)]
async fn ctrl_c_stops_and_says_how_to_go_on() {
    let place = Place::new("stop").await;
    place.demo(&["apply", "--yes"]).code(0);
    let messages: Vec<Document> = (0..20_000).map(|n| doc! { "_id": n, "host": n }).collect();
    place
        .db
        .collection("logmsg")
        .insert_many(messages)
        .await
        .expect("stored");
    let args = place.arguments(&[
        "verify",
        "--model",
        "LogMsg",
        "--batch",
        "1",
        "--show-commands",
    ]);
    let mut child = command(demo(), &args)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("it runs");
    let mut err = BufReader::new(child.stderr.take().expect("it is piped"));
    let mut seen = String::new();
    // The walk is under way: some steps are behind it.
    while seen.matches("sent: find").count() < 20 {
        assert!(
            err.read_line(&mut seen).expect("it speaks") > 0,
            "it ended: {seen}"
        );
    }
    let killed = Command::new("kill")
        .args(["-INT", &child.id().to_string()])
        .status()
        .expect("kill runs");
    assert!(killed.success());
    err.read_to_string(&mut seen).expect("it speaks");
    let status = child.wait().expect("it ends");
    assert_eq!(status.code(), Some(2), "{seen}");
    let said: Vec<&str> = seen
        .lines()
        .filter(|line| !line.starts_with("sent: "))
        .collect();
    let said = said.join("\n");
    assert!(
        said.contains("error: stopped") && said.contains("mongo-model verify --from 'logmsg:"),
        "{said}"
    );
    let from = said
        .split("--from '")
        .nth(1)
        .and_then(|rest| rest.split('\'').next())
        .expect("a place");
    let ran = place
        .demo(&["verify", "--json", "--model", "LogMsg", "--from", from])
        .code(1);
    let orphans = ran.json()["collections"][0]["findings"][0]["count"]
        .as_u64()
        .expect("a number");
    assert!(
        orphans < 20_000,
        "what was looked at is not looked at again"
    );
}
