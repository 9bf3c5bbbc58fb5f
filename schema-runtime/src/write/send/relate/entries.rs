//! Arrays of entries that decide which documents belong together. They are apart from arrays of ids, because an entry may hold more than
//! its id: it can change while its id stays.

use bson::{Bson, doc};

use super::super::arrays::{Edit, NewEntries, differ, edit};
use super::Sides;
use super::request::Change;
use crate::bson_util::id_key::IdKey;
use crate::driver::{self, ClientSession};
use crate::error::{Error, Result};
use crate::graph::links::Link;
use crate::outcome::Outcome;

/// The changes of an array of entries.
#[derive(Debug, Default)]
struct EntryChanges {
    /// New entries.
    add: Vec<Bson>,
    /// The ids of entries that go.
    remove: Vec<Bson>,
    /// Entries that replace the entries with the same ids.
    put: Vec<Bson>,
}

impl EntryChanges {
    /// The changes that make `wanted` of the entries `now`.
    fn between(link: &Link, name: &str, now: Vec<Bson>, wanted: Vec<Bson>) -> EntryChanges {
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
        let mut moves = EntryChanges {
            remove: link.ids(Some(&Bson::Array(gone))),
            ..EntryChanges::default()
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
fn distinct_entries(name: &str, entries: Vec<Bson>, field: &str) -> Result<Vec<Bson>> {
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

impl Sides<'_> {
    /// Changes a relation whose two sides are arrays, and whose truth is in the entries of this document. The entries hold the id in the
    /// field `name`.
    pub(super) async fn change_own_entries(
        &self,
        name: &str,
        change: Change,
        mut session: Option<&mut ClientSession>,
    ) -> Result<Outcome> {
        let Sides { db, link, at, .. } = *self;
        let held = session.as_deref_mut();
        let changes = self.entry_changes(name, change, held).await?;
        let add = link.ids(Some(&Bson::Array(changes.add.clone())));
        let new = (changes.add, changes.put);
        let own = self.with_tenant(&at.id);
        let new = NewEntries::filled(db, link, own, new, session.as_deref_mut()).await?;
        let places = self.reserve_own(&add, session.as_deref_mut()).await?;
        let (entries, put) = (new.add.clone(), new.put.clone());
        let edit_own = Edit {
            add: &add,
            remove: &changes.remove,
            entries: &entries,
            put: &put,
            mark: new.mark(),
        };
        match edit(db, link, own, edit_own, Some(new), session).await {
            Ok(outcome) => Ok(outcome),
            Err(error) => Err(places.release_after(db, error).await),
        }
    }

    /// The entries that a change adds, removes and changes. Reads the stored entries first, if the change replaces them.
    async fn entry_changes(
        &self,
        name: &str,
        change: Change,
        session: Option<&mut ClientSession>,
    ) -> Result<EntryChanges> {
        // A generated entry holds an id and copies alone, so that the program gives ids.
        let entry = |given: Bson| match self.has_members() {
            true => given,
            false => Bson::Document(doc! { name: given }),
        };
        let entries = |given: Vec<Bson>| {
            let entries = given.into_iter().map(entry).collect();
            distinct_entries(name, entries, &self.field())
        };
        Ok(match change {
            Change::Add(given) => EntryChanges {
                add: entries(given)?,
                ..EntryChanges::default()
            },
            Change::Remove(ids) => EntryChanges {
                remove: ids,
                ..EntryChanges::default()
            },
            Change::Replace(given) => {
                let entries = entries(given)?;
                self.check_len(&entries)?;
                let now = self.read_entries(session).await?;
                EntryChanges::between(self.link, name, now, entries)
            }
        })
    }

    /// Reads the entries of the document.
    async fn read_entries(&self, session: Option<&mut ClientSession>) -> Result<Vec<Bson>> {
        let Sides { db, link, at, .. } = *self;
        let (fields, ids) = (doc! { "_id": 1, link.row: 1 }, std::slice::from_ref(&at.id));
        let (_, inside) = link.of_tenant(self.tenant());
        let (children, by) = (link.child.collection, ("_id", ids));
        let read = driver::read_where(db, children, by, &inside, &fields, session).await?;
        let mut read = read.into_iter();
        let entries = read.next().and_then(|mut child| child.remove(link.row));
        Ok(match entries {
            Some(Bson::Array(entries)) => entries,
            _ => Vec::new(),
        })
    }
}
