//! The trait and the table row that the derive writes for `history`.

use crate::schema::model::Model;

/// A model with `history`: every change of its documents that the library makes is kept as an entry.
#[diagnostic::on_unimplemented(
    message = "`{Self}` keeps no history",
    label = "no `history`",
    note = "say so on the model: `#[model(collection = \"..\", history)]`"
)]
pub trait KeepsHistory: Model {}

/// The history of a model.
#[doc(hidden)]
#[derive(Debug, Clone, Copy)]
pub struct HistoryRow {
    /// The collection of the entries.
    pub log: &'static str,
    /// The stored names of the fields at the top of the model whose changes are left out.
    pub skip: &'static [&'static str],
    /// The stored names of the fields at the top whose changes alone are kept; empty for all.
    pub fields: &'static [&'static str],
    /// The number of seconds after which the server deletes an entry.
    pub keep: Option<u64>,
    /// The number of entries that a document keeps.
    pub keep_last: Option<u64>,
    /// True if the entry of an update has the fields after it.
    pub whole: bool,
}
