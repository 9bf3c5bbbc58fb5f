//! Checks and reservations before a child is written: its new parents exist, their lists have capacity for it, and it gets its places
//! there.

use std::collections::{HashMap, HashSet};

use bson::{Bson, Document, doc};

use crate::bson_util::id_key::IdKey;
use crate::driver::{self, ClientSession, Database};
use crate::error::{Error, Result};
use crate::graph::edges::Edges;
use crate::graph::links::Link;
use crate::propagation::delete;
use crate::propagation::two_way::{Gain, Places};
use crate::schema::relation::OnDelete;
use crate::schema::stored;

/// The largest number of times that a write waits for parents that are being deleted.
const WAITS: usize = 4;

/// A child that is about to be written, and its new parents. Its id is null while it is not known.
#[derive(Debug, Clone)]
pub(crate) struct NewChild {
    pub(crate) id: Bson,
    pub(crate) parents: Vec<Bson>,
    /// Its tenant; `None` if the models have none.
    pub(crate) tenant: Option<Bson>,
}

/// Children of one tenant, and their new parents along one two-way reference.
#[derive(Debug)]
pub(crate) struct NewParents {
    pub(crate) link: &'static Link,
    pub(crate) children: Vec<NewChild>,
}

impl NewParents {
    /// The condition that the parents belong to the tenant of the children.
    fn inside(&self) -> Document {
        let first = self.children.first();
        let tenant = first.and_then(|child| child.tenant.as_ref());
        self.link.of_tenant(tenant).0
    }
}

/// The children of a write of this collection with their new parents, along each two-way reference and for each tenant. `children` gives
/// them for a link.
pub(crate) fn along_links(
    collection: &str,
    children: impl Fn(&Link) -> Vec<NewChild>,
) -> Vec<NewParents> {
    let links = Edges::get().links().iter();
    let links = links.filter(|link| link.child.collection == collection);
    // If a field is its own other side, no write of a whole document sets it.
    let two_way = links.filter(|link| link.is_two_way() && !link.is_symmetric());
    let of_tenants = |link: &'static Link| {
        let mut all: Vec<NewParents> = Vec::new();
        for child in children(link) {
            let same = |of: &&mut NewParents| of.children[0].tenant == child.tenant;
            match all.iter_mut().find(same) {
                Some(of) => of.children.push(child),
                None => all.push(NewParents {
                    link,
                    children: vec![child],
                }),
            }
        }
        all
    };
    let has_parents = |of: &NewParents| of.children.iter().any(|child| !child.parents.is_empty());
    two_way.flat_map(of_tenants).filter(has_parents).collect()
}

/// Checks the new parents of children that are about to be written, and reserves the places of the children in their arrays. In a session
/// it reserves nothing: the transaction reads the parents before it changes them. `stored_with` are documents of the same collection that
/// are stored together with the children.
///
/// # Errors
/// [`Error::Dangling`] and [`Error::Full`]; the driver's. After an error no place is reserved.
pub(crate) async fn reserve_places(
    db: &Database,
    all: &[NewParents],
    stored_with: &[Bson],
    session: Option<&mut ClientSession>,
) -> Result<Places> {
    let mut places = Places::none();
    match reserve_again(db, all, stored_with, &mut places, session).await {
        Ok(()) => Ok(places),
        Err(error) => {
            // If this fails, the places are removed after the lease.
            let _ = places.release(db).await;
            Err(error)
        }
    }
}

/// Reserves places as [`reserve_places`] does, for a write that may have lost some of its places.
///
/// # Errors
/// As [`reserve_places`]. After an error some places may be reserved.
pub(crate) async fn reserve_again(
    db: &Database,
    all: &[NewParents],
    stored_with: &[Bson],
    places: &mut Places,
    mut session: Option<&mut ClientSession>,
) -> Result<()> {
    for new in all {
        // Only a parent of the same collection can be a document that is stored with the children.
        let link = new.link;
        let among = link.host.collection == link.child.collection;
        let stored_with = if among { stored_with } else { &[] };
        reserve_along(db, new, stored_with, places, session.as_deref_mut()).await?;
    }
    Ok(())
}

/// Reserves the places along one link. Waits for parents that are being deleted.
async fn reserve_along(
    db: &Database,
    new: &NewParents,
    stored_with: &[Bson],
    places: &mut Places,
    mut session: Option<&mut ClientSession>,
) -> Result<()> {
    let (link, inside) = (new.link, new.inside());
    let relation = link.child_row().and_then(|row| row.relation);
    let kept = relation.is_some_and(|relation| relation.on_delete == OnDelete::Keep);
    for round in 0..=WAITS {
        let mut gains = gains(&new.children);
        gains.retain(|gain| !stored_with.contains(&gain.parent));
        let along = (link, &inside);
        let missing = reserve_once(db, along, gains, places, session.as_deref_mut()).await?;
        if missing.is_empty() || kept {
            return Ok(());
        }
        let mut going = doc! { "_id": { "$in": &missing }, stored::TOMBSTONE: { "$exists": true } };
        going.extend(inside.clone());
        if round == WAITS
            || session.is_some()
            || !delete::help(db, link.host.collection, going).await?
        {
            return Err(dangling(link, missing));
        }
    }
    Ok(())
}

