//! Declared access patterns.

use crate::schema::index_row::{ConditionRow, KeyRow};

/// An access pattern that a model declares: `#[model(access(recent(host, sort = -time, limit = 5000)))]`. Paths are
/// Rust names.
#[doc(hidden)]
#[derive(Debug, Clone, Copy)]
pub struct AccessRow {
    /// The method.
    pub name: &'static str,
    /// The fields that are compared for equality, in the order of the method's arguments.
    pub keys: &'static [&'static str],
    /// Conditions that every call states.
    pub only: &'static [ConditionRow],
    /// The field that is compared with a range, the last argument.
    pub range: Option<&'static str>,
    /// The order of the results.
    pub sort: &'static [KeyRow],
    /// The largest number of documents in a result; 0 means all.
    pub limit: u64,
    /// The keys of the index that serves the pattern; empty where the model allows that no index does.
    pub index: &'static [KeyRow],
    /// True if that index holds every stored field, so that the server reads no document.
    pub covered: bool,
}
