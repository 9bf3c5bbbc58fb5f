//! Commands that only read: they send nothing that writes, a user who may only read can run them, and Ctrl-C stops them.

use std::io::{BufRead, BufReader, Read};
use std::process::{Command, Stdio};

use bson::{Document, doc};
use mongo_model_dev_server::{DevServer, Environment, Topology};

use crate::support::{Place, cargo_mongo_model, command, demo, run};

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

/// Looks at what command monitoring printed; gives how many commands that is.
#[track_caller]
pub(crate) fn assert_only_reads(command: &str, err: &str) -> usize {
    let sent = err.lines().filter_map(|line| line.strip_prefix("sent: "));
    let reads = sent.map(|line| {
        let name = line.split(' ').next().unwrap_or_default();
        let writes = !READS.contains(&name) || line.contains("$out") || line.contains("$merge");
        let harmless = ["endSessions", "saslStart", "saslContinue"].contains(&name);
        assert!(!writes || harmless, "{command} sent {line}");
    });
    reads.count()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 1)]
async fn commands_that_only_read_send_nothing_that_writes() {
    let place = Place::spoiled("sent").await;
    for args in [
        &["check", "--full"][..],
        &["check", "--sample", "1"],
        &["plan", "--validators", "error"],
        &["verify"],
        &["explain"],
        &["migrations", "status"],
        &["migrations", "plan"],
        &["report", "--usage"],
        &["report", "--html", "--check"],
    ] {
        let mut args = args.to_vec();
        args.push("--show-commands");
        let ran = place.demo(&args);
        let sent = assert_only_reads(args[0], &ran.err);
        assert!(sent > 2, "{args:?}: {}", ran.err);
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
        ("diagram", 0),
        ("schema", 0),
    ] {
        let ran = run(demo(), &[command, "--show-commands", "--uri", &as_reader]).code(code);
        assert!(
            !ran.out.contains("s3cret") && !ran.err.contains("s3cret"),
            "{command}"
        );
        assert_only_reads(command, &ran.err);
    }
    let ran = run(demo(), &["report", "--usage", "--uri", &as_reader]).code(2);
    assert!(
        ran.err.contains("the user may not do this") && ran.err.contains("clusterMonitor"),
        "{}",
        ran.err
    );
    let diff = |args: &[&str]| run(cargo_mongo_model(), &[&["diff"], args].concat());
    let ran = diff(&["--uri", &as_root, "--uri", &as_reader]).code(0);
    assert!(!ran.out.contains("s3cret"), "{}", ran.out);
    let ran = diff(&["--uri", &as_reader, "--db", "shop", "--db", "other"]).code(2);
    let sentence = "error: database B: the user may not do this: not authorized on other";
    assert!(ran.err.starts_with(sentence), "{}", ran.err);
    let parts = doc! { "resource": { "db": "shop", "collection": "parts" }, "actions": ["find"] };
    for command in [
        doc! { "createRole": "parts", "privileges": [parts], "roles": [] },
        doc! { "createUser": "some", "pwd": "some-s3cret", "roles": ["parts"] },
    ] {
        let made = root.database("admin").run_command(command).await;
        made.expect("made");
    }
    let as_some = format!("mongodb://some:some-s3cret@{host}/shop?authSource=admin");
    let ran = diff(&["--uri", &as_some, "--uri", &as_reader]).code(2);
    let sentence =
        "error: database A: the user may not see the options of the collections in `shop`";
    assert!(ran.err.starts_with(sentence), "{}", ran.err);
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

/// Stops a command as Ctrl-C does, once it has sent some finds; gives what it says about going on, and what it printed.
#[cfg(unix)]
async fn stop(place: &Place, args: &[&str]) -> (String, String) {
    let mut args = place.arguments(args);
    args.push("--show-commands");
    let mut child = command(demo(), &args)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("it runs");
    let mut err = BufReader::new(child.stderr.take().expect("it is piped"));
    let mut seen = String::new();
    // The walk is under way: some steps are behind it.
    while seen.matches("sent: find").count() < 40 {
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
    let done = child.wait_with_output().expect("it ends");
    assert_eq!(done.status.code(), Some(2), "{seen}");
    let said: Vec<&str> = seen
        .lines()
        .filter(|line| !line.starts_with("sent: "))
        .collect();
    let said = said.join("\n");
    assert!(said.contains("error: stopped\n  go on: "), "{said}");
    let from = said
        .split("--from '")
        .nth(1)
        .and_then(|rest| rest.split('\'').next());
    let from = from.unwrap_or_else(|| panic!("no place: {said}"));
    let out = String::from_utf8(done.stdout).expect("text");
    (from.to_owned(), out)
}

#[cfg(unix)]
#[tokio::test(flavor = "multi_thread", worker_threads = 1)]
async fn walks_stop_and_go_on_by_id() {
    const DOCUMENTS: u64 = 1_000;
    let place = Place::new("stop").await;
    place.demo(&["apply", "--yes"]).code(0);
    let messages = (0..DOCUMENTS).map(|n| i64::try_from(n).expect("a few"));
    let messages: Vec<Document> = messages
        .map(|n| doc! { "_id": n, "host": n, "ipaddr": 1, "time": 1, "message": "" })
        .collect();
    place
        .db
        .collection("logmsg")
        .insert_many(messages)
        .await
        .expect("stored");
    // A repair deletes what has lost its host: nothing is left.
    for (command, code) in [
        (&["check", "--full"][..], 1),
        (&["verify"], 1),
        (&["repair", "--yes"], 0),
    ] {
        let mut args = command.to_vec();
        args.extend(["--model", "LogMsg", "--json"]);
        let (from, out) = stop(&place, &[&args[..], &["--batch", "10"]].concat()).await;
        let stopped: serde_json::Value = serde_json::from_str(&out).expect("one document");
        assert!(from.starts_with("logmsg:"), "{command:?}: {from}");
        assert_eq!(stopped["error"]["interrupted"], true, "{command:?}");
        let orphans = |document: &serde_json::Value| {
            let groups = document["collections"].as_array().expect("groups");
            let mut findings = groups
                .iter()
                .flat_map(|group| group["findings"].as_array().expect("findings"));
            let orphans = findings.find(|one| one["kind"] == "orphan");
            orphans.and_then(|one| one["count"].as_u64()).unwrap_or(0)
        };
        let rest = place
            .demo(&[&args[..], &["--from", &from]].concat())
            .code(code)
            .json();
        let (first, rest) = (orphans(&stopped), orphans(&rest));
        assert!(first > 0 && rest > 0, "{command:?}: {first} + {rest}");
        assert_eq!(first + rest, DOCUMENTS, "{command:?}");
    }
}

#[cfg(unix)]
#[tokio::test(flavor = "multi_thread", worker_threads = 1)]
async fn a_backfill_stops_and_goes_on_by_id() {
    let place = Place::new("stop_backfill").await;
    place.demo(&["apply", "--yes"]).code(0);
    let host = |n: i64| doc! { "_id": n, "name": n.to_string(), "ipaddr": n.to_string(), "logmsgs": [], "messages": 1_i64 };
    let message = |n: i64| doc! { "_id": n, "host": n, "time": 1, "message": "" };
    for (collection, documents) in [
        ("hosts", (0..2_000).map(host).collect::<Vec<_>>()),
        ("logmsg", (0..2_000).map(message).collect()),
    ] {
        let collection = place.db.collection(collection);
        collection.insert_many(documents).await.expect("stored");
    }
    let args = ["backfill", "--yes", "--json", "--reference", "logmsg.host"];
    let (from, out) = stop(&place, &[&args[..], &["--batch", "10"]].concat()).await;
    let stopped: serde_json::Value = serde_json::from_str(&out).expect("one document");
    let first = stopped["lacking"].as_u64().expect("a number");
    let last: u64 = from
        .strip_prefix("logmsg:")
        .and_then(|id| id.parse().ok())
        .expect("a place");
    assert_eq!(first, last + 1, "all up to the place were filled");
    let rest = place
        .demo(&[&args[..], &["--from", &from]].concat())
        .code(0)
        .json();
    assert!(
        rest["lacking"]
            .as_u64()
            .is_some_and(|rest| rest > 0 && rest < 2_000)
    );
    place.demo(&["recover", "--yes"]).code(0);
    let lacking = doc! { "ipaddr": { "$exists": false } };
    let messages = place.db.collection::<Document>("logmsg");
    let lacking = messages.count_documents(lacking).await.expect("counted");
    assert_eq!(lacking, 0);
}
