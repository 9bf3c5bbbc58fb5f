//! The steps C2 to C4, when the writer itself takes them.

use std::collections::BTreeMap;

use bson::oid::ObjectId;
use bson::{Bson, Document, doc};
use mongodb::options::UpdateModifications;

use super::epochs::{self, Moment};
use super::reservations::{check_bounds, convert_reservations, fields_of_bounds};
use super::resume::clear_flags;
use super::tokens::{make_room, remove_token_soon};
use super::{CountState, Delta, Parent, ROOM, count_flags, deltas, stage};
use crate::driver::{self, ClientSession, Database, Lasting, UpdateArgs};
use crate::error::{Error, Result};
use crate::graph::flags;
use crate::propagation::periods::store_periods;
use crate::schema::stored;

/// The largest number of times that the count at one parent is tried, while other writers keep changing it.
const ROUNDS: usize = 200;

/// The token and the time of a write of counted children, from before it was sent.
#[derive(Debug, Clone, Copy)]
pub(crate) struct CountToken {
    pub(crate) token: ObjectId,
    pub(super) moment: Moment,
}

impl CountToken {
    /// Takes a token for a write. Call it before the children are written: epochs that were cached before are older than the flags of the
    /// children.
    pub(crate) fn now() -> Self {
        CountToken {
            token: ObjectId::new(),
            moment: epochs::now(),
        }
    }
}

/// Counts children that a write of this program has flagged, and clears their flags. It must be certain that all children were written, and
/// that they are as the write left them.
///
/// # Errors
/// The driver's, and [`Error::Busy`]. Children that are not counted stay flagged.
pub(crate) async fn finish<'c>(
    db: &Database,
    collection: &str,
    begun: CountToken,
    children: impl IntoIterator<Item = &'c Document>,
) -> Result<()> {
    let flagged = FlaggedChildren::among(collection, begun, children);
    flagged.finish(db, collection, begun).await
}

/// Counts children that one update has flagged, and clears their flags. It finds them by the token of the flags.
///
/// # Errors
/// As [`finish`].
pub(crate) async fn finish_batch(db: &Database, collection: &str, begun: CountToken) -> Result<()> {
    let flagged = FlaggedChildren::read(db, collection, begun, None).await?;
    flagged.finish(db, collection, begun).await
}

/// Subtracts children that are being deleted from the numbers of their parents. `filter` matches the children, and requires their
/// tombstone. Call it when the delete cannot be undone any more, before the children are removed; a second call does no harm.
///
/// # Errors
/// As [`finish`].
pub(crate) async fn subtract_children(
    db: &Database,
    collection: &str,
    filter: &Document,
) -> Result<()> {
    if super::counting_links(collection).next().is_none() {
        return Ok(());
    }
    let begun = CountToken::now();
    let mut counted = filter.clone();
    counted.insert(stored::LEFT_COUNTS, doc! { "$exists": false });
    let update =
        doc! { "q": counted, "u": stage::removal_stages(collection, begun.token), "multi": true };
    let done = driver::statements(db, collection, &[update], true, None).await?;
    if done.matched > 0 {
        finish_batch(db, collection, begun).await?;
    }
    // Earlier writers that did not finish may have left flags.
    let mut flagged = filter.clone();
    flagged.insert(stored::UNCOUNTED_TOKEN, doc! { "$exists": true });
    super::resume(db, collection, flagged, &mut |_| true).await?;
    Ok(())
}

/// Counts children that were flagged in a session, in the same session: its transaction makes both visible at once. The flags are cleared
/// after the commit.
///
/// # Errors
/// The driver's.
pub(crate) async fn in_session<'c>(
    db: &Database,
    collection: &str,
    begun: CountToken,
    children: impl IntoIterator<Item = &'c Document>,
    session: &mut ClientSession,
) -> Result<()> {
    let flagged = FlaggedChildren::among(collection, begun, children);
    for ((host, _), delta) in &flagged.parents {
        let one = std::slice::from_ref(&delta.id);
        let bounds = fields_of_bounds(host);
        let is_bounded = !bounds.is_empty();
        let mut fields = doc! { stored::COUNTS: 1 };
        fields.extend(bounds);
        let (by, held) = (("_id", one), Some(&mut *session));
        let found = driver::read_where(db, host, by, &delta.inside, &fields, held).await?;
        // If no parent matches, the child is counted after the commit.
        if let Some(found) = found.first() {
            // The transaction fails if another writer changes the parent after this read.
            check_bounds(host, found, delta, begun.token)?;
            let epoch = CountState::read(found).epoch;
            let (filter, update) = counting(delta, begun.token, epoch)?;
            let mut args = UpdateArgs {
                lasting: Lasting::Durable,
                ..UpdateArgs::plain(filter, update, false)
            };
            if let Some(stage) = converting(host, delta, begun.token)? {
                args.changes = UpdateModifications::Pipeline(vec![stage]);
            }
            let done = driver::update(db, host, args, Some(&mut *session)).await?;
            if is_bounded && done.matched_count == 0 {
                return Err(Error::Busy {
                    what: format!("the children of {host} {}", delta.id),
                });
            }
        }
    }
    Ok(())
}

