//! Checks the data with the driver alone.

use std::collections::{BTreeSet, HashMap};

use bson::{Bson, Document, doc};
use futures::TryStreamExt;
use mongo_model::Database;

use super::models::COLLECTIONS;
use crate::leases;
use crate::oracle::{Audit, Stale};

type Read<T> = mongodb::error::Result<T>;

/// A reference, and the copies and derived data that depend on it.
struct Pair {
    child: &'static str,
    /// The path of the reference.
    by: &'static str,
    parent: &'static str,
    /// The parent's field that is referred to.
    key: &'static str,
    /// The path of the copy, if there is one: then every dangling reference must have a flag.
    copy: Option<&'static str>,
    /// Derived data of the parent: `counts` children, lists the `last` of them, lists `all` in this field.
    counts: bool,
    last: bool,
    all: Option<&'static str>,
    /// It adds up the field `size` of the children: of all, or of those that are open.
    adds: Option<Adds>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Adds {
    All,
    Open,
}

const fn pair(child: &'static str, by: &'static str, parent: &'static str) -> Pair {
    Pair {
        child,
        by,
        parent,
        key: "_id",
        copy: None,
        counts: false,
        last: false,
        all: None,
        adds: None,
    }
}

const PAIRS: [Pair; 8] = [
    Pair {
        copy: Some("name"),
        ..pair("items", "shop", "shops")
    },
    Pair {
        copy: Some("writer.name"),
        counts: true,
        last: true,
        ..pair("essays", "writer.id", "writers")
    },
    Pair {
        counts: true,
        last: true,
        ..pair("things", "owner", "owners")
    },
    Pair {
        counts: true,
        last: true,
        all: Some("players"),
        ..pair("players", "team", "teams")
    },
    Pair {
        copy: Some("blog.name"),
        counts: true,
        adds: Some(Adds::All),
        ..pair("stories", "blog.id", "blogs")
    },
    Pair {
        copy: Some("desk.name"),
        counts: true,
        adds: Some(Adds::Open),
        ..pair("stories", "desk.id", "desks")
    },
    Pair {
        copy: Some("name"),
        ..pair("remarks", "story", "stories")
    },
    Pair {
        key: "email",
        copy: Some("name"),
        ..pair("notes", "user", "users")
    },
];

type Stored = HashMap<&'static str, Vec<Document>>;

fn at<'d>(document: &'d Document, path: &str) -> Option<&'d Bson> {
    match path.split_once('.') {
        None => document.get(path).filter(|value| **value != Bson::Null),
        Some((step, rest)) => at(document.get_document(step).ok()?, rest),
    }
}

fn says(document: &Document, flag: &str) -> bool {
    document
        .get_document("_dn")
        .is_ok_and(|dn| dn.contains_key(flag))
}

/// True if a document is being deleted, or has one of these flags: its propagation or its derived data is pending.
fn flagged_by(document: &Document, flags: &[&str]) -> bool {
    says(document, "del") || flags.iter().any(|flag| says(document, flag))
}

/// The form of an id or key in the log of operations.
fn shown(value: &Bson) -> String {
    match value {
        Bson::Int64(n) => format!("{},", n - 1),
        Bson::ObjectId(id) => format!("{},", i16::from(id.bytes()[11]) - 1),
        Bson::String(email) => format!(
            "{},",
            email.trim_start_matches('u').chars().next().unwrap_or('?')
        ),
        other => other.to_string(),
    }
}

/// Looks at everything. Nothing may be writing: this reads one collection after the other.
///
/// # Errors
/// The driver's.
pub async fn audit(db: &Database) -> Read<Audit> {
    let mut stored = Stored::new();
    for collection in COLLECTIONS {
        let rows = db.collection::<Document>(collection).find(doc! {}).await?;
        stored.insert(collection, rows.try_collect().await?);
    }
    let mut out = Audit::default();
    for pair in &PAIRS {
        references(pair, &stored, &mut out);
        for parent in &stored[pair.parent] {
            kept(pair, &stored, parent, &mut out);
        }
    }
    Ok(out)
}

/// Every reference with a copy leads to a document, and its copy agrees with it.
fn references(pair: &Pair, stored: &Stored, out: &mut Audit) {
    for child in &stored[pair.child] {
        let Some(key) = at(child, pair.by) else {
            continue;
        };
        out.copies += 1;
        let name = format!(
            "{} {} of {} {}",
            pair.child,
            child.get("_id").map_or_else(String::new, shown),
            pair.parent,
            shown(key)
        );
        let parents = &mut stored[pair.parent].iter();
        let parent = parents.find(|parent| parent.get(pair.key) == Some(key));
        let (Some(parent), Some(copy)) = (parent, pair.copy) else {
            match (parent, pair.copy) {
                (Some(_), _) => {}
                (None, None) => out.dangling.push(name),
                (None, Some(_)) => out.stale.push(Stale {
                    name: String::new(),
                    what: format!("{name} leads nowhere: {child}"),
                    flagged: flagged_by(child, &["u"]),
                    documents: Vec::new(),
                }),
            }
            continue;
        };
        if at(child, copy) != parent.get("name") {
            out.stale.push(Stale {
                name: String::new(),
                what: format!("{name} copies what is not there: {child}, {parent}"),
                flagged: flagged_by(child, &["u"]) || flagged_by(parent, &["p"]),
                documents: Vec::new(),
            });
        }
    }
}

