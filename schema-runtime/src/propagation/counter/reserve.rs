//! Reservations: a child of a bounded number (`#[count(.., max = ..)]`) has its place in the parent before it is stored.
//!
//! P1 is one update of the parent, before C1. Its filter contains the bound. It adds the amounts of the new children to the numbers, and
//! records them in `_dn.k.r`: for each child the token of its flag, its `_id` and the amounts. C2 then turns a reservation into a count: it
//! removes the reservation, and adds only the amounts that the reservation has not added. So a number always includes the counted children
//! and the reservations, even if a program stops half way. A reservation whose child was never stored is released: by the writer if the
//! server refused the child, otherwise by any program that finds it after a minute ([`lease`]). A writer that was so slow that this may
//! have happened renews the reservation before it answers.

use std::collections::BTreeMap;
use std::time::Instant;

use bson::oid::ObjectId;
use bson::{Bson, Document, doc};

use super::places::{FEW, Places, ROOM};
use super::release::{release_at, release_stale};
use super::reservations::{all_reserved, bound_error, has_token, reservations};
use super::{CountAt, Delta, Parent, count_flags, deltas};
use crate::bson_util::amount::Amount;
use crate::bson_util::path::{at, put_nested};
use crate::driver::{self, Database, FindArgs};
use crate::error::{Error, Result};
use crate::graph::edges::Edges;
use crate::graph::links::{Bound, Link};
use crate::propagation::lease;
use crate::schema::stored;

/// The largest number of attempts to reserve places at one parent.
const ROUNDS: usize = 8;

/// The bounded numbers of parents that count the documents of this collection.
fn bounded_links(collection: &str) -> impl Iterator<Item = (&'static Link, &'static Bound)> {
    let links = Edges::get().links().iter();
    let counted = links.filter(move |link| link.child.collection == collection);
    counted.filter_map(|link| Some((link, link.bound.as_ref()?)))
}

/// True if a bounded number counts the documents of this collection.
pub(crate) fn is_child_of_bounded(collection: &str) -> bool {
    bounded_links(collection).next().is_some()
}

/// The parents with a bounded number that an update with this `$set` gives to children, each with its link.
pub(crate) fn bounded_parents(collection: &str, set: &Document) -> Vec<(&'static Link, Bson)> {
    let parents = bounded_links(collection).filter_map(|(link, _)| {
        let parent = at(set, &link.reference).filter(|parent| **parent != Bson::Null);
        Some((link, parent?.clone()))
    });
    parents.collect()
}

/// The time at which places are reserved.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Stage {
    /// Before the children are written.
    BeforeWrite,
    /// After the children were written, because another program may have released the places meanwhile, or be about to.
    AfterWrite,
}

/// The reservations of one write.
#[derive(Debug)]
pub(crate) struct Reservations {
    token: ObjectId,
    parents: Vec<Reserved>,
    /// The time at which the first of these reservations was sent.
    since: Instant,
}

/// P1: reserves places for children that are about to be written with their flags, for all of them or for none. `children` are as they will
/// be stored.
///
/// # Errors
/// [`Error::Full`]; [`Error::Impossible`] for more than 1,000 children of one parent; the driver's.
pub(crate) async fn reserve_places<'c>(
    db: &Database,
    collection: &'static str,
    token: ObjectId,
    children: impl IntoIterator<Item = &'c Document>,
    stage: Stage,
) -> Result<Reservations> {
    let mut reservations = Reservations {
        token,
        ..Reservations::none()
    };
    if !is_child_of_bounded(collection) {
        return Ok(reservations);
    }
    let mut parents: BTreeMap<Parent, Vec<NewChild>> = BTreeMap::new();
    for child in children {
        let id = child.get("_id").cloned().unwrap_or(Bson::Null);
        for flag in count_flags(child) {
            for (parent, delta) in deltas(collection, child, &flag) {
                let child = id.clone();
                let new = parents.entry(parent).or_default();
                new.push(NewChild { child, delta });
            }
        }
    }
    // All programs use the same order, as in C2.
    for (parent, mut children) in parents {
        let request = Request::new(collection, token, &parent, &mut children)?;
        let Some(request) = request else { continue };
        match request.send(db, collection, stage).await {
            Ok(Some(reserved)) => reservations.parents.push(Reserved {
                parent,
                id: request.parent,
                amounts: request.amounts,
                may_stay: reserved <= FEW,
            }),
            Ok(None) => {}
            Err(error) => {
                reservations.release(db).await?;
                return Err(error);
            }
        }
    }
    Ok(reservations)
}

