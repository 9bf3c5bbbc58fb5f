//! P2: reservations leave their parents if their children were never stored.

use std::collections::BTreeMap;

use bson::oid::ObjectId;
use bson::{Bson, Document, doc};

use super::count_flags;
use super::reservations::{convert_reservations, is_bounded, is_of, reservations};
use crate::bson_util::id_key::IdKey;
use crate::driver::{self, Database, FindArgs};
use crate::error::Result;
use crate::graph::edges::Edges;
use crate::propagation::lease::stale_before;
use crate::schema::stored;

/// Releases those reservations of one parent for which `these` holds, if a reservation of the parent matches `left`.
pub(super) async fn release_at(
    db: &Database,
    host: &str,
    id: &Bson,
    left: Document,
    these: Document,
) -> Result<bool> {
    let Some(set) = convert_reservations(host, &[], these) else {
        return Ok(false);
    };
    let filter = doc! { "_id": { "$eq": id }, stored::RESERVED: { "$elemMatch": left } };
    let update = doc! { "q": filter, "u": [{ "$set": set }] };
    let done = driver::statements(db, host, &[update], false, None).await?;
    Ok(done.matched > 0)
}

/// Releases the reservations of a parent that have waited too long and whose children are not stored; false if there were none.
pub(super) async fn release_stale(
    db: &Database,
    host: &str,
    id: &Bson,
    reserved: &[Document],
) -> Result<bool> {
    if reserved.is_empty() {
        return Ok(false);
    }
    let before = stale_before(db).await?;
    let is_stale = |entry: &&Document| {
        let at = entry.get_datetime(stored::key::RESERVED_AT);
        at.is_ok_and(|at| *at < before)
    };
    let mut released = false;
    for entry in reserved.iter().filter(is_stale) {
        let (Ok(token), Some(child), Some(at)) = (
            entry.get_object_id(stored::TOKEN),
            entry.get(stored::key::RESERVED_CHILD),
            entry.get(stored::key::RESERVED_AT),
        ) else {
            continue;
        };
        if is_flagged(db, host, token, child).await? {
            continue;
        }
        // A late writer renews its reservation before it answers.
        let left = doc! {
            stored::TOKEN: token,
            stored::key::RESERVED_CHILD: { "$eq": child },
            stored::key::RESERVED_AT: at,
        };
        released |= release_at(db, host, id, left, is_of(token, child)).await?;
    }
    Ok(released)
}

/// True if the child is stored with this flag, so that C2 will count it.
async fn is_flagged(db: &Database, host: &str, token: ObjectId, child: &Bson) -> Result<bool> {
    let links = Edges::get().links().iter();
    let bounded = links.filter(|link| link.host.collection == host && link.bound.is_some());
    for link in bounded {
        let one = std::slice::from_ref(child);
        let collection = link.child.collection;
        let fields = doc! { stored::UNCOUNTED: 1 };
        let found = driver::durable_read(db, collection, "_id", one, &fields).await?;
        let mut flags = found.iter().flat_map(count_flags);
        if flags.any(|flag| flag.token == token) {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Releases the reservations whose children were never stored, on those parents of this collection that meet a condition.
///
/// # Errors
/// The driver's.
pub(crate) async fn release_abandoned(
    db: &Database,
    host: &'static str,
    among: &Document,
) -> Result<u64> {
    if !is_bounded(host) {
        return Ok(0);
    }
    let mut filter = doc! { stored::RESERVED_TOKEN: { "$exists": true } };
    filter.extend(among.clone());
    let args = FindArgs {
        projection: Some(doc! { stored::COUNTS: 1 }),
        ..FindArgs::default()
    };
    let mut rows = driver::open(db, host, filter, args, None).await?;
    let mut parents = BTreeMap::new();
    while let Some(row) = rows.next(|raw| Ok(Document::try_from(raw).ok())).await? {
        let Some(parent) = row else { continue };
        let id = parent.get("_id").cloned().unwrap_or(Bson::Null);
        parents.insert(IdKey::new(&id), (id, reservations(&parent)));
    }
    let mut released = 0;
    for (id, reserved) in parents.into_values() {
        released += u64::from(release_stale(db, host, &id, &reserved).await?);
    }
    Ok(released)
}
