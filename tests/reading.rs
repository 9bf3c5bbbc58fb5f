//! Reading: what is found, joined, loaded and projected, and how documents travel.

mod common;
mod finding;
pub mod joining;
pub mod loading;
mod projecting;
mod transporting;
