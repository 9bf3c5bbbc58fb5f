//! Numbers for Prometheus: requests by route and status, and the work that the library does after calls.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use axum::Router;
use axum::extract::{MatchedPath, Request, State};
use axum::middleware::Next;
use axum::response::Response;
use axum::routing::get;
use mongo_model::{Database, finishing, sweeping};

/// The requests since the program started.
#[derive(Default)]
pub struct Metrics(Mutex<BTreeMap<Kind, Total>>);

/// Method, route and status.
type Kind = (String, String, u16);

/// How many requests there were, and how long they took together.
type Total = (u64, Duration);

pub fn routes(metrics: Arc<Metrics>) -> Router<Database> {
    let show = async move |State(db): State<Database>| metrics.text(&db);
    Router::new().route("/metrics", get(show))
}

/// Counts a request.
pub async fn count(State(metrics): State<Arc<Metrics>>, request: Request, next: Next) -> Response {
    let route = request.extensions().get::<MatchedPath>();
    let route = route.map_or("none", MatchedPath::as_str).to_owned();
    let method = request.method().to_string();
    let begun = Instant::now();
    let response = next.run(request).await;
    let mut requests = metrics.0.lock().unwrap_or_else(PoisonError::into_inner);
    let key = (method, route, response.status().as_u16());
    let (number, time) = requests.entry(key).or_default();
    *number += 1;
    *time += begun.elapsed();
    drop(requests);
    response
}

impl Metrics {
    fn text(&self, db: &Database) -> String {
        let mut text = String::new();
        let requests = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        for ((method, route, status), (number, time)) in &*requests {
            let labels = format!("{{method=\"{method}\",route=\"{route}\",status=\"{status}\"}}");
            let seconds = time.as_secs_f64();
            let _ = writeln!(text, "requests_total{labels} {number}");
            let _ = writeln!(text, "requests_seconds_total{labels} {seconds}");
        }
        let (work, sweep) = (finishing(db), sweeping(db));
        let oldest = sweep.oldest.unwrap_or_default().as_secs_f64();
        for (name, value) in [
            ("work_open", work.open as f64),
            ("work_finished_total", work.finished as f64),
            ("work_failed_total", work.failed as f64),
            ("sweeper_looks_total", sweep.looks as f64),
            ("sweeper_failed_total", sweep.failed as f64),
            ("sweeper_stuck", sweep.stuck as f64),
            ("sweeper_oldest_flag_seconds", oldest),
        ] {
            let _ = writeln!(text, "mongo_model_{name} {value}");
        }
        text
    }
}
