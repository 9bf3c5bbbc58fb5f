//! Counts.

use std::fmt;

use super::Find;
use super::operators::{NEAR, refuse_operators};
use crate::bson_util::redacted::Redacted;
use crate::builder::awaits;
use crate::builder::{document_scopes, read_options, reads_in_transactions};
use crate::driver::{self, Database};
use crate::error::Result;
use crate::filter::Conditions;
use crate::schema::model::Model;
use crate::tenant::{Confined, Wall};

/// A count about to be sent.
#[must_use = "nothing is sent before it is awaited"]
pub struct Count<'a, M> {
    find: Find<'a, M>,
}

impl<M> fmt::Debug for Count<'_, M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Count")
            .field("filter", &Redacted(&self.find.filter))
            .finish_non_exhaustive()
    }
}

impl<'a, M: Model> Count<'a, M> {
    pub(crate) fn new(db: &'a Database, filter: Result<Conditions>) -> Self {
        Count {
            find: Find::filtered(db, filter),
        }
    }

    /// Counts the documents that a query finds.
    pub(crate) fn of<O, K>(find: Find<'a, M, O, K>) -> Self {
        let mut find = find.retyped();
        find.limit = None;
        Count { find }
    }

    /// Counts no further than this, so that "are there more than 100?" reads 101 keys. With 0, nothing is sent.
    pub fn limit(self, documents: u64) -> Self {
        Count {
            find: self.find.limit(documents),
        }
    }
}

impl<M: Model> Confined for Count<'_, M> {
    fn confined(self, wall: &Wall) -> Self {
        Count {
            find: self.find.confined(wall),
        }
    }
}

read_options!(['a, M] Count<'a, M>, find.options);
reads_in_transactions!(['a, M] Count<'a, M>, find.session);
document_scopes!(['a, M: Model] Count<'a, M>, M, find.scope);

awaits!(['a, M: Model] Count<'a, M> => u64, self {
    let mut find = self.find;
    let (strings, filter) = (find.strings(), find.take_filter()?);
    let Find { db, limit, session, options, .. } = find;
    refuse_operators(M::model_meta().name, "a count", &filter, &NEAR)?;
    // The server knows no limit of 0.
    if limit == Some(0) {
        return Ok(0);
    }
    driver::count(db, M::model_meta().collection, filter, limit, strings, options, session).await
});