/// Reserves the places of children whose ids are known, and returns the parents that do not exist. In a session, or without ids, it only
/// checks that there are places.
async fn reserve_once(
    db: &Database,
    (link, inside): (&'static Link, &Document),
    gains: Vec<Gain>,
    places: &mut Places,
    session: Option<&mut ClientSession>,
) -> Result<Vec<Bson>> {
    let known = gains.iter().all(|gain| !gain.children.is_empty());
    match session.is_none() && known && link.max() > 0 {
        true => places.reserve(db, (link, inside), gains).await,
        false => missing_or_full(db, (link, inside), gains, session).await,
    }
}

/// Reserves the places of children in the array of one parent; false if the parent does not exist. `along` has the condition that the
/// parent belongs to the tenant of the call.
///
/// # Errors
/// [`Error::Full`]; the driver's. After an error some places may be reserved.
pub(crate) async fn reserve_at(
    db: &Database,
    along: (&'static Link, &Document),
    (parent, children): (&Bson, &[Bson]),
    places: &mut Places,
    session: Option<&mut ClientSession>,
) -> Result<bool> {
    let gain = Gain {
        parent: parent.clone(),
        children: children.to_vec(),
    };
    let missing = reserve_once(db, along, vec![gain], places, session).await?;
    Ok(missing.is_empty())
}

fn dangling(link: &Link, ids: Vec<Bson>) -> Error {
    Error::Dangling {
        model: link.child.name,
        field: link.reference.clone(),
        target: link.host.name,
        ids,
    }
}

/// The parents, each once, with the children that they gain.
fn gains(children: &[NewChild]) -> Vec<Gain> {
    let mut gains: Vec<Gain> = Vec::new();
    let mut positions: HashMap<IdKey, usize> = HashMap::new();
    for NewChild {
        id: child, parents, ..
    } in children
    {
        for parent in parents {
            let position = *positions.entry(IdKey::new(parent)).or_insert(gains.len());
            if position == gains.len() {
                gains.push(Gain {
                    parent: parent.clone(),
                    children: Vec::new(),
                });
            }
            let children = &mut gains[position].children;
            if *child != Bson::Null && !children.contains(child) {
                children.push(child.clone());
            }
        }
    }
    gains
}

/// Checks that the array of one parent has places for children; false if the parent does not exist. Two concurrent writers may both pass.
///
/// # Errors
/// [`Error::Full`]; the driver's.
pub(crate) async fn has_places_at(
    db: &Database,
    along: (&Link, &Document),
    (parent, children): (&Bson, &[Bson]),
    session: Option<&mut ClientSession>,
) -> Result<bool> {
    let gain = Gain {
        parent: parent.clone(),
        children: children.to_vec(),
    };
    let missing = missing_or_full(db, along, vec![gain], session).await?;
    Ok(missing.is_empty())
}

/// Checks that lists have capacity, and returns the parents that do not exist: sends one `find` if there are any parents.
async fn missing_or_full(
    db: &Database,
    (link, inside): (&Link, &Document),
    gains: Vec<Gain>,
    session: Option<&mut ClientSession>,
) -> Result<Vec<Bson>> {
    let Some(first) = gains.first() else {
        return Ok(Vec::new());
    };
    let max = link.max();
    // If all parents gain the same children, the lists may have them already; different children are new, and so are in no list.
    let alike = gains.iter().all(|gain| gain.children == first.children);
    let stored = format!("${}", link.field);
    let list = doc! { "$cond": [{ "$isArray": [&stored] }, stored, []] };
    let size = match alike {
        true => {
            doc! { "$size": { "$setUnion": [list, { "$literal": first.children.clone() }] } }
        }
        false => doc! { "$size": list },
    };
    let fields = doc! { "_id": 1, stored::TOMBSTONE: 1, "n": size };
    let mut order: Vec<Bson> = gains.iter().map(|gain| gain.parent.clone()).collect();
    let gained: HashMap<IdKey, usize> = gains
        .into_iter()
        .map(|gain| (IdKey::new(&gain.parent), gain.children.len()))
        .collect();
    let collection = link.host.collection;
    let by = ("_id", &order[..]);
    let read = driver::read_where(db, collection, by, inside, &fields, session).await?;
    let mut there: HashSet<IdKey> = HashSet::new();
    for parent in &read {
        let key = IdKey::new(parent.get("_id").unwrap_or(&Bson::Null));
        let gained = gained.get(&key).copied().unwrap_or(0);
        let with = parent
            .get_i32("n")
            .map_or(0, |n| usize::try_from(n).unwrap_or(0));
        let with = if alike { with } else { with + gained };
        if max > 0 && gained > 0 && with as u64 > max {
            return Err(Error::Full {
                field: link.shown(),
                max,
            });
        }
        if !stored::has_tombstone(parent) {
            there.insert(key);
        }
    }
    order.retain(|id| !there.contains(&IdKey::new(id)));
    Ok(order)
}
