//! The pending changes that a write reports when it could not finish them.

use bson::Bson;
use bson::oid::ObjectId;

use crate::error::{Error, Result};
use crate::graph::edges::{Edge, Edges};
use crate::graph::source::Source;
use crate::outcome::{Pending, What};
use crate::propagation::counter;
use crate::propagation::counter::apply::CountToken;

/// The pending changes that a source is flagged for.
pub(crate) fn pending_of(collection: &str, source: &Source) -> Vec<Pending> {
    let known = source
        .pending
        .iter()
        .filter(|name| Edges::get().knows(collection, name));
    known
        .map(|name| Pending {
            edge: name.clone(),
            collection: collection.to_owned(),
            what: What::Source(source.id.clone()),
            reason: None,
        })
        .collect()
}

/// The pending changes for children that are flagged to be counted.
pub(super) fn pending_counts(collection: &str, count_token: CountToken) -> Vec<Pending> {
    counter::counting_links(collection)
        .map(|link| Pending {
            edge: link.name.clone(),
            collection: collection.to_owned(),
            what: What::Counted(count_token.token),
            reason: None,
        })
        .collect()
}

/// The pending changes for new copies that are marked with a token.
pub(super) fn pending_marks(
    collection: &str,
    token: ObjectId,
    references: &[(&Edge, Bson)],
) -> Vec<Pending> {
    let mut names: Vec<&str> = references
        .iter()
        .map(|(edge, _)| edge.name.as_str())
        .collect();
    names.sort_unstable();
    names.dedup();
    names
        .into_iter()
        .map(|name| Pending {
            edge: name.to_owned(),
            collection: collection.to_owned(),
            what: What::Targets(token),
            reason: None,
        })
        .collect()
}

/// Turns an error of the propagation into pending changes, because the write itself succeeded. A missing index stays an error.
pub(crate) fn into_pending(error: Error, mut pending: Vec<Pending>) -> Result<Vec<Pending>> {
    if matches!(error, Error::MissingIndex { .. }) {
        return Err(error);
    }
    traced!(pending(pending.len() as u64));
    for one in &mut pending {
        one.reason = Some(error.to_string());
    }
    Ok(pending)
}
