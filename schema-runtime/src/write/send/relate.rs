//! Changes both sides of a reference: sets another parent, or adds to or removes from the array on the other side.

use bson::{Bson, Document, doc};

use super::arrays::{Edit, NewEntries, differ, edit, edit_many};
use crate::bson_util::id_key::IdKey;
use crate::driver::FindArgs;
use crate::error::{Error, Result};
use crate::graph::edges::Edges;
use crate::graph::links::{Keeps, Link};
use crate::outcome::Outcome;
use crate::propagation::two_way::check::{check_capacity_and_sources, room_for};
use crate::schema::rows::FieldRow;
use crate::schema::stored;
use crate::write::related::{At, Change};
use crate::write::send::request::UpdateRequest;
use crate::write::send::update::prepare;
use crate::{ClientSession, Database, driver};

/// Gives the document at `at` the parent `to`, null for none: what an update that sets the reference does.
pub(crate) async fn reassign(
    db: &Database,
    at: At,
    to: Bson,
    session: Option<&mut ClientSession>,
) -> Result<Outcome> {
    let mut links = Edges::get().links().iter();
    let link = links.find(|link| {
        let row = link.child_row();
        link.child.collection == at.meta.collection && row.is_some_and(|row| row.rust == at.field)
    });
    let link = link.ok_or_else(|| unknown(&at))?;
    let filter = doc! { "_id": { "$eq": &at.id } };
    let done = set(db, link, (&at.id, filter), to, session).await?;
    if done.matched == 0 {
        return Err(Error::NotFound {
            model: at.meta.name,
            id: Box::new(at.id),
        });
    }
    Ok(done)
}

/// Changes the array at `at`, and the other side with it.
pub(crate) async fn relate(
    db: &Database,
    at: At,
    change: Change,
    mut session: Option<&mut ClientSession>,
) -> Result<Outcome> {
    let edges = Edges::get();
    let ids = |link: &&Link| matches!(link.keeps, Keeps::Ids { .. });
    let kept = edges.links().iter().filter(ids).find(|link| {
        let row = link.host_row();
        link.host.collection == at.meta.collection && row.is_some_and(|row| row.rust == at.field)
    });
    let truth = edges.links().iter().filter(ids).find(|link| {
        let row = link.child_row();
        link.child.collection == at.meta.collection && row.is_some_and(|row| row.rust == at.field)
    });
    let (link, of_truth) = match (kept, truth) {
        (Some(link), _) => (link, link.is_symmetric()),
        (None, Some(link)) => (link, true),
        (None, None) => return Err(unknown(&at)),
    };
    let max = if kept.is_some() {
        link.max()
    } else {
        link.child_row().map_or(0, |row| row.max)
    };
    let members = link
        .child_row()
        .and_then(|row| row.relation)
        .is_some_and(|relation| relation.members);
    if let Some(name) = link.entry_id.filter(|_| of_truth) {
        let entry = |id: Bson| Bson::Document(doc! { name: id });
        // A generated entry holds an id and copies alone.
        let change = match change {
            Change::Add(id) if !members => Change::Add(entry(id)),
            Change::Replace(ids) if !members => {
                Change::Replace(ids.into_iter().map(entry).collect())
            }
            change => change,
        };
        let sides = Sides { db, link, at: &at };
        return sides.on_entries(name, change, max, session).await;
    }
    let (add, remove) = match change {
        Change::Add(_) | Change::Replace(_) if members => {
            return Err(Error::Impossible {
                what: format!(
                    "{}.{} follows {}.{}, whose entries hold more than an id: add entries there",
                    at.meta.name, at.field, link.child.name, link.row
                ),
            });
        }
        Change::Add(other) => (vec![other], Vec::new()),
        Change::Remove(other) => (Vec::new(), vec![other]),
        Change::Replace(others) => {
            let others = once(others);
            let len = others.len() as u64;
            if max > 0 && len > max {
                let field = format!("{}.{}", at.meta.name, at.field);
                return Err(Error::TooLong { field, max, len });
            }
            let now = current(db, link, &at.id, kept.is_some(), session.as_deref_mut()).await?;
            let without = |ids: &[Bson], these: &[Bson]| -> Vec<Bson> {
                ids.iter()
                    .filter(|id| !these.contains(id))
                    .cloned()
                    .collect()
            };
            (without(&others, &now), without(&now, &others))
        }
    };
    if add
        .iter()
        .chain(&remove)
        .any(|other| link.is_symmetric() && *other == at.id)
    {
        return Err(Error::Impossible {
            what: format!(
                "{}.{} of {}: a document cannot be on both sides of itself",
                at.meta.name, at.field, at.id
            ),
        });
    }
    let sides = Sides { db, link, at: &at };
    if of_truth {
        sides.on_truth(add, remove, session).await
    } else if link.many {
        sides.on_other(add, remove, session).await
    } else {
        sides.of_one(add, remove, session).await
    }
}

