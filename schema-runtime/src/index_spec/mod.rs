//! Indexes as data: what models declare, what a database has, what is to be done, and how it went.

pub(crate) mod definition;
pub(crate) mod edges;
pub(crate) mod error;
pub(crate) mod live;
pub(crate) mod plan;
pub(crate) mod report;
pub(crate) mod signature;
