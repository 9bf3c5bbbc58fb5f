//! The changes that would give collections the indexes that their models declare. Data only; nothing is sent.

use std::fmt;

use super::definition::Definition;
use super::edges::CopiesDiffer;
use super::live::LiveIndex;
use super::vector::VectorChange;

/// The work that [`sync_indexes`](crate::sync_indexes) would find; made by [`plan_indexes`](crate::plan_indexes).
///
/// Its text lists every collection that is not as declared, a line for each index.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct IndexPlan {
    /// Every collection that was compared, by name.
    pub collections: Vec<CollectionPlan>,
}

impl IndexPlan {
    /// True if the collections have exactly the declared indexes: nothing to create or change, no conflict, nothing unknown.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.collections.iter().all(CollectionPlan::is_empty)
    }
}

impl fmt::Display for IndexPlan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.is_empty() {
            return writeln!(f, "all indexes are as declared");
        }
        self.collections
            .iter()
            .filter(|plan| !plan.is_empty())
            .try_for_each(|plan| plan.fmt(f))
    }
}

/// The work to be done in one collection.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct CollectionPlan {
    /// The collection.
    pub collection: String,
    /// The models that are stored in it.
    pub models: Vec<&'static str>,
    /// Declared indexes that do not exist. Each has the name that it will get.
    pub create: Vec<Definition>,
    /// Declared indexes that exist and that the server can change in place.
    pub change: Vec<IndexChange>,
    /// Declared indexes that cannot be built because of a conflict.
    pub conflicts: Vec<IndexConflict>,
    /// Indexes that exist and that no model of the collection declares. Neither the index of `_id` nor an index that the
    /// server made for a time series is ever among them.
    pub unknown: Vec<LiveIndex>,
    /// Declared indexes of vectors that do not exist, or that exist in another form.
    pub vectors: Vec<VectorChange>,
    /// Set if another program, or an earlier version of this one, knows other copies of the collection's documents.
    pub copies_differ: Option<CopiesDiffer>,
}

impl CollectionPlan {
    /// True if the collection has exactly the declared indexes.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.create.is_empty()
            && self.change.is_empty()
            && self.conflicts.is_empty()
            && self.unknown.is_empty()
            && self.vectors.is_empty()
            && self.copies_differ.is_none()
    }
}

impl fmt::Display for CollectionPlan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{}", self.collection)?;
        write_lines(f, "create", self.create.iter().map(Named))?;
        write_lines(f, "change", &self.change)?;
        write_lines(f, "conflict", &self.conflicts)?;
        for change in &self.vectors {
            write_lines(f, change.verb("create", "replace"), [change])?;
        }
        write_lines(f, "conflict", &self.copies_differ)?;
        write_lines(f, "unknown", &self.unknown)
    }
}

/// Writes a line for each of some indexes, with the verb before it.
pub(super) fn write_lines(
    f: &mut fmt::Formatter<'_>,
    verb: &str,
    indexes: impl IntoIterator<Item = impl fmt::Display>,
) -> fmt::Result {
    let mut indexes = indexes.into_iter();
    indexes.try_for_each(|index| writeln!(f, "  {verb:<9} {index}"))
}

/// A definition with the name it gets.
pub(crate) struct Named<'a>(pub(crate) &'a Definition);

impl fmt::Display for Named<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0.name {
            Some(name) => write!(f, "`{name}` {}", self.0),
            None => self.0.fmt(f),
        }
    }
}

/// A change of an existing index that `collMod` makes in place.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct IndexChange {
    /// The index as it is.
    pub live: LiveIndex,
    /// The index as it should be.
    pub declared: Definition,
    /// The expiry to set, in seconds.
    pub expire_after: Option<u32>,
    /// True if a hidden index is to be shown to queries again.
    pub unhide: bool,
}

impl fmt::Display for IndexChange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let expiry = self
            .expire_after
            .map(|seconds| format!("expireAfterSeconds to {seconds}"));
        let shown = self.unhide.then(|| "hidden to false".to_owned());
        let words: Vec<String> = expiry.into_iter().chain(shown).collect();
        write!(f, "{}: {}", self.live, words.join(", "))
    }
}

/// Declared indexes that cannot be built as long as others are there.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct IndexConflict {
    /// The live indexes in the way; empty where the declarations contradict each other, which only a change of the models ends.
    pub live: Vec<LiveIndex>,
    /// The declared indexes that should replace them.
    pub declared: Vec<Definition>,
    /// The reason, in words.
    pub reason: String,
    /// True if the server can have both for a while, so that the new can be built before the old is dropped.
    pub(crate) side_by_side: bool,
}

impl fmt::Display for IndexConflict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let declared: Vec<String> = self
            .declared
            .iter()
            .map(|index| Named(index).to_string())
            .collect();
        write!(f, "{}", declared.join(" and "))?;
        if !self.live.is_empty() {
            let live: Vec<String> = self.live.iter().map(ToString::to_string).collect();
            write!(f, " against the existing {}", live.join(" and "))?;
        }
        write!(f, ": {}", self.reason)
    }
}
