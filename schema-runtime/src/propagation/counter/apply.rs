//! C2 to C4 by the writer itself.

use std::collections::BTreeMap;
use std::time::Duration;

use bson::oid::ObjectId;
use bson::{Bson, Document, doc};

use super::epochs::{self, Moment, Unneeded};
use super::resume::{clear, forget, make_room};
use super::{Counted, Delta, Parent, ROOM, deltas, ops, stage};
use crate::bson_util::id_key::IdKey;
use crate::bson_util::operators::merge;
use crate::driver::{Lasting, UpdateArgs};
use crate::error::{Error, Result};
use crate::finisher::{self, Open};
use crate::graph::flags;
use crate::graph::links::Link;
use crate::schema::stored;
use crate::{ClientSession, Database, driver};

/// How many times to retry a parent that other writers keep changing.
const ROUNDS: usize = 200;

/// A write of counted children, from before it was sent.
#[derive(Debug, Clone, Copy)]
pub(crate) struct CountToken {
    pub(crate) token: ObjectId,
    moment: Moment,
}

impl CountToken {
    /// Take it before the children are written: epochs that were cached before it are older than the flags of the children.
    pub(crate) fn now() -> Self {
        CountToken {
            token: ObjectId::new(),
            moment: epochs::now(),
        }
    }
}

/// Counts children that a write of this program has flagged, if it is certain that all were written, and clears their flags. The children
/// are as they were written.
///
/// # Errors
/// The driver's, and [`Error::Busy`]. What is not counted stays flagged.
pub(crate) async fn finish<'c>(
    db: &Database,
    collection: &str,
    begun: CountToken,
    children: impl IntoIterator<Item = &'c Document>,
) -> Result<()> {
    let mut written = Written::default();
    for child in children {
        written.add(collection, begun, child);
    }
    written.finish(db, collection, begun).await
}

/// The same for children that one update has flagged, which are found by its token.
///
/// # Errors
/// As [`finish`].
pub(crate) async fn finish_batch(db: &Database, collection: &str, begun: CountToken) -> Result<()> {
    let written = Written::read(db, collection, begun, None).await?;
    written.finish(db, collection, begun).await
}

/// Subtracts children that are being deleted from the numbers of their parents: those that match `filter`, which requires their tombstone.
/// Call it when the delete cannot be undone any more, before the children are removed; doing it twice does no harm.
///
/// # Errors
/// As [`finish`].
pub(crate) async fn leave(db: &Database, collection: &str, filter: &Document) -> Result<()> {
    if super::counted(collection).next().is_none() {
        return Ok(());
    }
    let begun = CountToken::now();
    let mut counted = filter.clone();
    counted.insert(stored::LEFT_COUNTS, doc! { "$exists": false });
    let update = doc! { "q": counted, "u": stage::left(collection, begun.token), "multi": true };
    let done = driver::statements(db, collection, &[update], true, None).await?;
    if done.matched > 0 {
        finish_batch(db, collection, begun).await?;
    }
    // Flags of earlier writers that did not finish.
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
    let mut written = Written::default();
    for child in children {
        written.add(collection, begun, child);
    }
    for ((host, _), delta) in &written.parents {
        let one = std::slice::from_ref(&delta.id);
        let fields = doc! { stored::COUNTS: 1 };
        let found = driver::read_by(db, host, "_id", one, &fields, Some(&mut *session)).await?;
        // If no parent matches, the child is counted after the commit.
        if let Some(found) = found.first() {
            let (filter, update) = counting(delta, begun.token, Counted::read(found).epoch);
            let args = UpdateArgs {
                lasting: Lasting::Durable,
                ..UpdateArgs::plain(filter, update, false)
            };
            driver::update(db, host, args, Some(&mut *session)).await?;
        }
    }
    Ok(())
}

/// The same for children that one update has flagged.
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
    let fields = doc! { stored::UNCOUNTED: 1 };
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

/// The children that one write has flagged, and what they add to each parent.
#[derive(Debug, Default)]
struct Written {
    children: usize,
    /// The `_id` of the child, if there is only one.
    one: Option<Bson>,
    parents: BTreeMap<Parent, Delta>,
}

