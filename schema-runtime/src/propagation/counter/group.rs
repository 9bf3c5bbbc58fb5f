//! Counts as a part of a larger update of a parent: the command that changes the lists of the parent also counts the children of several
//! calls. The steps of the writer alone (C2) change nothing but the numbers, and so are in another module.

use std::collections::BTreeMap;

use bson::oid::ObjectId;
use bson::{Bson, Document, doc};

use super::apply::{CountToken, FlaggedChildren, in_epoch};
use super::epochs;
use super::reservations::{convert_reservations, gains, needs_pipeline};
use super::tokens::without_tokens;
use super::{CountState, Delta, Parent};
use crate::bson_util::id_key::IdKey;
use crate::bson_util::operators::merge;
use crate::driver::{self, Database};
use crate::error::Result;
use crate::graph::flags;
use crate::graph::links::Link;
use crate::propagation::periods::store_periods;
use crate::schema::stored;

/// The amounts that the flags of one call's children add to the numbers of one parent.
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
    let flagged = FlaggedChildren::among(collection, begun, children);
    let parents = flagged.parents.into_iter();
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

    /// The condition that the parent belongs to the tenant of the children.
    pub(crate) fn inside(&self) -> &Document {
        &self.delta.inside
    }

    /// True if the epoch of the parent was cached before the children were written.
    pub(crate) fn is_known(&self, db: &Database) -> bool {
        epochs::cached_epoch(db, &self.parent, self.begun.moment).is_some()
    }

    /// True if the flags have this token, and add these amounts to the numbers of this parent.
    pub(super) fn is_of(
        &self,
        token: ObjectId,
        parent: &Parent,
        amounts: &[(&'static str, Bson)],
    ) -> bool {
        let adds = || self.delta.amounts().is_ok_and(|own| own == amounts);
        self.begun.token == token && self.parent == *parent && adds()
    }

    /// The token of the flags.
    pub(crate) fn token(&self) -> ObjectId {
        self.begun.token
    }
}

/// The `_id` of a parent, and the condition that it belongs to the tenant of its children.
pub(crate) type ParentInside = (Bson, Document);

/// The condition of one tenant, and its parents whose epochs are not cached.
type UnknownParents = (Document, BTreeMap<IdKey, Bson>);

/// Caches the epochs of the parents of children that are about to be written, if they are not cached. Does nothing if there are too many
/// parents for the cache: then the separate steps count.
///
/// # Errors
/// The driver's.
pub(crate) async fn learn_epochs(
    db: &Database,
    collection: &str,
    parents: impl Fn(&Link) -> Vec<ParentInside>,
) -> Result<()> {
    let mut unknown: BTreeMap<(&'static str, IdKey), UnknownParents> = BTreeMap::new();
    let now = epochs::now();
    for link in super::counting_links(collection) {
        let host = link.host.collection;
        for (id, inside) in parents(link) {
            let key = (host, IdKey::new(&id));
            if epochs::cached_epoch(db, &key, now).is_none() {
                let tenant = (host, IdKey::new(&Bson::from(inside.clone())));
                let (_, ids) = unknown.entry(tenant).or_insert((inside, BTreeMap::new()));
                ids.insert(key.1, id);
            }
        }
    }
    if unknown.values().map(|(_, ids)| ids.len()).sum::<usize>() > epochs::AT_ONCE {
        return Ok(());
    }
    for ((host, _), (inside, mut ids)) in unknown {
        read_epochs(db, host, &inside, &mut ids).await?;
        if !ids.is_empty() {
            let absent: Vec<Bson> = ids.values().cloned().collect();
            if store_periods(db, host, &absent, &inside).await? {
                read_epochs(db, host, &inside, &mut ids).await?;
            }
        }
    }
    Ok(())
}

/// Caches the epochs of these parents, and removes from `ids` the parents that exist.
async fn read_epochs(
    db: &Database,
    host: &'static str,
    inside: &Document,
    ids: &mut BTreeMap<IdKey, Bson>,
) -> Result<()> {
    let all: Vec<Bson> = ids.values().cloned().collect();
    let fields = doc! { stored::COUNTS_EPOCH: 1 };
    for found in driver::read_where(db, host, ("_id", &all), inside, &fields, None).await? {
        if let Some(id) = found.get("_id") {
            let key = IdKey::new(id);
            ids.remove(&key);
            epochs::learn(db, &(host, key), CountState::read(&found).epoch);
        }
    }
    Ok(())
}

/// The children of some calls that one command counts at one parent, which it also changes in other ways.
#[derive(Debug)]
pub(crate) struct GroupCount {
    parent: Parent,
    /// The filter that matches the parent.
    this: Document,
    amounts: Vec<(&'static str, Bson)>,
    tokens: Vec<ObjectId>,
    epoch: Option<ObjectId>,
}

impl GroupCount {
    /// Plans one count for these calls. `None` if no child is counted at the parent, if the epoch of the parent was not cached before all
    /// children were written, or if a number cannot hold the sum of the amounts.
    pub(crate) fn plan(db: &Database, calls: &[&CountAt]) -> Option<Self> {
        let (first, others) = calls.split_first()?;
        let mut delta = first.delta.clone();
        others.iter().for_each(|call| delta.add(&call.delta));
        let written = calls.iter().map(|call| call.begun.moment).min()?;
        Some(GroupCount {
            epoch: epochs::cached_epoch(db, &first.parent, written)?,
            parent: first.parent.clone(),
            amounts: delta.amounts().ok()?,
            this: delta.parent(),
            tokens: calls.iter().map(|call| call.begun.token).collect(),
        })
    }

    /// The filter that finds the parent if it can count these children in an update that also removes this many tokens.
    pub(crate) fn filter(&self, removed: usize) -> Document {
        let more = self.tokens.len().saturating_sub(removed);
        let mut filter = in_epoch(self.this.clone(), self.epoch, more);
        let tokens = match self.tokens.as_slice() {
            [one] => doc! { "$ne": one },
            many => doc! { "$nin": many.to_vec() },
        };
        filter.insert(stored::COUNTED_TOKEN, tokens);
        filter
    }

    /// The stage that counts the children. If `next` is an epoch, the stage starts it, and removes tokens that nothing needs any more.
    pub(crate) fn stage(&self, unneeded: &[ObjectId], next: Option<ObjectId>) -> Document {
        let these = flags::has_one_of(&self.tokens);
        let reserved = convert_reservations(self.host(), &self.amounts, these);
        let mut set = reserved.unwrap_or_else(|| gains(&self.amounts));
        let mut tokens = doc! { "$ifNull": [stored::value::COUNTED, []] };
        if let Some(next) = next {
            tokens = without_tokens(unneeded);
            set.insert(stored::COUNTS_EPOCH, next);
        }
        let own: Vec<Document> = self.tokens.iter().copied().map(flags::mark).collect();
        set.insert(stored::COUNTED, doc! { "$concatArrays": [tokens, own] });
        doc! { "$set": set }
    }

    /// True if operators can count the children: no number of the parent has a bound or is a decimal.
    pub(crate) fn is_plain(&self) -> bool {
        !needs_pipeline(self.host())
    }

    fn host(&self) -> &'static str {
        self.parent.0
    }

    /// Adds the count to the operators of an update, without removing anything. Call it only if [`is_plain`](Self::is_plain).
    pub(crate) fn push(&self, operators: &mut Document) {
        let inc = self.amounts.iter();
        let inc: Document = inc
            .map(|(field, n)| ((*field).to_owned(), n.clone()))
            .collect();
        if !inc.is_empty() {
            merge(operators, "$inc", inc);
        }
        let own: Vec<Document> = self.tokens.iter().copied().map(flags::mark).collect();
        merge(
            operators,
            "$push",
            doc! { stored::COUNTED: { "$each": own } },
        );
    }

    /// Caches the result of the update. Call it after the update, with the epoch that the update has started, if any.
    pub(crate) fn done(&self, db: &Database, next: Option<ObjectId>) {
        if let Some(next) = next {
            epochs::advance(db, &self.parent, self.epoch, next);
        }
    }
}
