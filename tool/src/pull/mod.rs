//! From a database to models: reads collections, measures what their documents say about each other, decides, and writes Rust.
//!
//! Data flows one way: `source` (a profile of each collection) → `relate` (references, copies, counts) → `infer` (types and attributes)
//! → `render` (source code) → `merge` (files). `decisions` has what the user decided; `draft` proposes that file.

pub(crate) mod decisions;
pub(crate) mod disguise;
pub(crate) mod draft;
pub(crate) mod existing;
pub(crate) mod infer;
pub(crate) mod merge;
pub(crate) mod model;
mod names;
pub(crate) mod profile;
pub(crate) mod profiled;
pub(crate) mod relate;
pub(crate) mod render;
mod sample;
pub(crate) mod source;