fn unknown(at: &At) -> Error {
    Error::Impossible {
        what: format!(
            "{}.{} has no other side among the models of this program",
            at.meta.name, at.field
        ),
    }
}

/// The changes of an array of entries.
#[derive(Debug, Default)]
struct Moves {
    /// New entries.
    add: Vec<Bson>,
    /// The ids of entries that go.
    remove: Vec<Bson>,
    /// Entries that take the place of those with the same id.
    put: Vec<Bson>,
}

impl Moves {
    /// The changes that make `wanted` of the entries `now`.
    fn between(link: &Link, name: &str, now: Vec<Bson>, wanted: Vec<Bson>) -> Moves {
        let by_id = |entries: Vec<Bson>| {
            let keyed = entries.into_iter().filter_map(|entry| {
                let key = IdKey::new(entry.as_document()?.get(name)?);
                Some((key, entry))
            });
            keyed.collect::<Vec<(IdKey, Bson)>>()
        };
        let (now, wanted) = (by_id(now), by_id(wanted));
        let stays = |key: &IdKey| wanted.iter().any(|(other, _)| other == key);
        let gone = now.iter().filter(|(key, _)| !stays(key));
        let gone = gone.map(|(_, entry)| entry.clone()).collect();
        let mut moves = Moves {
            remove: link.ids(Some(&Bson::Array(gone))),
            ..Moves::default()
        };
        let shape = link.child_row().and_then(|row| row.shape);
        for (key, entry) in wanted {
            let stored = now.iter().find(|(other, _)| *other == key);
            match (stored.and_then(|(_, stored)| stored.as_document()), shape) {
                (None, _) => moves.add.push(entry),
                (Some(stored), Some(shape)) => {
                    let same = entry
                        .as_document()
                        .is_some_and(|entry| !differ(shape, entry, stored));
                    moves.put.extend((!same).then_some(entry));
                }
                (Some(_), None) => {}
            }
        }
        moves
    }
}

/// The entries, each id once.
fn each_once(name: &str, entries: Vec<Bson>, field: &str) -> Result<Vec<Bson>> {
    let mut known: Vec<Bson> = Vec::new();
    for entry in entries {
        let id = |entry: &Bson| {
            entry
                .as_document()
                .and_then(|entry| entry.get(name).cloned())
        };
        match known.iter().find(|other| id(other) == id(&entry)) {
            Some(other) if *other == entry => {}
            Some(_) => {
                return Err(Error::OtherEntry {
                    field: field.to_owned(),
                    id: Box::new(id(&entry).unwrap_or(Bson::Null)),
                });
            }
            None => known.push(entry),
        }
    }
    Ok(known)
}

fn once(ids: Vec<Bson>) -> Vec<Bson> {
    let mut seen = std::collections::HashSet::new();
    let new = |id: &Bson| seen.insert(IdKey::new(id));
    let mut ids = ids;
    ids.retain(new);
    ids
}

