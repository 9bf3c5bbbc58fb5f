//! Work of several programs at once: locks, queues, buckets, sagas, and compare and swap.

pub mod bucketing;
mod common;
pub mod compensating;
pub mod locking;
#[path = "common/lossy.rs"]
mod lossy;
pub mod queueing;
pub mod versioning;
