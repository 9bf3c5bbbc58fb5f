//! The routes: one module per resource, each with the types that go in and come out.

pub mod customers;
pub mod events;
pub mod extract;
pub mod openapi;
pub mod orders;
pub mod organisations;
pub mod page;
pub mod tickets;
pub mod venues;

use axum::Router;
use mongo_model::Database;

/// The routes of all resources. The database is the state: clones of it share connections.
pub fn routes() -> Router<Database> {
    Router::new()
        .merge(organisations::routes())
        .merge(venues::routes())
        .merge(events::routes())
        .merge(customers::routes())
        .merge(orders::routes())
        .merge(tickets::routes())
        .merge(openapi::routes())
}
