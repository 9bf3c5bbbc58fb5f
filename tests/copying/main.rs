//! Copies follow their sources, whatever is interrupted, on a standalone server and on a replica set.

#[path = "../common/mod.rs"]
mod common;
mod declaring;
mod filling;
mod following;
mod fresh;
mod repairing;
mod verifying;
