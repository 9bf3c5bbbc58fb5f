//! The tool as its users run it: the built programs, against a real server.

mod asserting;
mod changing;
mod checking;
mod comparing;
mod deep;
mod drawing;
mod explaining;
mod failing;
mod following;
mod linking;
mod locking;
mod migrating;
mod publishing;
mod pulling;
mod reading;
mod resolving;
mod rolling;
mod sampling;
#[path = "../../examples/demo/seed.rs"]
mod seed;
mod support;
mod walling;
