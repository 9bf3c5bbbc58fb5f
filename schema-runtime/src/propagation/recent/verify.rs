//! Compares marked lists with the children.

use std::collections::{HashMap, HashSet};

use bson::oid::ObjectId;
use bson::{Bson, Document, doc};

use super::STORES;
use super::change::{self, Change};
use crate::bson_util::id_key::IdKey;
use crate::bson_util::number::integer;
use crate::bson_util::path::join;
use crate::bson_util::stored_id::id_of_document;
use crate::driver::{self, Database, FindArgs};
use crate::error::{Error, Result};
use crate::graph::links::{Link, Recent};
use crate::graph::source::Source;
use crate::graph::{flags, links};
use crate::propagation::marks::Take;
use crate::propagation::periods::{children_of, store_periods};
use crate::propagation::source_reads::{ReadMode, migrate_sources};
use crate::schema::stored;

/// The largest number of times that a list is compared again, if its children keep changing. Each further round means that another write
/// has succeeded.
const ROUNDS: usize = 100;

/// Compares the marked lists that match `filter` with the children, and clears the marks; returns how many lists were compared.
pub(crate) async fn verify(
    db: &Database,
    link: &'static Link,
    list: &Recent,
    filter: Document,
    take: &mut Take<'_>,
) -> Result<u64> {
    let args = FindArgs {
        projection: Some(doc! { "_id": 1, stored::UNCONFIRMED: 1 }),
        ..FindArgs::default()
    };
    let mut looked_at = 0;
    let mut rows = driver::open(db, link.host.collection, filter, args, None).await?;
    while let Some(host) = rows.next(|raw| Ok(Document::try_from(raw).ok())).await? {
        let Some(host) = host else { continue };
        let id = host.get("_id").cloned().unwrap_or(Bson::Null);
        let marks = Marked::read(link, &host);
        if !marks.tokens.is_empty() && take(&id, &marks.tokens) {
            fault!("sweep_after_read");
            compare(db, link, list, &id).await?;
            fault!("sweep_after_fix");
            looked_at += 1;
        }
    }
    Ok(looked_at)
}

/// Rebuilds the list of one parent that meets a condition from its children, no matter what it holds now; returns whether the parent
/// exists. Stores the document of a period that is not there.
pub(crate) async fn rebuild(
    db: &Database,
    link: &'static Link,
    list: &Recent,
    id: &Bson,
    among: &Document,
) -> Result<bool> {
    let stored = format!("${}", link.field);
    // Entries are made older than every child, so that all are written again; an entry without an id belongs to no child.
    let older = doc! { "$map": {
        "input": { "$filter": {
            "input": { "$cond": [{ "$isArray": &stored }, &stored, []] },
            "cond": { "$ne": [{ "$type": "$$this.id" }, "missing"] },
        } },
        "in": { "$mergeObjects": ["$$this", { stored::COPY_REVISION: 0 }] },
    } };
    let mark = flags::lacking_mark(ObjectId::new(), doc! { "$literal": &link.name });
    let marks = flags::with_mark(stored::value::UNCONFIRMED, mark);
    let mut update = vec![doc! { "$set": { link.field: older, stored::UNCONFIRMED: marks } }];
    update.extend(link.show());
    let mut this = doc! { "_id": { "$eq": id } };
    this.extend(among.clone());
    let update = [doc! { "q": this, "u": update }];
    let host = link.host.collection;
    let mut done = driver::statements(db, host, &update, false, None).await?;
    let (mut stores, one) = (0, std::slice::from_ref(id));
    while done.matched == 0 && stores < STORES && store_periods(db, host, one, among).await? {
        stores += 1;
        done = driver::statements(db, host, &update, false, None).await?;
    }
    fault!("after_mark");
    if done.matched > 0 {
        compare(db, link, list, id).await?;
    }
    Ok(done.matched > 0)
}

/// A list as it was read, and its marks.
struct Marked {
    tokens: Vec<ObjectId>,
    /// The children that marks name.
    named: Vec<Bson>,
    /// True if the list may lack children.
    refill: bool,
    /// The revisions of the entries.
    entries: HashMap<IdKey, (Bson, i64)>,
}

