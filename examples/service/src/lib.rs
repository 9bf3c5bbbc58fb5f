//! A shop for event tickets as an HTTP service. The page "A service from start to stop" of the guide walks through it.

pub mod api;
pub mod error;
pub mod health;
pub mod mails;
pub mod metrics;
pub mod migrations;
pub mod models;
pub mod seed;

use std::io;
use std::sync::Arc;
use std::time::Duration;

use axum::extract::{DefaultBodyLimit, MatchedPath, Request};
use axum::http::StatusCode;
use axum::{Router, middleware};
use mongo_model::{Database, Finishing};

use tokio::net::TcpListener;
use tower_http::timeout::TimeoutLayer;
use tower_http::trace::{DefaultOnResponse, TraceLayer};
use tracing::Level;

use crate::metrics::Metrics;

/// The longest that a request may take. What it has begun then ends as if the program had died: nothing stays half done.
const LONGEST: Duration = Duration::from_secs(30);

/// The whole service, without a socket.
pub fn router(db: Database) -> Router {
    let metrics = Arc::new(Metrics::default());
    Router::new()
        .merge(api::routes())
        .layer(middleware::from_fn_with_state(
            metrics.clone(),
            metrics::count,
        ))
        .merge(health::routes())
        .merge(metrics::routes(metrics))
        .layer(DefaultBodyLimit::max(64 * 1024))
        .layer(TimeoutLayer::with_status_code(
            StatusCode::SERVICE_UNAVAILABLE,
            LONGEST,
        ))
        .layer(
            TraceLayer::new_for_http()
                .make_span_with(span)
                .on_response(DefaultOnResponse::new().level(Level::INFO)),
        )
        .with_state(db)
}

/// The span of a request. It has the route and not the path, whose ids and tokens are nothing for a log.
fn span(request: &Request) -> tracing::Span {
    let route = request.extensions().get::<MatchedPath>();
    let route = route.map_or("none", MatchedPath::as_str);
    tracing::info_span!("request", method = %request.method(), route)
}

/// Serves until `stop` ends: requests that are under way are answered, and what they have left to do is done.
pub async fn serve(
    db: Database,
    listener: TcpListener,
    stop: impl Future<Output = ()> + Send + 'static,
) -> io::Result<Finishing> {
    let done = mongo_model::migrate_all(&db).await;
    tracing::info!(ran = ?done.map_err(io::Error::other)?.ran, "migrated");
    let running = mongo_model::start(&db).await.map_err(io::Error::other)?;
    if !running.recovered().is_idle() {
        tracing::warn!(recovered = ?running.recovered(), "finished what an earlier program left");
    }
    let served = axum::serve(listener, router(db.clone())).with_graceful_shutdown(stop);
    tokio::select! {
        served = served => served?,
        // The events that it is mailing at the end come again.
        Err(error) = mails::run(&db, &mails::Log) => return Err(io::Error::other(error)),
    }
    Ok(running.stop().await)
}