/// Counts children that one update has flagged in a session, in the same session.
///
/// # Errors
/// The driver's.
pub(crate) async fn batch_in_session(
    db: &Database,
    collection: &str,
    begun: CountToken,
    session: &mut ClientSession,
) -> Result<()> {
    let flagged = [Bson::ObjectId(begun.token)];
    let fields = super::flag_fields(collection);
    let read = driver::read_by(
        db,
        collection,
        stored::UNCOUNTED_TOKEN,
        &flagged,
        &fields,
        Some(&mut *session),
    );
    let children = read.await?;
    in_session(db, collection, begun, &children, session).await
}

/// The children that one write has flagged, and the amounts that they add to each parent.
#[derive(Debug, Default)]
pub(super) struct FlaggedChildren {
    children: usize,
    /// The `_id` of the child, if there is only one.
    one: Option<Bson>,
    /// True if children of several tenants name the same parent, which belongs to one tenant.
    mixed: bool,
    pub(super) parents: BTreeMap<Parent, Delta>,
}

impl FlaggedChildren {
    /// The flags that one write has set on these children, which are as the write left them.
    pub(super) fn among<'c>(
        collection: &str,
        begun: CountToken,
        children: impl IntoIterator<Item = &'c Document>,
    ) -> Self {
        let mut flagged = FlaggedChildren::default();
        for child in children {
            flagged.add(collection, begun, child);
        }
        flagged
    }

    fn add(&mut self, collection: &str, begun: CountToken, child: &Document) {
        for op in count_flags(child)
            .iter()
            .filter(|op| op.token == begun.token)
        {
            self.children += 1;
            self.one = child.get("_id").filter(|_| self.children == 1).cloned();
            for (parent, delta) in deltas(collection, child, op) {
                match self.parents.get_mut(&parent) {
                    Some(known) => {
                        self.mixed |= known.inside != delta.inside;
                        known.add(&delta);
                    }
                    None => drop(self.parents.insert(parent, delta)),
                }
            }
        }
    }

    /// Reads the children that still carry the flag.
    async fn read(
        db: &Database,
        collection: &str,
        begun: CountToken,
        of: Option<&Parent>,
    ) -> Result<Self> {
        let args = driver::FindArgs {
            projection: Some(super::flag_fields(collection)),
            ..driver::FindArgs::default()
        };
        let flagged = doc! { stored::UNCOUNTED_TOKEN: begun.token };
        let mut rows = driver::open(db, collection, flagged, args, None).await?;
        let mut written = FlaggedChildren::default();
        while let Some(row) = rows.next(|raw| Ok(Document::try_from(raw).ok())).await? {
            if let Some(child) = row {
                written.add(collection, begun, &child);
            }
        }
        if let Some(of) = of {
            written.parents.retain(|parent, _| parent == of);
        }
        Ok(written)
    }

    async fn finish(self, db: &Database, collection: &str, begun: CountToken) -> Result<()> {
        if self.children == 0 {
            return Ok(());
        }
        fault!("after_c1");
        // All programs count in the same order: otherwise two of them, each waiting for room on a parent of the other, would never end.
        let mut counted = Vec::new();
        for (parent, delta) in &self.parents {
            let done = match self.mixed {
                true => Count::OneByOne,
                false => count(db, collection, begun, parent, delta).await?,
            };
            match done {
                Count::Done => counted.push((parent, delta)),
                Count::NoParent => {}
                Count::OneByOne => {
                    let flagged = doc! { stored::UNCOUNTED_TOKEN: begun.token };
                    super::resume(db, collection, flagged, &mut |_| true).await?;
                    return Ok(());
                }
            }
        }
        fault!("after_c2");
        clear_flags(db, collection, &[begun.token], self.one.as_slice()).await?;
        fault!("after_c3");
        for (parent, delta) in counted {
            remove_token_soon(db, parent, &delta.id, begun.token).await?;
        }
        fault!("after_c4");
        Ok(())
    }
}

