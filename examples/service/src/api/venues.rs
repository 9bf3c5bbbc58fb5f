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

async fn create(
    State(db): State<Database>,
    Json(body): Json<Create>,
) -> Result<(StatusCode, Answer<VenueJson>)> {
    if body.name.trim().is_empty() || body.city.trim().is_empty() {
        return Err(Problem::invalid("a venue has a name and a city"));
    }
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
    if body.name.is_none() && body.city.is_none() {
        return show(State(db), PathId(id)).await;
    }
    let mut update = Venue::update(&db, id);
    if let Some(name) = body.name {
        if name.trim().is_empty() {
            return Err(Problem::invalid("a venue has a name"));
        }
        update = update.set(|v| v.name, name);
    }
    if let Some(city) = body.city {
        if city.trim().is_empty() {
            return Err(Problem::invalid("a venue has a city"));
        }
        update = update.set(|v| v.city, city);
    }
    Ok(Answer(update.returning().await?.document.into()))
}

async fn remove(State(db): State<Database>, PathId(id): PathId<Venue>) -> Result<StatusCode> {
    match Venue::delete(&db, id).await?.deleted {
        0 => Err(Problem::not_found()),
        _ => Ok(StatusCode::NO_CONTENT),
    }
}
