//! Tickets at the door.

use axum::Router;
use axum::http::StatusCode;
use axum::routing::post;
use mongo_model::update::Swapped;
use mongo_model::{Database, MongoModel};

use crate::api::extract::{Caller, PathId};
use crate::error::{Problem, Result};
use crate::models::Ticket;

pub fn routes() -> Router<Database> {
    Router::new().route("/tickets/{id}/admission", post(admit))
}

/// Lets the holder of a ticket in, once.
async fn admit(Caller { db, .. }: Caller, PathId(id): PathId<Ticket>) -> Result<StatusCode> {
    let admission = Ticket::update(&db, id)
        .only_if(|t| t.admitted.is_none())
        .current_date(|t| t.admitted);
    match admission.await? {
        Swapped::Done(_) => Ok(StatusCode::NO_CONTENT),
        Swapped::Not(_) => Err(Problem::new(
            StatusCode::CONFLICT,
            "somebody came in with this ticket",
        )),
    }
}
