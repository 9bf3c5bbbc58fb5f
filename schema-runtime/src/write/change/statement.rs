//! An update as data, in the form that a journal stores.

use bson::{Bson, Document};

use super::ops::Range;
use super::send::{remove_nulls, with_conditions};
use super::{Update, UpdateIf};
use crate::bson_util::stored_id::id_in_filter;
use crate::error::{Error, Result};
use crate::propagation::keys;
use crate::schema::model::Model;
use crate::schema::stamps::Stamps;
use crate::write::send as write;

/// An update of one document, with all of its conditions, that no write in other documents has to follow.
#[derive(Debug, Clone)]
pub(crate) struct Statement {
    /// The `_id`.
    pub(crate) id: Bson,
    /// The filter with the `_id`, the conditions of the program and the conditions of the bounds.
    pub(crate) filter: Document,
    /// The operators, without the version.
    pub(crate) operators: Document,
    /// True if the update adds to arrays, so that a bound may stop it.
    pub(crate) adds: bool,
    /// The condition that numbers stay in their ranges, which is a part of the filter.
    pub(crate) fits: Document,
    /// The filter without the conditions of ranges and of bounds.
    pub(crate) asked: Document,
    /// The ranges that results have to stay in.
    pub(crate) ranges: Vec<Range>,
}

impl<'a, M: Model> From<Update<'a, M>> for UpdateIf<'a, M> {
    fn from(one: Update<'a, M>) -> Self {
        one.into_kind()
    }
}

impl<M: Model> UpdateIf<'_, M> {
    /// This update as data.
    ///
    /// # Errors
    /// [`Error::Impossible`] if the update would have to propagate: to copies of the fields that it changes, or to the other side of
    /// a reference.
    pub(crate) async fn statement(self) -> Result<Statement> {
        let Update {
            db,
            filter,
            mut changes,
            conditions,
            session,
            ..
        } = self;
        let meta = M::model_meta();
        let filter = filter?;
        changes.check_one::<M>(&filter)?;
        if !changes.events.is_empty() {
            return Err(Error::Impossible {
                what: format!("a step of a saga that emits an event of a {}", meta.name),
            });
        }
        if session.is_some() {
            return Err(Error::Impossible {
                what: format!("a step of a saga that changes a {} in a session", meta.name),
            });
        }
        keys::unchanged(meta, &changes.paths())?;
        if write::is_connected(meta)?
            && write::prepare(db, meta, changes.request(Some(&filter)), None, None)
                .await?
                .is_some()
        {
            return Err(Error::Impossible {
                what: format!(
                    "a step of a saga that changes what other documents hold of a {}, or stores a checked reference: send it as an update of its own",
                    meta.name
                ),
            });
        }
        // The journal has one form of the update.
        remove_nulls::<M>(db, (&filter, false), &changes.nulls(), None).await?;
        let (guarded, mut operators) = changes.command(&filter);
        if let Some(stamps) = Stamps::of(meta) {
            stamps.touch(&mut operators);
        }
        let mut guarded = with_conditions(guarded, &conditions);
        write::not_deleted(meta, &mut guarded);
        let mut needs = conditions;
        needs.extend(changes.of_variants());
        Ok(Statement {
            id: id_in_filter(&filter),
            filter: guarded,
            operators,
            adds: !changes.adds.is_empty(),
            fits: changes.fits(),
            asked: with_conditions(filter, &needs),
            ranges: [changes.ranges, changes.beyond_64_bits].concat(),
        })
    }
}
