//! The checks before a child is written: that its new parents exist, and that their lists have capacity for it.

use std::collections::{HashMap, HashSet};

use bson::{Bson, doc};

use crate::bson_util::id_key::IdKey;
use crate::driver::{self, ClientSession, Database};
use crate::error::{Error, Result};
use crate::graph::edges::Edges;
use crate::graph::links::{Keeps, Link};
use crate::propagation::delete;
use crate::schema::relation::OnDelete;
use crate::schema::stored;

/// How many times to wait for parents that are being deleted.
const WAITS: usize = 4;

/// Children, each with its new parents. The id of a child that is not known yet is null.
pub(crate) type Belongs = Vec<(Bson, Vec<Bson>)>;

/// Checks the parents along every two-way reference of a collection, as `belongs` says. `stored_with` are documents of the same collection
/// that are stored together with the children.
///
/// # Errors
/// [`Error::Dangling`] and [`Error::Full`]; the driver's. Two concurrent writers may both pass the check.
pub(crate) async fn check_capacity(
    db: &Database,
    collection: &str,
    belongs: impl Fn(&Link) -> Belongs,
    stored_with: &[Bson],
    mut session: Option<&mut ClientSession>,
) -> Result<()> {
    let links = Edges::get().links().iter();
    for link in links.filter(|link| link.child.collection == collection) {
        // If a field is its own other side, no write of a whole document sets it.
        if matches!(link.keeps, Keeps::Ids { .. }) && !link.is_symmetric() {
            let belongs = belongs(link);
            // A child with the same `_id` does not count as a parent of another collection.
            let among = link.host.collection == collection;
            let stored_with = if among { stored_with } else { &[] };
            check_capacity_and_sources(db, link, &belongs, stored_with, session.as_deref_mut())
                .await?;
        }
    }
    Ok(())
}

/// The same along one of them. Waits for parents that are being deleted.
pub(crate) async fn check_capacity_and_sources(
    db: &Database,
    link: &Link,
    belongs: &Belongs,
    stored_with: &[Bson],
    mut session: Option<&mut ClientSession>,
) -> Result<()> {
    let relation = link.child_row().and_then(|row| row.relation);
    let kept = relation.is_some_and(|relation| relation.on_delete == OnDelete::Keep);
    for _ in 0..WAITS {
        let missing = room_for(db, link, belongs, stored_with, session.as_deref_mut()).await?;
        if missing.is_empty() || kept {
            return Ok(());
        }
        let going = doc! { "_id": { "$in": &missing }, stored::TOMBSTONE: { "$exists": true } };
        if session.is_none() && delete::help(db, link.host.collection, going).await? {
            continue;
        }
        return Err(dangling(link, missing));
    }
    let missing = room_for(db, link, belongs, stored_with, session).await?;
    if missing.is_empty() {
        return Ok(());
    }
    Err(dangling(link, missing))
}

fn dangling(link: &Link, ids: Vec<Bson>) -> Error {
    Error::Dangling {
        model: link.child.name,
        field: link.reference.clone(),
        target: link.host.name,
        ids,
    }
}

/// Checks the capacity of lists, and returns the parents that do not exist: sends one `find` if there are any parents.
pub(crate) async fn room_for(
    db: &Database,
    link: &Link,
    belongs: &Belongs,
    stored_with: &[Bson],
    session: Option<&mut ClientSession>,
) -> Result<Vec<Bson>> {
    let mut order: Vec<Bson> = Vec::new();
    let mut gains: HashMap<IdKey, Vec<&Bson>> = HashMap::new();
    for (child, parents) in belongs {
        for parent in parents {
            let children = gains.entry(IdKey::new(parent)).or_insert_with(|| {
                order.push(parent.clone());
                Vec::new()
            });
            if *child != Bson::Null && !children.contains(&child) {
                children.push(child);
            }
        }
    }
    if order.is_empty() {
        return Ok(order);
    }
    let max = link.max();
    // If all parents gain the same children, these may be in the lists already; different children are new, and so are in no list.
    let first = &gains[&IdKey::new(&order[0])];
    let alike = gains.values().all(|children| children == first);
    let stored = format!("${}", link.field);
    let list = doc! { "$cond": [{ "$isArray": [&stored] }, stored, []] };
    let size = if alike {
        let children: Vec<&Bson> = first.clone();
        doc! { "$size": { "$setUnion": [list, { "$literal": children }] } }
    } else {
        doc! { "$size": list }
    };
    let fields = doc! { "_id": 1, stored::TOMBSTONE: 1, "n": size };
    let collection = link.host.collection;
    let read = driver::read_by(db, collection, "_id", &order, &fields, session).await?;
    let mut there: HashSet<IdKey> = stored_with.iter().map(IdKey::new).collect();
    for parent in &read {
        let key = IdKey::new(parent.get("_id").unwrap_or(&Bson::Null));
        let gained = gains.get(&key).map_or(0, Vec::len);
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
        if !parent
            .get_document(stored::OWN)
            .is_ok_and(|dn| dn.contains_key(stored::key::TOMBSTONE))
        {
            there.insert(key);
        }
    }
    order.retain(|id| !there.contains(&IdKey::new(id)));
    Ok(order)
}
