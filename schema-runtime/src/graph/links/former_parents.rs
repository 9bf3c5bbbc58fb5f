//! The part of a child's write that records its former parents.

use bson::{Bson, Document, doc};

use super::Link;
use crate::bson_util::path::at;
use crate::graph::edges::Edges;
use crate::graph::flags;
use crate::schema::stored;

/// The way in which a write changes the parents of a child.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Moving<'d> {
    /// The write stores these references. A child that is marked as deleted has no parents, before the write and after it.
    To(&'d Document),
    /// The child is going to be removed, or is marked as deleted: it loses all its parents.
    Away,
    /// A child that was marked as deleted is live again: it gets the parents that it refers to.
    Back,
}

impl Moving<'_> {
    /// An expression that is true if the child has parents before the write or after it; `None` if it always may.
    pub(crate) fn may_move(self, link: &Link) -> Option<Document> {
        let live = link.stored_live()?;
        match self {
            Moving::To(after) if link.is_marked(after) => {
                // The write stores a new document as deleted, and leaves an existing document as it is.
                let names =
                    doc! { "$map": { "input": { "$objectToArray": "$$ROOT" }, "in": "$$this.k" } };
                let new = doc! { "$setIsSubset": [names, ["_id", stored::OWN]] };
                Some(doc! { "$and": [live, { "$not": [new] }] })
            }
            Moving::To(_) | Moving::Away => Some(live),
            Moving::Back => None,
        }
    }
}

/// The pipeline stages that add the parents that the child loses to `_dn.o`. They go before the stages that write the references and the
/// mark. References that the write does not change add nothing.
pub(crate) fn record_former_parents(
    collection: &str,
    moving: Moving<'_>,
    written: impl Fn(&str) -> bool,
) -> Vec<Document> {
    let mut stages = Vec::new();
    let mut seen: Vec<&str> = Vec::new();
    for link in Edges::get().links_of(collection) {
        if link.is_pending_by_name() && written(link.row) && !seen.contains(&link.row) {
            seen.push(link.row);
            let after = match moving {
                Moving::To(after) => Some(after),
                Moving::Away => None,
                // New parents need no list of their own: every parent is compared with the child.
                Moving::Back => continue,
            };
            stages.push(one(link, after, moving.may_move(link)));
        }
    }
    stages
}

fn one(link: &Link, after: Option<&Document>, may_move: Option<Document>) -> Document {
    let stored = format!("${}", link.reference);
    let (lost, any): (Document, Option<Document>) = if link.many {
        let old = link.stored_ids();
        let next = after.map(|after| link.referred(after));
        let new = doc! { "$literal": next.unwrap_or_default() };
        let lost = doc! { "$setDifference": [
            { "$setUnion": [&old, &new] },
            { "$setIntersection": [&old, &new] },
        ] };
        (lost, None)
    } else {
        let next = after.and_then(|after| at(after, &link.reference));
        let there = doc! { "$ne": [{ "$ifNull": [&stored, Bson::Null] }, Bson::Null] };
        let differs = match next {
            None | Some(Bson::Null) => Bson::Boolean(true),
            next => flags::differs(&link.reference, next),
        };
        (
            doc! { "$concatArrays": [[&stored]] },
            Some(doc! { "$and": [there, differs] }),
        )
    };
    let known = stored::earlier_parents_of(link.row);
    let union = doc! { "$setUnion": [{ "$ifNull": [known, []] }, lost] };
    let all = doc! { "$mergeObjects": [stored::value::EARLIER_PARENTS, { link.row: union }] };
    let with =
        doc! { "$mergeObjects": [stored::value::OWN, { stored::key::EARLIER_PARENTS: all }] };
    let any = match (any, may_move) {
        (None, None) => Bson::Boolean(true),
        (Some(any), None) | (None, Some(any)) => any.into(),
        (Some(any), Some(may_move)) => doc! { "$and": [may_move, any] }.into(),
    };
    doc! { "$set": { stored::OWN: { "$cond": [any, with, stored::value::OWN] } } }
}
