//! References whose source does not exist, and the application of their delete rules.

use bson::{Bson, Document, doc};
use futures::future::BoxFuture;

use super::run::{Which, delete};
use crate::bson_util::stored_id::id_in_filter;
use crate::driver::Database;
use crate::error::{Error, Result};
use crate::graph::edges::Edge;
use crate::graph::relations::{Keys, Relation, Relations};
use crate::outcome::progress::Tell;
use crate::propagation::source;
use crate::propagation::target::Unverified;
use crate::schema::relation::OnDelete;
use crate::schema::stored;

/// Applies the delete rule to a reference to a missing document, while its holder carries one of the marks that it was read with. `false`
/// if the reference stays: because the rule refuses or keeps, because the holder may not be deleted, or because custom functions store the
/// reference.
pub(crate) async fn apply_rule(
    db: &Database,
    edge: &Edge,
    document: &Unverified,
    key: &Bson,
) -> Result<bool> {
    let Unverified { id, tokens, .. } = document;
    let marked = doc! { "_id": { "$eq": id }, stored::UNVERIFIED_TOKEN: { "$in": tokens.clone() } };
    apply_rule_to(db, edge, marked, key).await
}

/// Applies the delete rule to a reference in the document that matches `this`, whether anything is marked or not.
pub(crate) fn apply_rule_to<'f>(
    db: &'f Database,
    edge: &'f Edge,
    mut this: Document,
    key: &'f Bson,
) -> BoxFuture<'f, Result<bool>> {
    Box::pin(async move {
        let relations = Relations::get();
        let Some(relation) = relations.along(edge) else {
            return Ok(false);
        };
        // The stored value may still refer to a source, even if no source has the same stored value.
        if edge.opaque {
            return Ok(false);
        }
        let keys = &Keys::of_nothing(std::slice::from_ref(key));
        this.extend(relation.referring(keys));
        if relation.rule == OnDelete::Cascade {
            let model = relation.edge.target;
            let mut tell = Tell::default();
            let gone = Box::pin(delete(db, model, Which::matching(this), None, &mut tell)).await;
            return match gone {
                Ok(_) => Ok(true),
                Err(Error::Referenced { .. }) => Ok(false),
                Err(error) => Err(error),
            };
        }
        let Some(mut update) = relation.applied(keys) else {
            return Ok(false);
        };
        let id = id_in_filter(&this);
        update.insert("q", this);
        update.insert("multi", false);
        update.insert("hint", doc! { "_id": 1 });
        let done = relation.send(db, &[update], None).await?;
        let this = doc! { "_id": { "$eq": id } };
        relation.follow(db, keys, this).await?;
        Ok(done.failed.is_empty())
    })
}

/// Applies the delete rule to all references to missing documents, wherever they are; returns the number of documents that were changed or
/// deleted. The caller has checked that no document has one of these keys.
///
/// # Errors
/// The driver's, [`Error::MissingIndex`], [`Error::Refused`]. References that were not reached stay.
pub(crate) fn apply_rule_to_all<'f>(
    db: &'f Database,
    relation: &'static Relation,
    keys: &'f [Bson],
) -> BoxFuture<'f, Result<u64>> {
    Box::pin(async move {
        let keys = &Keys::of_nothing(keys);
        if relation.rule == OnDelete::Cascade {
            let which = Which::matching(relation.referring(keys));
            let mut tell = Tell::default();
            let gone = delete(db, relation.edge.target, which, None, &mut tell);
            return Ok(Box::pin(gone).await?.deleted);
        }
        let Some(update) = relation.applied(keys) else {
            return Ok(0);
        };
        let done = relation.send(db, &[update], None).await?;
        source::check_index(relation.edge, &done)?;
        source::check_accepted(relation.edge, &done)?;
        if done.modified > 0 {
            relation.follow(db, keys, doc! {}).await?;
        }
        Ok(done.modified)
    })
}
