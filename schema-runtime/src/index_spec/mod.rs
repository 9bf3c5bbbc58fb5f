//! Indexes as data: the declarations of models, the indexes of a database, the plan of changes, and the report of its execution.

pub(crate) mod definition;
pub(crate) mod edges;
pub(crate) mod error;
pub(crate) mod live;
pub(crate) mod plan;
pub(crate) mod report;
pub(crate) mod shard_keys;
pub(crate) mod signature;
pub(crate) mod vector;
