//! Compares marked pairs of parent and child with the child.

use std::collections::{HashMap, HashSet};

use bson::oid::ObjectId;
use bson::{Bson, DateTime, Document, doc};

use super::change::{Change, place_time, unmark};
use crate::bson_util::id_key::IdKey;
use crate::driver::{self, Database, FindArgs, history};
use crate::error::Result;
use crate::graph::flags;
use crate::graph::links::Link;
use crate::graph::source::Source;
use crate::propagation::lease;
use crate::propagation::marks::Take;
use crate::propagation::pair::Pair;
use crate::schema::stored;

/// The largest number of parents that are compared together, and the number of marks in them from which on no more parents are added.
const PARENTS: usize = 200;
const MARKS: usize = 2_000;

/// The largest number of times that a pair which keeps changing is compared, before it is left to the next sweep.
const ROUNDS: usize = 10;

/// A parent, and the marks of this link that were seen in it.
#[derive(Debug)]
struct Marked {
    id: Bson,
    /// The tenant of the parent; `None` if the models have none.
    tenant: Option<Bson>,
    /// Each mark as its token and its child.
    seen: Vec<(ObjectId, Bson)>,
    /// The tokens of the marks of a new parent, whose children may have been stored before it.
    new: Vec<ObjectId>,
}

/// Compares the marked pairs in the parents' lists with the children, and clears the marks; returns how many parents were compared.
pub(crate) async fn verify(
    db: &Database,
    link: &'static Link,
    filter: Document,
    take: &mut Take<'_>,
) -> Result<u64> {
    let mut fields = doc! { "_id": 1, stored::UNCONFIRMED: 1 };
    fields.extend(link.tenant());
    let args = FindArgs {
        projection: Some(fields),
        batch_size: u32::try_from(PARENTS).ok(),
        ..FindArgs::default()
    };
    let mut rows = driver::open(db, link.host.collection, filter, args, None).await?;
    let mut looked = 0;
    let mut before = None;
    loop {
        let (mut page, mut marks, mut more) = (Vec::new(), 0, true);
        while page.len() < PARENTS && marks < MARKS {
            let row = rows.next(|raw| Ok(Document::try_from(raw).ok())).await?;
            let Some(row) = row else {
                more = false;
                break;
            };
            let Some(row) = row else { continue };
            if before.is_none() && link.marks(&row).any(|mark| place_time(mark).is_some()) {
                before = Some(lease::stale_before(db).await?);
            }
            let Some(marked) = read_marks(link, &row, before) else {
                continue;
            };
            let mut tokens: Vec<ObjectId> = marked.seen.iter().map(|(token, _)| *token).collect();
            tokens.extend(&marked.new);
            tokens.sort_unstable();
            tokens.dedup();
            if !tokens.is_empty() && take(&marked.id, &tokens) {
                marks += marked.seen.len();
                page.push(marked);
            }
        }
        looked += page.len() as u64;
        for parent in page.iter().filter(|parent| !parent.new.is_empty()) {
            match_new_parent(db, link, parent).await?;
        }
        for of_tenant in by_tenant(page) {
            verify_page(db, link, of_tenant).await?;
        }
        if !more {
            return Ok(looked);
        }
    }
}

/// The parents of each tenant.
fn by_tenant(page: Vec<Marked>) -> Vec<Vec<Marked>> {
    let mut all: Vec<Vec<Marked>> = Vec::new();
    for parent in page {
        let same =
            |of: &&mut Vec<Marked>| of.first().is_some_and(|one| one.tenant == parent.tenant);
        match all.iter_mut().find(same) {
            Some(of) => of.push(parent),
            None => all.push(vec![parent]),
        }
    }
    all
}

/// Reads the marks of a parent. Leaves out places whose children may still be written: those that were not reserved `before` that time.
fn read_marks(link: &Link, row: &Document, before: Option<DateTime>) -> Option<Marked> {
    let mut marked = Marked {
        id: row.get("_id")?.clone(),
        tenant: link.tenant_of(row),
        seen: Vec::new(),
        new: Vec::new(),
    };
    let waits = |at: DateTime| before.is_none_or(|before| at >= before);
    for mark in link.marks(row) {
        if place_time(mark).is_some_and(waits) {
            continue;
        }
        let token = mark.get_object_id(stored::TOKEN).ok()?;
        match mark.get(stored::key::UNCONFIRMED_CHILDREN) {
            Some(child) => marked.seen.push((token, child.clone())),
            None => marked.new.push(token),
        }
    }
    Some(marked)
}

