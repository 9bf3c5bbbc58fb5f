//! C2 to C4 by a program other than the writer, child by child; and the removal of tokens that nothing needs any more.

use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, HashSet};

use bson::oid::ObjectId;
use bson::{Bson, Document, doc};
use futures::future::BoxFuture;

use super::apply::{in_epoch, increments};
use super::{Counted, Delta, Op, Parent, ROOM, deltas, epochs, ops};
use crate::driver::FindArgs;
use crate::error::Result;
use crate::graph::edges::Edges;
use crate::graph::flags;
use crate::schema::stored;
use crate::{Database, driver};

/// How many children are finished together: half of a parent's capacity.
const CHILDREN: usize = 32;

/// How many times to retry a parent for one child before the child is left flagged.
const ROUNDS: usize = 20;

/// Checks if the child with this `_id` and these tokens should be finished.
pub(crate) type Wanted<'t> = dyn FnMut((&Bson, &[ObjectId])) -> bool + Send + 't;

/// Finishes the flagged children that match `filter`; returns how many flags were cleared.
///
/// # Errors
/// The driver's. What is not counted stays flagged.
pub(crate) fn resume<'f>(
    db: &'f Database,
    collection: &'f str,
    filter: Document,
    wanted: &'f mut Wanted<'_>,
) -> BoxFuture<'f, Result<u64>> {
    Box::pin(async move {
        let args = FindArgs {
            projection: Some(doc! { stored::UNCOUNTED: 1 }),
            ..FindArgs::default()
        };
        let mut finished = 0;
        let mut rows = driver::open(db, collection, filter, args, None).await?;
        let mut some = Vec::new();
        loop {
            let row = rows.next(|raw| Ok(Document::try_from(raw).ok())).await?;
            let more = row.is_some();
            if let Some(child) = row.flatten() {
                let id = child.get("_id").cloned().unwrap_or(Bson::Null);
                let flags = ops(&child);
                let tokens: Vec<ObjectId> = flags.iter().map(|op| op.token).collect();
                if !tokens.is_empty() && wanted((&id, &tokens)) {
                    some.push(child);
                }
            }
            if some.len() >= CHILDREN || (!more && !some.is_empty()) {
                finished += together(db, collection, &some).await?;
                some.clear();
            }
            if !more {
                return Ok(finished);
            }
        }
    })
}

/// A flag of a child at one parent.
struct Piece {
    child: Bson,
    token: ObjectId,
    delta: Delta,
}

async fn together(db: &Database, collection: &str, children: &[Document]) -> Result<u64> {
    // Read the epochs first, and then the children again with a durable read, which no crash can undo.
    let mut epochs: BTreeMap<Parent, Option<Option<ObjectId>>> = BTreeMap::new();
    let mut parents: BTreeMap<&'static str, Vec<Bson>> = BTreeMap::new();
    for op in children.iter().flat_map(ops) {
        for (parent, delta) in deltas(collection, &op) {
            let host = parent.0;
            if let Entry::Vacant(new) = epochs.entry(parent) {
                parents.entry(host).or_default().push(delta.id);
                new.insert(None);
            }
        }
    }
    for (host, ids) in parents {
        let fields = doc! { stored::COUNTS_EPOCH: 1 };
        for found in driver::read_by(db, host, "_id", &ids, &fields, None).await? {
            let id = found.get("_id").cloned().unwrap_or(Bson::Null);
            let parent = (host, crate::bson_util::id_key::IdKey::new(&id));
            epochs.insert(parent, Some(Counted::read(&found).epoch));
        }
    }
    let ids: Vec<Bson> = children
        .iter()
        .filter_map(|child| child.get("_id").cloned())
        .collect();
    let fields = doc! { "_id": 1, stored::OWN: 1 };
    let children = driver::durable_read(db, collection, "_id", &ids, &fields).await?;
    let mut at: BTreeMap<Parent, Vec<Piece>> = BTreeMap::new();
    let mut flagged: Vec<(Bson, Op)> = Vec::new();
    for child in &children {
        let id = child.get("_id").cloned().unwrap_or(Bson::Null);
        for op in ops(child) {
            let deltas = deltas(collection, &op);
            // A flag that came meanwhile is left to its writer, or to the next pass.
            if deltas.keys().all(|parent| epochs.contains_key(parent)) {
                for (parent, delta) in deltas {
                    at.entry(parent).or_default().push(Piece {
                        child: id.clone(),
                        token: op.token,
                        delta,
                    });
                }
                flagged.push((id.clone(), op));
            }
        }
    }
    let mut own: BTreeMap<Parent, (Bson, Vec<Document>)> = BTreeMap::new();
    let mut left: HashSet<(ObjectId, Vec<u8>)> = HashSet::new();
    for (parent, pieces) in at {
        let epoch = epochs.get(&parent).copied().flatten();
        let pieces: Vec<Piece> = pieces
            .into_iter()
            .filter(|piece| !left.contains(&name(piece.token, &piece.child)))
            .collect();
        let Some(first) = pieces.first() else {
            continue;
        };
        let host = first.delta.id.clone();
        let pushed = &mut own
            .entry(parent.clone())
            .or_insert_with(|| (host, Vec::new()))
            .1;
        // A parent that did not exist counts nothing, unless it was stored before these flags were set: for those, read it once more.
        if let Some(epoch) = epoch
            && group(db, &parent, &pieces, epoch).await?
        {
            pushed.extend(pieces.iter().map(mark));
            continue;
        }
        for piece in &pieces {
            match alone(db, collection, &parent, piece).await? {
                Did::Counted => pushed.push(mark(piece)),
                Did::AlreadyCounted => {}
                Did::Not => drop(left.insert(name(piece.token, &piece.child))),
            }
        }
    }
    fault!("after_c2");
    let mut clears: BTreeMap<ObjectId, Vec<&Bson>> = BTreeMap::new();
    for (id, op) in &flagged {
        if !left.contains(&name(op.token, id)) {
            clears.entry(op.token).or_default().push(id);
        }
    }
    let updates: Vec<Document> = clears
        .iter()
        .map(|(token, ids)| cleared(&[*token], Some(ids)))
        .collect();
    let done = driver::statements(db, collection, &updates, false, None).await?;
    fault!("after_c3");
    for (parent, (id, marks)) in own {
        if !marks.is_empty() {
            take_off(db, &parent, &id, doc! { "$or": marks }).await?;
        }
    }
    fault!("after_c4");
    Ok(done.modified)
}

