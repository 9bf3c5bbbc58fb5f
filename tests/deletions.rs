//! Deletes and soft deletes, and what becomes of references.

mod common;
mod deleting;
mod erasing;
mod soft_deleting;
