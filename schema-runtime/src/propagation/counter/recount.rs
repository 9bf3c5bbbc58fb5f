//! Counts the children again to correct a number.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::pin::pin;

use bson::oid::ObjectId;
use bson::{Bson, Document, RawDocument, doc};
use futures::TryStreamExt;

use super::reservations::reserved_amount;
use super::{CountState, Parent, count_flags, deltas, epochs, stored_number};
use crate::bson_util::amount::Amount;
use crate::bson_util::id_key::IdKey;
use crate::bson_util::stored_id::id_of_document;
use crate::driver::{self, Database, FindArgs};
use crate::error::{Error, Result};
use crate::graph::links::{Addend, Link};
use crate::propagation::periods::{children_around, children_of, store_periods};
use crate::schema::stored;

/// The largest number of times that children which keep changing are counted.
const ROUNDS: usize = 100;

/// Corrects the number of one parent that meets a condition from its children; `None` if there is no such parent.
///
/// # Errors
/// The driver's, and [`Error::Busy`].
pub(crate) async fn recount(
    db: &Database,
    link: &'static Link,
    id: &Bson,
    among: &Document,
) -> Result<Option<()>> {
    let parent = (link.host.collection, IdKey::new(id));
    for _ in 0..ROUNDS {
        let mut this = doc! { "_id": { "$eq": id } };
        this.extend(among.clone());
        let mut fields = doc! { link.field: 1, stored::COUNTS: 1 };
        fields.extend(link.tenant());
        let found = driver::durable_read_one(db, parent.0, this.clone(), &fields).await?;
        let Some(host) = found else {
            match store_periods(db, parent.0, std::slice::from_ref(id), among).await? {
                true => continue,
                false => return Ok(None),
            }
        };
        fault!("after_c1");
        let Some(n) = count_unflagged(db, link, &parent, id, &host).await? else {
            continue;
        };
        let n = stored_number(n, &link.name)?;
        let dn = host.get_document(stored::OWN).ok();
        let k = dn.and_then(|dn| dn.get(stored::key::COUNTS)).cloned();
        let same = k.map_or_else(|| doc! { "$exists": false }, |k| doc! { "$eq": k });
        let epoch = ObjectId::new();
        this.insert(stored::COUNTS, same);
        let update = doc! {
            "q": this,
            "u": { "$set": { link.field: n, stored::COUNTS_EPOCH: epoch } },
        };
        let done = driver::statements(db, parent.0, &[update], false, None).await?;
        if done.matched > 0 {
            epochs::learn(db, &parent, Some(epoch));
            return Ok(Some(()));
        }
    }
    Err(Error::Busy {
        what: format!("{} of {id}", link.name),
    })
}

/// The correct stored number of a parent: the number of its children, minus what flagged writes have still to add, plus what reservations
/// have added. `None` if a child was flagged during the count.
async fn count_unflagged(
    db: &Database,
    link: &'static Link,
    parent: &Parent,
    id: &Bson,
    host: &Document,
) -> Result<Option<Amount>> {
    let now = CountState::read(host);
    let of = (id, &link.inside(host));
    let before = read_flagged_amounts(db, link, parent, of, &now).await?;
    let mut children = children_of(link, id);
    children.insert(stored::LEFT_COUNTS, doc! { "$exists": false });
    children.extend(of.1.clone());
    let children = link.live(children);
    let there = match link.addend() {
        None => count(db, link, children).await?.into(),
        Some(addend) => {
            let sums = sum(db, link, children, Bson::Null, addend.stored()).await?;
            sums.first().map_or_else(Amount::default, |(_, n)| *n)
        }
    };
    let after = read_flagged_amounts(db, link, parent, of, &now).await?;
    if before != after {
        return Ok(None);
    }
    let waiting = before.values().copied().fold(link.zero(), Amount::plus);
    let reserved = reserved_amount(host, link.field, None);
    Ok(Some(there.plus(waiting.negated()).plus(reserved)))
}

/// The number of children that match.
async fn count(db: &Database, link: &Link, children: Document) -> Result<i64> {
    let collection = link.child.collection;
    let options = driver::ReadOptions::from_primary();
    let exactly = driver::Strings::Exactly;
    let there = driver::count(db, collection, children, None, exactly, options, None).await?;
    Ok(i64::try_from(there).unwrap_or(i64::MAX))
}

/// The sums of an amount over the children that match, grouped by an expression.
async fn sum(
    db: &Database,
    link: &Link,
    children: Document,
    by: Bson,
    amount: Bson,
) -> Result<Vec<(Bson, Amount)>> {
    let group = doc! { "_id": by, "n": { "$sum": amount } };
    let pipeline = vec![doc! { "$match": children }, doc! { "$group": group }];
    let read = |raw: &RawDocument| Ok(Document::try_from(raw).ok());
    let mut rows = pin!(driver::aggregate(
        db,
        Some(link.child.collection),
        pipeline,
        None,
        driver::Reads::FromPrimary,
        None,
        read
    ));
    let mut out = Vec::new();
    while let Some(row) = rows.try_next().await? {
        let Some(mut row) = row else { continue };
        // If a sum exceeds 64 bits, the server continues with a float.
        let n = row.get("n").and_then(Amount::read);
        let n = n.ok_or_else(|| super::too_large(&link.name))?;
        out.push((row.remove("_id").unwrap_or(Bson::Null), n));
    }
    Ok(out)
}

