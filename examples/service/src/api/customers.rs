//! Customers.

use axum::http::StatusCode;
use axum::routing::{get, post};
use axum::{Json as Answer, Router};
use mongo_model::personal::{Certificate, PersonalData};
use mongo_model::{Database, MongoModel};

use crate::api::extract::{Caller, Json, PathId};
use crate::api::orders::by_customer;
use crate::error::{Problem, Result};
use crate::models::{Customer, CustomerPatch, CustomerView, NewCustomer};

pub fn routes() -> Router<Database> {
    Router::new()
        .route("/customers", post(create))
        .route("/customers/{id}", get(show).patch(change).delete(remove))
        .route("/customers/{id}/orders", get(by_customer))
        .route("/customers/{id}/personal", get(export).delete(erase))
}

/// A taken address, in words that do not repeat it.
fn taken(error: mongo_model::Error) -> Problem {
    match Customer::is_duplicate_email(&error) {
        true => Problem::new(StatusCode::CONFLICT, "a customer has this e-mail address"),
        false => error.into(),
    }
}

async fn create(
    Caller { db, organisation }: Caller,
    Json(body): Json<NewCustomer>,
) -> Result<(StatusCode, Answer<CustomerView>)> {
    let stored = Customer::insert(&db, &(body, organisation).into())
        .returning()
        .await;
    let stored = stored.map_err(taken)?;
    Ok((StatusCode::CREATED, Answer(stored.document.into())))
}

async fn show(
    Caller { db, .. }: Caller,
    PathId(id): PathId<Customer>,
) -> Result<Answer<CustomerView>> {
    let customer = Customer::get(&db, id).required().await?;
    Ok(Answer(customer.into()))
}

async fn change(
    Caller { db, .. }: Caller,
    PathId(id): PathId<Customer>,
    Json(body): Json<CustomerPatch>,
) -> Result<Answer<CustomerView>> {
    let stored = Customer::update(&db, id).patch(body).returning().await;
    Ok(Answer(stored.map_err(taken)?.document.into()))
}

/// Marks a customer as deleted; one with orders stays.
async fn remove(Caller { db, .. }: Caller, PathId(id): PathId<Customer>) -> Result<StatusCode> {
    Customer::delete(&db, id).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Exports the personal values of a customer, also of one that is marked as deleted.
async fn export(
    Caller { db, .. }: Caller,
    PathId(id): PathId<Customer>,
) -> Result<Answer<PersonalData>> {
    Ok(Answer(Customer::export(&db, id).await?))
}

/// Erases it: the orders stay, without the name.
async fn erase(
    Caller { db, .. }: Caller,
    PathId(id): PathId<Customer>,
) -> Result<Answer<Certificate>> {
    Ok(Answer(Customer::erase(&db, id).await?))
}
