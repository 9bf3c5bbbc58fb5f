//! Orders, each with a ticket per seat.

use axum::http::StatusCode;
use axum::routing::get;
use axum::{Json as Answer, Router};
use bson::DateTime;
use mongo_model::crud::Page;
use mongo_model::{Database, Error, Id, MongoModel, Tenant, transaction_boxed};

use crate::api::extract::{Caller, Json, PathId, Query};
use crate::api::page::Paging;
use crate::error::{Problem, Result};
use crate::models::{
    Customer, Event, NewOrder, NewTicket, Order, OrderEvent, OrderLine, OrderView, Organisation,
    Ticket,
};

pub fn routes() -> Router<Database> {
    Router::new().route("/orders/{id}", get(show).put(place).delete(cancel))
}

/// Why an order is not placed, although everything that it names is stored.
#[derive(Debug, thiserror::Error)]
enum Refused {
    #[error("the customer is deleted")]
    NoCustomer,
}

impl From<Refused> for Error {
    fn from(error: Refused) -> Self {
        Error::aborted(error)
    }
}

/// Places the order with this id. Sent twice, it is one order, and the second answer shows it.
async fn place(
    Caller { db, organisation }: Caller,
    PathId(id): PathId<Order>,
    Json(body): Json<NewOrder>,
) -> Result<(StatusCode, Answer<OrderView>)> {
    let order = Order {
        id,
        ..Order::from((body, organisation))
    };
    let status = match store(&db, &order).await {
        Ok(()) => StatusCode::CREATED,
        Err(error) if Order::is_duplicate_id(&error) => StatusCode::OK,
        Err(Error::Aborted(own)) if own.is::<Refused>() => {
            return Err(Problem::new(StatusCode::CONFLICT, own.to_string()));
        }
        Err(Error::Full { .. }) => {
            return Err(Problem::new(StatusCode::CONFLICT, "the event is sold out"));
        }
        Err(Error::NotFound { .. }) => return Err(Problem::invalid("there is no such event")),
        Err(error) => return Err(error.into()),
    };
    let taken = || Problem::new(StatusCode::CONFLICT, "another order has this id");
    // Nobody sees an order of another organisation.
    let stored = read(&db, id)
        .await
        .map_err(|problem| match problem.status {
            StatusCode::NOT_FOUND => taken(),
            _ => problem,
        })?;
    let OrderView {
        customer,
        event,
        seats,
        ..
    } = stored;
    if (customer, event, seats) != (body.customer, body.event, body.seats) {
        return Err(taken());
    }
    Ok((status, Answer(stored)))
}

/// Stores an order and its tickets, if the event has the seats. The order changes the event, which has the time of its last sale, and so do
/// the tickets, which it counts: of two orders at the same time, one runs again before it has stored a ticket.
async fn store(db: &Tenant<Id<Organisation>>, order: &Order) -> Result<(), Error> {
    transaction_boxed(db.database(), |tx, _| {
        Box::pin(async move {
            let placed = Order::insert(db, order).emit(OrderEvent::Placed);
            placed.within(tx).await?;
            let customer = Customer::get(db, order.customer).within(tx).await?;
            customer.ok_or(Refused::NoCustomer)?;
            let event = Event::get(db, order.event).within(tx).required().await?;
            let tickets = (0..order.seats).map(|_| {
                let ticket = NewTicket {
                    order: order.id,
                    event: order.event,
                    venue: event.venue,
                    sold_at: DateTime::now(),
                };
                Ticket::from((ticket, order.organisation))
            });
            let tickets: Vec<Ticket> = tickets.collect();
            Ticket::insert_many(db, &tickets).within(tx).await?;
            Ok(())
        })
    })
    .await
}

/// An order with its tickets, also one that is cancelled.
async fn read(db: &Tenant<Id<Organisation>>, id: Id<Order>) -> Result<OrderView> {
    let order = Order::get(db, id).with_deleted().required().await?;
    let tickets = Ticket::by_order(db, id).ids().await?;
    Ok((order, tickets).into())
}

async fn show(Caller { db, .. }: Caller, PathId(id): PathId<Order>) -> Result<Answer<OrderView>> {
    Ok(Answer(read(&db, id).await?))
}

/// The orders of a customer, the newest first.
pub async fn by_customer(
    Caller { db, .. }: Caller,
    PathId(customer): PathId<Customer>,
    Query(paging): Query<Paging>,
) -> Result<Answer<Page<OrderLine>>> {
    let page = Order::by_customer(&db, customer).page(paging.size());
    let page = page.after(paging.after).await?;
    Ok(Answer(page.map(OrderLine::from)))
}

/// Cancels an order. Its tickets are cancelled with it, and their seats are free again.
async fn cancel(Caller { db, .. }: Caller, PathId(id): PathId<Order>) -> Result<StatusCode> {
    Order::delete(&db, id).await?;
    Ok(StatusCode::NO_CONTENT)
}