/// A flag: its token, and its child.
pub(crate) type Flag = (ObjectId, IdKey);

/// The amounts that flags will add to the number, each by the token of the flag and its child. Skips flags that the parent, as it was read,
/// has already counted.
pub(crate) async fn read_flagged_amounts(
    db: &Database,
    link: &'static Link,
    parent: &Parent,
    (id, inside): (&Bson, &Document),
    now: &CountState,
) -> Result<BTreeMap<Flag, Amount>> {
    let mut filter = super::flagged_for(link, std::slice::from_ref(id));
    filter.extend(inside.clone());
    let args = FindArgs {
        projection: Some(doc! { stored::UNCOUNTED: 1 }),
        ..FindArgs::default()
    };
    let mut rows = driver::open(db, link.child.collection, filter, args, None).await?;
    let mut out = BTreeMap::new();
    while let Some(row) = rows.next(|raw| Ok(Document::try_from(raw).ok())).await? {
        let Some(child) = row else { continue };
        let of = child.get("_id").cloned().unwrap_or(Bson::Null);
        for flag in count_flags(&child) {
            let counted = now.tokens.iter().any(|(token, child)| {
                *token == flag.token && child.as_ref().is_none_or(|child| *child == of)
            });
            let delta = deltas(link.child.collection, &child, &flag).remove(parent);
            let n = delta.and_then(|delta| delta.inc.get(link.field).copied());
            if let (Some(n), false) = (n, counted) {
                out.insert((flag.token, IdKey::new(&of)), n);
            }
        }
    }
    Ok(out)
}

/// The parents among these, which were read with their tenants, whose numbers flags will change.
///
/// # Errors
/// The driver's.
pub(crate) async fn flagged_among(
    db: &Database,
    link: &Link,
    parents: &[Document],
) -> Result<HashSet<IdKey>> {
    let args = FindArgs {
        projection: Some(doc! { stored::UNCOUNTED: 1 }),
        ..FindArgs::default()
    };
    let ids: Vec<Bson> = parents.iter().map(id_of_document).collect();
    let mut filter = super::flagged_for(link, &ids);
    filter.extend(all_inside(link, parents));
    let mut rows = driver::open(db, link.child.collection, filter, args, None).await?;
    let mut out = HashSet::new();
    while let Some(row) = rows.next(|raw| Ok(Document::try_from(raw).ok())).await? {
        let named = row
            .iter()
            .flat_map(|child| super::flagged_parents(link, child));
        out.extend(named.map(|id| IdKey::new(&id)));
    }
    Ok(out)
}

/// The numbers of these parents, which were read with their tenants, computed from the children alone; parents without children are absent.
///
/// # Errors
/// The driver's.
pub(crate) async fn count_children(
    db: &Database,
    link: &Link,
    parents: &[Document],
) -> Result<HashMap<IdKey, Amount>> {
    let ids: Vec<Bson> = parents.iter().map(id_of_document).collect();
    let mut there = children_around(link, &ids);
    there.insert(stored::LEFT_COUNTS, doc! { "$exists": false });
    there.extend(all_inside(link, parents));
    let by = link.stored_parent();
    let amount = link.addend().map_or(Bson::Int64(1), Addend::stored);
    let there = link.live(there);
    let Some((host, child)) = link.tenants() else {
        let sums = sum(db, link, there, by, amount).await?;
        return Ok(sums.iter().map(|(id, n)| (IdKey::new(id), *n)).collect());
    };
    // A child of another tenant than its parent is not counted.
    let by = vec![by, format!("${child}").into()];
    let sums = sum(db, link, there, by.into(), amount).await?;
    let sums: HashMap<IdKey, Amount> = sums.iter().map(|(by, n)| (IdKey::new(by), *n)).collect();
    let own = parents.iter().filter_map(|parent| {
        let id = id_of_document(parent);
        let tenant = parent.get(host).cloned().unwrap_or(Bson::Null);
        let by = Bson::from(vec![id.clone(), tenant]);
        Some((IdKey::new(&id), *sums.get(&IdKey::new(&by))?))
    });
    Ok(own.collect())
}

/// The condition that children belong to the tenant of these parents; empty if the parents are of several tenants.
fn all_inside(link: &Link, parents: &[Document]) -> Document {
    let mut all = parents.iter().map(|parent| link.inside(parent));
    let first = all.next().unwrap_or_default();
    match all.all(|other| other == first) {
        true => first,
        false => Document::new(),
    }
}

/// The correct number of a parent as it was read with its tenant, epoch and tokens; `None` if its children changed during the count.
///
/// # Errors
/// The driver's.
pub(crate) async fn compute_count(
    db: &Database,
    link: &'static Link,
    id: &Bson,
    host: &Document,
) -> Result<Option<Amount>> {
    let parent = (link.host.collection, IdKey::new(id));
    count_unflagged(db, link, &parent, id, host).await
}