impl Written {
    fn add(&mut self, collection: &str, begun: CountToken, child: &Document) {
        for op in ops(child).iter().filter(|op| op.token == begun.token) {
            self.children += 1;
            self.one = child.get("_id").filter(|_| self.children == 1).cloned();
            for (parent, delta) in deltas(collection, op) {
                match self.parents.get_mut(&parent) {
                    Some(known) => known.add(&delta),
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
            projection: Some(doc! { stored::UNCOUNTED: 1 }),
            ..driver::FindArgs::default()
        };
        let flagged = doc! { stored::UNCOUNTED_TOKEN: begun.token };
        let mut rows = driver::open(db, collection, flagged, args, None).await?;
        let mut written = Written::default();
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
        // In an order that all programs share: otherwise two of them that each wait for room on the other's parents would never end.
        for (parent, delta) in &self.parents {
            if !count(db, collection, begun, parent, delta).await? {
                // Another program has started to finish these children one by one.
                let flagged = doc! { stored::UNCOUNTED_TOKEN: begun.token };
                super::resume(db, collection, flagged, &mut |_| true).await?;
                return Ok(());
            }
        }
        fault!("after_c2");
        clear(db, collection, &[begun.token], self.one.as_slice()).await?;
        fault!("after_c3");
        for (parent, delta) in &self.parents {
            forget_soon(db, parent, &delta.id, begun.token).await?;
        }
        fault!("after_c4");
        Ok(())
    }
}

/// The numbers that the flags of one call's children add at one parent.
#[derive(Debug)]
pub(crate) struct CountAt {
    begun: CountToken,
    parent: Parent,
    delta: Delta,
}

/// The parents where the flags of these children change a number.
pub(crate) fn counts_of<'c>(
    collection: &str,
    begun: CountToken,
    children: impl IntoIterator<Item = &'c Document>,
) -> Vec<CountAt> {
    let mut written = Written::default();
    for child in children {
        written.add(collection, begun, child);
    }
    let parents = written.parents.into_iter();
    parents
        .map(|(parent, delta)| CountAt {
            begun,
            parent,
            delta,
        })
        .collect()
}

impl CountAt {
    /// The collection of the parent.
    pub(crate) fn host(&self) -> &'static str {
        self.parent.0
    }

    /// The `_id` of the parent.
    pub(crate) fn id(&self) -> &Bson {
        &self.delta.id
    }

    /// True if the epoch of the parent was cached before the children were written.
    pub(crate) fn is_known(&self, db: &Database) -> bool {
        epochs::known(db, &self.parent, self.begun.moment).is_some()
    }

    /// The token of the flags.
    pub(crate) fn token(&self) -> ObjectId {
        self.begun.token
    }
}

/// Caches the epochs of the parents of children that are about to be written, where they are not cached. Does nothing if they are too many
/// for the cache: then the separate steps count.
///
/// # Errors
/// The driver's.
pub(crate) async fn learn_epochs(
    db: &Database,
    collection: &str,
    parents: impl Fn(&Link) -> Vec<Bson>,
) -> Result<()> {
    let mut unknown: BTreeMap<&'static str, BTreeMap<IdKey, Bson>> = BTreeMap::new();
    let now = epochs::now();
    for link in super::counted(collection) {
        let host = link.host.collection;
        for id in parents(link) {
            let key = (host, IdKey::new(&id));
            if epochs::known(db, &key, now).is_none() {
                unknown.entry(host).or_default().insert(key.1, id);
            }
        }
    }
    if unknown.values().map(BTreeMap::len).sum::<usize>() > epochs::AT_ONCE {
        return Ok(());
    }
    for (host, ids) in unknown {
        let ids: Vec<Bson> = ids.into_values().collect();
        let fields = doc! { stored::COUNTS_EPOCH: 1 };
        for found in driver::read_by(db, host, "_id", &ids, &fields, None).await? {
            if let Some(id) = found.get("_id") {
                epochs::learn(db, &(host, IdKey::new(id)), Counted::read(&found).epoch);
            }
        }
    }
    Ok(())
}

/// The children of some calls that one command counts at one parent, which it also changes in other ways.
#[derive(Debug)]
pub(crate) struct GroupCount {
    parent: Parent,
    delta: Delta,
    tokens: Vec<ObjectId>,
    epoch: Option<ObjectId>,
}

impl GroupCount {
    /// `None` if no child is counted there, or if the epoch of the parent was not cached before all of them were written.
    pub(crate) fn of(db: &Database, calls: &[&CountAt]) -> Option<Self> {
        let (first, others) = calls.split_first()?;
        let mut delta = first.delta.clone();
        others.iter().for_each(|call| delta.add(&call.delta));
        let written = calls.iter().map(|call| call.begun.moment).min()?;
        Some(GroupCount {
            epoch: epochs::known(db, &first.parent, written)?,
            parent: first.parent.clone(),
            delta,
            tokens: calls.iter().map(|call| call.begun.token).collect(),
        })
    }

