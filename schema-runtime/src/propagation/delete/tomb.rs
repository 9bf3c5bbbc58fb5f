//! Tombstones: the writes that set and remove them, and the filters that find them.
//!
//! `_dn.del` is the token of the delete. The first of its documents, the leader, stores the state in `_dn.d`: `{s: state, n: beats}`. The
//! documents that the call itself deletes have the events in `_dn.f` that their delete emits.
//! Every document with a tombstone has [`NAME`] in `_dn.p`, so that the index of flags finds it; one whose children have not been marked
//! yet has [`NEW`] as well.

use bson::oid::ObjectId;
use bson::{Bson, Document, doc};

use crate::bson_util::number::integer;
use crate::graph::edges::{Edge, Edges};
use crate::graph::links::{ChildWrite, Moving};
use crate::graph::{flags, links};
use crate::schema::stored;

/// The name in `_dn.p` of every document with a tombstone.
pub(crate) const NAME: &str = "~del";

/// The name in `_dn.p` of a document with a tombstone whose children have not been marked yet.
const NEW: &str = "~new";

/// The state of a delete, which its leader stores.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum State {
    /// The delete may still be refused: a program that finds it left behind undoes it.
    Freeze,
    /// The delete is being undone.
    Undo,
    /// The delete is certain: a program that finds it left behind finishes it.
    Commit,
}

impl State {
    pub(crate) fn name(self) -> &'static str {
        match self {
            State::Freeze => "freeze",
            State::Undo => "undo",
            State::Commit => "commit",
        }
    }

    fn read(name: &str) -> State {
        match name {
            "freeze" => State::Freeze,
            "undo" => State::Undo,
            _ => State::Commit,
        }
    }
}

/// The part of a delete to which a document belongs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Part {
    /// The documents of the call, which match its filter and emit its events.
    Root,
    /// Documents that are deleted with them.
    Below,
}

/// A tombstone, as it was read.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Tomb {
    pub(crate) id: Bson,
    pub(crate) op: ObjectId,
    /// The state of the delete and its heartbeat; only in the leader.
    pub(crate) leads: Option<(State, i64)>,
}

impl Tomb {
    /// Reads the tombstone of a document with these fields, if it has one.
    pub(crate) fn read(document: &Document) -> Option<Tomb> {
        let dn = document.get_document(stored::OWN).ok()?;
        let leads = dn.get_document(stored::key::DELETE).ok().map(|d| {
            let state = State::read(d.get_str(stored::key::DELETE_STATE).unwrap_or_default());
            (
                state,
                integer(d.get(stored::key::DELETE_HEARTBEAT)).unwrap_or(0),
            )
        });
        Some(Tomb {
            id: document.get("_id").cloned().unwrap_or(Bson::Null),
            op: dn.get_object_id(stored::key::TOMBSTONE).ok()?,
            leads,
        })
    }
}

/// The fields of a document that its tombstone is read from.
pub(crate) fn fields() -> Document {
    doc! { "_id": 1, stored::TOMBSTONE: 1, stored::DELETE: 1 }
}

