//! Data that follows from other documents: lists, counts, and two-way references.

mod common;
mod keeping;
/// The one example with a collection that another example has too.
#[path = "examples/orders.rs"]
mod orders;
mod two_way;
