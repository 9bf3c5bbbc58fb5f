//! The result of a delete.

use std::fmt;

use bson::Bson;

use crate::outcome::Pending;

/// The result of a delete.
///
/// The documents are deleted. If `pending` is not empty, the delete ran in a session: references to the documents have
/// followed their delete rules, and the tombstones are removed after the commit, by
/// [`after_commit`](crate::after_commit), [`recover`](crate::recover) or a [`Sweeper`](crate::Sweeper). Or it marked documents as deleted,
/// and others that follow could not be changed: `recover` and the sweeper do that.
#[derive(Debug, Clone, Default, PartialEq)]
#[non_exhaustive]
pub struct Deleted {
    /// Documents that the call selected and deleted.
    pub deleted: u64,
    /// Documents that were deleted with a document to which they refer, because of `on_delete = cascade`.
    pub cascaded: u64,
    /// Documents from which a reference to a deleted document was removed, because of `on_delete = pull` or `unset`,
    /// added up over the declared references: a document in which two of them were affected counts twice.
    pub changed: u64,
    /// Documents with references that another writer stored while the delete ran, too late to refuse it: they dangle,
    /// and [`verify`](crate::verify) finds them.
    pub dangling: u64,
    /// The work that waits for a commit, or for another try.
    pub pending: Vec<Pending>,
}

impl Deleted {
    /// Notes the pending work in the transaction of the call, if it has one.
    #[cfg(feature = "driver")]
    pub(crate) fn noted(mut self, notes: Option<&mut Vec<Pending>>) -> Self {
        Pending::note_all(&mut self.pending, notes);
        self
    }
}

/// The progress of a delete.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Progress {
    /// Documents that were checked: nothing refuses the deletion of any of them.
    pub looked: u64,
    /// Documents that are gone.
    pub deleted: u64,
    /// Documents from which references were removed, counted as in [`Deleted::changed`].
    pub changed: u64,
}

/// A reference that refuses a delete, or the change of a key that it holds.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Blocker {
    /// The model that refers.
    pub model: &'static str,
    /// The reference: `Comment.email`.
    pub field: String,
    /// The number of documents that refer to it in this way; counting may stop early.
    pub count: u64,
    /// True if there may be more such documents than `count`.
    pub more: bool,
    /// The `_id` of one of these documents.
    pub sample: Bson,
}

impl fmt::Display for Blocker {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Blocker {
            field,
            count,
            more,
            sample,
            ..
        } = self;
        let at_least = if *more { "at least " } else { "" };
        write!(f, "{field} ({at_least}{count}, such as {sample})")
    }
}
