//! Checks the data with the driver alone: compares derived data of parents with their children, and finds references that lead
//! nowhere.

mod clubs;
mod days;

use std::collections::{BTreeSet, HashMap};

use bson::{Bson, Document, doc};
use futures::TryStreamExt;
use mongo_model::{ClientSession, Database};

use super::models::{COLLECTIONS, LAST};
use crate::leases;
use crate::oracle::{ANY, Audit, Stale};

type Read<T> = mongodb::error::Result<T>;

/// Everything that is stored.
struct Stored(HashMap<&'static str, Vec<Document>>);

impl Stored {
    async fn read(db: &Database) -> Read<Stored> {
        let mut all = HashMap::new();
        for collection in COLLECTIONS {
            let rows = db.collection::<Document>(collection).find(doc! {}).await?;
            all.insert(collection, rows.try_collect().await?);
        }
        Ok(Stored(all))
    }

    /// The same as of the time of a snapshot session.
    async fn read_at(db: &Database, session: &mut ClientSession) -> Read<Stored> {
        let mut all = HashMap::new();
        for collection in COLLECTIONS {
            let rows = db.collection::<Document>(collection);
            let rows = rows.find(doc! {});
            let mut rows = rows.session(&mut *session).await?;
            all.insert(collection, rows.stream(session).try_collect().await?);
        }
        Ok(Stored(all))
    }

    fn of(&self, collection: &str) -> &[Document] {
        self.0.get(collection).map_or(&[], Vec::as_slice)
    }

    fn by_id(&self, collection: &str) -> HashMap<i64, &Document> {
        let rows = self.of(collection).iter();
        rows.filter_map(|row| Some((row.get_i64("_id").ok()?, row)))
            .collect()
    }
}

fn own<'d>(document: &'d Document, name: &str) -> Option<&'d Bson> {
    document.get_document("_dn").ok()?.get(name)
}

fn list<'d>(document: &'d Document, name: &str) -> Vec<&'d Bson> {
    own(document, name)
        .and_then(Bson::as_array)
        .into_iter()
        .flatten()
        .collect()
}

/// True if a child is pending along this link: it has yet to propagate to its parents.
fn pending(child: &Document, link: &str) -> bool {
    list(child, "p")
        .into_iter()
        .any(|name| name.as_str() == Some(link))
}

/// True if a parent carries a mark of this link that names this child or no child; or if it is being deleted.
fn marked(parent: &Document, link: &str, child: Option<i64>) -> bool {
    let goes = own(parent, "del").is_some();
    goes || list(parent, "v")
        .into_iter()
        .filter_map(Bson::as_document)
        .any(|mark| {
            let of_child = mark.get_i64("k").ok();
            mark.get_str("e").ok() == Some(link)
                && (child.is_none() || of_child.is_none() || of_child == child)
        })
}

/// A derived value that is wrong: the link or edge, and the documents whose events may account for it.
struct Place<'p> {
    name: &'p str,
    documents: Vec<(&'static str, Bson)>,
}

fn note(out: &mut Audit, place: Place<'_>, what: String, flagged: bool) {
    out.stale.push(Stale {
        what,
        flagged,
        name: place.name.to_owned(),
        documents: place.documents,
    });
}

fn id_of(document: &Document) -> Bson {
    document.get("_id").cloned().unwrap_or(Bson::Null)
}

/// Looks at everything. Nothing may be writing: this reads one collection after the other.
///
/// # Errors
/// The driver's.
pub async fn audit(db: &Database) -> Read<Audit> {
    Ok(compare(&Stored::read(db).await?))
}

/// Looks at everything as of the time of a snapshot session, whoever is writing.
///
/// # Errors
/// The driver's.
pub async fn audit_at(db: &Database, session: &mut ClientSession) -> Read<Audit> {
    Ok(compare(&Stored::read_at(db, session).await?))
}

fn compare(stored: &Stored) -> Audit {
    let mut out = Audit::default();
    tasks(stored, &mut out);
    messages(stored, &mut out);
    days::compare(stored, &mut out);
    posts(stored, &mut out);
    clubs::compare(stored, &mut out);
    references(stored, &mut out);
    out
}

