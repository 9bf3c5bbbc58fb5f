//! C1: the part of a child's write that flags it.

use bson::oid::ObjectId;
use bson::{Bson, Document, RawDocument, doc};

use super::counted;
use crate::bson_util::path::at;
use crate::graph::edges::Edges;
use crate::graph::flags;
use crate::graph::links::Link;

/// The references with a counter, each once.
fn references<'e>(edges: &'e Edges, collection: &'e str) -> Vec<&'e Link> {
    let mut out: Vec<&Link> = Vec::new();
    for link in counted(edges, collection) {
        if out.iter().all(|known| known.row != link.row) {
            out.push(link);
        }
    }
    out
}

/// The flag of a new child; `None` if no parent counts it.
pub(crate) fn flag(
    edges: &Edges,
    collection: &str,
    child: &RawDocument,
    token: ObjectId,
) -> Option<Document> {
    let mut to = Document::new();
    for link in references(edges, collection) {
        if let Some(parent) = link.parents(child).into_iter().next() {
            to.insert(link.row, parent);
        }
    }
    (!to.is_empty()).then(|| doc! { "t": token, "to": to })
}

/// The pipeline stages that flag a child whose write changes where it is counted. They go before the stage that writes the references;
/// `after` is the child after the write. References that the write does not change are skipped.
pub(crate) fn flagged(
    edges: &Edges,
    collection: &str,
    token: ObjectId,
    after: &Document,
    written: impl Fn(&str) -> bool,
) -> Vec<Document> {
    let links = references(edges, collection).into_iter();
    let moves = links.filter(|link| written(link.row)).map(|link| {
        let next = at(after, &link.reference).filter(|next| **next != Bson::Null);
        Move {
            link,
            differs: match next {
                Some(next) => flags::differs(&link.reference, Some(next)),
                None => Bson::Document(there(link)),
            },
            next: next.cloned(),
        }
    });
    stage(token, &moves.collect::<Vec<_>>())
        .into_iter()
        .collect()
}

/// The same for a child that is going to be deleted, once: it is counted nowhere after that.
pub(crate) fn left(edges: &Edges, collection: &str, token: ObjectId) -> Vec<Document> {
    let links = references(edges, collection).into_iter();
    let moves = links.map(|link| Move {
        link,
        differs: Bson::Document(there(link)),
        next: None,
    });
    let flagged = stage(token, &moves.collect::<Vec<_>>()).into_iter();
    flagged.chain([doc! { "$set": { LEFT: true } }]).collect()
}

/// The field of a child that is being deleted and has been flagged as counted nowhere.
pub(crate) const LEFT: &str = "_dn.x";

struct Move<'l> {
    link: &'l Link,
    differs: Bson,
    next: Option<Bson>,
}

fn there(link: &Link) -> Document {
    doc! { "$ne": [{ "$ifNull": [format!("${}", link.reference), Bson::Null] }, Bson::Null] }
}

fn stage(token: ObjectId, moves: &[Move<'_>]) -> Option<Document> {
    if moves.is_empty() {
        return None;
    }
    let (mut from, mut to, mut any) = (Document::new(), Document::new(), Vec::new());
    for Move {
        link,
        differs,
        next,
    } in moves
    {
        let lost = doc! { "$and": [there(link), differs] };
        let stored = format!("${}", link.reference);
        from.insert(link.row, doc! { "$cond": [lost, stored, "$$REMOVE"] });
        if let Some(next) = next {
            to.insert(
                link.row,
                doc! { "$cond": [differs, { "$literal": next }, "$$REMOVE"] },
            );
        }
        any.push(differs.clone());
    }
    let flag = doc! { "t": token, "f": from, "to": to };
    let flags = doc! { "$concatArrays": [{ "$ifNull": ["$_dn.c", []] }, [flag]] };
    let with = doc! { "$mergeObjects": ["$_dn", { "c": flags }] };
    Some(doc! { "$set": { "_dn": { "$cond": [{ "$or": any }, with, "$_dn"] } } })
}
