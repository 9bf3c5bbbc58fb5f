//! The part of a child's write that records its former parents.

use bson::{Bson, Document, doc};

use super::Link;
use crate::bson_util::path::at;
use crate::graph::edges::Edges;
use crate::graph::flags;

/// The pipeline stages that add the parents that the child loses to `_dn.o`. They go before the stage that writes the references; `after`
/// is the child after the write. References that the write does not change add nothing. With `None` the child is going to be deleted, and
/// loses all its parents.
pub(crate) fn moved(
    edges: &Edges,
    collection: &str,
    after: Option<&Document>,
    written: impl Fn(&str) -> bool,
) -> Vec<Document> {
    let mut stages = Vec::new();
    let mut seen: Vec<&str> = Vec::new();
    for link in edges.links_of(collection) {
        if link.is_pending_by_name() && written(link.row) && !seen.contains(&link.row) {
            seen.push(link.row);
            stages.push(one(link, after));
        }
    }
    stages
}

fn one(link: &Link, after: Option<&Document>) -> Document {
    let stored = format!("${}", link.reference);
    let (lost, any): (Document, Bson) = if link.many {
        let old = link.stored_ids();
        let next = after.map(|after| link.parents_in(after));
        let new = doc! { "$literal": next.unwrap_or_default() };
        // New parents need no list of their own: every parent is compared with the child.
        let lost = doc! { "$setDifference": [
            { "$setUnion": [&old, &new] },
            { "$setIntersection": [&old, &new] },
        ] };
        (lost, Bson::Boolean(true))
    } else {
        let next = after.and_then(|after| at(after, &link.reference));
        let there = doc! { "$ne": [{ "$ifNull": [&stored, Bson::Null] }, Bson::Null] };
        let differs = match next {
            None | Some(Bson::Null) => Bson::Boolean(true),
            next => flags::differs(&link.reference, next),
        };
        (
            doc! { "$concatArrays": [[&stored]] },
            Bson::Document(doc! { "$and": [there, differs] }),
        )
    };
    let known = format!("$_dn.o.{}", link.row);
    let union = doc! { "$setUnion": [{ "$ifNull": [known, []] }, lost] };
    let with = doc! { "$mergeObjects": ["$_dn", { "o": { "$mergeObjects": ["$_dn.o", { link.row: union }] } }] };
    doc! { "$set": { "_dn": { "$cond": [any, with, "$_dn"] } } }
}
