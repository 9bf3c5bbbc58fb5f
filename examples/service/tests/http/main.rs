//! The service over HTTP: each test has a database of its own.

mod orders;
mod resources;
mod running;
mod shop;
