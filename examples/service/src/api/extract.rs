//! The parts of a request. A part that cannot be read is a [`Problem`] too.

use axum::extract::{FromRequest, FromRequestParts, Request};
use axum::http::request::Parts;
use axum::http::{StatusCode, header};
use bson::Uuid;
use mongo_model::{Database, Id, MongoModel, Tenant, Tenants};
use serde::de::DeserializeOwned;

use crate::error::Problem;
use crate::models::{Organisation, Session};

/// The JSON of a body.
pub struct Json<T>(pub T);

impl<T: DeserializeOwned, S: Send + Sync> FromRequest<S> for Json<T> {
    type Rejection = Problem;

    async fn from_request(request: Request, state: &S) -> Result<Self, Problem> {
        let read = axum::Json::<T>::from_request(request, state).await;
        let axum::Json(value) = read.map_err(|no| Problem::new(no.status(), no.body_text()))?;
        Ok(Json(value))
    }
}

/// The query of a URL.
pub struct Query<T>(pub T);

impl<T: DeserializeOwned, S: Send + Sync> FromRequestParts<S> for Query<T> {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, Problem> {
        let read = axum::extract::Query::<T>::from_request_parts(parts, state).await;
        let axum::extract::Query(value) =
            read.map_err(|no| Problem::new(no.status(), no.body_text()))?;
        Ok(Query(value))
    }
}

/// The id in a path. Text that is no id belongs to no document.
pub struct PathId<M>(pub Id<M>);

impl<M, S: Send + Sync> FromRequestParts<S> for PathId<M> {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, Problem> {
        let read = axum::extract::Path::<String>::from_request_parts(parts, state).await;
        let id = read.ok().and_then(|path| path.0.parse().ok());
        id.map(PathId).ok_or_else(Problem::not_found)
    }
}

/// The header `If-Match`: the `ETag` of the version that a change was made for.
pub struct IfMatch(pub String);

impl<S: Send + Sync> FromRequestParts<S> for IfMatch {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Problem> {
        let tag = parts.headers.get(header::IF_MATCH);
        let tag = tag.and_then(|tag| tag.to_str().ok());
        tag.map(|tag| IfMatch(tag.to_owned())).ok_or_else(|| {
            Problem::new(
                StatusCode::PRECONDITION_REQUIRED,
                "send the ETag of the event that you have read as `If-Match`",
            )
        })
    }
}

/// The sender of a request: an organisation, by the session in `Authorization: Bearer ..`. A handler gets its database from here, and sees
/// nothing of another organisation.
pub struct Caller {
    pub db: Tenant<Id<Organisation>>,
    pub organisation: Id<Organisation>,
}

impl FromRequestParts<Database> for Caller {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, db: &Database) -> Result<Self, Problem> {
        let nobody = || {
            Problem::new(
                StatusCode::UNAUTHORIZED,
                "send the session as a bearer token",
            )
        };
        let header = parts.headers.get(header::AUTHORIZATION);
        let token = header.and_then(|text| text.to_str().ok()?.strip_prefix("Bearer "));
        let token = token.and_then(|token| Uuid::parse_str(token).ok());
        let session = Session::get(db, Id::from_raw(token.ok_or_else(nobody)?)).await?;
        let organisation = session.ok_or_else(nobody)?.organisation;
        Ok(Caller {
            db: db.tenant(organisation),
            organisation,
        })
    }
}
