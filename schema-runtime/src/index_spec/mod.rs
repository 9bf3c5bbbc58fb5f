//! Indexes as data: what models declare, what a database has, what is to be done, and how it went.

pub(crate) mod definition;
pub(crate) mod edges;
#[cfg(feature = "driver")]
pub(crate) mod error;
#[cfg(feature = "driver")]
pub(crate) mod live;
#[cfg(feature = "driver")]
pub(crate) mod plan;
#[cfg(feature = "driver")]
pub(crate) mod report;
pub(crate) mod signature;