/// D1: the update that sets a tombstone. A source gets the next revision, and all its edges become pending in case the delete is undone; a
/// child records its former parents.
pub(crate) fn entomb(
    collection: &str,
    op: ObjectId,
    leads: Option<State>,
    events: &[Bson],
    new: bool,
) -> Vec<Document> {
    let edges = Edges::get();
    let flagged = edges.flagged(collection);
    let mut names = flagged.clone();
    names.push(NAME);
    if new {
        names.push(NEW);
    }
    let mut set = match edges.tracks_changes(collection) {
        true => {
            let all: Vec<&str> = names.clone();
            let changed = flags::bumped(Bson::Boolean(true), &names, &all);
            doc! { stored::OWN: changed }
        }
        false => {
            doc! { stored::PENDING: { "$setUnion": [{ "$ifNull": [stored::value::PENDING, []] }, names] } }
        }
    };
    let mut own = doc! { stored::TOMBSTONE: op };
    if let Some(state) = leads {
        let delete =
            doc! { stored::key::DELETE_STATE: state.name(), stored::key::DELETE_HEARTBEAT: 0 };
        own.insert(stored::DELETE, delete);
    }
    if !events.is_empty() {
        own.insert(stored::DELETE_EVENTS, doc! { "$literal": events });
    }
    if !set.contains_key(stored::OWN) {
        set.extend(std::mem::take(&mut own));
    }
    let mut pipeline = vec![doc! { "$set": set }];
    if !own.is_empty() {
        pipeline.push(doc! { "$set": own });
    }
    if edges.tracks_changes(collection) {
        // A source without a revision gets one above those of its copies at once, since no program looks for one while the source is being
        // deleted.
        let far =
            doc! { "$cond": [flags::wiped(), flags::far_revision(), stored::value::REVISION] };
        pipeline.push(doc! { "$set": { stored::REVISION: far } });
    }
    // Records the parents that must lose the document.
    let away = ChildWrite {
        moving: Moving::Away,
        computed: &Document::new(),
        written: &|_| true,
    };
    pipeline.extend(links::record_former_parents(collection, &away));
    pipeline.push(doc! { "$unset": stored::BATCH });
    pipeline
}

/// An expression for `_dn.p` without some names; no value if nothing is left.
fn without(names: &[&str]) -> Document {
    let left =
        doc! { "$setDifference": [{ "$ifNull": [stored::value::PENDING, []] }, names.to_vec()] };
    let some = doc! { "$cond": [{ "$eq": ["$$left", []] }, "$$REMOVE", "$$left"] };
    doc! { "$let": { "vars": { "left": left }, "in": some } }
}

/// The update that records that the children of a document have been marked.
pub(crate) fn seen() -> Vec<Document> {
    vec![doc! { "$set": { stored::PENDING: without(&[NEW]) } }]
}

/// The update that clears the tombstone of a delete. A source gets the next revision once more, and its edges stay flagged. The sources of
/// the document may have been deleted meanwhile without it, because it was to be deleted too: its copies are marked, under the token of the
/// delete.
pub(crate) fn exhume(collection: &str, op: ObjectId) -> Vec<Document> {
    let edges = Edges::get();
    let mut set = doc! { stored::PENDING: without(&[NAME, NEW]) };
    if edges.tracks_changes(collection) {
        let known = doc! { "$isNumber": stored::value::REVISION };
        set.insert(
            stored::REVISION,
            flags::next_revision(known, flags::far_revision()),
        );
    }
    if edges.incoming(collection).any(Edge::marks) {
        set.insert(stored::UNVERIFIED, flags::with_unverified(op));
    }
    vec![
        doc! { "$set": set },
        doc! { "$unset": [stored::TOMBSTONE, stored::DELETE, stored::DELETE_EVENTS] },
        doc! { "$set": { stored::OWN: { "$cond": [
            { "$eq": [stored::value::OWN, {}] },
            "$$REMOVE",
            stored::value::OWN,
        ] } } },
    ]
}

/// The filter of documents whose tombstone this delete has cleared, and that have not been compared with their sources since.
pub(crate) fn exhumed(op: ObjectId) -> Document {
    doc! { stored::UNVERIFIED_TOKEN: op }
}

/// The filter of the documents with this tombstone, for the index of flags.
pub(crate) fn match_entombed(op: ObjectId) -> Document {
    doc! { stored::PENDING: NAME, stored::TOMBSTONE: op }
}

/// The filter of the documents with this tombstone whose children have not been marked yet.
pub(crate) fn unseen(op: ObjectId) -> Document {
    doc! { stored::PENDING: NEW, stored::TOMBSTONE: op }
}

/// The key pattern of the index of flags.
pub(crate) fn index() -> Document {
    doc! { stored::PENDING: 1 }
}
