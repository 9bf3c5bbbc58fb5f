//! Errors of the library and of the shop as HTTP answers.

use axum::Json;
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use mongo_model::Violation;
use serde::Serialize;

/// The failure of a handler: a status, and a text for the client.
#[derive(Debug)]
pub struct Problem {
    pub status: StatusCode,
    pub detail: String,
    /// The values that break a rule of their fields.
    pub violations: Vec<Violation>,
}

pub type Result<T, E = Problem> = std::result::Result<T, E>;

/// The body of an answer with an error, as in RFC 9457.
#[derive(Serialize)]
struct Body<'a> {
    status: u16,
    title: &'a str,
    detail: &'a str,
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    errors: &'a [Violation],
}

impl Problem {
    pub fn new(status: StatusCode, detail: impl Into<String>) -> Self {
        let detail = detail.into();
        let violations = Vec::new();
        Problem {
            status,
            detail,
            violations,
        }
    }

    /// A request that can be read, and asks for something that cannot be.
    pub fn invalid(detail: impl Into<String>) -> Self {
        Problem::new(StatusCode::UNPROCESSABLE_ENTITY, detail)
    }

    pub fn not_found() -> Self {
        Problem::new(StatusCode::NOT_FOUND, "there is no such document")
    }
}

/// The errors of the library show no values of documents, so their texts may go to the client and to the log.
impl From<mongo_model::Error> for Problem {
    fn from(error: mongo_model::Error) -> Self {
        let status = StatusCode::from_u16(error.http_status());
        let status = status.unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
        if status.is_server_error() {
            tracing::error!(%error, "the request failed");
            return Problem::new(status, "the request could not be served; try again later");
        }
        let mut problem = Problem::new(status, error.to_string());
        if let mongo_model::Error::Invalid { violations, .. } = error {
            problem.violations = violations;
        }
        problem
    }
}

impl IntoResponse for Problem {
    fn into_response(self) -> Response {
        let body = Json(Body {
            status: self.status.as_u16(),
            title: self.status.canonical_reason().unwrap_or("Error"),
            detail: &self.detail,
            errors: &self.violations,
        });
        let kind = [(header::CONTENT_TYPE, "application/problem+json")];
        (self.status, kind, body).into_response()
    }
}
