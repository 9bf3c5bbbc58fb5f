//! Reads of ids alone.

use std::fmt;

use super::{Find, IntoSort};
use crate::builder::awaits;
use crate::builder::{document_scopes, read_options, reads_in_transactions};
use crate::error::Result;
use crate::filter::{AskedOf, Filter};
use crate::projection::OnlyId;
use crate::schema::model::Model;

/// A `find` for ids, about to be sent. `.await` gives a `Vec`, [`stream`](Ids::stream) a stream.
#[must_use = "nothing is sent before it is awaited"]
pub struct Ids<'a, M: Model> {
    pub(super) find: Find<'a, M, OnlyId<M>>,
}

impl<M: Model> fmt::Debug for Ids<'_, M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.find.fmt(f)
    }
}

impl<'a, M: Model> Ids<'a, M> {
    /// Sorts in this order, as [`Find::sort`].
    pub fn sort<C, S: IntoSort<M, C>>(self, order: impl FnOnce(M::FieldHandles) -> S) -> Self {
        Ids {
            find: self.find.sort(order),
        }
    }

    /// Returns at most this many ids, as [`Find::limit`].
    pub fn limit(self, documents: u64) -> Self {
        Ids {
            find: self.find.limit(documents),
        }
    }

    /// Keeps only documents that also meet this filter, as [`Find::filter`].
    pub fn filter<F, S, C>(self, filter: F) -> Self
    where
        F: FnOnce(M::FieldHandles) -> Filter<C, S>,
        S: AskedOf<M, C>,
    {
        Ids {
            find: self.find.filter(filter).retyped(),
        }
    }

    /// Skips this many documents, as [`Find::skip`].
    pub fn skip(self, documents: u64) -> Self {
        Ids {
            find: self.find.skip(documents),
        }
    }
}

read_options!(['a, M: Model] Ids<'a, M>, find.options);
reads_in_transactions!(['a, M: Model] Ids<'a, M>, find.session);
document_scopes!(['a, M: Model] Ids<'a, M>, M, find.scope);

impl<'a, M: Model> Ids<'a, M> {
    /// Returns the ids as they arrive; memory holds one batch. Dropping the stream closes the cursor.
    #[track_caller]
    pub fn stream(self) -> impl futures::Stream<Item = Result<M::DocumentId>> + Send + 'a {
        futures::TryStreamExt::map_ok(self.find.stream(), |found| found.id)
    }
}

awaits!(['a, M: Model] Ids<'a, M> => Vec<M::DocumentId>, self {
    futures::TryStreamExt::try_collect(self.stream()).await
});
