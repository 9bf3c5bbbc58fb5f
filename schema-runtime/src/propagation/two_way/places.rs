//! Places in the bounded arrays of parents: a child has its place before it is written (P1).
//!
//! A place is a mark of the pair of parent and child with the time of its reservation, `{t, k: child, e: link, at}` in `_dn.v`. P1 adds the
//! place if the ids in the array and the children with places are together within the bound. W2 puts the id into the array, and removes the
//! place. If the child was not written, the writer removes its place, or else the sweep after a minute: the sweep treats an old place like
//! any other mark, and compares the pair with the child.

use std::time::Instant;

use bson::oid::ObjectId;
use bson::{Bson, Document, doc};

use super::change::{list, marks, place_time, placed};
use super::sweep::verify;
use crate::bson_util::id_key::IdKey;
use crate::driver::{self, Database};
use crate::error::{Error, Result};
use crate::graph::flags;
use crate::graph::links::Link;
use crate::propagation::lease;
use crate::schema::stored;

/// The largest number of attempts to reserve places.
const ROUNDS: usize = 8;

/// A parent, and the children that it gains.
#[derive(Debug, Clone)]
pub(crate) struct Gain {
    pub(crate) parent: Bson,
    pub(crate) children: Vec<Bson>,
}

/// The places of one write.
#[derive(Debug)]
pub(crate) struct Places {
    token: ObjectId,
    /// The parents that may have places, by the link, with the condition that they belong to the tenant of the children.
    parents: Vec<(&'static Link, Document, Vec<Bson>)>,
    /// The time at which the first of the places was sent.
    since: Instant,
    /// True if the children are written, and their places may have been lost.
    late: bool,
}

impl Places {
    /// A value without places.
    pub(crate) fn none() -> Self {
        Places {
            token: ObjectId::new(),
            parents: Vec::new(),
            since: Instant::now(),
            late: false,
        }
    }

    /// True if another program may have removed some of these places by now.
    pub(crate) async fn are_late(&self) -> bool {
        let mut parents = self.parents.iter();
        parents.any(|(.., parents)| !parents.is_empty()) && lease::is_late(self.since).await
    }

