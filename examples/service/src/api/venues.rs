//! Venues.

use axum::http::StatusCode;
use axum::routing::{get, post};
use axum::{Json as Answer, Router};
use mongo_model::{Database, MongoModel};

use crate::api::events::by_venue;
use crate::api::extract::{Caller, Json, PathId};
use crate::error::Result;
use crate::models::{NewVenue, Venue, VenuePatch, VenueView};

pub fn routes() -> Router<Database> {
    Router::new()
        .route("/venues", post(create))
        .route("/venues/{id}", get(show).patch(change).delete(remove))
        .route("/venues/{id}/events", get(by_venue))
}

async fn create(
    Caller { db, organisation }: Caller,
    Json(body): Json<NewVenue>,
) -> Result<(StatusCode, Answer<VenueView>)> {
    let stored = Venue::insert(&db, &(body, organisation).into())
        .returning()
        .await?;
    Ok((StatusCode::CREATED, Answer(stored.document.into())))
}

async fn show(Caller { db, .. }: Caller, PathId(id): PathId<Venue>) -> Result<Answer<VenueView>> {
    let venue = Venue::get(&db, id).required().await?;
    Ok(Answer(venue.into()))
}

async fn change(
    Caller { db, .. }: Caller,
    PathId(id): PathId<Venue>,
    Json(body): Json<VenuePatch>,
) -> Result<Answer<VenueView>> {
    let stored = Venue::update(&db, id).patch(body).returning().await?;
    Ok(Answer(stored.document.into()))
}

async fn remove(Caller { db, .. }: Caller, PathId(id): PathId<Venue>) -> Result<StatusCode> {
    Venue::delete(&db, id).await?;
    Ok(StatusCode::NO_CONTENT)
}