/// Every person has exactly the tasks that say so.
fn tasks(stored: &Stored, out: &mut Audit) {
    let tasks = stored.by_id("tasks");
    for person in stored.of("people") {
        out.copies += 1;
        let id = person.get_i64("_id").ok();
        let has: Vec<i64> = person
            .get_array("tasks")
            .into_iter()
            .flatten()
            .filter_map(Bson::as_i64)
            .collect();
        let says: BTreeSet<i64> = tasks
            .iter()
            .filter(|(_, task)| task.get_i64("owner").ok() == id && own(task, "del").is_none())
            .map(|(task, _)| *task)
            .collect();
        let set: BTreeSet<i64> = has.iter().copied().collect();
        if set.len() != has.len() {
            let place = Place {
                name: "people.tasks",
                documents: vec![("people", id_of(person))],
            };
            note(
                out,
                place,
                format!("people {id:?} has a task twice: {has:?}"),
                false,
            );
        }
        for task in set.symmetric_difference(&says) {
            let flagged = marked(person, "people.tasks", Some(*task))
                || tasks
                    .get(task)
                    .is_some_and(|task| pending(task, "people.tasks"));
            let what = if set.contains(task) {
                "too much"
            } else {
                "not"
            };
            let why = tasks.get(task);
            let place = Place {
                name: "people.tasks",
                documents: vec![("people", id_of(person)), ("tasks", Bson::Int64(*task))],
            };
            note(
                out,
                place,
                format!("people {id:?} has task {task} {what}: {why:?}"),
                flagged,
            );
        }
    }
}

/// Every host keeps exactly its last messages, and their number.
fn messages(stored: &Stored, out: &mut Audit) {
    for host in stored.of("hosts") {
        out.copies += 2;
        let id = host.get_i64("_id").ok();
        let mine = |message: &&Document| {
            message.get_i64("host").ok() == id && own(message, "del").is_none()
        };
        let mut last: Vec<&Document> = stored.of("logmsg").iter().filter(mine).collect();
        counted(
            stored,
            ("hosts", "messages"),
            "logmsg",
            host,
            last.len(),
            out,
        );
        last.sort_by_key(|message| (message.get_i64("time").ok(), message.get_i64("_id").ok()));
        let last = &last[last.len().saturating_sub(LAST)..];
        let shown = last.iter().map(|message| {
            let get = |name: &str| message.get(name).cloned();
            [get("_id"), get("time"), get("message")]
        });
        let shown: Vec<_> = shown.collect();
        let has = host.get_array("logmsgs").into_iter().flatten();
        let has: Vec<_> = has
            .filter_map(Bson::as_document)
            .map(|entry| {
                let get = |name: &str| entry.get(name).cloned();
                [get("id"), get("time"), get("message")]
            })
            .collect();
        if has != shown {
            // A pending message pushes another one out.
            let told = |message: &Document| {
                let lost = own(message, "o").and_then(|o| o.as_document()?.get_array("host").ok());
                let lost = lost.into_iter().flatten().any(|old| old.as_i64() == id);
                pending(message, "hosts.logmsgs") && (message.get_i64("host").ok() == id || lost)
            };
            let flagged =
                marked(host, "hosts.logmsgs", None) || stored.of("logmsg").iter().any(told);
            // A value that is too many has an entry, and one that is missing should have one.
            let entries = has
                .iter()
                .chain(&shown)
                .filter_map(|entry| entry[0].clone());
            let mut documents = vec![("hosts", id_of(host))];
            documents.extend(entries.map(|id| ("logmsg", id)));
            let place = Place {
                name: "hosts.logmsgs",
                documents,
            };
            note(
                out,
                place,
                format!(
                    "hosts {id:?} keeps {has:?}, and should {shown:?}; {:?}",
                    host.get("_dn")
                ),
                flagged,
            );
        }
    }
}

/// Every author knows how many posts there are.
fn posts(stored: &Stored, out: &mut Audit) {
    for author in stored.of("authors") {
        out.copies += 1;
        let id = author.get_i64("_id").ok();
        let by = |post: &&Document| {
            let author = post
                .get_document("author")
                .and_then(|author| author.get_i64("id"));
            author.ok() == id && own(post, "del").is_none()
        };
        let n = stored.of("posts").iter().filter(by).count();
        counted(stored, ("authors", "posts"), "posts", author, n, out);
    }
}

