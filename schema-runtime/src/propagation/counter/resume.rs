//! The steps C2 to C4, child by child, in a program other than the writer.

use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, HashSet};

use bson::oid::ObjectId;
use bson::{Bson, Document, doc};
use futures::future::BoxFuture;

use super::apply::{in_epoch, increments, with_tokens};
use super::reservations::{convert_reservations, is_of};
use super::tokens::{pull_tokens, remove_unneeded_tokens};
use super::{CountFlag, CountState, Delta, Parent, ROOM, count_flags, deltas};
use crate::bson_util::id_key::IdKey;
use crate::driver::{self, Database, FindArgs};
use crate::error::Result;
use crate::graph::flags;
use crate::propagation::periods::store_periods;
use crate::schema::stored;

/// The largest number of children that are finished together.
const CHILDREN: usize = 32;

/// The largest number of times that the count of one child at one parent is tried, before the child is left flagged.
const ROUNDS: usize = 20;

/// Checks if the child with this `_id` and these tokens should be finished.
pub(crate) type Wanted<'t> = dyn FnMut((&Bson, &[ObjectId])) -> bool + Send + 't;

/// Finishes the flagged children that match `filter`; returns how many flags were cleared.
///
/// # Errors
/// The driver's. Children that are not counted stay flagged.
pub(crate) fn resume<'f>(
    db: &'f Database,
    collection: &'f str,
    filter: Document,
    wanted: &'f mut Wanted<'_>,
) -> BoxFuture<'f, Result<u64>> {
    Box::pin(async move {
        let args = FindArgs {
            projection: Some(super::flag_fields(collection)),
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
                let flags = count_flags(&child);
                let tokens: Vec<ObjectId> = flags.iter().map(|flag| flag.token).collect();
                if !tokens.is_empty() && wanted((&id, &tokens)) {
                    some.push(child);
                }
            }
            if some.len() >= CHILDREN || (!more && !some.is_empty()) {
                finished += finish_children(db, collection, &some).await?;
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

/// The key of a flag: its token, and the bytes of its child's `_id`.
type FlagKey = (ObjectId, Vec<u8>);

/// The flags of some children between C2 and C4.
struct Finishing<'f> {
    db: &'f Database,
    collection: &'f str,
    /// The epochs of the parents, read before the flags; `None` for a parent that did not exist.
    epochs: BTreeMap<Parent, Option<Option<ObjectId>>>,
    flagged: Vec<(Bson, CountFlag)>,
    /// The flags that some parent has not counted: they stay.
    left: HashSet<FlagKey>,
    /// The tokens that this program has put on parents, with the `_id` of each parent.
    pushed: BTreeMap<Parent, (Bson, Vec<Document>)>,
}

/// Counts these children, clears their flags, and removes the tokens; returns how many flags were cleared.
async fn finish_children(db: &Database, collection: &str, children: &[Document]) -> Result<u64> {
    let mut finishing = Finishing::read_epochs(db, collection, children).await?;
    for (parent, pieces) in finishing.read_flags(children).await? {
        finishing.count_at(parent, pieces).await?;
    }
    fault!("after_c2");
    let cleared = finishing.clear_counted().await?;
    fault!("after_c3");
    finishing.remove_pushed().await?;
    fault!("after_c4");
    Ok(cleared)
}

impl<'f> Finishing<'f> {
    /// Reads the epochs of all parents. They are read before the flags: a count in one of them cannot repeat an earlier one.
    async fn read_epochs(
        db: &'f Database,
        collection: &'f str,
        children: &[Document],
    ) -> Result<Self> {
        let mut epochs: BTreeMap<Parent, Option<Option<ObjectId>>> = BTreeMap::new();
        let mut parents: BTreeMap<(&'static str, IdKey), (Document, Vec<Bson>)> = BTreeMap::new();
        let flags = children.iter().flat_map(|child| {
            let flags = count_flags(child).into_iter();
            flags.map(move |flag| deltas(collection, child, &flag))
        });
        for deltas in flags {
            for (parent, delta) in deltas {
                let host = parent.0;
                if let Entry::Vacant(new) = epochs.entry(parent) {
                    let tenant = (host, IdKey::new(&Bson::from(delta.inside.clone())));
                    let of = parents.entry(tenant);
                    let (_, ids) = of.or_insert((delta.inside, Vec::new()));
                    ids.push(delta.id);
                    new.insert(None);
                }
            }
        }
        for ((host, _), (inside, ids)) in parents {
            let fields = doc! { stored::COUNTS_EPOCH: 1 };
            for found in driver::read_where(db, host, ("_id", &ids), &inside, &fields, None).await?
            {
                let id = found.get("_id").cloned().unwrap_or(Bson::Null);
                let epoch = CountState::read(&found).epoch;
                epochs.insert((host, IdKey::new(&id)), Some(epoch));
            }
        }
        Ok(Finishing {
            db,
            collection,
            epochs,
            flagged: Vec::new(),
            left: HashSet::new(),
            pushed: BTreeMap::new(),
        })
    }

    /// Reads the children again, with a durable read, which no crash can undo; returns the flags to count at each parent.
    async fn read_flags(&mut self, children: &[Document]) -> Result<BTreeMap<Parent, Vec<Piece>>> {
        let ids = children
            .iter()
            .filter_map(|child| child.get("_id").cloned());
        let ids: Vec<Bson> = ids.collect();
        let mut fields = super::flag_fields(self.collection);
        fields.remove(stored::UNCOUNTED);
        fields.insert(stored::OWN, 1);
        let children = driver::durable_read(self.db, self.collection, "_id", &ids, &fields).await?;
        let mut pieces: BTreeMap<Parent, Vec<Piece>> = BTreeMap::new();
        for child in &children {
            let id = child.get("_id").cloned().unwrap_or(Bson::Null);
            for flag in count_flags(child) {
                let deltas = deltas(self.collection, child, &flag);
                // A flag that was set meanwhile is left to its writer, or to the next pass.
                if !deltas.keys().all(|parent| self.epochs.contains_key(parent)) {
                    continue;
                }
                for (parent, delta) in deltas {
                    pieces.entry(parent).or_default().push(Piece {
                        child: id.clone(),
                        token: flag.token,
                        delta,
                    });
                }
                self.flagged.push((id.clone(), flag));
            }
        }
        Ok(pieces)
    }

    /// C2 at one parent: counts all these children at once, or else one by one.
    async fn count_at(&mut self, parent: Parent, mut pieces: Vec<Piece>) -> Result<()> {
        let epoch = self.epochs.get(&parent).copied().flatten();
        pieces.retain(|piece| !self.left.contains(&piece.key()));
        let Some(first) = pieces.first() else {
            return Ok(());
        };
        let host = first.delta.id.clone();
        let (_, pushed) = self
            .pushed
            .entry(parent.clone())
            .or_insert_with(|| (host, Vec::new()));
        // A parent that did not exist counts nothing, unless it was stored before these flags were set: for such flags, read the parent
        // once more.
        if let Some(epoch) = epoch
            && count_pieces(self.db, &parent, &pieces, epoch).await?
        {
            pushed.extend(pieces.iter().map(Piece::own_token));
            return Ok(());
        }
        for piece in &pieces {
            match count_single_child(self.db, self.collection, &parent, piece).await? {
                CountResult::Counted => pushed.push(piece.own_token()),
                CountResult::AlreadyCounted => {}
                CountResult::NotCounted => drop(self.left.insert(piece.key())),
            }
        }
        Ok(())
    }

    /// C3 of all counted flags; returns how many children lost their flags.
    async fn clear_counted(&self) -> Result<u64> {
        let mut clears: BTreeMap<ObjectId, Vec<&Bson>> = BTreeMap::new();
        for (id, flag) in &self.flagged {
            if !self.left.contains(&flag_key(flag.token, id)) {
                clears.entry(flag.token).or_default().push(id);
            }
        }
        let updates = clears.iter();
        let updates: Vec<Document> = updates
            .map(|(token, ids)| clear_statement(&[*token], Some(ids)))
            .collect();
        let done = driver::statements(self.db, self.collection, &updates, false, None).await?;
        Ok(done.modified)
    }

    /// C4 of the tokens that this program has put on parents.
    async fn remove_pushed(self) -> Result<()> {
        for (parent, (id, tokens)) in self.pushed {
            if !tokens.is_empty() {
                pull_tokens(self.db, &parent, &id, doc! { "$or": tokens }).await?;
            }
        }
        Ok(())
    }
}

fn flag_key(token: ObjectId, child: &Bson) -> FlagKey {
    let raw = bson::RawDocumentBuf::try_from(&doc! { "": child });
    let bytes = raw.map(bson::RawDocumentBuf::into_bytes);
    (token, bytes.unwrap_or_default())
}

impl Piece {
    fn key(&self) -> FlagKey {
        flag_key(self.token, &self.child)
    }

    /// The token of the child, if it is counted by itself.
    fn own_token(&self) -> Document {
        doc! { stored::TOKEN: self.token, stored::key::COUNTED_CHILD: self.child.clone() }
    }

    /// An expression that is true for the reservation of the child.
    fn is_reserved(&self) -> Document {
        is_of(self.token, &self.child)
    }

    /// The condition that matches the token of the child, no matter whether it was counted by itself or with all children of that token.
    fn any_token(&self) -> Document {
        let child = doc! { "$in": [Bson::Null, self.child.clone()] };
        doc! { stored::TOKEN: self.token, stored::key::COUNTED_CHILD: child }
    }
}

/// C2 of several children of one tenant at one parent; `false` if nothing was counted.
async fn count_pieces(
    db: &Database,
    parent: &Parent,
    pieces: &[Piece],
    epoch: Option<ObjectId>,
) -> Result<bool> {
    let Some((first, others)) = pieces.split_first() else {
        return Ok(true);
    };
    let mut delta = first.delta.clone();
    if others
        .iter()
        .any(|piece| piece.delta.inside != delta.inside)
    {
        return Ok(false);
    }
    others.iter().for_each(|piece| delta.add(&piece.delta));
    let mut filter = in_epoch(delta.parent(), epoch, pieces.len());
    let any: Vec<Document> = pieces.iter().map(Piece::any_token).collect();
    filter.insert(
        stored::COUNTED,
        doc! { "$not": { "$elemMatch": { "$or": any } } },
    );
    let marks: Vec<Document> = pieces.iter().map(Piece::own_token).collect();
    let these: Vec<Document> = pieces.iter().map(Piece::is_reserved).collect();
    let update = match convert_reservations(parent.0, &delta.amounts()?, doc! { "$or": these }) {
        Some(mut set) => {
            set.insert(stored::COUNTED, with_tokens(&marks));
            Bson::from(vec![doc! { "$set": set }])
        }
        None => {
            let mut update = doc! { "$push": { stored::COUNTED: { "$each": marks } } };
            let inc = increments(&delta)?;
            if !inc.is_empty() {
                update.insert("$inc", inc);
            }
            update.into()
        }
    };
    let fields = doc! { "_id": 1 };
    let done = driver::change_and_read(db, parent.0, filter, update, fields, true).await?;
    Ok(done.is_some())
}

/// The result of C2 of one child at one parent.
enum CountResult {
    /// This call has counted the child, and removes its token after the flag.
    Counted,
    /// Another program has counted the child, or there is no parent to count it.
    AlreadyCounted,
    /// The child is not counted yet.
    NotCounted,
}

/// C2 of one child at one parent.
async fn count_single_child(
    db: &Database,
    collection: &str,
    parent: &Parent,
    piece: &Piece,
) -> Result<CountResult> {
    for _ in 0..ROUNDS {
        let (this, fields) = (piece.delta.parent(), doc! { stored::COUNTS: 1 });
        let Some(found) = driver::durable_read_one(db, parent.0, this, &fields).await? else {
            let one = std::slice::from_ref(&piece.delta.id);
            match store_periods(db, parent.0, one, &piece.delta.inside).await? {
                true => continue,
                false => return Ok(CountResult::AlreadyCounted),
            }
        };
        let now = CountState::read(&found);
        let is = |(token, child): &(ObjectId, Option<Bson>)| {
            *token == piece.token && child.as_ref().is_none_or(|child| *child == piece.child)
        };
        if now.tokens.iter().any(is) {
            return Ok(CountResult::AlreadyCounted);
        }
        if now.tokens.len() >= ROOM {
            remove_unneeded_tokens(db, parent, &piece.delta.id, &now).await?;
            continue;
        }
        let one = std::slice::from_ref(&piece.child);
        let child =
            driver::durable_read(db, collection, "_id", one, &doc! { stored::OWN: 1 }).await?;
        let flags = child.first().map(count_flags).unwrap_or_default();
        if !flags.iter().any(|flag| flag.token == piece.token) {
            return Ok(CountResult::AlreadyCounted);
        }
        if count_pieces(db, parent, std::slice::from_ref(piece), now.epoch).await? {
            return Ok(CountResult::Counted);
        }
    }
    Ok(CountResult::NotCounted)
}

/// C3: clears the flags with these tokens, on these children or on all that have one of the tokens.
pub(crate) async fn clear_flags(
    db: &Database,
    collection: &str,
    tokens: &[ObjectId],
    ids: &[Bson],
) -> Result<()> {
    let ids: Vec<&Bson> = ids.iter().collect();
    let update = clear_statement(tokens, (!ids.is_empty()).then_some(&ids));
    driver::statements(db, collection, &[update], false, None).await?;
    Ok(())
}

fn clear_statement(tokens: &[ObjectId], ids: Option<&Vec<&Bson>>) -> Document {
    let mut q = doc! { stored::UNCOUNTED_TOKEN: { "$in": tokens.to_vec() } };
    let mut many = true;
    if let Some(ids) = ids {
        q.insert("_id", flags::ids_of(ids));
        many = ids.len() > 1;
    }
    doc! { "q": q, "u": flags::uncount(tokens), "multi": many }
}