/// Reads the ids that belong to a document, from the references that decide it.
async fn current(
    db: &Database,
    link: &Link,
    id: &Bson,
    is_parent: bool,
    mut session: Option<&mut ClientSession>,
) -> Result<Vec<Bson>> {
    let mut out = Vec::new();
    let is_child = !is_parent || link.is_symmetric();
    if is_child {
        let fields = link.read();
        let ids = std::slice::from_ref(id);
        let collection = link.child.collection;
        let read =
            driver::read_by(db, collection, "_id", ids, &fields, session.as_deref_mut()).await?;
        let parents = read.iter().flat_map(|child| link.parents_in(child));
        out.extend(parents.filter(|parent| link.is_truth(id, parent)));
    }
    if is_parent {
        let args = FindArgs {
            projection: Some(doc! { "_id": 1 }),
            ..FindArgs::default()
        };
        let filter = link.live(doc! { &link.reference: { "$eq": id } });
        let mut rows = driver::open(db, link.child.collection, filter, args, session).await?;
        while let Some(row) = rows.next(|raw| Ok(Document::try_from(raw).ok())).await? {
            let child = row.and_then(|mut row| row.remove("_id"));
            out.extend(child.filter(|child| link.is_truth(child, id)));
        }
    }
    Ok(out)
}

/// Sets the reference of the live child that matches a filter; `one` is the `_id` of the only child that can match.
async fn set(
    db: &Database,
    link: &'static Link,
    (one, filter): (&Bson, Document),
    to: Bson,
    mut session: Option<&mut ClientSession>,
) -> Result<Outcome> {
    let mut operators = reference(link, to);
    let by_id = doc! { "_id": { "$eq": one } };
    let asked = UpdateRequest {
        operators: &mut operators,
        adds: &mut [],
        one: Some(&by_id),
    };
    let prepared = prepare(db, link.child, asked, None, session.as_deref_mut()).await?;
    let prepared = prepared.ok_or_else(|| Error::Impossible {
        what: link.name.clone(),
    })?;
    let in_session = session.is_some();
    let sent = prepared.send(db, link.live(filter), operators, session);
    let sent = sent.await?;
    if sent.outcome.matched == 0 {
        return Ok(sent.outcome);
    }
    prepared.follow(db, &by_id, sent, in_session).await
}

/// The update that makes the children refer to `to`.
fn reference(link: &Link, to: Bson) -> Document {
    let row = link.child_row();
    let relation = row.and_then(|row| row.relation);
    let entry = relation.filter(|relation| relation.entry);
    match to {
        Bson::Null if row.is_some_and(|row| !row.nullable) => doc! { "$unset": { link.row: "" } },
        Bson::Null => doc! { "$set": { link.row: Bson::Null } },
        to => match entry {
            Some(entry) => doc! { "$set": { link.row: { entry.entry_id: to } } },
            None => doc! { "$set": { link.row: to } },
        },
    }
}

/// True if a child may be without a parent.
fn may_be_none(row: Option<&FieldRow>) -> bool {
    row.is_some_and(|row| row.nullable)
}

/// A document and one of its two-way references.
struct Sides<'s> {
    db: &'s Database,
    link: &'static Link,
    at: &'s At,
}