impl Reservations {
    /// A value without reservations.
    pub(crate) fn none() -> Self {
        Reservations {
            token: ObjectId::new(),
            parents: Vec::new(),
            since: Instant::now(),
        }
    }

    /// True if another program may have released some of these reservations by now.
    pub(crate) async fn are_late(&self) -> bool {
        !self.parents.is_empty() && lease::is_late(self.since).await
    }

    /// True if these reservations have changed the numbers of the parent as this count does, and few others wait there: then readers see
    /// no difference once it is counted.
    pub(crate) fn cover(&self, count: &CountAt) -> bool {
        let mut parents = self.parents.iter();
        parents.any(|one| one.may_stay && count.is_of(self.token, &one.parent, &one.amounts))
    }

    /// Removes the reservations that are left from the numbers, because their children were not stored.
    ///
    /// # Errors
    /// The driver's. After an error, another program releases the reservations after a minute.
    pub(crate) async fn release(&self, db: &Database) -> Result<()> {
        for Reserved { parent, id, .. } in &self.parents {
            let left = doc! { stored::TOKEN: self.token };
            let these = doc! { "$eq": [stored::THIS_TOKEN, self.token] };
            release_at(db, parent.0, id, left, these).await?;
        }
        Ok(())
    }

    /// Releases the reservations after a write that failed, unless the write may have stored the children, or may do so yet. Returns the
    /// error.
    pub(crate) async fn release_after(&self, db: &Database, error: Error) -> Error {
        if !driver::outcome_unknown(&error) {
            // If this fails, they are released after the lease.
            let _ = self.release(db).await;
        }
        error
    }
}

/// The reservations of one write on one parent.
#[derive(Debug)]
struct Reserved {
    parent: Parent,
    id: Bson,
    /// The amounts that they have added to the numbers.
    amounts: Vec<(&'static str, Bson)>,
    /// True if the call may return before they are counted.
    may_stay: bool,
}

/// A child that one parent is going to count.
struct NewChild {
    child: Bson,
    delta: Delta,
}

/// The request for places at one parent (P1).
struct Request {
    parent: Bson,
    places: Places,
    children: Vec<Bson>,
    amounts: Vec<(&'static str, Bson)>,
    token: ObjectId,
}

impl Request {
    /// Plans the request; `None` if no bounded number of this parent gains a child.
    fn new(
        collection: &'static str,
        token: ObjectId,
        parent: &Parent,
        children: &mut Vec<NewChild>,
    ) -> Result<Option<Self>> {
        let here = bounded_links(collection).filter(|(link, _)| link.host.collection == parent.0);
        let here: Vec<(&'static Link, &'static Bound)> = here.collect();
        let gains = |new: &NewChild, link: &Link| new.delta.inc.get(link.field).copied();
        let adds = |new: &NewChild, link: &Link| gains(new, link).is_some_and(Amount::is_positive);
        children.retain(|new| here.iter().any(|(link, _)| adds(new, link)));
        let Some(first) = children.first() else {
            return Ok(None);
        };
        if children.len() > ROOM {
            return Err(Error::Impossible {
                what: format!(
                    "one write reserves at most {ROOM} places of {} {}",
                    parent.0, first.delta.id
                ),
            });
        }
        let mut total = Delta {
            id: first.delta.id.clone(),
            inside: first.delta.inside.clone(),
            inc: BTreeMap::new(),
        };
        let mut entries = Vec::new();
        for NewChild { child, delta } in children.iter() {
            total.add(delta);
            let mut amounts = Document::new();
            for (field, n) in delta.amounts()? {
                put_nested(&mut amounts, field, n);
            }
            entries.push(doc! {
                stored::TOKEN: token,
                stored::key::RESERVED_CHILD: { "$literal": child },
                stored::key::RESERVED_AT: "$$NOW",
                stored::key::RESERVED_AMOUNTS: amounts,
            });
        }
        let gained = |link: &Link| total.inc.get(link.field)?.as_i64().filter(|n| *n != 0);
        let bounded = here.into_iter();
        let bounded = bounded.filter_map(|(link, bound)| Some((link, bound, gained(link)?)));
        let bounded = bounded.collect();
        Ok(Some(Request {
            parent: total.id.clone(),
            children: children.iter().map(|new| new.child.clone()).collect(),
            amounts: total.amounts()?,
            token,
            places: Places {
                at: parent.clone(),
                bounded,
                total,
                entries,
                tokens: vec![token],
            },
        }))
    }

