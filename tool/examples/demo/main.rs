//! The tool on the models of this repository's examples, with a database of its own:
//!
//! ```sh
//! cargo run -p cargo-mongo-model --example demo -- check
//! cargo run -p cargo-mongo-model --example demo -- repair --yes
//! cargo run -p cargo-mongo-model --example demo -- diagram --out models.svg
//! ```
//!
//! It finds a MongoDB server (or fetches one), fills a database as careless programs do, and runs the command on it. With `--uri` or
//! `$MONGODB_URI` it is the one-line program of the README, and writes nothing but what the command does.

use std::process::ExitCode;

use mongo_model_dev_server::{DevServer, Topology};

#[path = "../../../examples/logs.rs"]
#[allow(
    dead_code,
    unreachable_pub,
    reason = "only its models are of interest here"
)]
mod logs;
mod migrations;
#[path = "../../../examples/people.rs"]
#[allow(
    dead_code,
    unreachable_pub,
    reason = "only its models are of interest here"
)]
mod people;
#[path = "../../../examples/places.rs"]
#[allow(
    dead_code,
    unreachable_pub,
    reason = "only its models are of interest here"
)]
mod places;
mod seed;
#[path = "../../../examples/shop.rs"]
#[allow(
    dead_code,
    unreachable_pub,
    reason = "only its models are of interest here"
)]
mod shop;
#[path = "../../../examples/staff.rs"]
#[allow(
    dead_code,
    unreachable_pub,
    reason = "only its models are of interest here"
)]
mod staff;

/// The commands that look into a database.
const WITH_SERVER: [&str; 11] = [
    "check",
    "plan",
    "apply",
    "verify",
    "repair",
    "backfill",
    "migrate",
    "migrations",
    "recover",
    "explain",
    "report",
];

fn main() -> ExitCode {
    let mut args: Vec<_> = std::env::args_os().collect();
    let says = |option: &str| {
        args.iter()
            .any(|arg| arg.to_string_lossy().starts_with(option))
    };
    let given = says("--uri") || std::env::var_os("MONGODB_URI").is_some();
    let help = says("--help") || says("-h") || says("--version") || says("-V");
    let mut words = args.iter().filter_map(|arg| arg.to_str());
    let needs_server = words.any(|word| WITH_SERVER.contains(&word));
    if given || help || !needs_server {
        return mongo_model_tool::main();
    }
    eprintln!(
        "demo: starting a MongoDB server with a database of its own; it ends with the command"
    );
    let runtime = match tokio::runtime::Runtime::new() {
        Ok(runtime) => runtime,
        Err(error) => return failed(&error),
    };
    let server = match runtime.block_on(prepare()) {
        Ok(server) => server,
        Err(error) => return failed(&*error),
    };
    args.extend([
        "--uri".into(),
        server.uri().into(),
        "--db".into(),
        "demo".into(),
    ]);
    mongo_model_tool::run(args)
}

fn failed(error: &dyn std::error::Error) -> ExitCode {
    eprintln!("error: the demo's server does not start: {error}");
    ExitCode::from(2)
}

/// A server of the demo's own with a database in which some things are wrong.
async fn prepare() -> Result<DevServer, Box<dyn std::error::Error>> {
    let server = DevServer::start(Topology::Standalone).await?;
    let db = server.client().await?.database("demo");
    mongo_model::sync_indexes(&db).await?;
    seed::spoil(&db).await?;
    Ok(server)
}