impl Sides<'_> {
    /// Changes children that refer to one parent, where the document is that parent.
    async fn of_one(
        &self,
        add: Vec<Bson>,
        remove: Vec<Bson>,
        mut session: Option<&mut ClientSession>,
    ) -> Result<Outcome> {
        let Sides { db, link, at } = *self;
        if !remove.is_empty() && !may_be_none(link.child_row()) {
            return Err(Error::Impossible {
                what: format!(
                    "{}.{} of {} cannot lose a {}, which must have a {}: give it another one",
                    at.meta.name, at.field, at.id, link.child.name, link.host.name
                ),
            });
        }
        self.there(&add, session.as_deref_mut()).await?;
        let mut out = Outcome::default();
        for (children, to) in [(remove, Bson::Null), (add, at.id.clone())] {
            for child in children {
                let here = if to == Bson::Null { "$eq" } else { "$ne" };
                let filter = doc! {
                    "_id": { "$eq": &child },
                    &link.reference: { here: &at.id },
                };
                let session = session.as_deref_mut();
                let done = set(db, link, (&child, filter), to.clone(), session).await?;
                add_up(&mut out, done);
            }
        }
        Ok(out)
    }

    /// Both sides are arrays, and the truth is in the other documents.
    async fn on_other(
        &self,
        add: Vec<Bson>,
        remove: Vec<Bson>,
        mut session: Option<&mut ClientSession>,
    ) -> Result<Outcome> {
        self.there(&add, session.as_deref_mut()).await?;
        let Sides { db, link, at } = *self;
        let parent = std::slice::from_ref(&at.id);
        let new = match link.entry_id {
            Some(name) if !add.is_empty() => {
                let entry = vec![Bson::Document(doc! { name: &at.id })];
                let new = (entry, Vec::new());
                let session = session.as_deref_mut();
                Some(NewEntries::filled(db, link, &Bson::Null, new, session).await?)
            }
            _ => None,
        };
        let mut out = Outcome::default();
        for (children, add, remove) in [(remove, &[][..], parent), (add, parent, &[][..])] {
            let new = new.as_ref().filter(|_| !add.is_empty());
            let edit = Edit {
                add,
                remove,
                entries: new.map_or(&[], |new| &new.add),
                mark: new.and_then(NewEntries::mark),
                ..Edit::default()
            };
            let session = session.as_deref_mut();
            let done = edit_many(db, link, &children, edit, new, session).await?;
            add_up(&mut out, done);
        }
        Ok(out)
    }

    /// Both sides are arrays, and the truth is in the document; where the field is its own other side, of some pairs.
    async fn on_truth(
        &self,
        add: Vec<Bson>,
        remove: Vec<Bson>,
        mut session: Option<&mut ClientSession>,
    ) -> Result<Outcome> {
        let Sides { db, link, at } = *self;
        let own = |other: &Bson| link.is_truth(&at.id, other);
        let (add, add_there): (Vec<Bson>, Vec<Bson>) = add.into_iter().partition(own);
        let (remove, remove_there): (Vec<Bson>, Vec<Bson>) = remove.into_iter().partition(own);
        let belongs = vec![(at.id.clone(), add.clone())];
        check_capacity_and_sources(db, link, &belongs, &[], session.as_deref_mut()).await?;
        let edit_own = Edit {
            add: &add,
            remove: &remove,
            ..Edit::default()
        };
        let mut out = edit(db, link, &at.id, edit_own, None, session.as_deref_mut()).await?;
        if !add_there.is_empty() || !remove_there.is_empty() {
            let rest = self.on_other(add_there, remove_there, session).await?;
            add_up(&mut out, rest);
        }
        Ok(out)
    }

    /// Both sides are arrays, and the truth is in the entries of the document, which hold their id in the field `name`.
    async fn on_entries(
        &self,
        name: &str,
        change: Change,
        max: u64,
        mut session: Option<&mut ClientSession>,
    ) -> Result<Outcome> {
        let Sides { db, link, at } = *self;
        let field = || format!("{}.{}", at.meta.name, at.field);
        let moves = match change {
            Change::Add(entry) => Moves {
                add: vec![entry],
                ..Moves::default()
            },
            Change::Remove(id) => Moves {
                remove: vec![id],
                ..Moves::default()
            },
            Change::Replace(entries) => {
                let entries = each_once(name, entries, &field())?;
                let len = entries.len() as u64;
                if max > 0 && len > max {
                    let field = field();
                    return Err(Error::TooLong { field, max, len });
                }
                let now = self.entries(session.as_deref_mut()).await?;
                Moves::between(link, name, now, entries)
            }
        };
        let add = link.ids(Some(&Bson::Array(moves.add.clone())));
        let belongs = vec![(at.id.clone(), add.clone())];
        check_capacity_and_sources(db, link, &belongs, &[], session.as_deref_mut()).await?;
        let Moves {
            add: new,
            remove,
            put,
        } = moves;
        let new = (new, put);
        let new = NewEntries::filled(db, link, &at.id, new, session.as_deref_mut()).await?;
        let (entries, put) = (new.add.clone(), new.put.clone());
        let edit_own = Edit {
            add: &add,
            remove: &remove,
            entries: &entries,
            put: &put,
            mark: new.mark(),
        };
        edit(db, link, &at.id, edit_own, Some(new), session).await
    }

    /// Reads the entries of the document.
    async fn entries(&self, session: Option<&mut ClientSession>) -> Result<Vec<Bson>> {
        let Sides { db, link, at, .. } = *self;
        let (fields, ids) = (doc! { "_id": 1, link.row: 1 }, std::slice::from_ref(&at.id));
        let read = driver::read_by(db, link.child.collection, "_id", ids, &fields, session).await?;
        let mut read = read.into_iter();
        let entries = read.next().and_then(|mut child| child.remove(link.row));
        Ok(match entries {
            Some(Bson::Array(entries)) => entries,
            _ => Vec::new(),
        })
    }

    /// That the document is there, which becomes the parent of these children, and has room for them; and that they are.
    async fn there(
        &self,
        children: &[Bson],
        mut session: Option<&mut ClientSession>,
    ) -> Result<()> {
        let Sides { db, link, at, .. } = *self;
        let parent = vec![at.id.clone()];
        let belongs = children.iter().map(|child| (child.clone(), parent.clone()));
        let belongs = match belongs.collect::<Vec<_>>() {
            none if none.is_empty() => vec![(Bson::Null, parent)],
            some => some,
        };
        let missing = room_for(db, link, &belongs, &[], session.as_deref_mut()).await?;
        if !missing.is_empty() {
            return Err(Error::NotFound {
                model: at.meta.name,
                id: Box::new(at.id.clone()),
            });
        }
        if children.is_empty() {
            return Ok(());
        }
        let full = if link.many {
            link.child_row().map_or(0, |row| row.max)
        } else {
            0
        };
        let size = doc! { "$size": { "$setUnion": [link.stored_ids(), [{ "$literal": &at.id }]] } };
        let mut fields = doc! { "_id": 1, stored::TOMBSTONE: 1, "n": size };
        fields.extend(link.deleted.map(|name| (name.to_owned(), Bson::from(1))));
        let read =
            driver::read_by(db, link.child.collection, "_id", children, &fields, session).await?;
        let mut known = Vec::new();
        for child in read.iter().filter(|child| !link.is_marked(child)) {
            if full > 0 && child.get_i32("n").is_ok_and(|n| i64::from(n) as u64 > full) {
                let rust = link.child_row().map_or(link.row, |row| row.rust);
                let field = format!("{}.{rust}", link.child.name);
                return Err(Error::Full { field, max: full });
            }
            if !stored::has_tombstone(child) {
                known.extend(child.get("_id").cloned());
            }
        }
        let ids: Vec<Bson> = children
            .iter()
            .filter(|id| !known.contains(id))
            .cloned()
            .collect();
        if ids.is_empty() {
            return Ok(());
        }
        Err(Error::Dangling {
            model: at.meta.name,
            field: link.field.to_owned(),
            target: link.child.name,
            ids,
        })
    }
}

fn add_up(out: &mut Outcome, done: Outcome) {
    out.matched += done.matched;
    out.modified += done.modified;
    out.pending.extend(done.pending);
}
