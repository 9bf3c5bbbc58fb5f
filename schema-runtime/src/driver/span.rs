//! The `tracing` span of a call: the model, the first collection, and how much the call did.

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

use tracing::Span;
use tracing::field::Empty;

use crate::error::Error;

/// The span of a call that is under way. It gets its numbers when the call ends.
#[derive(Debug)]
pub(crate) struct CallSpan {
    pub(super) span: Span,
    pub(super) is_named: AtomicBool,
    pub(super) commands: AtomicU64,
    pub(super) changed: AtomicU64,
    pub(super) pending: AtomicU64,
    pub(super) retries: AtomicU64,
    pub(super) edges: Mutex<BTreeSet<String>>,
}

/// True if a subscriber is interested in the spans of calls.
pub(super) fn is_wanted() -> bool {
    tracing::enabled!(target: "mongo_model", tracing::Level::INFO)
}

impl CallSpan {
    /// The span of a call that is described as `Product::find src/orders.rs:42`.
    pub(super) fn begin(call: &str) -> Self {
        let (name, place) = call.split_once(' ').unwrap_or((call, ""));
        let (model, operation) = match name.split_once("::") {
            Some((model, operation)) => (Some(model), operation),
            None => (None, name),
        };
        let span = tracing::info_span!(
            target: "mongo_model",
            "call",
            otel.name = name,
            otel.status_code = Empty,
            db.system.name = "mongodb",
            db.namespace = Empty,
            db.collection.name = Empty,
            db.operation.name = operation,
            db.response.status_code = Empty,
            error.type = Empty,
            mongo_model.model = model,
            mongo_model.place = place,
            mongo_model.across = Empty,
            mongo_model.commands = Empty,
            mongo_model.changed = Empty,
            mongo_model.edges = Empty,
            mongo_model.pending = Empty,
            mongo_model.retries = Empty,
        );
        CallSpan {
            span,
            is_named: AtomicBool::new(false),
            commands: AtomicU64::new(0),
            changed: AtomicU64::new(0),
            pending: AtomicU64::new(0),
            retries: AtomicU64::new(0),
            edges: Mutex::default(),
        }
    }

    /// Notes how the call failed: the variant of the error, and the server's code.
    pub(super) fn fail(&self, error: &Error) {
        let shown = format!("{error:?}");
        let variant = shown.split(|c: char| !c.is_alphanumeric()).next();
        self.span.record("otel.status_code", "ERROR");
        self.span.record("error.type", variant.unwrap_or_default());
        if let Error::Driver(driver) = error
            && let mongodb::error::ErrorKind::Command(command) = &*driver.kind
        {
            self.span.record("db.response.status_code", command.code);
        }
    }
}

impl Drop for CallSpan {
    fn drop(&mut self) {
        for (field, number) in [
            ("mongo_model.commands", &self.commands),
            ("mongo_model.changed", &self.changed),
            ("mongo_model.pending", &self.pending),
            ("mongo_model.retries", &self.retries),
        ] {
            self.span.record(field, number.load(Ordering::Relaxed));
        }
        let edges = self.edges.get_mut();
        let edges = edges.unwrap_or_else(PoisonError::into_inner);
        if !edges.is_empty() {
            let names: Vec<&str> = edges.iter().map(String::as_str).collect();
            self.span.record("mongo_model.edges", names.join(", "));
        }
    }
}
