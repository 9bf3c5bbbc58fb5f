//! What refers to a deleted document follows its delete rule, whatever is interrupted, on a standalone server and on a replica set.

#[path = "../common/mod.rs"]
mod common;
mod rules;