    /// The filter that finds the parent if these children can be counted there, where this many tokens are removed in the same update.
    pub(crate) fn filter(&self, removed: usize) -> Document {
        let more = self.tokens.len().saturating_sub(removed);
        let mut filter = in_epoch(&self.delta.id, self.epoch, more);
        let tokens = match self.tokens.as_slice() {
            [one] => doc! { "$ne": one },
            many => doc! { "$nin": many.to_vec() },
        };
        filter.insert(stored::COUNTED_TOKEN, tokens);
        filter
    }

    /// The stage that counts the children, and removes tokens that nothing needs any more if that starts the epoch `next`.
    pub(crate) fn stage(&self, unneeded: &[ObjectId], next: Option<ObjectId>) -> Document {
        let mut set = Document::new();
        for (field, n) in &self.delta.inc {
            let now = doc! { "$ifNull": [format!("${field}"), 0_i64] };
            set.insert(*field, doc! { "$add": [now, *n] });
        }
        let mut tokens = doc! { "$ifNull": [stored::value::COUNTED, []] };
        if let Some(next) = next {
            tokens = remaining(unneeded);
            set.insert(stored::COUNTS_EPOCH, next);
        }
        let own = self.tokens.iter().map(|token| doc! { "t": token });
        let own: Vec<Document> = own.collect();
        set.insert(stored::COUNTED, doc! { "$concatArrays": [tokens, own] });
        doc! { "$set": set }
    }

    /// Adds the same to an update's operators, without removing anything.
    pub(crate) fn push(&self, operators: &mut Document) {
        let inc = self.delta.inc.iter();
        let inc: Document = inc
            .map(|(field, n)| ((*field).to_owned(), Bson::from(*n)))
            .collect();
        merge(operators, "$inc", inc);
        let own = self.tokens.iter().map(|token| doc! { "t": token });
        let own: Vec<Document> = own.collect();
        merge(
            operators,
            "$push",
            doc! { stored::COUNTED: { "$each": own } },
        );
    }

    /// Call it after that, with the epoch that has started, if one has.
    pub(crate) fn done(&self, db: &Database, next: Option<ObjectId>) {
        if let Some(next) = next {
            epochs::advance(db, &self.parent, self.epoch, next);
        }
    }
}

/// How long tokens wait for others that can be removed with them.
const LINGER: Duration = Duration::from_millis(20);

/// Removes a token that nothing needs any more from a parent: with others, behind the answer, if the present call has one.
async fn forget_soon(db: &Database, parent: &Parent, id: &Bson, token: ObjectId) -> Result<()> {
    if !finisher::is_behind() {
        let mut tokens = epochs::take_finished(db, parent);
        tokens.push(token);
        return remove_tokens(db, parent, id, &tokens).await;
    }
    match epochs::finished(db, parent, token) {
        Unneeded::Now(tokens) => remove_tokens(db, parent, id, &tokens).await,
        Unneeded::Waiting => Ok(()),
        Unneeded::Later => {
            let (own, parent, id) = (db.clone(), parent.clone(), id.clone());
            let open = Open::unbounded(db);
            let later = async move {
                open.linger(LINGER).await;
                let tokens = epochs::take_finished(&own, &parent);
                remove_tokens(&own, &parent, &id, &tokens).await
            };
            finisher::defer(db, later).await
        }
    }
}

/// The tokens of a parent but these.
fn remaining(unneeded: &[ObjectId]) -> Document {
    doc! { "$filter": {
        "input": { "$ifNull": [stored::value::COUNTED, []] },
        "cond": { "$not": [{ "$in": ["$$this.t", unneeded.to_vec()] }] },
    } }
}

/// Tokens and marks that can be removed from a parent. Removing tokens starts a new epoch.
#[derive(Debug)]
pub(crate) struct Removal<'a> {
    pub(crate) parent: Parent,
    pub(crate) id: &'a Bson,
    pub(crate) tokens: &'a [ObjectId],
    pub(crate) marks: &'a [ObjectId],
}