fn name(token: ObjectId, child: &Bson) -> (ObjectId, Vec<u8>) {
    let raw = bson::RawDocumentBuf::try_from(&doc! { "": child });
    (
        token,
        raw.map(bson::RawDocumentBuf::into_bytes)
            .unwrap_or_default(),
    )
}

fn mark(piece: &Piece) -> Document {
    doc! { "t": piece.token, "i": piece.child.clone() }
}

/// Matches the token of this piece, which remains if the child was counted alone or together with all children of that token.
fn same(piece: &Piece) -> Document {
    doc! { "t": piece.token, "i": { "$in": [Bson::Null, piece.child.clone()] } }
}

/// C2 of several children at one parent; `false` if nothing was counted.
async fn group(
    db: &Database,
    parent: &Parent,
    pieces: &[Piece],
    epoch: Option<ObjectId>,
) -> Result<bool> {
    let Some((first, others)) = pieces.split_first() else {
        return Ok(true);
    };
    let mut delta = first.delta.clone();
    others.iter().for_each(|piece| delta.add(&piece.delta));
    let mut filter = in_epoch(&delta.id, epoch, pieces.len());
    let any: Vec<Document> = pieces.iter().map(same).collect();
    filter.insert(
        stored::COUNTED,
        doc! { "$not": { "$elemMatch": { "$or": any } } },
    );
    let marks: Vec<Document> = pieces.iter().map(mark).collect();
    let mut update = doc! { "$push": { stored::COUNTED: { "$each": marks } } };
    let inc = increments(&delta);
    if !inc.is_empty() {
        update.insert("$inc", inc);
    }
    let fields = doc! { "_id": 1 };
    let done = driver::change_and_read(db, parent.0, filter, update, fields, true).await?;
    Ok(done.is_some())
}

enum Did {
    /// This call has counted it, and removes its token after the flag.
    Counted,
    /// Another program has counted it, or there is no parent to count at.
    AlreadyCounted,
    /// It is not counted yet.
    Not,
}

/// C2 of one child at one parent.
async fn alone(db: &Database, collection: &str, parent: &Parent, piece: &Piece) -> Result<Did> {
    for _ in 0..ROUNDS {
        let one = std::slice::from_ref(&piece.delta.id);
        let found =
            driver::durable_read(db, parent.0, "_id", one, &doc! { stored::COUNTS: 1 }).await?;
        let Some(found) = found.first() else {
            return Ok(Did::AlreadyCounted);
        };
        let now = Counted::read(found);
        let is = |(token, child): &(ObjectId, Option<Bson>)| {
            *token == piece.token && child.as_ref().is_none_or(|child| *child == piece.child)
        };
        if now.tokens.iter().any(is) {
            return Ok(Did::AlreadyCounted);
        }
        if now.tokens.len() >= ROOM {
            forget_unneeded(db, parent, &piece.delta.id, &now).await?;
            continue;
        }
        let one = std::slice::from_ref(&piece.child);
        let child =
            driver::durable_read(db, collection, "_id", one, &doc! { stored::OWN: 1 }).await?;
        let flags = child.first().map(ops).unwrap_or_default();
        if !flags.iter().any(|op| op.token == piece.token) {
            return Ok(Did::AlreadyCounted);
        }
        if group(db, parent, std::slice::from_ref(piece), now.epoch).await? {
            return Ok(Did::Counted);
        }
    }
    Ok(Did::Not)
}

/// C3: clears the flags with these tokens on children: on these, or on all that have one.
pub(crate) async fn clear(
    db: &Database,
    collection: &str,
    tokens: &[ObjectId],
    ids: &[Bson],
) -> Result<()> {
    let ids: Vec<&Bson> = ids.iter().collect();
    let update = cleared(tokens, (!ids.is_empty()).then_some(&ids));
    driver::statements(db, collection, &[update], false, None).await?;
    Ok(())
}