impl Marked {
    fn read(link: &Link, host: &Document) -> Self {
        let mut read = Marked {
            tokens: Vec::new(),
            named: Vec::new(),
            refill: false,
            entries: HashMap::new(),
        };
        for mark in link.marks(host) {
            read.tokens.extend(mark.get_object_id(stored::TOKEN));
            read.refill |= mark
                .get_bool(stored::key::UNCONFIRMED_LACKS)
                .unwrap_or(false);
            match mark.get(stored::key::UNCONFIRMED_CHILDREN) {
                Some(Bson::Array(ids)) => read.named.extend(ids.iter().cloned()),
                Some(id) => read.named.push(id.clone()),
                None => {}
            }
        }
        for entry in link.entries(host) {
            let id = entry.get(stored::ENTRY_ID).cloned().unwrap_or(Bson::Null);
            let r = integer(entry.get(stored::COPY_REVISION)).unwrap_or(0);
            read.entries.insert(IdKey::new(&id), (id, r));
        }
        read
    }
}

/// Compares the list of one parent with the children that its marks name, and with the last N if it may lack children, until a round finds
/// nothing to change. The children are read after the list, so that the comparison covers all marks that were there before.
async fn compare(db: &Database, link: &'static Link, list: &Recent, id: &Bson) -> Result<()> {
    let entries = format!("{}.id", link.field);
    let revisions = join(link.field, stored::COPY_REVISION);
    let mut fields = doc! { stored::UNCONFIRMED: 1, entries: 1, revisions: 1 };
    fields.extend(link.tenant());
    for _ in 0..ROUNDS {
        let one = std::slice::from_ref(id);
        let found = driver::read_by(db, link.host.collection, "_id", one, &fields, None).await?;
        let Some(host) = found.first() else {
            return Ok(());
        };
        let marked = Marked::read(link, host);
        if marked.tokens.is_empty() {
            return Ok(());
        }
        let mut change = compute_change(db, link, list, (id, &link.inside(host)), &marked).await?;
        // The pipeline compares revisions: do not send an entry that it would not change.
        change.puts.retain(|put| {
            let known = put
                .get(stored::ENTRY_ID)
                .and_then(|id| marked.entries.get(&IdKey::new(id)));
            known.is_none_or(|(_, r)| {
                integer(put.get(stored::COPY_REVISION)).is_some_and(|new| new > *r)
            })
        });
        if change.puts.is_empty() && change.gone.is_empty() {
            return unmark(db, link, id, &marked.tokens).await;
        }
        let mut left = Vec::new();
        let (puts, gone) = (change.puts, change.gone);
        let mut puts = puts.chunks(super::CHILDREN);
        let mut gone = Some(gone);
        loop {
            let (some, none) = (puts.next(), gone.take());
            if some.is_none() && none.is_none() {
                break;
            }
            let piece = Change {
                puts: some.unwrap_or_default().to_vec(),
                gone: none.unwrap_or_default(),
                ..Change::new(id.clone())
            };
            let marks = super::update_single_parent(db, link, list, &piece).await?;
            left.extend(marks.put);
            left.extend(marks.refill);
        }
        if left.is_empty() {
            return unmark(db, link, id, &marked.tokens).await;
        }
    }
    Err(Error::Busy {
        what: format!("{} of {id}", link.name),
    })
}

async fn unmark(db: &Database, link: &Link, id: &Bson, tokens: &[ObjectId]) -> Result<()> {
    let marked =
        doc! { "_id": { "$eq": id }, stored::UNCONFIRMED_TOKEN: { "$in": tokens.to_vec() } };
    let update = doc! { "q": marked, "u": flags::unmark_links(tokens) };
    driver::statements(db, link.host.collection, &[update], false, None).await?;
    Ok(())
}

