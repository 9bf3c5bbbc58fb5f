//! Tells those who start and stop the service if it works.

use axum::Router;
use axum::extract::State;
use axum::http::StatusCode;
use axum::routing::get;
use bson::doc;
use mongo_model::{Database, sweeping};

use crate::error::Problem;

pub fn routes() -> Router<Database> {
    Router::new()
        .route("/health/live", get(async || StatusCode::NO_CONTENT))
        .route("/health/ready", get(ready))
}

/// Ready while the database answers and refuses no work that has to be finished.
async fn ready(State(db): State<Database>) -> Result<StatusCode, Problem> {
    let ping = db.run_command(doc! { "ping": 1 }).await;
    ping.map_err(mongo_model::Error::from)?;
    match sweeping(&db).stuck {
        0 => Ok(StatusCode::NO_CONTENT),
        stuck => Err(Problem::new(
            StatusCode::SERVICE_UNAVAILABLE,
            format!("the server refuses {stuck} changes that have to follow"),
        )),
    }
}