pub(crate) fn cleared(tokens: &[ObjectId], ids: Option<&Vec<&Bson>>) -> Document {
    let mut q = doc! { stored::UNCOUNTED_TOKEN: { "$in": tokens.to_vec() } };
    let mut many = true;
    if let Some(ids) = ids {
        q.insert("_id", flags::ids_of(ids));
        many = ids.len() > 1;
    }
    doc! { "q": q, "u": flags::uncount(tokens), "multi": many }
}

/// C4: removes a program's own tokens from a parent, which starts a new epoch.
pub(crate) async fn forget(
    db: &Database,
    parent: &Parent,
    id: &Bson,
    tokens: &[ObjectId],
) -> Result<()> {
    if tokens.is_empty() {
        return Ok(());
    }
    take_off(db, parent, id, doc! { "t": { "$in": tokens.to_vec() } }).await
}

async fn take_off(db: &Database, parent: &Parent, id: &Bson, which: Document) -> Result<()> {
    let epoch = ObjectId::new();
    let update = doc! {
        "q": { "_id": { "$eq": id }, stored::COUNTED: { "$elemMatch": &which } },
        "u": { "$pull": { stored::COUNTED: which }, "$set": { stored::COUNTS_EPOCH: epoch } },
    };
    let done = driver::statements(db, parent.0, &[update], false, None).await?;
    if done.matched > 0 {
        epochs::learn(db, parent, Some(epoch));
    }
    Ok(())
}

/// Makes room for a token on a full parent: removes tokens that nothing needs, and if that is not enough, finishes what others have
/// started.
pub(crate) async fn make_room(
    db: &Database,
    parent: &Parent,
    id: &Bson,
    now: &Counted,
    help: bool,
) -> Result<()> {
    forget_unneeded(db, parent, id, now).await?;
    if help {
        let tokens: Vec<ObjectId> = now.tokens.iter().map(|(token, _)| *token).collect();
        for collection in children_of(parent.0) {
            let flagged = doc! { stored::UNCOUNTED_TOKEN: { "$in": tokens.clone() } };
            resume(db, collection, flagged, &mut |_| true).await?;
        }
    }
    Ok(())
}

/// The collections whose documents are counted in documents of this one.
fn children_of(host: &str) -> Vec<&'static str> {
    let links = Edges::get().links().iter();
    let links = links.filter(|link| link.host.collection == host && link.counts());
    let mut out: Vec<&'static str> = links.map(|link| link.child.collection).collect();
    out.sort_unstable();
    out.dedup();
    out
}

/// Removes the tokens of a parent that no child has any more. Looks for such children twice, with a durable write in between: a crash can
/// no longer undo what the first read saw, or the second read differs.
async fn forget_unneeded(db: &Database, parent: &Parent, id: &Bson, now: &Counted) -> Result<bool> {
    let mut tokens: HashSet<ObjectId> = now.tokens.iter().map(|(token, _)| *token).collect();
    for look in 0..2 {
        if look == 1 {
            let one = std::slice::from_ref(id);
            driver::durable_read(db, parent.0, "_id", one, &doc! { "_id": 1 }).await?;
        }
        for collection in children_of(parent.0) {
            let asked: Vec<Bson> = tokens.iter().copied().map(Bson::ObjectId).collect();
            let fields = doc! { "_id": 0, stored::UNCOUNTED_TOKEN: 1 };
            let found = driver::read_by(
                db,
                collection,
                stored::UNCOUNTED_TOKEN,
                &asked,
                &fields,
                None,
            )
            .await?;
            for op in found.iter().flat_map(ops) {
                tokens.remove(&op.token);
            }
        }
        if tokens.is_empty() {
            return Ok(false);
        }
    }
    let tokens: Vec<ObjectId> = tokens.into_iter().collect();
    forget(db, parent, id, &tokens).await?;
    Ok(true)
}

/// Removes the tokens that no child has any more from all parents of this collection; returns how many parents had some.
///
/// # Errors
/// The driver's.
pub(crate) async fn forget_orphans(
    db: &Database,
    host: &'static str,
    wanted: &mut Wanted<'_>,
) -> Result<u64> {
    let args = FindArgs {
        projection: Some(doc! { stored::COUNTS: 1 }),
        ..FindArgs::default()
    };
    let filter = doc! { stored::COUNTED_TOKEN: { "$exists": true } };
    let mut rows = driver::open(db, host, filter, args, None).await?;
    let mut out = 0;
    while let Some(row) = rows.next(|raw| Ok(Document::try_from(raw).ok())).await? {
        let Some(found) = row else { continue };
        let id = found.get("_id").cloned().unwrap_or(Bson::Null);
        let now = Counted::read(&found);
        let tokens: Vec<ObjectId> = now.tokens.iter().map(|(token, _)| *token).collect();
        if !tokens.is_empty() && wanted((&id, &tokens)) {
            let parent = (host, crate::bson_util::id_key::IdKey::new(&id));
            out += u64::from(forget_unneeded(db, &parent, &id, &now).await?);
        }
    }
    Ok(out)
}
