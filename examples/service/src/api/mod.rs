//! The routes: one module per resource, each with the types that go in and come out.

pub mod comments;
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
use axum::extract::Request;
use axum::middleware::{self, Next};
use axum::response::Response;
use mongo_model::Database;
use mongo_model::history::acting_as;

/// The routes of all resources. The database is the state: clones of it share connections.
pub fn routes() -> Router<Database> {
    Router::new()
        .merge(organisations::routes())
        .merge(venues::routes())
        .merge(events::routes())
        .merge(comments::routes())
        .merge(customers::routes())
        .merge(orders::routes())
        .merge(tickets::routes())
        .merge(openapi::routes())
        .layer(middleware::from_fn(name_actor))
}

/// Names in histories who makes the changes of a request: the user of the client, as the client says.
async fn name_actor(request: Request, next: Next) -> Response {
    let user = request.headers().get("x-user");
    match user.and_then(|user| user.to_str().ok()).map(str::to_owned) {
        Some(user) => acting_as(user, next.run(request)).await,
        None => next.run(request).await,
    }
}
