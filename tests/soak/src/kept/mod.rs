//! Derived data of parents, and deletes, under the same faults as copies.

pub mod client;
pub mod members;
pub mod models;
pub mod oracle;
pub mod steps;
