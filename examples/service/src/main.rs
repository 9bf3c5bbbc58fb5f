//! Reads the settings from the environment, and serves until SIGTERM or ctrl-c.

use std::env;
use std::error::Error;

use mongo_model::{Database, connect};
use mongo_model_service::{seed, serve};
use tokio::net::TcpListener;
use tokio::signal::unix::{SignalKind, signal};
use tracing_subscriber::EnvFilter;

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let filter = EnvFilter::try_from_default_env().unwrap_or_else(|_| EnvFilter::new("info"));
    tracing_subscriber::fmt()
        .json()
        .with_span_list(false)
        .with_env_filter(filter)
        .init();

    let (db, _server) = database().await?;
    let address = env::var("LISTEN").unwrap_or_else(|_| "127.0.0.1:8080".to_owned());
    let listener = TcpListener::bind(&address).await?;
    if env::var_os("SEED").is_some()
        && let Some(session) = seed::seed(&db).await?
    {
        println!("SESSION={session}");
    }

    let mut terminate = signal(SignalKind::terminate())?;
    let stop = async move {
        tokio::select! {
            _ = terminate.recv() => {}
            _ = tokio::signal::ctrl_c() => {}
        }
        tracing::info!("stopping");
    };
    tracing::info!(address, database = db.name(), "serving");
    let left = serve(db, listener, stop).await?;
    tracing::info!(finished = left.finished, failed = left.failed, "stopped");
    Ok(())
}

/// The database that `$MONGODB_URI` names.
#[cfg(not(feature = "dev-server"))]
async fn database() -> Result<(Database, ()), Box<dyn Error>> {
    let uri = env::var("MONGODB_URI").map_err(|_| "$MONGODB_URI names no database")?;
    Ok((connect(&uri).await?, ()))
}

/// The database that `$MONGODB_URI` names, or else one on a server that ends with the program.
#[cfg(feature = "dev-server")]
async fn database() -> Result<(Database, Option<mongo_model_dev_server::DevServer>), Box<dyn Error>>
{
    use mongo_model_dev_server::{DevServer, Topology};

    if let Ok(uri) = env::var("MONGODB_URI") {
        return Ok((connect(&uri).await?, None));
    }
    let server = DevServer::start(Topology::ReplicaSet(1)).await?;
    let db = server.client().await?.database("tickets");
    Ok((db, Some(server)))
}
