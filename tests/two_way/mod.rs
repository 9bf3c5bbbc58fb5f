//! Two-way references: both sides agree, whatever is interrupted, on a standalone server and on a replica set.

mod arrays;
mod bounds;
mod dropping;
mod guilds;
mod lists;
mod members;
mod models;
mod places;
#[path = "../copying/settled.rs"]
#[allow(dead_code, reason = "some of it is for copies")]
mod settled;
mod sweeping;
