//! What the one side keeps of its children, the last of them and their number, is what they say, on a standalone server and on a
//! replica set.

#[path = "../common/mod.rs"]
mod common;
mod counting;
mod declared;
mod large;
mod lasting;
mod ratings;
mod settled;
mod together;
