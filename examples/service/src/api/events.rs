//! Events.

use std::time::Duration;

use axum::http::{HeaderName, StatusCode, header};
use axum::response::sse::{Event as Message, Sse};
use axum::routing::get;
use axum::{Json as Answer, Router};
use bson::DateTime;
use futures::{Stream, StreamExt, TryStreamExt, stream};
use mongo_model::crud::Page;
use mongo_model::history::Entry;
use mongo_model::update::ReturnedIf;
use mongo_model::watch::Change;
use mongo_model::{Database, Id, MongoModel, Tenant, Versioned};

use crate::api::extract::{Caller, IfMatch, Json, PathId, Query};
use crate::api::page::Paging;
use crate::error::{Problem, Result};
use crate::models::{Event, EventPatch, EventView, NewEvent, Organisation, SalesView, Venue};

pub fn routes() -> Router<Database> {
    Router::new()
        .route("/events", get(upcoming).post(create))
        .route("/events/{id}", get(show).patch(change).delete(remove))
        .route("/events/{id}/history", get(history))
        .route("/events/{id}/sales", get(sales))
        .route("/events/{id}/sales/live", get(sales_live))
}

/// An event with its version, which a client sends back as `If-Match`.
type Tagged = ([(HeaderName, String); 1], Answer<EventView>);

fn tagged(event: Event) -> Tagged {
    ([(header::ETAG, event.etag())], Answer(event.into()))
}

/// An event has no more seats than its venue.
async fn check_seats(db: &Tenant<Id<Organisation>>, venue: Id<Venue>, seats: i64) -> Result<()> {
    let venue = Venue::get(db, venue).await?;
    let venue = venue.ok_or_else(|| Problem::invalid("there is no such venue"))?;
    match seats <= venue.seats {
        true => Ok(()),
        false => Err(Problem::invalid(format!(
            "the venue has {} seats",
            venue.seats
        ))),
    }
}

async fn create(
    Caller { db, organisation }: Caller,
    Json(body): Json<NewEvent>,
) -> Result<(StatusCode, Tagged)> {
    check_seats(&db, body.venue, body.seats).await?;
    let stored = Event::insert(&db, &(body, organisation).into())
        .returning()
        .await?;
    Ok((StatusCode::CREATED, tagged(stored.document)))
}

async fn show(Caller { db, .. }: Caller, PathId(id): PathId<Event>) -> Result<Tagged> {
    Ok(tagged(Event::get(&db, id).required().await?))
}

/// The events that have not begun, the next one first.
async fn upcoming(
    Caller { db, .. }: Caller,
    Query(paging): Query<Paging>,
) -> Result<Answer<Page<EventView>>> {
    let page = Event::upcoming(&db, DateTime::now()..).page(paging.size());
    let page = page.after(paging.after).await?;
    Ok(Answer(page.map(EventView::from)))
}

/// All events of a venue, in the order of their times.
pub async fn by_venue(
    Caller { db, .. }: Caller,
    PathId(venue): PathId<Venue>,
    Query(paging): Query<Paging>,
) -> Result<Answer<Page<EventView>>> {
    let page = Event::by_venue(&db, venue).page(paging.size());
    let page = page.after(paging.after).await?;
    Ok(Answer(page.map(EventView::from)))
}

/// Changes an event, if nobody has changed it since the client read it. The library refuses fewer seats than are sold.
async fn change(
    Caller { db, .. }: Caller,
    PathId(id): PathId<Event>,
    IfMatch(read): IfMatch,
    Json(body): Json<EventPatch>,
) -> Result<Tagged> {
    if let Some(seats) = body.seats {
        let event = Event::get(&db, id).required().await?;
        check_seats(&db, event.venue, seats).await?;
    }
    let unchanged = Event::update(&db, id).patch(body).if_match(&read);
    match unchanged.returning().await? {
        ReturnedIf::Done(stored) => Ok(tagged(stored.document)),
        ReturnedIf::Not(_) => Err(Problem::new(
            StatusCode::PRECONDITION_FAILED,
            "the event has changed since you read it",
        )),
    }
}

async fn remove(Caller { db, .. }: Caller, PathId(id): PathId<Event>) -> Result<StatusCode> {
    Event::delete(&db, id).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// The changes of an event, the latest first, each with its time and the user who made it. An event that is deleted still has them.
async fn history(
    Caller { db, .. }: Caller,
    PathId(id): PathId<Event>,
) -> Result<Answer<Vec<Entry>>> {
    Ok(Answer(Event::history(&db, id).newest(None).await?))
}

/// How many tickets of an event are sold, and for how much.
async fn sales(Caller { db, .. }: Caller, PathId(id): PathId<Event>) -> Result<Answer<SalesView>> {
    let event = Event::get(&db, id).required().await?;
    Ok(Answer(event.into()))
}

/// The longest that sales are told in one answer. A browser's `EventSource` asks again by itself, and a service that stops waits no longer.
const LIVE: Duration = Duration::from_secs(10);

/// The sales of an event now, and whenever they change: server-sent events.
async fn sales_live(
    Caller { db, .. }: Caller,
    PathId(id): PathId<Event>,
) -> Result<Sse<impl Stream<Item = Result<Message, axum::Error>>>> {
    // The watch begins first, so it tells changes between the two calls.
    let changes = Event::watch_one(&db, id).await?;
    let event = Event::get(&db, id).required().await?;
    let now = stream::iter([Ok(Change::Inserted(event))]);
    let sales = now.chain(changes).map_err(axum::Error::new);
    let sales = sales.try_filter_map(async |change| match change {
        Change::Inserted(event)
        | Change::Updated {
            document: event, ..
        } => Message::default()
            .json_data(SalesView::from(event))
            .map(Some),
        _ => Ok(None),
    });
    Ok(Sse::new(sales.take_until(tokio::time::sleep(LIVE))))
}