/// Checks that a parent's derived data agrees with its children.
fn kept(pair: &Pair, stored: &Stored, parent: &Document, out: &mut Audit) {
    let Some(id) = parent.get("_id") else { return };
    let children: Vec<&Document> = stored[pair.child]
        .iter()
        .filter(|child| at(child, pair.by) == Some(id) && !says(child, "del"))
        .collect();
    let waits = |flag: &str| {
        flagged_by(parent, &["v"])
            || stored[pair.child]
                .iter()
                .any(|child| flagged_by(child, &[flag]))
    };
    let mut wrong = |what: &str, is: String, should: String, flagged: bool| {
        if is != should {
            let what = format!(
                "{} {} {what} {is} and should {should}: {parent}; {children:?}",
                pair.parent,
                shown(id)
            );
            out.stale.push(Stale {
                name: String::new(),
                what,
                flagged,
                documents: Vec::new(),
            });
        }
    };
    if pair.counts {
        out.copies += 1;
        let (is, should) = (parent.get_i64("number").ok(), children.len());
        let is = is.map_or_else(String::new, |n| n.to_string());
        wrong("counts", is, should.to_string(), waits("c"));
    }
    if let Some(adds) = pair.adds {
        out.copies += 1;
        let added =
            |child: &&&Document| adds == Adds::All || child.get_bool("open").is_ok_and(|open| open);
        let sizes = children.iter().filter(added);
        let sizes = sizes.map(|child| child.get_i64("size").unwrap_or_default());
        let sizes: Vec<i64> = sizes.collect();
        let sum: i64 = sizes.iter().sum();
        let is = parent
            .get_i64("size")
            .map_or_else(|_| String::new(), |n| n.to_string());
        wrong("adds up", is, sum.to_string(), waits("c"));
        out.copies += 1;
        let mean = parent.get_document("mean").cloned().unwrap_or_default();
        let should = doc! { "sum": sum, "n": i64::try_from(sizes.len()).unwrap_or(i64::MAX) };
        wrong("averages", mean.to_string(), should.to_string(), waits("c"));
        out.copies += 1;
        let extreme = parent.get_i64("extreme").ok();
        let should = match adds {
            Adds::All => sizes.iter().max(),
            Adds::Open => sizes.iter().min(),
        };
        let (is, should) = (format!("{extreme:?}"), format!("{:?}", should.copied()));
        wrong("has an extreme of", is, should, waits("p"));
    }
    if pair.last {
        out.copies += 1;
        let mut last: Vec<(Option<i64>, String)> = children
            .iter()
            .map(|child| {
                let id = child.get("_id").map_or_else(String::new, shown);
                (child.get_i64("time").ok(), id)
            })
            .collect();
        last.sort();
        let last = last[last.len().saturating_sub(3)..].to_vec();
        let has = parent.get_array("last").into_iter().flatten();
        let has = has.filter_map(Bson::as_document).map(|entry| {
            let id = entry.get("id").map_or_else(String::new, shown);
            (entry.get_i64("time").ok(), id)
        });
        let has: Vec<_> = has.collect();
        wrong("lists", format!("{has:?}"), format!("{last:?}"), waits("p"));
    }
    if let Some(field) = pair.all {
        out.copies += 1;
        let all: BTreeSet<String> = children
            .iter()
            .filter_map(|child| child.get("_id").map(shown))
            .collect();
        let has = parent.get_array(field).into_iter().flatten();
        let has: BTreeSet<String> = has.map(shown).collect();
        wrong("has", format!("{has:?}"), format!("{all:?}"), waits("p"));
    }
}

/// How many documents carry a flag.
///
/// # Errors
/// The driver's.
pub async fn flagged(db: &Database) -> Read<u64> {
    let mut n = 0;
    for collection in COLLECTIONS {
        let mut any = ["p", "u", "c", "o", "del", "k.a.0"]
            .map(|flag| doc! { format!("_dn.{flag}"): { "$exists": true } })
            .to_vec();
        // A place whose program has ended waits for a minute.
        any.push(leases::marked());
        let any = doc! { "$or": any };
        n += db
            .collection::<Document>(collection)
            .count_documents(any)
            .await?;
    }
    Ok(n)
}
