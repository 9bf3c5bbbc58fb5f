//! Events.

use axum::extract::State;
use axum::http::{HeaderName, StatusCode, header};
use axum::routing::get;
use axum::{Json as Answer, Router};
use bson::DateTime;
use mongo_model::crud::Page;
use mongo_model::update::ReturnedIf;
use mongo_model::{Database, Id, MongoModel};
use serde::{Deserialize, Deserializer, Serialize};

use crate::api::extract::{IfMatch, Json, PathId, Query};
use crate::api::page::Paging;
use crate::error::{Problem, Result};
use crate::models::{Event, NewEvent, Venue};

pub fn routes() -> Router<Database> {
    Router::new()
        .route("/events", get(upcoming).post(create))
        .route("/events/{id}", get(show).patch(change).delete(remove))
        .route("/events/{id}/sales", get(sales))
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Create {
    #[serde(with = "mongo_model::json")]
    venue: Id<Venue>,
    title: String,
    description: Option<String>,
    #[serde(with = "mongo_model::json")]
    starts: DateTime,
    seats: i64,
    price_cents: i64,
}

/// The fields to change; absent ones stay, and a null removes the description.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Change {
    title: Option<String>,
    #[serde(default, deserialize_with = "present")]
    description: Option<Option<String>>,
    #[serde(default, with = "mongo_model::json::option")]
    starts: Option<DateTime>,
    seats: Option<i64>,
    price_cents: Option<i64>,
}

/// A field that is there, also as null.
fn present<'de, D: Deserializer<'de>>(field: D) -> Result<Option<Option<String>>, D::Error> {
    Option::deserialize(field).map(Some)
}

#[derive(Serialize)]
pub struct EventJson {
    #[serde(with = "mongo_model::json")]
    id: Id<Event>,
    #[serde(with = "mongo_model::json")]
    venue: Id<Venue>,
    venue_name: String,
    title: String,
    description: Option<String>,
    #[serde(with = "mongo_model::json")]
    starts: DateTime,
    seats: i64,
    sold: i64,
    price_cents: i64,
    #[serde(with = "mongo_model::json::option")]
    last_sale: Option<DateTime>,
}

impl From<Event> for EventJson {
    fn from(event: Event) -> Self {
        EventJson {
            id: event.id,
            venue: event.venue,
            venue_name: event.venue_name,
            title: event.title,
            description: event.description,
            starts: event.starts,
            seats: event.seats,
            sold: event.sold,
            price_cents: event.price_cents,
            last_sale: event.last_sale,
        }
    }
}

/// An event with its version, which a client sends back as `If-Match`.
type Tagged = ([(HeaderName, String); 1], Answer<EventJson>);

fn tagged(event: Event) -> Tagged {
    let tag = format!("\"{}\"", event.version);
    ([(header::ETAG, tag)], Answer(event.into()))
}

fn check_title(title: &str) -> Result<()> {
    match title.trim().is_empty() {
        true => Err(Problem::invalid("an event has a title")),
        false => Ok(()),
    }
}

fn check_price(cents: i64) -> Result<()> {
    match (0..=100_000_000).contains(&cents) {
        true => Ok(()),
        false => Err(Problem::invalid("a price is 0 to 100000000 cents")),
    }
}

/// An event has no more seats than its venue.
async fn check_seats(db: &Database, venue: Id<Venue>, seats: i64) -> Result<()> {
    let venue = Venue::get(db, venue).await?;
    let venue = venue.ok_or_else(|| Problem::invalid("there is no such venue"))?;
    match (1..=venue.seats).contains(&seats) {
        true => Ok(()),
        false => Err(Problem::invalid(format!(
            "the venue has 1 to {} seats",
            venue.seats
        ))),
    }
}

async fn create(
    State(db): State<Database>,
    Json(body): Json<Create>,
) -> Result<(StatusCode, Tagged)> {
    check_title(&body.title)?;
    check_price(body.price_cents)?;
    check_seats(&db, body.venue, body.seats).await?;
    let event = Event::from(NewEvent {
        venue: body.venue,
        title: body.title,
        description: body.description,
        starts: body.starts,
        seats: body.seats,
        price_cents: body.price_cents,
        last_sale: None,
    });
    let stored = Event::insert(&db, &event).returning().await?;
    Ok((StatusCode::CREATED, tagged(stored.document)))
}

async fn show(State(db): State<Database>, PathId(id): PathId<Event>) -> Result<Tagged> {
    let event = Event::get(&db, id).await?;
    Ok(tagged(event.ok_or_else(Problem::not_found)?))
}

/// The events that have not begun, the next one first.
async fn upcoming(
    State(db): State<Database>,
    Query(paging): Query<Paging>,
) -> Result<Answer<Page<EventJson>>> {
    let page = Event::upcoming(&db, DateTime::now()..).page(paging.size());
    let page = page.after(paging.after).await?;
    Ok(Answer(page.map(EventJson::from)))
}

/// All events of a venue, in the order of their times.
pub async fn by_venue(
    State(db): State<Database>,
    PathId(venue): PathId<Venue>,
    Query(paging): Query<Paging>,
) -> Result<Answer<Page<EventJson>>> {
    let page = Event::by_venue(&db, venue).page(paging.size());
    let page = page.after(paging.after).await?;
    Ok(Answer(page.map(EventJson::from)))
}

/// Changes an event, if nobody has changed it since the client read it, and if no more than the new number of seats are sold.
async fn change(
    State(db): State<Database>,
    PathId(id): PathId<Event>,
    IfMatch(version): IfMatch,
    Json(body): Json<Change>,
) -> Result<Tagged> {
    let event = Event::get(&db, id).await?.ok_or_else(Problem::not_found)?;
    let seats = body.seats.unwrap_or(event.seats);
    if seats != event.seats {
        check_seats(&db, event.venue, seats).await?;
    }
    if let Some(title) = &body.title {
        check_title(title)?;
    }
    if let Some(cents) = body.price_cents {
        check_price(cents)?;
    }
    let unchanged = Event::update(&db, id)
        .set_some(|e| e.title, body.title)
        .set_some(|e| e.description, body.description)
        .set_some(|e| e.starts, body.starts)
        .set_some(|e| e.seats, body.seats)
        .set_some(|e| e.price_cents, body.price_cents)
        .only_if(|e| e.version.eq(version).and(e.sold.lte(seats)));
    match unchanged.returning().await? {
        ReturnedIf::Done(stored) => Ok(tagged(stored.document)),
        ReturnedIf::Not(now) if now.version != version => Err(Problem::new(
            StatusCode::PRECONDITION_FAILED,
            "the event has changed since you read it",
        )),
        ReturnedIf::Not(now) => Err(Problem::new(
            StatusCode::CONFLICT,
            format!("{} seats are sold", now.sold),
        )),
    }
}

async fn remove(State(db): State<Database>, PathId(id): PathId<Event>) -> Result<StatusCode> {
    match Event::delete(&db, id).await?.deleted {
        0 => Err(Problem::not_found()),
        _ => Ok(StatusCode::NO_CONTENT),
    }
}

#[derive(Serialize)]
struct Sales {
    tickets: i64,
    cents: i64,
}

/// How many tickets of an event are sold, and for how much.
async fn sales(
    State(db): State<Database>,
    PathId(id): PathId<Event>,
) -> Result<Answer<Sales>, Problem> {
    let event = Event::get(&db, id).await?;
    let event = event.ok_or_else(Problem::not_found)?;
    Ok(Answer(Sales {
        tickets: event.sold,
        cents: event.income_cents,
    }))
}
