//! Derived data of parents: the number of their children.
//!
//! Comparing revisions could not correct a number, because adding one twice is not the same as adding it once. So a write of a child that
//! changes where it is counted leaves a flag of its own, `{t, f, to}` in `_dn.c`: a token, and for each reference the former and the new
//! parent. Finishing the flag changes the parents' numbers and in the same write adds the token to `_dn.k.a`; if the token is there
//! already, the write does nothing. Then the flag is cleared, and then the token.
//!
//! A late write could find the token gone and count again. Therefore removing a token always starts a new *epoch*, `_dn.k.e`, and a write
//! counts only in the epoch that was read before the flag was last seen: epoch, flag, number, flag off, token off (PROTOCOL 15.D3). A
//! child has one flag for each unfinished write; each is counted by itself, in any order.

pub(crate) mod apply;
mod epochs;
pub(crate) mod recount;
mod resume;
mod settle;
mod stage;

use std::collections::BTreeMap;

use bson::oid::ObjectId;
use bson::{Bson, Document, doc};

pub(crate) use self::apply::{
    CountAt, CountToken, GroupCount, Removal, batch_in_session, counts_of, finish, finish_batch,
    in_session, learn_epochs, leave, remove,
};
pub(crate) use self::recount::{children, recount, right};
pub(crate) use self::resume::{forget_orphans, resume};
pub(crate) use self::settle::verify;
pub(crate) use self::stage::{flag, flagged, left as leaving};
use crate::Database;
use crate::bson_util::id_key::IdKey;
use crate::graph::edges::Edges;
use crate::graph::flags;
use crate::graph::links::Link;
use crate::schema::stored;

/// The largest number of tokens on a parent.
const ROOM: usize = 256;

/// The links whose numbers count the documents of this collection.
pub(crate) fn counted<'e>(collection: &'e str) -> impl Iterator<Item = &'e Link> + use<'e> {
    Edges::get()
        .links_of(collection)
        .filter(|link| link.counts())
}

/// The epoch that new documents of this collection start with, if they count anything. No earlier document with the same `_id` had that
/// epoch, so no unfinished count of an earlier document is added to a new one.
pub(crate) fn first(collection: &str) -> Option<ObjectId> {
    let mut links = Edges::get().links().iter();
    links
        .any(|link| link.counts() && link.host.collection == collection)
        .then(ObjectId::new)
}

/// The children whose flags change the numbers of these parents along this link.
pub(crate) fn concerning(link: &Link, parents: &[Bson]) -> Document {
    doc! {
        stored::UNCOUNTED_TOKEN: { "$exists": true },
        "$or": [
            { stored::uncounted_from(link.row): { "$in": parents } },
            { stored::uncounted_to(link.row): { "$in": parents } },
        ],
    }
}

/// How many new documents of one call get their epochs cached.
const BEGUN: usize = 100;

/// Caches the epoch of these new parents: their first children are counted without reading the parents.
pub(crate) fn begun(db: &Database, collection: &'static str, ids: &[Bson], epoch: ObjectId) {
    for id in ids.iter().take(BEGUN) {
        epochs::learn(db, &(collection, IdKey::new(id)), Some(epoch));
    }
}

/// A flag of a child: what a write has changed, under its token.
#[derive(Debug, Clone)]
struct Op {
    token: ObjectId,
    /// The parent that the child is no longer counted at, by the stored name of the reference.
    from: Document,
    /// The parent that the child is to be counted at.
    to: Document,
}

/// The flags of a child.
fn ops(child: &Document) -> Vec<Op> {
    flags::marks(child, "c")
        .filter_map(|flag| {
            let side = |name| flag.get_document(name).cloned().unwrap_or_default();
            Some(Op {
                token: flag.get_object_id("t").ok()?,
                from: side("f"),
                to: side("to"),
            })
        })
        .collect()
}

/// A parent: its collection, and a key for its `_id` in an order that all programs share.
pub(crate) type Parent = (&'static str, IdKey);

/// The amounts to add to the numbers of one parent.
#[derive(Debug, Clone)]
pub(crate) struct Delta {
    id: Bson,
    /// By the stored name of the number.
    inc: BTreeMap<&'static str, i64>,
}

impl Delta {
    fn add(&mut self, other: &Delta) {
        for (field, n) in &other.inc {
            *self.inc.entry(field).or_default() += n;
        }
    }
}

/// The amounts that a flag adds at each parent that it concerns.
fn deltas(collection: &str, op: &Op) -> BTreeMap<Parent, Delta> {
    let mut out: BTreeMap<Parent, Delta> = BTreeMap::new();
    for link in Edges::get().links() {
        if link.child.collection != collection || !link.counts() {
            continue;
        }
        for (side, n) in [(&op.from, -1), (&op.to, 1)] {
            if let Some(id) = side.get(link.row) {
                let parent = (link.host.collection, IdKey::new(id));
                let delta = out.entry(parent).or_insert_with(|| Delta {
                    id: id.clone(),
                    inc: BTreeMap::new(),
                });
                *delta.inc.entry(link.field).or_default() += n;
            }
        }
    }
    out.retain(|_, delta| delta.inc.values().any(|n| *n != 0));
    out
}

/// The epoch and the tokens of a parent.
#[derive(Debug, Default)]
pub(crate) struct Counted {
    epoch: Option<ObjectId>,
    tokens: Vec<(ObjectId, Option<Bson>)>,
}

impl Counted {
    fn read(host: &Document) -> Self {
        let dn = host.get_document(stored::OWN).ok();
        let Some(k) = dn.and_then(|dn| dn.get_document("k").ok()) else {
            return Counted::default();
        };
        let tokens = k.get_array("a").into_iter().flatten();
        let tokens = tokens.filter_map(Bson::as_document);
        let token =
            |token: &Document| Some((token.get_object_id("t").ok()?, token.get("i").cloned()));
        Counted {
            epoch: k.get_object_id("e").ok(),
            tokens: tokens.filter_map(token).collect(),
        }
    }
}