fn counted(
    stored: &Stored,
    (collection, field): (&'static str, &str),
    children: &'static str,
    parent: &Document,
    n: usize,
    out: &mut Audit,
) {
    let says = parent.get_i64(field).ok();
    if says == i64::try_from(n).ok() {
        return;
    }
    let id = parent.get_i64("_id").ok();
    let on_its_way = |child: &Document| own(child, "c").is_some() || own(child, "del").is_some();
    let link = format!("{collection}.{field}");
    let flagged = marked(parent, &link, None) || stored.of(children).iter().any(on_its_way);
    // No document names the child that has left: any child may be it.
    let place = Place {
        name: &link,
        documents: vec![(collection, id_of(parent)), (children, ANY)],
    };
    note(
        out,
        place,
        format!(
            "{collection} {id:?} counts {says:?}, and should {n}; {:?}",
            parent.get("_dn")
        ),
        flagged,
    );
}

/// Every reference with copies leads to a document, and its copies agree with it; so does every checked reference.
fn references(stored: &Stored, out: &mut Audit) {
    let mut one = |from: (&'static str, &Document),
                   to: &'static str,
                   edge: &str,
                   key: i64,
                   copy: Option<&Bson>,
                   field: &str| {
        out.copies += 1;
        let (collection, owner) = from;
        let id = owner.get("_id");
        let waits = !list(owner, "u").is_empty() || own(owner, "del").is_some();
        let place = Place {
            name: edge,
            documents: vec![(collection, id_of(owner)), (to, Bson::Int64(key))],
        };
        let Some(source) = stored.by_id(to).get(&key).copied() else {
            let what = format!(
                "{collection} {id:?} leads nowhere: {to} {key}; {:?}",
                owner.get("_dn")
            );
            // Who died when it had just stored a reference that refuses nothing any more leaves it, and so does one that may not go
            // because it is referred to in turn: both are reported, and stay, with a mark.
            let refuses = |review: &Document| collection == "posts" && review.get("post") == id;
            let stays = collection == "reviews" || stored.of("reviews").iter().any(refuses);
            if stays {
                out.dangling.push(what);
            } else {
                note(out, place, what, waits);
            }
            return;
        };
        if source.get(field) != copy {
            let flagged = waits || pending(source, edge) || own(source, "del").is_some();
            note(
                out,
                place,
                format!("{collection} {id:?} copies {copy:?} of {source:?}"),
                flagged,
            );
        }
    };
    for message in stored.of("logmsg") {
        if let Ok(host) = message.get_i64("host") {
            one(
                ("logmsg", message),
                "hosts",
                "logmsg.host",
                host,
                message.get("ipaddr"),
                "ipaddr",
            );
        }
    }
    for post in stored.of("posts") {
        let entries = post.get_array("tags").into_iter().flatten();
        for (tag, name) in entries.filter_map(entry) {
            one(("posts", post), "tags", "posts.tags", tag, name, "name");
        }
        for (tag, name) in notes(post) {
            let edge = "posts.sections.notes.tag";
            one(("posts", post), "tags", edge, tag, name, "name");
        }
        if let Some((author, name)) = post.get("author").and_then(entry) {
            one(
                ("posts", post),
                "authors",
                "posts.author",
                author,
                name,
                "name",
            );
        }
    }
    for sticker in stored.of("stickers") {
        for (field, to) in [("tag", "tags"), ("by", "authors")] {
            if let Ok(key) = sticker.get_i64(field) {
                let edge = format!("stickers.{field}");
                one(("stickers", sticker), to, &edge, key, None, "");
            }
        }
    }
    for club in stored.of("clubs") {
        for (fellow, name) in clubs::members(club) {
            one(
                ("clubs", club),
                "fellows",
                "clubs.members",
                fellow,
                name,
                "name",
            );
        }
    }
    for review in stored.of("reviews") {
        if let Ok(post) = review.get_i64("post") {
            one(
                ("reviews", review),
                "posts",
                "reviews.post",
                post,
                review.get("title"),
                "title",
            );
        }
    }
}

/// The notes of a post: the tag, and the copy.
fn notes(post: &Document) -> Vec<(i64, Option<&Bson>)> {
    let sections = post.get_array("sections").into_iter().flatten();
    let sections = sections.filter_map(Bson::as_document);
    let notes = sections.filter_map(|section| section.get_array("notes").ok());
    let notes = notes.flatten().filter_map(Bson::as_document);
    let held = notes.filter_map(|note| Some((note.get_i64("tag").ok()?, note.get("name"))));
    held.collect()
}

fn entry(entry: &Bson) -> Option<(i64, Option<&Bson>)> {
    let entry = entry.as_document()?;
    Some((entry.get_i64("id").ok()?, entry.get("name")))
}

/// The number of documents with a flag, except those that wait for a missing source.
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
    for (waiting, by, sources) in [
        ("reviews", "post", "posts"),
        ("posts", "author.id", "authors"),
    ] {
        let sources = db.collection::<Document>(sources);
        let there = sources.distinct("_id", doc! {}).await?;
        let waits = doc! { "_dn.u": { "$exists": true }, by: { "$nin": there } };
        let waiting = db.collection::<Document>(waiting);
        n -= waiting.count_documents(waits).await?;
    }
    Ok(n)
}