/// The filter and the update that count the children at one parent, once for each token, in the present epoch of the parent.
fn counting(
    delta: &Delta,
    token: ObjectId,
    epoch: Option<ObjectId>,
) -> Result<(Document, Document)> {
    let mut filter = in_epoch(delta.parent(), epoch, 1);
    filter.insert(stored::COUNTED_TOKEN, doc! { "$ne": token });
    let mut update = doc! { "$push": { stored::COUNTED: flags::mark(token) } };
    let inc = increments(delta)?;
    if !inc.is_empty() {
        update.insert("$inc", inc);
    }
    Ok((filter, update))
}

/// The update of [`counting`] if a number of the parent has a bound: it also removes the reservations of this token.
fn converting(host: &str, delta: &Delta, token: ObjectId) -> Result<Option<Document>> {
    let set = convert_reservations(host, &delta.amounts()?, flags::has_one_of(&[token]));
    Ok(set.map(|mut set| {
        set.insert(stored::COUNTED, with_tokens(&[flags::mark(token)]));
        doc! { "$set": set }
    }))
}

/// An expression for the tokens of a parent with these added.
pub(super) fn with_tokens(tokens: &[Document]) -> Document {
    let now = doc! { "$ifNull": [stored::value::COUNTED, []] };
    let tokens: Vec<Document> = tokens
        .iter()
        .map(|token| doc! { "$literal": token })
        .collect();
    doc! { "$concatArrays": [now, tokens] }
}

/// Matches a parent in that epoch that has room for this many tokens.
pub(crate) fn in_epoch(mut parent: Document, epoch: Option<ObjectId>, tokens: usize) -> Document {
    let full = stored::counted_at(ROOM.saturating_sub(tokens));
    parent.insert(stored::COUNTS_EPOCH, epoch);
    parent.insert(full, doc! { "$exists": false });
    parent
}

pub(crate) fn increments(delta: &Delta) -> Result<Document> {
    let amounts = delta.amounts()?.into_iter();
    Ok(amounts.map(|(field, n)| (field.to_owned(), n)).collect())
}

/// The result of C2 of the writer at one parent.
enum Count {
    /// The children are counted there.
    Done,
    /// There is no such parent, or not in the tenant of the children: it counts nothing, and counting does not create it.
    NoParent,
    /// The children have to be counted one by one, or another program has started to do so.
    OneByOne,
}

/// C2 of the writer at one parent.
async fn count(
    db: &Database,
    collection: &str,
    begun: CountToken,
    parent: &Parent,
    delta: &Delta,
) -> Result<Count> {
    let mut delta = delta.clone();
    let mut epoch = epochs::cached_epoch(db, parent, begun.moment);
    for round in 0..ROUNDS {
        if let Some(epoch) = epoch {
            let (filter, update) = counting(&delta, begun.token, epoch)?;
            let converting = converting(parent.0, &delta, begun.token)?;
            let update = converting.map_or_else(|| update.into(), |stage| Bson::from(vec![stage]));
            let fields = doc! { stored::COUNTS_EPOCH: 1 };
            let done = driver::change_and_read(db, parent.0, filter, update, fields, true).await?;
            if done.is_some() {
                epochs::learn(db, parent, epoch);
                return Ok(Count::Done);
            }
        }
        let fields = doc! { stored::COUNTS: 1 };
        let found = driver::durable_read_one(db, parent.0, delta.parent(), &fields).await?;
        let Some(found) = found else {
            let one = std::slice::from_ref(&delta.id);
            match store_periods(db, parent.0, one, &delta.inside).await? {
                true => continue,
                false => return Ok(Count::NoParent),
            }
        };
        let now = CountState::read(&found);
        epochs::learn(db, parent, now.epoch);
        let mut same = now.tokens.iter().filter(|(token, _)| *token == begun.token);
        if let Some((_, child)) = same.next() {
            return Ok(match child {
                None => Count::Done,
                Some(_) => Count::OneByOne,
            });
        }
        if now.tokens.len() >= ROOM {
            make_room(db, parent, &delta.id, &now, round > 0).await?;
            epoch = None;
            continue;
        }
        epoch = Some(now.epoch);
        // The epoch was read after the flag was set: only flags that are still set were not counted in an earlier epoch.
        let mut left = FlaggedChildren::read(db, collection, begun, Some(parent)).await?;
        match left.parents.remove(parent) {
            Some(left) => delta = left,
            None => return Ok(Count::Done),
        }
    }
    Err(Error::Busy {
        what: format!("the children of {} {}", parent.0, delta.id),
    })
}
