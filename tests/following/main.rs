//! Writes of other programs, by the driver alone, are followed.

#[path = "../common/mod.rs"]
mod common;
mod copies;
mod deep;
mod derived;
mod events;
mod gaps;
mod leaders;
mod lost;
mod members;
mod models;
mod numbers;
mod overtaken;
mod own;
mod parts;
mod periods;
mod polled;
mod running;
mod tenants;
mod throughput;
