//! The report of `sync_indexes`.

use std::fmt;

use super::definition::Definition;
use super::edges::CopiesDiffer;
use super::live::LiveIndex;
use super::plan::{IndexChange, IndexConflict, Named, write_lines};
use super::vector::VectorChange;

/// The report of [`sync_indexes`](crate::sync_indexes). Its text has a line for each index that was touched or is unknown.
#[derive(Debug, Clone, Default)]
#[non_exhaustive]
pub struct IndexReport {
    /// Every collection that was compared, by name.
    pub collections: Vec<CollectionReport>,
}

impl IndexReport {
    /// True if no index was changed. There may be unknown indexes.
    #[must_use]
    pub fn is_unchanged(&self) -> bool {
        self.collections.iter().all(CollectionReport::is_unchanged)
    }
}

impl fmt::Display for IndexReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.is_unchanged() {
            writeln!(f, "no index was changed")?;
        }
        let silent = |report: &&CollectionReport| {
            !report.is_unchanged()
                || !report.unknown.is_empty()
                || !report.vectors.is_empty()
                || report.copies_differ.is_some()
        };
        self.collections
            .iter()
            .filter(silent)
            .try_for_each(|report| report.fmt(f))
    }
}

/// The changes in one collection.
#[derive(Debug, Clone, Default)]
#[non_exhaustive]
pub struct CollectionReport {
    /// The collection.
    pub collection: String,
    /// Declared indexes that were built.
    pub created: Vec<Definition>,
    /// Indexes that were changed in place.
    pub changed: Vec<IndexChange>,
    /// Indexes that were dropped for declared ones, which were built.
    pub replaced: Vec<IndexConflict>,
    /// Unknown indexes that were hidden.
    pub hidden: Vec<LiveIndex>,
    /// Unknown indexes that were dropped.
    pub dropped: Vec<LiveIndex>,
    /// Unknown indexes that are as they were.
    pub unknown: Vec<LiveIndex>,
    /// Indexes of vectors that the server began to build, and those that it cannot build because it has no vector search.
    pub vectors: Vec<VectorChange>,
    /// Set if another program, or an earlier version of this one, knows other copies of the collection's documents, and
    /// [`accept_copies`](crate::index::SyncIndexes::accept_copies) was not called.
    pub copies_differ: Option<CopiesDiffer>,
}

impl CollectionReport {
    /// True if no index was changed. There may be unknown indexes.
    #[must_use]
    pub fn is_unchanged(&self) -> bool {
        self.created.is_empty()
            && self.changed.is_empty()
            && self.replaced.is_empty()
            && self.hidden.is_empty()
            && self.dropped.is_empty()
            && !self.vectors.iter().any(VectorChange::is_done)
    }
}

impl fmt::Display for CollectionReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{}", self.collection)?;
        write_lines(f, "created", self.created.iter().map(Named))?;
        write_lines(f, "changed", &self.changed)?;
        write_lines(f, "replaced", &self.replaced)?;
        write_lines(f, "hid", &self.hidden)?;
        write_lines(f, "dropped", &self.dropped)?;
        for change in &self.vectors {
            write_lines(f, change.verb("created", "replaced"), [change])?;
        }
        write_lines(f, "conflict", &self.copies_differ)?;
        write_lines(f, "unknown", &self.unknown)
    }
}