/// Removes what nothing needs any more from parents of one collection, by one command if nobody else removes tokens at the same time.
///
/// # Errors
/// The driver's.
pub(crate) async fn remove(
    db: &Database,
    host: &'static str,
    removals: &[Removal<'_>],
) -> Result<()> {
    let next = ObjectId::new();
    let mut epochs_of = Vec::new();
    let mut statements = Vec::new();
    for removal in removals {
        let known = epochs::known(db, &removal.parent, epochs::now());
        let mut q = doc! { "_id": { "$eq": removal.id } };
        let mut stages = Vec::new();
        if !removal.marks.is_empty() {
            stages.extend(flags::unmark_links(removal.marks));
        }
        if !removal.tokens.is_empty() {
            // Only this epoch goes on in the next one: in any other, somebody else has removed a token.
            q.insert(stored::COUNTS_EPOCH, known.flatten());
            let left =
                doc! { stored::COUNTED: remaining(removal.tokens), stored::COUNTS_EPOCH: next };
            stages.push(doc! { "$set": left });
        }
        epochs_of.push(known);
        statements.push(doc! { "q": q, "u": stages });
    }
    let done = driver::statements(db, host, &statements, false, None).await?;
    if done.failed.is_empty() && done.matched == statements.len() as u64 {
        for (removal, known) in removals.iter().zip(epochs_of) {
            if let (false, Some(known)) = (removal.tokens.is_empty(), known) {
                epochs::advance(db, &removal.parent, known, next);
            }
        }
        return Ok(());
    }
    // The tokens of some of these are there still, and going twice does no harm.
    for removal in removals {
        if !removal.marks.is_empty() {
            let (q, u) = (
                doc! { "_id": { "$eq": removal.id } },
                flags::unmark_links(removal.marks),
            );
            driver::statements(db, host, &[doc! { "q": q, "u": u }], false, None).await?;
        }
        forget(db, &removal.parent, removal.id, removal.tokens).await?;
    }
    Ok(())
}

async fn remove_tokens(
    db: &Database,
    parent: &Parent,
    id: &Bson,
    tokens: &[ObjectId],
) -> Result<()> {
    if tokens.is_empty() {
        return Ok(());
    }
    let removal = Removal {
        parent: parent.clone(),
        id,
        tokens,
        marks: &[],
    };
    remove(db, parent.0, &[removal]).await
}

/// The filter and the update that count at one parent, in its present epoch: once for each token.
fn counting(delta: &Delta, token: ObjectId, epoch: Option<ObjectId>) -> (Document, Document) {
    let mut filter = in_epoch(&delta.id, epoch, 1);
    filter.insert(stored::COUNTED_TOKEN, doc! { "$ne": token });
    let update = doc! { "$inc": increments(delta), "$push": { stored::COUNTED: { "t": token } } };
    (filter, update)
}

/// Matches a parent in that epoch that has room for this many tokens.
pub(crate) fn in_epoch(id: &Bson, epoch: Option<ObjectId>, tokens: usize) -> Document {
    let full = stored::counted_at(ROOM.saturating_sub(tokens));
    doc! { "_id": { "$eq": id }, stored::COUNTS_EPOCH: epoch, full: { "$exists": false } }
}

pub(crate) fn increments(delta: &Delta) -> Document {
    let numbers = delta.inc.iter().filter(|(_, n)| **n != 0);
    numbers
        .map(|(field, n)| ((*field).to_owned(), Bson::Int64(*n)))
        .collect()
}

/// C2 of the writer at one parent; `false` if another program counts the same children one by one.
async fn count(
    db: &Database,
    collection: &str,
    begun: CountToken,
    parent: &Parent,
    delta: &Delta,
) -> Result<bool> {
    let mut delta = delta.clone();
    let mut epoch = epochs::known(db, parent, begun.moment);
    for round in 0..ROUNDS {
        if let Some(epoch) = epoch {
            let (filter, update) = counting(&delta, begun.token, epoch);
            let fields = doc! { stored::COUNTS_EPOCH: 1 };
            let done = driver::change_and_read(db, parent.0, filter, update, fields, true).await?;
            if done.is_some() {
                epochs::learn(db, parent, epoch);
                return Ok(true);
            }
        }
        let one = std::slice::from_ref(&delta.id);
        let found =
            driver::durable_read(db, parent.0, "_id", one, &doc! { stored::COUNTS: 1 }).await?;
        let Some(found) = found.first() else {
            // A parent that does not exist counts nothing, and counting does not create it.
            return Ok(true);
        };
        let now = Counted::read(found);
        epochs::learn(db, parent, now.epoch);
        let mut same = now.tokens.iter().filter(|(token, _)| *token == begun.token);
        if let Some((_, child)) = same.next() {
            return Ok(child.is_none());
        }
        if now.tokens.len() >= ROOM {
            make_room(db, parent, &delta.id, &now, round > 0).await?;
            epoch = None;
            continue;
        }
        epoch = Some(now.epoch);
        // The epoch was read after the flag was set: only a flag that is still there was not counted in an earlier epoch.
        let mut left = Written::read(db, collection, begun, Some(parent)).await?;
        match left.parents.remove(parent) {
            Some(left) => delta = left,
            None => return Ok(true),
        }
    }
    Err(Error::Busy {
        what: format!("the children of {} {}", parent.0, delta.id),
    })
}
