//! The declarations of a schema, against a server: indexes, versions, documents of several kinds, and the report.

mod common;
pub mod evolving;
mod index_sync;
pub mod reporting;
pub mod staffing;
