//! Venues.

use axum::extract::State;
use axum::http::StatusCode;
use axum::routing::{get, post};
use axum::{Json as Answer, Router};
use bson::DateTime;
use mongo_model::{Database, Id, MongoModel};
use serde::{Deserialize, Serialize};

use crate::api::events::by_venue;
use crate::api::extract::{Json, PathId};
use crate::error::{Problem, Result};
use crate::models::{Event, LatestEvent, NewVenue, Venue};

pub fn routes() -> Router<Database> {
    Router::new()
        .route("/venues", post(create))
        .route("/venues/{id}", get(show).patch(change).delete(remove))
        .route("/venues/{id}/events", get(by_venue))
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Create {
    name: String,
    city: String,
    seats: i64,
}

/// The fields to change; absent ones stay.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Change {
    name: Option<String>,
    city: Option<String>,
}

#[derive(Serialize)]
struct VenueJson {
    #[serde(with = "mongo_model::json")]
    id: Id<Venue>,
    name: String,
    city: String,
    seats: i64,
    events: i64,
    latest: Vec<LatestJson>,
    #[serde(with = "mongo_model::json")]
    updated: DateTime,
}

#[derive(Serialize)]
struct LatestJson {
    #[serde(with = "mongo_model::json")]
    id: Id<Event>,
    #[serde(with = "mongo_model::json")]
    starts: DateTime,
    title: String,
}

impl From<Venue> for VenueJson {
    fn from(venue: Venue) -> Self {
        VenueJson {
            id: venue.id,
            name: venue.name,
            city: venue.city,
            seats: venue.seats,
            events: venue.events,
            latest: venue.latest.into_iter().map(LatestJson::from).collect(),
            updated: venue.updated,
        }
    }
}

impl From<LatestEvent> for LatestJson {
    fn from(event: LatestEvent) -> Self {
        LatestJson {
            id: event.id,
            starts: event.starts,
            title: event.title,
        }
    }
}

fn check_text(text: &str) -> Result<()> {
    match text.trim().is_empty() {
        true => Err(Problem::invalid("a venue has a name and a city")),
        false => Ok(()),
    }
}

async fn create(
    State(db): State<Database>,
    Json(body): Json<Create>,
) -> Result<(StatusCode, Answer<VenueJson>)> {
    check_text(&body.name)?;
    check_text(&body.city)?;
    if !(1..=1_000_000).contains(&body.seats) {
        return Err(Problem::invalid("a venue has 1 to 1000000 seats"));
    }
    let venue = Venue::from(NewVenue {
        name: body.name,
        city: body.city,
        seats: body.seats,
    });
    let stored = Venue::insert(&db, &venue).returning().await?;
    Ok((StatusCode::CREATED, Answer(stored.document.into())))
}

async fn show(State(db): State<Database>, PathId(id): PathId<Venue>) -> Result<Answer<VenueJson>> {
    let venue = Venue::get(&db, id).await?;
    let venue = venue.ok_or_else(Problem::not_found)?;
    Ok(Answer(venue.into()))
}

async fn change(
    State(db): State<Database>,
    PathId(id): PathId<Venue>,
    Json(body): Json<Change>,
) -> Result<Answer<VenueJson>> {
    for text in [&body.name, &body.city].into_iter().flatten() {
        check_text(text)?;
    }
    let stored = Venue::update(&db, id)
        .set_some(|v| v.name, body.name)
        .set_some(|v| v.city, body.city)
        .returning()
        .await?;
    Ok(Answer(stored.document.into()))
}

async fn remove(State(db): State<Database>, PathId(id): PathId<Venue>) -> Result<StatusCode> {
    match Venue::delete(&db, id).await?.deleted {
        0 => Err(Problem::not_found()),
        _ => Ok(StatusCode::NO_CONTENT),
    }
}
