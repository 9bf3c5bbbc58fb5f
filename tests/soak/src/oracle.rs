//! Checks the data with the driver alone: compares every copy with its source, and looks for the flag of each stale copy.

use std::collections::HashMap;

use bson::oid::ObjectId;
use bson::{Bson, Document, doc};
use futures::TryStreamExt;
use mongo_model::{ClientSession, Database};

use crate::models::COLLECTIONS;

/// The result of one check of all copies.
#[derive(Debug, Default, Clone)]
pub struct Audit {
    /// Copies looked at.
    pub copies: usize,
    /// Copies that differ from their source.
    pub stale: Vec<Stale>,
    /// References to a source that is not there.
    pub dangling: Vec<String>,
    /// Snapshots that are not of the sibling reference's part. None exist as long as no program changes the field they are of.
    pub foreign: Vec<String>,
}

/// A copy that differs from its source.
#[derive(Debug, Clone)]
pub struct Stale {
    /// The path, the copy's value, and the source's value.
    pub what: String,
    /// True if the source or the document with the copy carries the flag that recovery finds it by.
    pub flagged: bool,
    /// The edge or link; empty where a family does not say.
    pub name: String,
    /// The documents whose events may account for it, as the one with the copy and its source: the collection, and the `_id` or [`ANY`].
    /// None where a family does not say.
    pub documents: Vec<(&'static str, Bson)>,
}

/// Stands for the `_id` of any document of a collection.
pub const ANY: Bson = Bson::MinKey;

impl Audit {
    /// Stale copies without a flag: recovery does not find them.
    #[must_use]
    pub fn lost(&self) -> Vec<&str> {
        let lost = self.stale.iter().filter(|stale| !stale.flagged);
        lost.map(|stale| stale.what.as_str()).collect()
    }
}

type Read<T> = mongodb::error::Result<T>;

async fn all(db: &Database, collection: &str) -> Read<Vec<Document>> {
    let rows = db.collection::<Document>(collection).find(doc! {}).await?;
    rows.try_collect().await
}

/// One reference with its copies, as it is stored.
struct Held<'d> {
    edge: &'static str,
    owner: &'d Document,
    /// The collection of the source, and its key; `None` where the reference is absent.
    source: &'static str,
    key: Option<ObjectId>,
    /// The copies, each with the name of its field in the source.
    copies: Vec<(&'static str, Option<&'d Bson>)>,
}

impl Held<'_> {
    /// The collection of the document with the reference.
    fn collection(&self) -> &'static str {
        self.edge.split('.').next().unwrap_or(self.edge)
    }
}

/// References at the top of documents: where, to what, and with what copy.
const SINGLE: [(&str, &str, &str, &str, &str, &str); 3] = [
    (
        "stocks",
        "stocks.part",
        "part",
        "parts",
        "name",
        "part_name",
    ),
    ("bins", "bins.part", "part", "parts", "name", "part_name"),
    ("labels", "labels.bin", "bin", "bins", "part_name", "says"),
];

type Stored = HashMap<&'static str, Vec<Document>>;

fn held(stored: &Stored) -> Vec<Held<'_>> {
    let mut out = Vec::new();
    for owner in &stored["products"] {
        let entries = owner.get_array("parts").ok().into_iter().flatten();
        for entry in entries.filter_map(Bson::as_document) {
            out.push(Held {
                edge: "products.parts",
                owner,
                source: "parts",
                key: entry.get_object_id("id").ok(),
                copies: vec![("name", entry.get("name")), ("unit", entry.get("unit"))],
            });
        }
    }
    for (collection, edge, reference, source, from, to) in SINGLE {
        for owner in &stored[collection] {
            out.push(Held {
                edge,
                owner,
                source,
                key: owner.get_object_id(reference).ok(),
                copies: vec![(from, owner.get(to))],
            });
        }
    }
    out
}

/// A missing value and null are the same to the reader of an `Option`.
fn value(value: Option<&Bson>) -> Option<&Bson> {
    value.filter(|value| **value != Bson::Null)
}

fn list<'d>(document: &'d Document, name: &str) -> Vec<&'d Bson> {
    let dn = document.get_document("_dn").ok();
    let list = dn.and_then(|dn| dn.get_array(name).ok());
    list.into_iter().flatten().collect()
}

/// Looks at every copy. Nothing may be writing: this reads one collection after the other.
///
/// # Errors
/// The driver's.
pub async fn audit(db: &Database) -> Read<Audit> {
    let mut stored = Stored::new();
    for collection in COLLECTIONS {
        stored.insert(collection, all(db, collection).await?);
    }
    Ok(compare(&stored))
}

/// Looks at every copy as of the time of a snapshot session, whoever is writing.
///
/// # Errors
/// The driver's.
pub async fn audit_at(db: &Database, session: &mut ClientSession) -> Read<Audit> {
    let mut stored = Stored::new();
    for collection in COLLECTIONS {
        let rows = db.collection::<Document>(collection);
        let rows = rows.find(doc! {});
        let mut rows = rows.session(&mut *session).await?;
        let rows = rows.stream(session).try_collect().await?;
        stored.insert(collection, rows);
    }
    Ok(compare(&stored))
}

fn compare(stored: &Stored) -> Audit {
    let sources = stored
        .iter()
        .flat_map(|(collection, rows)| rows.iter().map(move |row| (*collection, row)));
    let sources: HashMap<(&str, ObjectId), &Document> = sources
        .filter_map(|(collection, row)| Some(((collection, row.get_object_id("_id").ok()?), row)))
        .collect();
    let nothing = Document::new();
    let mut out = Audit::default();
    for held in held(stored) {
        let owner = held.owner.get("_id").cloned().unwrap_or(Bson::Null);
        let place = format!("{} of {owner} for {:?}", held.edge, held.key);
        let source = match held.key {
            // Beside no reference there is no copy.
            None => Some(&&nothing),
            Some(key) => sources.get(&(held.source, key)),
        };
        let Some(source) = source else {
            out.dangling.push(place);
            continue;
        };
        if let Some(snapshot) = held.owner.get("first_qty")
            && source.get("qty") != Some(snapshot)
        {
            out.foreign.push(format!("{place}: {snapshot}"));
        }
        for (name, copy) in &held.copies {
            out.copies += 1;
            let now = source.get(*name);
            if value(*copy) == value(now) {
                continue;
            }
            let pending = list(source, "p")
                .into_iter()
                .any(|edge| edge.as_str() == Some(held.edge));
            let marked = !list(held.owner, "u").is_empty();
            out.stale.push(Stale {
                what: format!(
                    "{place}: {name} is {copy:?} and should be {now:?}; _dn {:?} and {:?}",
                    source.get("_dn"),
                    held.owner.get("_dn")
                ),
                flagged: pending || marked,
                name: held.edge.to_owned(),
                documents: vec![
                    (held.collection(), owner.clone()),
                    (held.source, held.key.map_or(Bson::Null, Bson::ObjectId)),
                ],
            });
        }
    }
    out
}

/// How many documents carry a flag.
///
/// # Errors
/// The driver's.
pub async fn flagged(db: &Database) -> Read<u64> {
    let mut n = 0;
    for collection in COLLECTIONS {
        let flags =
            doc! { "$or": [{ "_dn.p": { "$exists": true } }, { "_dn.u": { "$exists": true } }] };
        n += db
            .collection::<Document>(collection)
            .count_documents(flags)
            .await?;
    }
    Ok(n)
}
