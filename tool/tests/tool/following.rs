//! `follow`: one program leads and says how it is doing, another waits, and Ctrl-C ends it.

use std::io::{BufRead, BufReader, Read};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

use bson::{Document, doc};
use serde_json::Value;

use crate::seed::id;
use crate::support::{Place, command, demo};

/// A line comes every second; without one for this long the program hangs.
const PATIENCE: Duration = Duration::from_secs(60);

/// A `follow` that runs; it is killed when this is dropped.
struct Following {
    child: Child,
    lines: Receiver<Value>,
}

impl Following {
    fn start(place: &Place) -> Self {
        let args = place.arguments(&["follow", "--yes", "--json", "--lease", "2"]);
        let mut child = command(demo(), &args)
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("it starts");
        let (send, lines) = channel();
        let out = BufReader::new(child.stdout.take().expect("a pipe"));
        std::thread::spawn(move || {
            for line in out.lines().map_while(Result::ok) {
                let line = serde_json::from_str(&line).expect("one document on each line");
                if send.send(line).is_err() {
                    return;
                }
            }
        });
        Following { child, lines }
    }

    /// Reads lines until one meets the condition.
    fn until(&self, condition: impl Fn(&Value) -> bool) -> Value {
        loop {
            let line = self.lines.recv_timeout(PATIENCE).expect("a line");
            if condition(&line) {
                return line;
            }
        }
    }

    /// Presses Ctrl-C; returns the exit code and what was said.
    fn interrupt(mut self) -> (Option<i32>, String) {
        let sent = Command::new("kill")
            .args(["-INT", &self.child.id().to_string()])
            .status();
        assert!(sent.expect("kill runs").success());
        let ended = self.child.wait().expect("it ends");
        let mut said = String::new();
        let mut err = self.child.stderr.take().expect("a pipe");
        err.read_to_string(&mut said).expect("text");
        (ended.code(), said)
    }
}

impl Drop for Following {
    fn drop(&mut self) {
        // It may have ended by itself, which is as good.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn has_role(role: &'static str) -> impl Fn(&Value) -> bool {
    move |line| line["role"] == role
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn another_program_is_followed_and_a_standby_takes_over() {
    let place = Place::in_set("following").await;
    place.demo(&["apply", "--yes"]).code(0);
    let price: bson::Decimal128 = "3.99".parse().expect("a number");
    let part = doc! { "_id": id(1), "partno": "p-1", "name": "bolt", "qty": 5_i64, "cost": price, "price": price };
    let product = doc! {
        "_id": id(2), "name": "smoke shifter", "manufacturer": "Acme Corp", "catalog_number": 1_i64,
        "parts": [{ "id": id(1), "name": "what was it?" }],
    };
    let (parts, products) = (
        place.db.collection::<Document>("parts"),
        place.db.collection::<Document>("products"),
    );
    parts.insert_one(part).await.expect("stored");
    products.insert_one(product).await.expect("stored");
    let copied = async || {
        let product = products.find_one(doc! { "_id": id(2) }).await;
        let product = product.expect("read").expect("there");
        let entries = product.get_array("parts").expect("an array");
        let entry = entries[0].as_document().expect("an entry");
        entry.get_str("name").expect("a name").to_owned()
    };

    let first = Following::start(&place);
    // The first start compares everything.
    let line = first.until(|line| line["repaired"].as_u64() > Some(0));
    assert_eq!(
        (&line["role"], &line["command"]),
        (&"leading".into(), &"follow".into())
    );
    assert_eq!(line["gaps"], Value::Array(Vec::new()));
    assert_eq!(copied().await, "bolt");
    let second = Following::start(&place);
    second.until(has_role("standby"));

    let rename = doc! { "$set": { "name": "nut" } };
    parts
        .update_one(doc! { "_id": id(1) }, rename)
        .await
        .expect("renamed");
    let line = first.until(|line| line["foreign"].as_u64() > Some(0));
    assert!(line["sources"].as_u64() > Some(0), "{line}");
    assert!(line["window_seconds"].is_u64(), "{line}");
    assert_eq!(copied().await, "nut");

    let (code, said) = first.interrupt();
    assert_eq!(code, Some(0), "{said}");
    assert!(said.contains("stopping"), "{said}");
    second.until(has_role("leading"));
    let rename = doc! { "$set": { "name": "screw" } };
    parts
        .update_one(doc! { "_id": id(1) }, rename)
        .await
        .expect("renamed");
    second.until(|line| line["foreign"].as_u64() > Some(0));
    assert_eq!(copied().await, "screw");
}
