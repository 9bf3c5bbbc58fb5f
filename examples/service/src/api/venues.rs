//! Venues.

use axum::http::StatusCode;
use axum::routing::{get, post};
use axum::{Json as Answer, Router};
use bson::DateTime;
use mongo_model::geo::Point;
use mongo_model::{Database, MongoModel};
use serde::{Deserialize, Serialize};

use crate::api::events::by_venue;
use crate::api::extract::{Caller, Json, PathId, Query};
use crate::error::{Problem, Result};
use crate::models::{DayView, NewVenue, Venue, VenueDay, VenuePatch, VenueView};

pub fn routes() -> Router<Database> {
    Router::new()
        .route("/venues", post(create).get(near))
        .route("/venues/search", get(search))
        .route("/venues/{id}", get(show).patch(change).delete(remove))
        .route("/venues/{id}/events", get(by_venue))
        .route("/venues/{id}/sales", get(sales))
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

/// `?lng=-9.14&lat=38.71&meters=2000`
#[derive(Deserialize)]
struct Around {
    lng: f64,
    lat: f64,
    meters: f64,
}

/// A venue, and its distance in meters.
#[derive(Serialize)]
struct Near {
    venue: VenueView,
    meters: f64,
}

/// The twenty venues that are nearest to a point.
async fn near(
    Caller { db, .. }: Caller,
    Query(Around { lng, lat, meters }): Query<Around>,
) -> Result<Answer<Vec<Near>>> {
    let near = Venue::find(&db, |v| v.place.near(Point { lng, lat }, meters)).limit(20);
    let near = near.with_distance().await?.into_iter();
    let near = near.map(|near| Near {
        venue: near.document.into(),
        meters: near.meters,
    });
    Ok(Answer(near.collect()))
}

/// `?words=blue no`
#[derive(Deserialize)]
struct Typed {
    words: String,
}

/// Twenty venues whose names have words that begin so, for a client that completes what is typed.
async fn search(
    Caller { db, .. }: Caller,
    Query(Typed { words }): Query<Typed>,
) -> Result<Answer<Vec<VenueView>>> {
    let found = Venue::find(&db, |v| v.name.has_words_ci(&words)).limit(20);
    let found = found.await?.into_iter().map(VenueView::from);
    Ok(Answer(found.collect()))
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

/// `?from=2100-01-01T00:00:00Z&to=..`
#[derive(Deserialize)]
struct Time {
    from: String,
    to: String,
}

/// The most milliseconds from the first to the last day: a year.
const LONGEST: i64 = 366 * 86_400_000;

/// The tickets that were sold on each day from one time to another, and for how much: also on days without any.
async fn sales(
    Caller { db, .. }: Caller,
    PathId(id): PathId<Venue>,
    Query(time): Query<Time>,
) -> Result<Answer<Vec<DayView>>> {
    let [from, to] = [time.from, time.to].map(DateTime::parse_rfc3339_str);
    let (Ok(from), Ok(to)) = (from, to) else {
        return Err(Problem::invalid("times as in RFC 3339"));
    };
    let length = to
        .timestamp_millis()
        .saturating_sub(from.timestamp_millis());
    if length > LONGEST {
        return Err(Problem::invalid("the days of a year at most"));
    }
    Venue::get(&db, id).required().await?;
    let days = VenueDay::range(&db, id, from..to).await?;
    Ok(Answer(days.into_iter().map(DayView::from).collect()))
}