    /// The number of reservations on the parent, these included; `None` if nothing is reserved, because there is no such parent, or because
    /// it has these children already.
    async fn send(
        &self,
        db: &Database,
        collection: &'static str,
        stage: Stage,
    ) -> Result<Option<usize>> {
        if stage == Stage::AfterWrite {
            if self.renew(db).await? {
                return Ok(Some(ROOM));
            }
            // Another program has counted them meanwhile: they have places if the number is within its bound with them.
            if self.are_there(db, collection).await? {
                let counted = self.read_parent(db).await?;
                let full = counted.and_then(|parent| self.full(&parent, |_| 0));
                return full.map_or(Ok(None), Err);
            }
        }
        for round in 0..ROUNDS {
            if let Some(reserved) = self.places.reserve(db).await? {
                return Ok(Some(reserved));
            }
            let Some(parent) = &self.read_parent(db).await? else {
                return Ok(None);
            };
            let reserved = reservations(parent);
            if reserved.iter().any(|entry| has_token(entry, self.token)) {
                return Ok(Some(reserved.len()));
            }
            let may_be_there = round == 0 && stage == Stage::BeforeWrite;
            if may_be_there && self.are_there(db, collection).await? {
                return Ok(None);
            }
            if release_stale(db, self.places.at.0, &self.parent, &reserved).await? {
                continue;
            }
            if let Some(full) = self.full(parent, |gain| gain) {
                return Err(full);
            }
        }
        Err(Error::Busy {
            what: format!("the children of {} {}", self.places.at.0, self.parent),
        })
    }

    /// The parent with its bounded numbers and its reservations, as no crash can take it back.
    async fn read_parent(&self, db: &Database) -> Result<Option<Document>> {
        let mut fields = doc! { "_id": 1, stored::COUNTS: 1 };
        fields.extend(self.places.bounded.iter().flat_map(|(link, bound, _)| {
            let number = (link.field.to_owned(), Bson::from(1));
            let bound = bound.field().map(|field| (field.to_owned(), Bson::from(1)));
            std::iter::once(number).chain(bound)
        }));
        let this = self.places.total.parent();
        driver::durable_read_one(db, self.places.at.0, this, &fields).await
    }

    /// Starts the lease of the reservations anew, so that a program that is about to release them finds them changed; false if they are
    /// gone.
    async fn renew(&self, db: &Database) -> Result<bool> {
        let at = doc! { "$cond": [
            { "$eq": [stored::THIS_TOKEN, self.token] },
            { stored::key::RESERVED_AT: "$$NOW" },
            {},
        ] };
        let renewed = doc! { "$mergeObjects": ["$$this", at] };
        let renewed = doc! { "$map": { "input": all_reserved(), "in": renewed } };
        let update = doc! {
            "q": { "_id": { "$eq": &self.parent }, stored::RESERVED_TOKEN: self.token },
            "u": [{ "$set": { stored::RESERVED: renewed } }],
        };
        let done = driver::statements(db, self.places.at.0, &[update], false, None).await?;
        Ok(done.matched > 0)
    }

    /// True if the children are stored already, with this parent and without the flag of this write: then they have their places.
    async fn are_there(&self, db: &Database, collection: &'static str) -> Result<bool> {
        for (link, ..) in &self.places.bounded {
            let filter = doc! {
                "_id": { "$in": &self.children },
                &link.reference: { "$eq": &self.parent },
                stored::UNCOUNTED_TOKEN: { "$ne": self.token },
            };
            let args = FindArgs {
                projection: Some(doc! { "_id": 1 }),
                ..FindArgs::default()
            };
            let mut rows = driver::open(db, collection, link.live(filter), args, None).await?;
            let mut there = 0;
            while rows.next(|_| Ok(())).await?.is_some() {
                there += 1;
            }
            if there < self.children.len() {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// The error if a bounded number of the parent, as it was read, does not admit this part of what the children add; otherwise `None`.
    fn full(&self, parent: &Document, part: impl Fn(i64) -> i64) -> Option<Error> {
        let mut bounded = self.places.bounded.iter();
        bounded.find_map(|(link, bound, gain)| bound_error(link, bound, parent, part(*gain)))
    }
}