/// Compares a new parent with every child that refers to it, and clears the marks that say that this has not been done. Children that are
/// stored later update the parent themselves.
async fn match_new_parent(db: &Database, link: &Link, parent: &Marked) -> Result<()> {
    let args = FindArgs {
        projection: Some(doc! { "_id": 1 }),
        batch_size: u32::try_from(MARKS).ok(),
        ..FindArgs::default()
    };
    let (own, inside) = link.of_tenant(parent.tenant.as_ref());
    let mut refer = doc! { &link.reference: { "$eq": &parent.id } };
    refer.extend(inside);
    let mut rows = driver::open(db, link.child.collection, refer, args, None).await?;
    let (mut pairs, mut more) = (Vec::new(), true);
    while more {
        let row = rows.next(|raw| Ok(Document::try_from(raw).ok())).await?;
        more = row.is_some();
        let child = row.flatten().and_then(|mut child| child.remove("_id"));
        pairs.extend(child.map(|child| pair(link, parent, child)));
        if pairs.len() == MARKS || !more {
            let marked: Vec<&Pair> = pairs.iter().collect();
            if let Some(token) = super::mark(db, link, &marked).await? {
                let page = pairs.drain(..).map(|pair| Marked {
                    id: pair.parent,
                    tenant: parent.tenant.clone(),
                    seen: vec![(token, pair.child)],
                    new: Vec::new(),
                });
                verify_page(db, link, page.collect()).await?;
            }
        }
    }
    fault!("begin_after_list");
    let mut marked = doc! {
        "_id": { "$eq": &parent.id },
        stored::UNCONFIRMED_TOKEN: { "$in": parent.new.clone() },
    };
    marked.extend(own);
    let update = doc! { "q": marked, "u": flags::unmark_links(&parent.new) };
    driver::statements(db, link.host.collection, &[update], false, None).await?;
    Ok(())
}

/// Sorts two documents into parent and child: if the field is its own other side, only one of the two is the child.
fn pair(link: &Link, marked: &Marked, other: Bson) -> Pair {
    let (parent, child) = match link.is_truth(&other, &marked.id) {
        true => (marked.id.clone(), other),
        false => (other, marked.id.clone()),
    };
    Pair {
        parent,
        child,
        tenant: marked.tenant.clone(),
    }
}

/// Reads the children, corrects the parents under a new token, and reads the children again, until nothing needs a correction. Then clears
/// the marks that were seen and its own marks, but no others. The parents belong to one tenant.
async fn verify_page(db: &Database, link: &Link, mut page: Vec<Marked>) -> Result<()> {
    let collection = link.host.collection;
    let tenant = page.first().and_then(|parent| parent.tenant.clone());
    let (own, inside) = link.of_tenant(tenant.as_ref());
    for _ in 0..ROUNDS {
        page.retain(|parent| !parent.seen.is_empty());
        let changes = compute_changes(db, link, (&page, &own, &inside)).await?;
        fault!("sweep_after_read");
        let token = ObjectId::new();
        let fix: Vec<Document> = page
            .iter()
            .zip(&changes)
            .map(|(parent, change)| change.while_marked(link, &parent.id, &parent.seen, token))
            .collect();
        let fixed = history::send_statements(db, super::field(link), &fix, false, None).await?;
        for (n, ..) in &fixed.failed {
            // A parent whose correction the server refuses stays marked.
            page[*n].seen.clear();
        }
        if fixed.modified == 0 {
            let clear: Vec<Document> = page
                .iter()
                .filter(|parent| !parent.seen.is_empty())
                .map(|parent| unmark(link, (&parent.id, own.clone()), &parent.seen))
                .collect();
            driver::statements(db, collection, &clear, false, None).await?;
            return Ok(());
        }
        fault!("sweep_after_fix");
        for (parent, change) in page.iter_mut().zip(changes) {
            if !parent.seen.is_empty() {
                let children = change.gained.into_iter().chain(change.lost);
                parent.seen.extend(children.map(|child| (token, child)));
            }
        }
    }
    Ok(())
}

/// The children that should be in the list of each parent, and those that should not, among the children that its marks name.
/// `own` and `inside` are the conditions that parents and children belong to the tenant.
async fn compute_changes(
    db: &Database,
    link: &Link,
    (page, own, inside): (&[Marked], &Document, &Document),
) -> Result<Vec<Change>> {
    let mut distinct: HashMap<IdKey, &Bson> = HashMap::new();
    for (_, child) in page.iter().flat_map(|parent| &parent.seen) {
        distinct.entry(IdKey::new(child)).or_insert(child);
    }
    let ids: Vec<Bson> = distinct.into_values().cloned().collect();
    let mut fields = link.read();
    fields.insert(stored::OWN, 1);
    let by = ("_id", &ids[..]);
    let read = driver::durable_read_where(db, link.child.collection, by, inside, &fields).await?;
    let read = read.into_iter().map(Source::read);
    let children: HashMap<IdKey, Vec<Bson>> = read
        .map(|child| (IdKey::new(&child.id), link.parents_of(&child)))
        .collect();
    let one = |parent: &Marked| {
        let mut change = Change {
            inside: own.clone(),
            ..Change::default()
        };
        let mut once = HashSet::new();
        for (_, child) in &parent.seen {
            let key = IdKey::new(child);
            let parents = children.get(&key);
            if once.insert(key) {
                let belongs = parents.is_some_and(|parents| parents.contains(&parent.id));
                let ids = if belongs {
                    &mut change.gained
                } else {
                    &mut change.lost
                };
                ids.push(child.clone());
            }
        }
        change
    };
    Ok(page.iter().map(one).collect())
}