/// The change that makes a list match its children. It is computed from a durable read, which no crash can undo.
async fn compute_change(
    db: &Database,
    link: &'static Link,
    list: &Recent,
    (parent, inside): (&Bson, &Document),
    marked: &Marked,
) -> Result<Change> {
    let mut asked: HashMap<IdKey, Bson> = HashMap::new();
    for id in &marked.named {
        asked.insert(IdKey::new(id), id.clone());
    }
    if marked.refill {
        let mut last = HashSet::new();
        for (id, r) in newest(db, link, list, (parent, inside)).await? {
            let key = IdKey::new(&id);
            let known = marked.entries.get(&key);
            if known.is_none_or(|(_, known)| *known < r) {
                asked.insert(key.clone(), id);
            }
            last.insert(key);
        }
        let others = marked
            .entries
            .iter()
            .filter(|(key, _)| !last.contains(*key));
        asked.extend(others.map(|(key, (id, _))| (key.clone(), id.clone())));
    }
    let mut fields = doc! { "_id": 1, stored::OWN: 1 };
    links::fields(link, &mut fields);
    let ids: Vec<Bson> = asked.values().cloned().collect();
    let (child, by) = (link.child.collection, ("_id", &ids[..]));
    let children = driver::durable_read_where(db, child, by, inside, &fields).await?;
    let children = children.into_iter().map(Source::read).collect();
    let children = as_read(db, link, children, ReadMode::Durably).await?;
    let mut change = Change::new(parent.clone());
    for child in children {
        let key = IdKey::new(&child.id);
        asked.remove(&key);
        if link.parents_of(&child).contains(parent) {
            change.puts.push(change::entry(list, &child));
        } else if let Some((_, r)) = marked.entries.get(&key) {
            let r = child.revision().max(*r);
            change.gone.push(change::removed(child.id, r));
        }
    }
    for (key, id) in asked {
        if let Some((_, r)) = marked.entries.get(&key) {
            change.gone.push(change::removed(id, *r));
        }
    }
    Ok(change)
}

/// The last N children of a parent, with their revisions.
async fn newest(
    db: &Database,
    link: &Link,
    list: &Recent,
    of: (&Bson, &Document),
) -> Result<Vec<(Bson, i64)>> {
    let fields = doc! { "_id": 1, stored::REVISION: 1 };
    let read = in_order(db, link, list, of, fields).await?;
    let children = read.into_iter().map(|child| {
        let r = child.revision();
        (child.id, r)
    });
    Ok(children.collect())
}

/// The correct list of a parent, which was read with its tenant, from the children as the primary has them.
pub(crate) async fn last(
    db: &Database,
    link: &Link,
    list: &Recent,
    parent: &Document,
) -> Result<Vec<Document>> {
    let mut fields = doc! { "_id": 1, stored::REVISION: 1 };
    links::fields(link, &mut fields);
    let of = (&id_of_document(parent), &link.inside(parent));
    let read = in_order(db, link, list, of, fields).await?;
    let read = as_read(db, link, read, ReadMode::InSession(None)).await?;
    let mut last: Vec<Document> = read
        .iter()
        .map(|child| change::entry(list, child))
        .collect();
    if !list.newest_first {
        last.reverse();
    }
    Ok(last)
}

/// Children as their readers see them: those of an older schema are migrated in memory.
async fn as_read(
    db: &Database,
    link: &Link,
    children: Vec<Source>,
    mut how: ReadMode<'_>,
) -> Result<Vec<Source>> {
    migrate_sources(db, link.child.collection, children, &mut how).await
}

/// The last N children of a parent, newest first, in the order of an index; the children of a period are sorted after an index has found
/// them.
async fn in_order(
    db: &Database,
    link: &Link,
    list: &Recent,
    (parent, inside): (&Bson, &Document),
    fields: Document,
) -> Result<Vec<Source>> {
    let mut filter = children_of(link, parent);
    filter.insert(stored::TOMBSTONE, doc! { "$exists": false });
    filter.extend(inside.clone());
    let filter = link.live(filter);
    let direction = if list.least { 1 } else { -1 };
    let args = FindArgs {
        projection: Some(fields),
        sort: Some(doc! { list.by.0: direction, "_id": direction }),
        limit: i64::try_from(list.max).ok(),
        ..FindArgs::default()
    };
    let mut rows = driver::open(db, link.child.collection, filter, args, None).await?;
    let mut out = Vec::new();
    while let Some(row) = rows.next(|raw| Ok(Document::try_from(raw).ok())).await? {
        out.extend(row.map(Source::read));
    }
    Ok(out)
}
