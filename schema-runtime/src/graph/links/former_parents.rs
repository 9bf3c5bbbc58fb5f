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

/// A write of a child.
pub(crate) struct ChildWrite<'w> {
    pub(crate) moving: Moving<'w>,
    /// The values that the server computes, as expressions.
    pub(crate) computed: &'w Document,
    /// True for the paths that the write sets as a whole.
    pub(crate) written: &'w dyn Fn(&str) -> bool,
}

impl ChildWrite<'_> {
    /// True if the write sets the field at this path.
    pub(crate) fn changes(&self, path: &str) -> bool {
        self.writes_at(path).is_some() || self.computed.contains_key(path)
    }

    /// The path that the write sets: the path of the field, or of a document that holds the field.
    fn writes_at<'p>(&self, path: &'p str) -> Option<&'p str> {
        let holders = path.match_indices('.').map(|(end, _)| &path[..end]);
        holders.chain([path]).find(|path| (self.written)(path))
    }

    /// The value of the field at this path after the write, as an expression.
    pub(crate) fn value_after(&self, path: &str) -> Bson {
        if let Some(value) = self.computed.get(path) {
            return value.clone();
        }
        let set = self.writes_at(path);
        match (self.moving, set) {
            (Moving::To(after), Some(set)) => {
                let inside = path[set.len()..].strip_prefix('.');
                let next = after.get(set).and_then(|value| match inside {
                    Some(inside) => at(value.as_document()?, inside),
                    None => Some(value),
                });
                doc! { "$literal": next.cloned().unwrap_or(Bson::Null) }.into()
            }
            _ => format!("${path}").into(),
        }
    }

    /// The document of the period that the child belongs to after the write, as an expression.
    pub(crate) fn period_after(&self, link: &Link) -> Bson {
        let reference = match (self.moving, (self.written)(link.row)) {
            (Moving::To(after), true) => {
                let next = at(after, &link.reference).cloned();
                doc! { "$literal": next.unwrap_or(Bson::Null) }.into()
            }
            _ => format!("${}", link.reference).into(),
        };
        link.parent_of(reference, |name| self.value_after(name))
    }

    /// True if the write sets the reference, or the date of a period.
    fn moves(&self, link: &Link) -> bool {
        (self.written)(link.row) || link.periods.is_some_and(|periods| self.changes(periods.at))
    }
}

/// The pipeline stages that add the parents that the child loses to `_dn.o`. They go before the stages that write the references and the
/// mark. References that the write does not change add nothing.
pub(crate) fn record_former_parents(collection: &str, write: &ChildWrite<'_>) -> Vec<Document> {
    let mut stages = Vec::new();
    let mut seen: Vec<&str> = Vec::new();
    for link in Edges::get().links_of(collection) {
        if link.is_pending_by_name() && write.moves(link) && !seen.contains(&&*link.key) {
            seen.push(&link.key);
            // New parents need no list of their own: every parent is compared with the child.
            if !matches!(write.moving, Moving::Back) {
                stages.push(record_stage(link, write));
            }
        }
    }
    stages
}

fn record_stage(link: &Link, write: &ChildWrite<'_>) -> Document {
    let after = match write.moving {
        Moving::To(after) => Some(after),
        Moving::Away | Moving::Back => None,
    };
    let may_move = write.moving.may_move(link);
    let stored = link.stored_parent();
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
        let differs = match (after, next) {
            (Some(_), _) if link.periods.is_some() => {
                doc! { "$ne": [&stored, write.period_after(link)] }.into()
            }
            (_, None | Some(Bson::Null)) => Bson::Boolean(true),
            (_, next) => flags::differs(&link.reference, next),
        };
        (
            doc! { "$concatArrays": [[&stored]] },
            Some(doc! { "$and": [there, differs] }),
        )
    };
    let known = stored::earlier_parents_of(&link.key);
    let union = doc! { "$setUnion": [{ "$ifNull": [known, []] }, lost] };
    let all = doc! { "$mergeObjects": [stored::value::EARLIER_PARENTS, { &link.key: union }] };
    let with =
        doc! { "$mergeObjects": [stored::value::OWN, { stored::key::EARLIER_PARENTS: all }] };
    let any = match (any, may_move) {
        (None, None) => Bson::Boolean(true),
        (Some(any), None) | (None, Some(any)) => any.into(),
        (Some(any), Some(may_move)) => doc! { "$and": [may_move, any] }.into(),
    };
    doc! { "$set": { stored::OWN: { "$cond": [any, with, stored::value::OWN] } } }
}
