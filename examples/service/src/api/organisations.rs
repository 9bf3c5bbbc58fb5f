//! Organisations.

use axum::extract::State;
use axum::http::StatusCode;
use axum::routing::post;
use axum::{Json as Answer, Router};
use bson::{DateTime, Uuid};
use mongo_model::{Database, Id, MongoModel};

use crate::api::extract::Json;
use crate::error::Result;
use crate::models::{NewOrganisation, Organisation, OrganisationView, Session};

pub fn routes() -> Router<Database> {
    Router::new().route("/organisations", post(create))
}

/// Signs an organisation up. The answer has its first session.
async fn create(
    State(db): State<Database>,
    Json(body): Json<NewOrganisation>,
) -> Result<(StatusCode, Answer<OrganisationView>)> {
    let organisation = Organisation::from(body);
    Organisation::insert(&db, &organisation).await?;
    let session = sign_in(&db, organisation.id).await?;
    Ok((StatusCode::CREATED, Answer((organisation, session).into())))
}

/// Begins a session, and gives its token.
pub async fn sign_in(db: &Database, organisation: Id<Organisation>) -> mongo_model::Result<String> {
    let token = Uuid::new();
    let session = Session {
        id: Id::from_raw(token),
        organisation,
        created: DateTime::now(),
    };
    Session::insert(db, &session).await?;
    Ok(token.to_string())
}
