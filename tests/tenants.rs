//! The tenant wall: what calls send, see and store.

mod common;
mod walling;
