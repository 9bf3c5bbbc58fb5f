//! Copies under fire. The copies of every model here have to be right again after whatever happened, and before that every one
//! that is stale has to be flagged: when a write stops between any two of its steps, when clients and servers are killed, and
//! after any sequence of operations.

pub mod account;
pub mod client;
pub mod family;
pub mod foreign;
pub mod kept;
pub mod leases;
pub mod models;
pub mod oracle;
pub mod parts;
pub mod points;
pub mod random;
pub mod reused;
pub mod run;
pub mod steps;
pub mod ways;