    /// P1. Reserves a place for each child that is not in the array, and returns the parents that do not exist. A repetition reserves only
    /// places that are not reserved any more. `inside` is the condition that the parents belong to the tenant of the children.
    ///
    /// # Errors
    /// [`Error::Full`]; the driver's. After an error some places may be reserved.
    pub(crate) async fn reserve(
        &mut self,
        db: &Database,
        (link, inside): (&'static Link, &Document),
        mut gains: Vec<Gain>,
    ) -> Result<Vec<Bson>> {
        // All programs use the same order.
        gains.sort_by_cached_key(|gain| IdKey::new(&gain.parent));
        self.parents.push((link, inside.clone(), Vec::new()));
        let mut missing = Vec::new();
        for _ in 0..ROUNDS {
            if gains.is_empty() {
                return Ok(missing);
            }
            self.note(&gains);
            let updates = gains.iter().map(|gain| self.place((link, inside), gain));
            let updates: Vec<Document> = updates.collect();
            let done = driver::statements(db, link.host.collection, &updates, true, None).await?;
            if let Some((_, code, message)) = done.failed.into_iter().next() {
                return Err(Error::Refused {
                    reference: link.name.clone(),
                    code,
                    message,
                });
            }
            fault!("2w_after_p1");
            if done.matched == gains.len() as u64 {
                return Ok(missing);
            }
            gains = self
                .without_places(db, (link, inside), gains, &mut missing)
                .await?;
        }
        match gains.first() {
            None => Ok(missing),
            Some(gain) => Err(Error::Busy {
                what: format!("{} of {}", link.shown(), gain.parent),
            }),
        }
    }

    /// Records parents that may have places from now on.
    fn note(&mut self, gains: &[Gain]) {
        if let Some((.., parents)) = self.parents.last_mut() {
            let new = gains.iter().map(|gain| &gain.parent);
            let new: Vec<Bson> = new.filter(|id| !parents.contains(id)).cloned().collect();
            parents.extend(new);
        }
    }

    /// The gains for which no place is reserved yet, but can be reserved now. Adds to `missing` the parents that do not exist.
    async fn without_places(
        &mut self,
        db: &Database,
        (link, inside): (&'static Link, &Document),
        gains: Vec<Gain>,
        missing: &mut Vec<Bson>,
    ) -> Result<Vec<Gain>> {
        let ids: Vec<Bson> = gains.iter().map(|gain| gain.parent.clone()).collect();
        let fields = doc! { "_id": 1, link.field: 1, stored::UNCONFIRMED: 1, stored::TOMBSTONE: 1 };
        let (hosts, by) = (link.host.collection, ("_id", &ids[..]));
        let read = driver::read_where(db, hosts, by, inside, &fields, None).await?;
        let (mut left, mut full, mut released) = (Vec::new(), false, false);
        for gain in gains {
            let id = IdKey::new(&gain.parent);
            let mut read = read.iter();
            let parent =
                read.find(|parent| parent.get("_id").is_some_and(|it| IdKey::new(it) == id));
            let parent = parent.filter(|parent| !stored::has_tombstone(parent));
            let Some(parent) = parent else {
                missing.push(gain.parent);
                continue;
            };
            let mut marks = link.marks(parent);
            if marks.any(|mark| flags::token_of(mark) == Some(self.token)) {
                continue;
            }
            released |= remove_stale(db, (link, inside), parent).await?;
            full |= !gain.fits(link, parent, self.late);
            left.push(gain);
        }
        let left_out = left.iter().map(|gain| &gain.parent).chain(missing.iter());
        let left_out: Vec<IdKey> = left_out.map(IdKey::new).collect();
        if let Some((.., parents)) = self.parents.last_mut() {
            parents.retain(|parent| !left_out.contains(&IdKey::new(parent)));
        }
        if full && !released {
            return Err(Error::Full {
                field: link.shown(),
                max: link.max(),
            });
        }
        Ok(left)
    }

    /// The statement of P1 for one parent.
    fn place(&self, (link, inside): (&Link, &Document), gain: &Gain) -> Document {
        let (list, children) = (list(link), doc! { "$literal": &gain.children });
        let taken = doc! { "$setUnion": [&list, placed(link)] };
        let none_new = doc! { "$eq": [{ "$setDifference": [&children, &taken] }, []] };
        let size = doc! { "$size": { "$setUnion": [taken, &children] } };
        let max = i64::try_from(link.max()).unwrap_or(i64::MAX);
        // A finisher may have put the id of a child without a place into the array.
        let fits = match self.late {
            true => doc! { "$lte": [size, max] },
            false => doc! { "$or": [none_new, { "$lte": [size, max] }] },
        };
        let mut mark = flags::link_mark(self.token, "$$this", &link.name);
        mark.insert(stored::key::UNCONFIRMED_AT, "$$NOW");
        let new = doc! { "$map": {
            "input": { "$setDifference": [children, list] },
            "in": mark,
        } };
        let placed = doc! { "$mergeObjects": [
            stored::value::OWN,
            { stored::key::UNCONFIRMED: { "$concatArrays": [marks(), "$$new"] } },
        ] };
        let mut q = doc! {
            "_id": { "$eq": &gain.parent },
            stored::TOMBSTONE: { "$exists": false },
            stored::UNCONFIRMED_TOKEN: { "$ne": self.token },
            "$expr": fits,
        };
        q.extend(inside.clone());
        doc! {
            "q": q,
            "u": [{ "$set": { stored::OWN: { "$let": {
                "vars": { "new": new },
                "in": { "$cond": [{ "$eq": ["$$new", []] }, stored::value::OWN, placed] },
            } } } }],
        }
    }

    /// Sets the time of the existing places anew, after the children were written, so that a program that is about to remove them does not
    /// find them. The other children need places again, even if they are in the arrays.
    ///
    /// # Errors
    /// The driver's.
    pub(crate) async fn renew(&mut self, db: &Database) -> Result<()> {
        self.late = true;
        let at = doc! { "$cond": [
            { "$eq": [stored::THIS_TOKEN, self.token] },
            { stored::key::UNCONFIRMED_AT: "$$NOW" },
            {},
        ] };
        let renewed = doc! { "$map": {
            "input": marks(),
            "in": { "$mergeObjects": ["$$this", at] },
        } };
        let change = vec![doc! { "$set": { stored::UNCONFIRMED: renewed } }];
        self.change(db, change.into()).await
    }

    /// Removes the places whose children were not written.
    ///
    /// # Errors
    /// The driver's. After an error, the sweep removes the places after a minute.
    pub(crate) async fn release(&self, db: &Database) -> Result<()> {
        let change = flags::unmark_links(&[self.token]);
        self.change(db, change.into()).await
    }

    /// Removes the places after a write that failed, unless it may have written the children, or may do so yet. Returns the error.
    pub(crate) async fn release_after(&self, db: &Database, error: Error) -> Error {
        if !driver::outcome_unknown(&error) {
            // If this fails, they are removed after the lease.
            let _ = self.release(db).await;
        }
        error
    }

    async fn change(&self, db: &Database, change: Bson) -> Result<()> {
        let there = self
            .parents
            .iter()
            .filter(|(.., parents)| !parents.is_empty());
        for (link, inside, parents) in there {
            let parents: Vec<&Bson> = parents.iter().collect();
            let mut q = doc! {
                "_id": flags::ids_of(&parents),
                stored::UNCONFIRMED_TOKEN: self.token,
            };
            q.extend(inside.clone());
            let update = doc! {
                "q": q,
                "u": &change,
                "multi": parents.len() > 1,
            };
            driver::statements(db, link.host.collection, &[update], false, None).await?;
        }
        Ok(())
    }
}

impl Gain {
    /// True if a parent, as it was read, has room for the children.
    fn fits(&self, link: &Link, parent: &Document, late: bool) -> bool {
        let list = parent.get_array(link.field).into_iter().flatten();
        let placed = link.marks(parent).filter(|mark| place_time(mark).is_some());
        let placed = placed.filter_map(|mark| mark.get(stored::key::UNCONFIRMED_CHILDREN));
        let mut taken: Vec<IdKey> = list.chain(placed).map(IdKey::new).collect();
        taken.sort();
        taken.dedup();
        let there = |child: &&Bson| taken.binary_search(&IdKey::new(child)).is_err();
        let new = self.children.iter().filter(there).count();
        new == 0 && !late || (taken.len() + new) as u64 <= link.max()
    }
}

/// Compares those places of a parent that have waited too long with the children; false if there are none.
async fn remove_stale(
    db: &Database,
    (link, inside): (&'static Link, &Document),
    parent: &Document,
) -> Result<bool> {
    let places = || {
        link.marks(parent)
            .filter_map(|mark| Some((mark, place_time(mark)?)))
    };
    if places().next().is_none() {
        return Ok(false);
    }
    let before = lease::stale_before(db).await?;
    let stale = places().filter(|(_, at)| *at < before);
    let tokens: Vec<ObjectId> = stale
        .filter_map(|(mark, _)| flags::token_of(mark))
        .collect();
    if tokens.is_empty() {
        return Ok(false);
    }
    let mut marked = doc! {
        "_id": { "$eq": parent.get("_id").unwrap_or(&Bson::Null) },
        stored::UNCONFIRMED_TOKEN: { "$in": tokens },
    };
    marked.extend(inside.clone());
    Ok(verify(db, link, marked, &mut |_, _| true).await? > 0)
}
