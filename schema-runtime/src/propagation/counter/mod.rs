//! Derived data of parents: the number of their children.
//!
//! Comparing revisions could not correct a number, because adding one twice is not the same as adding it once. So a write of a child that
//! changes which parent counts it leaves a flag `{t, f, to}` in `_dn.c`: a token, and for each reference the former and the new parent.
//! Finishing the flag changes the numbers of the parents, and in the same write adds the token to `_dn.k.a`; if the token is there already,
//! the write does nothing. Then the flag is cleared, and then the token.
//!
//! A late write could find the token gone and count again. Therefore removing a token always starts a new *epoch*, `_dn.k.e`, and a write
//! counts only in the epoch that was read before the flag was last seen: epoch, flag, number, flag off, token off (PROTOCOL 15.D3). A
//! child has one flag for each unfinished write; each is counted by itself, in any order.

pub(crate) mod apply;
mod epochs;
mod group;
mod places;
pub(crate) mod recount;
mod release;
mod reservations;
mod reserve;
mod resume;
mod stage;
mod tokens;
mod verify;

use std::collections::BTreeMap;

use bson::oid::ObjectId;
use bson::{Bson, Document, doc};

pub(crate) use self::apply::{
    CountToken, batch_in_session, finish, finish_batch, in_session, subtract_children,
};
pub(crate) use self::group::{CountAt, GroupCount, counts_of, learn_epochs};
pub(crate) use self::recount::{compute_count, count_children, flagged_among, recount};
pub(crate) use self::release::release_abandoned;
pub(crate) use self::reservations::has_reservations;
pub(crate) use self::reserve::{
    Reservations, Stage, bounded_parents, is_child_of_bounded, reserve_places,
};
pub(crate) use self::resume::resume;
pub(crate) use self::stage::{
    COMPUTED, as_moved_child, as_new_child, computed, flag_stages, new_child_flag, removal_stages,
};
pub(crate) use self::tokens::{Removal, remove_all, remove_orphaned_tokens};
pub(crate) use self::verify::verify;
use crate::bson_util::amount::{Amount, inexact};
use crate::bson_util::id_key::IdKey;
use crate::driver::Database;
use crate::error::{Error, Result};
use crate::graph::edges::Edges;
use crate::graph::flags;
use crate::graph::links::Link;
use crate::schema::registry::model_in;
use crate::schema::stored;
use crate::schema::tenant::tenant_field;

/// The largest number of tokens on a parent.
const ROOM: usize = 256;

/// The links whose numbers count the documents of this collection.
pub(crate) fn counting_links<'e>(collection: &'e str) -> impl Iterator<Item = &'e Link> + use<'e> {
    Edges::get()
        .links_of(collection)
        .filter(|link| link.counts())
}

/// The epoch that new documents of this collection start with, if they count anything. No earlier document with the same `_id` had that
/// epoch, so no unfinished count of an earlier document is added to a new one.
pub(crate) fn first_epoch(collection: &str) -> Option<ObjectId> {
    let mut links = Edges::get().links().iter();
    links
        .any(|link| link.counts() && link.host.collection == collection)
        .then(ObjectId::new)
}

/// The filter of the children whose flags change the numbers of these parents along this link.
pub(crate) fn flagged_for(link: &Link, parents: &[Bson]) -> Document {
    doc! {
        stored::UNCOUNTED_TOKEN: { "$exists": true },
        "$or": [
            { stored::uncounted_from(&link.key): { "$in": parents } },
            { stored::uncounted_to(&link.key): { "$in": parents } },
        ],
    }
}

/// The largest number of new documents of one call whose epochs are cached.
const NEW_PARENTS: usize = 100;

/// Caches the epoch of these new parents, so that their first children are counted without a read of the parents.
pub(crate) fn cache_first_epoch(
    db: &Database,
    collection: &'static str,
    ids: &[Bson],
    epoch: ObjectId,
) {
    for id in ids.iter().take(NEW_PARENTS) {
        epochs::learn(db, &(collection, IdKey::new(id)), Some(epoch));
    }
}

/// A flag of a child: the change of its parents that one write has made, under the token of the write.
#[derive(Debug, Clone)]
struct CountFlag {
    token: ObjectId,
    /// The parent that no longer counts the child, by the stored name of the reference.
    from: Document,
    /// The parent that is to count the child.
    to: Document,
    /// The amounts that these parents lose and gain, by the name of the number. A number to which each child adds one is absent.
    loss: Amounts,
    gain: Amounts,
}

type Amounts = BTreeMap<String, Amount>;

fn amounts(flag: &Document, side: &str) -> Amounts {
    let all = flag.get_array(side).into_iter().flatten();
    let all = all.filter_map(|one| {
        let one = one.as_document()?;
        let link = one.get_str(stored::key::UNCOUNTED_LINK).ok()?;
        Some((
            link.to_owned(),
            Amount::read(one.get(stored::key::UNCOUNTED_AMOUNT)?)?,
        ))
    });
    all.collect()
}

/// The flags of a child.
fn count_flags(child: &Document) -> Vec<CountFlag> {
    flags::marks(child, stored::key::UNCOUNTED)
        .filter_map(|flag| {
            let side = |name| flag.get_document(name).cloned().unwrap_or_default();
            Some(CountFlag {
                token: flags::token_of(flag)?,
                from: side(stored::key::UNCOUNTED_FROM),
                to: side(stored::key::UNCOUNTED_TO),
                loss: amounts(flag, stored::key::UNCOUNTED_LOSS),
                gain: amounts(flag, stored::key::UNCOUNTED_GAIN),
            })
        })
        .collect()
}

