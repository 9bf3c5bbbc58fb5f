//! References to a deleted document follow their delete rule, whatever is interrupted, on a standalone server and on a replica set.

mod beside;
mod copies;
mod denying;
mod elements;
mod graphs;
mod hidden;
mod keeping;
mod moved;
mod opaque;
mod places;
mod racing;
mod requiring;
mod resuming;
mod returning;
mod rings;
mod rules;
#[allow(dead_code, reason = "shared with the tests of copies")]
#[path = "../copying/settled.rs"]
mod settled;
mod transactions;
