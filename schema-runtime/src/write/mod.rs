//! Builders of writes, and how they are sent.

pub(crate) mod adds;
pub(crate) mod cardinality;
pub(crate) mod change;
pub(crate) mod delete;
pub(crate) mod job;
pub(crate) mod job_save;
pub(crate) mod job_wait;
pub(crate) mod migrate_one;
pub(crate) mod move_to;
pub(crate) mod related;
pub(crate) mod restore;
pub(crate) mod returning;
pub(crate) mod send;
pub(crate) mod store;
pub(crate) mod writers;
