//! C1: the part of a child's write that flags it.

use bson::oid::ObjectId;
use bson::{Bson, Document, RawDocument, doc};

use super::counting_links;
use crate::bson_util::path::at;
use crate::graph::flags;
use crate::graph::links::{Link, Moving};
use crate::schema::stored;

/// The references with a counter, each once.
fn references(collection: &str) -> Vec<&Link> {
    let mut out: Vec<&Link> = Vec::new();
    for link in counting_links(collection) {
        if out.iter().all(|known| known.row != link.row) {
            out.push(link);
        }
    }
    out
}

/// The flag of a new child; `None` if no parent counts it.
pub(crate) fn new_child_flag(
    collection: &str,
    child: &RawDocument,
    token: ObjectId,
) -> Option<Document> {
    let mut to = Document::new();
    for link in references(collection) {
        if let Some(parent) = link.parents(child).into_iter().next() {
            to.insert(link.row, parent);
        }
    }
    (!to.is_empty()).then(|| doc! { stored::TOKEN: token, stored::key::UNCOUNTED_TO: to })
}

/// The pipeline stages that flag a child whose write changes where it is counted. They go before the stages that write the references and
/// the mark of a deleted child. References that the write does not change are skipped.
pub(crate) fn flag_stages(
    collection: &str,
    token: ObjectId,
    moving: Moving<'_>,
    written: impl Fn(&str) -> bool,
) -> Vec<Document> {
    let links = references(collection).into_iter();
    let moves = links.filter(|link| written(link.row));
    let moves: Vec<Move<'_>> = moves.map(|link| Move::plan(link, moving)).collect();
    stage(token, &moves).into_iter().collect()
}

/// The same for a child that is going to be removed, once: it is counted nowhere after that.
pub(crate) fn removal_stages(collection: &str, token: ObjectId) -> Vec<Document> {
    let mut stages = flag_stages(collection, token, Moving::Away, |_| true);
    stages.push(doc! { "$set": { stored::LEFT_COUNTS: true } });
    stages
}

/// The change of the parent that counts a child along one link, as expressions.
struct Move<'l> {
    link: &'l Link,
    /// True if the parent changes.
    differs: Bson,
    /// True if the stored parent loses the child then.
    leaves: bool,
    /// The parent that the child gets.
    next: Option<Bson>,
}

impl<'l> Move<'l> {
    fn plan(link: &'l Link, moving: Moving<'_>) -> Self {
        let stored = || Bson::from(format!("${}", link.reference));
        let (differs, next) = match moving {
            Moving::To(after) => {
                let next = at(after, &link.reference).filter(|next| **next != Bson::Null);
                let differs = match next {
                    Some(next) => flags::differs(&link.reference, Some(next)),
                    None => Bson::Document(there(link)),
                };
                let next = next.map(|next| Bson::Document(doc! { "$literal": next }));
                (differs, next)
            }
            Moving::Away => (Bson::Document(there(link)), None),
            Moving::Back => (Bson::Document(there(link)), Some(stored())),
        };
        let differs = match moving.may_move(link) {
            Some(may_move) => Bson::Document(doc! { "$and": [may_move, differs] }),
            None => differs,
        };
        Move {
            link,
            differs,
            leaves: !matches!(moving, Moving::Back),
            next,
        }
    }
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
        leaves,
        next,
    } in moves
    {
        if *leaves {
            let lost = doc! { "$and": [there(link), differs] };
            let stored = format!("${}", link.reference);
            from.insert(link.row, doc! { "$cond": [lost, stored, "$$REMOVE"] });
        }
        if let Some(next) = next {
            to.insert(link.row, doc! { "$cond": [differs, next, "$$REMOVE"] });
        }
        any.push(differs.clone());
    }
    let flag = doc! {
        stored::TOKEN: token,
        stored::key::UNCOUNTED_FROM: from,
        stored::key::UNCOUNTED_TO: to,
    };
    let flags = flags::with_mark(stored::value::UNCOUNTED, flag);
    let with = doc! { "$mergeObjects": [stored::value::OWN, { stored::key::UNCOUNTED: flags }] };
    Some(doc! { "$set": { stored::OWN: { "$cond": [{ "$or": any }, with, stored::value::OWN] } } })
}
