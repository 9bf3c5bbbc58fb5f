//! Builders of writes, and how they are sent.

pub(crate) mod change;
pub(crate) mod delete;
pub(crate) mod job;
#[cfg(feature = "driver")]
pub(crate) mod job_save;
#[cfg(feature = "driver")]
pub(crate) mod migrate_one;
pub(crate) mod related;
pub(crate) mod restore;
pub(crate) mod returning;
#[cfg(feature = "driver")]
pub(crate) mod send;
pub(crate) mod store;
pub(crate) mod writers;
