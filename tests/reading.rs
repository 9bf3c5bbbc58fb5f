//! Reading: what is found, joined, loaded, projected and watched, and how documents travel.

mod common;
mod finding;
pub mod joining;
pub mod loading;
mod projecting;
mod transporting;
mod watching;
