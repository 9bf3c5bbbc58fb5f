//! The soak program, and the programs that it starts.
//!
//! ```text
//! cargo run -p mongo-model-soak -- run SECONDS standalone|set1|set3 copies|kept|reused model|naive
//! ```

use std::io::Read;
use std::process::ExitCode;
use std::time::Duration;

use mongo_model::{Database, Sweeper};
use mongo_model_dev_server::Topology;
use mongo_model_soak::client::{self, Mode};
use mongo_model_soak::family::Family;
use mongo_model_soak::run::{Settings, soak};
use mongodb::Client;

const USAGE: &str = "usage: soak run SECONDS standalone|set1|set3 copies|kept|reused model|naive";

#[tokio::main]
async fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match arguments.as_slice() {
        ["run", seconds, topology, family, mode] => run(seconds, topology, family, mode).await,
        ["client", uri, family, mode, seed] => {
            let names = (Family::named(family), Mode::named(mode));
            let ((Some(family), Some(mode)), Ok(seed)) = (names, seed.parse()) else {
                return usage();
            };
            end_with_parent();
            match client::run(&database(uri, "soak").await, family, mode, seed).await {}
        }
        ["sweeper", uri] => {
            end_with_parent();
            let db = database(uri, "soak").await;
            let mut sweeper = Sweeper::new(&db).every(Duration::from_millis(200));
            match sweeper.run().await {}
        }
        ["step", uri, name, family, step, point, action] => {
            let Some(family) = Family::named(family) else {
                return usage();
            };
            mongo_model::settle_in_calls(true);
            fail::cfg(*point, action).expect("an action");
            let done = family.run(&database(uri, name).await, step).await;
            eprintln!("{step} passed {point}: {done:?}");
            ExitCode::FAILURE
        }
        _ => usage(),
    }
}

fn usage() -> ExitCode {
    eprintln!("{USAGE}");
    ExitCode::FAILURE
}

async fn database(uri: &str, name: &str) -> Database {
    let client = Client::with_uri_str(uri)
        .await
        .expect("a connection string");
    client.database(name)
}

/// A program that was started by a run ends with it, in whatever way that ends.
fn end_with_parent() {
    std::thread::spawn(|| {
        let mut rest = Vec::new();
        let _ = std::io::stdin().read_to_end(&mut rest);
        std::process::exit(0);
    });
}

async fn run(seconds: &str, topology: &str, family: &str, mode: &str) -> ExitCode {
    let (topology, disturb) = match topology {
        "standalone" => (Topology::Standalone, 5),
        "set1" => (Topology::ReplicaSet(1), 8),
        "set3" => (Topology::ReplicaSet(3), 10),
        _ => return usage(),
    };
    let names = (Family::named(family), Mode::named(mode));
    let (Ok(seconds), (Some(family), Some(mode))) = (seconds.parse(), names) else {
        return usage();
    };
    let report = soak(&Settings {
        program: std::env::current_exe().expect("the program's path"),
        seconds,
        topology,
        family,
        mode,
        clients: 8,
        sweepers: if mode == Mode::Model { 2 } else { 0 },
        disturb,
    })
    .await;
    println!("{report}");
    let right = report.lost.is_empty()
        && report.stale_after.is_empty()
        && report.foreign.is_empty()
        && report.flags_after == 0;
    if right {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    }
}
