//! The span of a call notes the commands and changes of the call here.

use std::sync::PoisonError;
use std::sync::atomic::Ordering;

use mongodb::Database;

use super::span::CallSpan;

/// Notes something about the call whose future is polled.
fn with(note: impl FnOnce(&CallSpan)) {
    if let Some(span) = super::call::current().and_then(|call| call.span.clone()) {
        note(&span);
    }
}

/// A command is sent.
pub(crate) fn command(db: &Database, collection: &str) {
    with(|call| {
        call.commands.fetch_add(1, Ordering::Relaxed);
        if !call.is_named.swap(true, Ordering::Relaxed) {
            call.span.record("db.namespace", db.name());
            call.span.record("db.collection.name", collection);
        }
    });
}

/// A read sees the documents of all tenants.
pub(crate) fn across(reason: Option<&str>) {
    if let Some(reason) = reason {
        with(|call| {
            call.span.record("mongo_model.across", reason);
        });
    }
}

/// The server has stored, changed or deleted so many documents.
pub(crate) fn changed(documents: u64) {
    with(|call| {
        call.changed.fetch_add(documents, Ordering::Relaxed);
    });
}

/// A command is sent again.
pub(crate) fn retry() {
    with(|call| {
        call.retries.fetch_add(1, Ordering::Relaxed);
    });
}

/// Notes that this number of changes is left for later.
pub(crate) fn pending(changes: u64) {
    with(|call| {
        call.pending.fetch_add(changes, Ordering::Relaxed);
    });
}

/// Notes that copies or derived data follow along an edge.
pub(crate) fn edge(name: &str) {
    with(|call| {
        let edges = call.edges.lock();
        edges
            .unwrap_or_else(PoisonError::into_inner)
            .insert(name.to_owned());
    });
}
