//! Errors of planning and synchronising the indexes of several collections at once.

use std::error::Error;
use std::fmt;

use bson::Bson;

use super::definition::Definition;
use super::edges::CopiesDiffer;
use super::live::LiveIndex;
use super::plan::{IndexChange, IndexConflict, Named};
use super::report::IndexReport;
use super::vector::VectorChange;
use crate::bson_util::driver_text::in_one_line;

/// Collections whose indexes are not as declared, each with its cause. All other collections are done; [`report`](Self::report)
/// says what happened.
#[derive(Debug)]
pub struct IndexErrors(Box<Inner>);

#[derive(Debug)]
struct Inner {
    errors: Vec<IndexError>,
    report: IndexReport,
}

impl IndexErrors {
    pub(crate) fn new(errors: Vec<IndexError>, report: IndexReport) -> Self {
        IndexErrors(Box::new(Inner { errors, report }))
    }

    /// The cause of each error, by collection.
    #[must_use]
    pub fn errors(&self) -> &[IndexError] {
        &self.0.errors
    }

    /// The work that was done despite the errors.
    #[must_use]
    pub fn report(&self) -> &IndexReport {
        &self.0.report
    }
}

/// The collections and causes, a line for each.
impl fmt::Display for IndexErrors {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the indexes are not all as declared")?;
        self.0
            .errors
            .iter()
            .try_for_each(|error| write!(f, "\n  {error}"))
    }
}

impl Error for IndexErrors {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        self.0.errors.iter().find_map(Error::source)
    }
}

/// An error in one collection. One collection may have several.
#[derive(Debug)]
#[non_exhaustive]
pub struct IndexError {
    /// The collection.
    pub collection: String,
    /// The models that are stored in it.
    pub models: Vec<&'static str>,
    /// The cause of the error.
    pub cause: IndexFailure,
}

impl fmt::Display for IndexError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{} ({}): {}",
            self.collection,
            self.models.join(", "),
            self.cause
        )
    }
}

impl Error for IndexError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        self.cause.source()
    }
}

/// The cause of an error with the indexes of a collection.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum IndexFailure {
    /// The indexes could not be listed; nothing was done in the collection.
    #[error("its indexes cannot be listed: {}", in_one_line(.0))]
    List(#[source] mongodb::error::Error),

    /// Several models have this collection, and none says that this is intended: a save of one model may remove the fields
    /// of another. Nothing was done in the collection.
    #[error("several models have this collection; if this is intended, one of them says so: `#[model(shares = {})]`", models.first().copied().unwrap_or_default())]
    Shared {
        /// The models, by name.
        models: Vec<&'static str>,
    },

    /// Another program that uses the collection knows copies of its documents that this one does not know, so changes
    /// by this program do not reach these copies. See
    /// [`SyncIndexes::accept_copies`](crate::index::SyncIndexes::accept_copies). Everything else was done in the
    /// collection.
    #[error("{0}")]
    Copies(Box<CopiesDiffer>),

    /// Other indexes conflict with declared ones, which were not built; everything else was done in the collection. If the live ones may
    /// be dropped, see [`SyncIndexes::replace_conflicts`](crate::index::SyncIndexes::replace_conflicts).
    #[error("not built because of a conflict: {0}")]
    Conflict(IndexConflict),

    /// A declared index could not be built. The most frequent reason is a unique index over duplicate values: code
    /// 11000.
    #[error("cannot create {}: {}", Named(index), refusal(source, duplicates))]
    Create {
        /// The index.
        index: Definition,
        /// The server's error.
        source: mongodb::error::Error,
        /// The first keys, at most five, that several documents have, of a unique index; empty where they lie in arrays.
        duplicates: Vec<DuplicateKey>,
    },

    /// An index could not be changed in place.
    #[error("cannot change {change}: {}", in_one_line(source))]
    Change {
        /// The change.
        change: IndexChange,
        /// The server's error.
        source: mongodb::error::Error,
    },

    /// An index could not be replaced.
    #[error(
        "cannot replace {conflict}: {}; {}",
        refusal(source, duplicates),
        restored(restore)
    )]
    Replace {
        /// The conflict between live and declared indexes.
        conflict: IndexConflict,
        /// The server's error.
        source: mongodb::error::Error,
        /// The first keys, at most five, that several documents have, of a unique index; empty where they lie in arrays.
        duplicates: Vec<DuplicateKey>,
        /// The error because of which the old index is gone and could not be built again; `None` if it is as it was.
        restore: Option<mongodb::error::Error>,
    },

    /// An index of vectors exists in another form. It was not replaced; everything else was done in the collection. See
    /// [`SyncIndexes::replace_conflicts`](crate::index::SyncIndexes::replace_conflicts).
    #[error("not replaced: {0}")]
    VectorConflict(VectorChange),

    /// An index of vectors could not be built or replaced.
    #[error("cannot build {change}: {}", in_one_line(source))]
    Vector {
        /// The change.
        change: VectorChange,
        /// The server's error.
        source: mongodb::error::Error,
    },

    /// An unknown index could not be hidden or dropped.
    #[error("cannot hide or drop {index}: {}", in_one_line(source))]
    Retire {
        /// The index.
        index: LiveIndex,
        /// The server's error.
        source: mongodb::error::Error,
    },
}

/// A key of a unique index that several documents have.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct DuplicateKey {
    /// The `_id`s of two of the documents.
    pub ids: [Bson; 2],
    /// The number of documents that have the key.
    pub documents: u64,
}

impl fmt::Display for DuplicateKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [first, second] = &self.ids;
        write!(f, "{first} and {second}")?;
        match self.documents {
            ..=2 => Ok(()),
            all => write!(f, " ({all} documents)"),
        }
    }
}

/// The reason why the server did not build the index. It names documents by their `_id`s rather than by their values.
fn refusal(source: &mongodb::error::Error, duplicates: &[DuplicateKey]) -> String {
    if duplicates.is_empty() {
        return in_one_line(source);
    }
    let keys: Vec<String> = duplicates.iter().map(ToString::to_string).collect();
    format!(
        "several documents have the same key: those with the _ids {}",
        keys.join("; ")
    )
}

fn restored(restore: &Option<mongodb::error::Error>) -> String {
    match restore {
        None => "the old index is as it was".to_owned(),
        Some(error) => format!(
            "the old index is gone, since it could not be built again: {}",
            in_one_line(error)
        ),
    }
}