/// The parents along this link that the flags of a child name.
pub(crate) fn flagged_parents(link: &Link, child: &Document) -> Vec<Bson> {
    let flags = count_flags(child).into_iter();
    let sides = flags.flat_map(|flag| [flag.from, flag.to]);
    sides
        .filter_map(|side| side.get(&link.key).cloned())
        .collect()
}

/// A parent: its collection, and a key for its `_id` in an order that all programs share.
pub(crate) type Parent = (&'static str, IdKey);

/// The amounts to add to the numbers of one parent.
#[derive(Debug, Clone)]
pub(crate) struct Delta {
    id: Bson,
    /// The condition that the parent belongs to the tenant of the children.
    inside: Document,
    /// The amounts, by the stored name of the number.
    inc: BTreeMap<&'static str, Amount>,
}

impl Delta {
    /// The filter that matches the parent.
    fn parent(&self) -> Document {
        let mut parent = doc! { "_id": { "$eq": &self.id } };
        parent.extend(self.inside.clone());
        parent
    }

    fn add(&mut self, other: &Delta) {
        for (field, n) in &other.inc {
            self.gain(field, *n);
        }
    }

    fn gain(&mut self, field: &'static str, n: Amount) {
        let now = self.inc.entry(field).or_default();
        *now = now.plus(n);
    }

    /// The amounts that are not 0.
    ///
    /// # Errors
    /// [`Error::Impossible`] if a number cannot hold one of them.
    fn amounts(&self) -> Result<Vec<(&'static str, Bson)>> {
        let amounts = self.inc.iter().filter(|(_, n)| !n.is_zero());
        amounts
            .map(|(field, n)| Ok((*field, stored_number(*n, field)?)))
            .collect()
    }
}

/// The value of a number as it is stored.
///
/// # Errors
/// [`Error::Impossible`] if no stored number can hold the value.
fn stored_number(number: Amount, name: &str) -> Result<Bson> {
    number.to_bson().ok_or_else(|| too_large(name))
}

fn too_large(name: &str) -> Error {
    Error::Impossible {
        what: inexact(&format!("`{name}`")),
    }
}

/// The fields of a child that its flags are read from, and those that say where it is counted.
fn flag_fields(collection: &str) -> Document {
    let mut fields = doc! { stored::UNCOUNTED: 1 };
    let tenant = model_in(collection).and_then(tenant_field);
    fields.extend(tenant.map(|field| (field.to_owned(), 1.into())));
    fields
}

/// The amounts that a flag of a child adds at each parent that it concerns.
fn deltas(collection: &str, child: &Document, flag: &CountFlag) -> BTreeMap<Parent, Delta> {
    let mut out: BTreeMap<Parent, Delta> = BTreeMap::new();
    for link in Edges::get().links() {
        if link.child.collection != collection || !link.counts() {
            continue;
        }
        let sides = [
            (&flag.from, &flag.loss, true),
            (&flag.to, &flag.gain, false),
        ];
        for (side, amounts, is_lost) in sides {
            if let Some(id) = side.get(&link.key) {
                let amount = match link.addend() {
                    Some(_) => amounts.get(&link.name).copied().unwrap_or_default(),
                    None => 1.into(),
                };
                let amount = link.zero().plus(amount);
                let parent = (link.host.collection, IdKey::new(id));
                let delta = out.entry(parent).or_insert_with(|| Delta {
                    id: id.clone(),
                    inside: link.inside_host(child),
                    inc: BTreeMap::new(),
                });
                delta.gain(link.field, if is_lost { amount.negated() } else { amount });
            }
        }
    }
    out.retain(|_, delta| !delta.inc.values().all(|n| n.is_zero()));
    out
}

/// The state of new counts: an epoch without tokens.
pub(crate) fn new_counts(epoch: ObjectId) -> Document {
    doc! { stored::key::COUNTS_EPOCH: epoch }
}

/// The tokens of the changes that the counts of a parent include.
fn counted_tokens(host: &Document) -> impl Iterator<Item = &Document> {
    let dn = host.get_document(stored::OWN).ok();
    let counts = dn.and_then(|dn| dn.get_document(stored::key::COUNTS).ok());
    let tokens = counts.and_then(|counts| counts.get_array(stored::key::COUNTED).ok());
    let tokens = tokens.into_iter().flatten();
    tokens.filter_map(Bson::as_document)
}

/// The tokens of the calls whose children the counts of a parent include. A token with a child's `_id` stands for that child alone: a
/// finisher has counted it, and may have left the others of its call.
pub(crate) fn tokens_of_calls(host: &Document) -> impl Iterator<Item = ObjectId> {
    let tokens = counted_tokens(host);
    let of_calls = tokens.filter(|token| !token.contains_key(stored::key::COUNTED_CHILD));
    of_calls.filter_map(flags::token_of)
}

/// The epoch and the tokens of a parent.
#[derive(Debug, Default)]
pub(crate) struct CountState {
    epoch: Option<ObjectId>,
    tokens: Vec<(ObjectId, Option<Bson>)>,
}

impl CountState {
    fn read(host: &Document) -> Self {
        let dn = host.get_document(stored::OWN).ok();
        let counts = dn.and_then(|dn| dn.get_document(stored::key::COUNTS).ok());
        let epoch = counts.and_then(|counts| counts.get_object_id(stored::key::COUNTS_EPOCH).ok());
        let token = |token: &Document| {
            let child = token.get(stored::key::COUNTED_CHILD).cloned();
            Some((flags::token_of(token)?, child))
        };
        CountState {
            epoch,
            tokens: counted_tokens(host).filter_map(token).collect(),
        }
    }
}
