//! Events, and what they say together about the documents of one batch.

use std::collections::{BTreeMap, HashMap, HashSet, VecDeque};

use bson::{Bson, Document};

use super::interest::{Interests, without_indexes};
use super::position::{Gap, Scope};
use crate::bson_util::id_key::IdKey;
use crate::schema::stored;

/// How many documents with a tombstone are remembered.
const ENTOMBED: usize = 100_000;

/// The changes of one document by other programs.
#[derive(Debug, Clone)]
pub(crate) struct Change {
    pub(crate) id: Bson,
    /// The stored paths that changed; `None` for the whole document.
    pub(crate) paths: Option<Vec<String>>,
    /// It was stored, after the last time that it was deleted.
    pub(crate) inserted: bool,
    /// One of the events replaced it: that may also be a write of the library, which the server shows so.
    pub(crate) replaced: bool,
    /// It is gone.
    pub(crate) deleted: bool,
    /// It was gone in between, or is.
    pub(crate) was_deleted: bool,
    /// A delete of the library ended with this event, so that parents and references have been dealt with.
    pub(crate) own_delete: bool,
    /// The document before the change, if the server reports it.
    pub(crate) before: Vec<Document>,
    /// The server does not say of one of the events what the document was before.
    pub(crate) without_image: bool,
}

impl Change {
    fn of(id: Bson) -> Change {
        Change {
            id,
            paths: Some(Vec::new()),
            inserted: false,
            replaced: false,
            deleted: false,
            was_deleted: false,
            own_delete: false,
            before: Vec::new(),
            without_image: false,
        }
    }

    /// A document that is as another program may have stored it.
    pub(crate) fn stored(id: Bson) -> Change {
        Change {
            paths: None,
            replaced: true,
            without_image: true,
            ..Change::of(id)
        }
    }

    /// True if one of these stored paths changed.
    pub(crate) fn touches(&self, path: &str) -> bool {
        match &self.paths {
            None => true,
            Some(paths) => paths
                .iter()
                .any(|changed| crate::bson_util::path::overlap(changed, path)),
        }
    }
}

/// The changes of one batch by other programs, and the gaps that its events say.
#[derive(Debug, Default)]
pub(crate) struct Batch {
    pub(crate) changes: BTreeMap<&'static str, HashMap<IdKey, Change>>,
    pub(crate) gaps: Vec<Gap>,
    /// Documents that the library itself stored, by collection: sources that others may wait for.
    pub(crate) stored: BTreeMap<&'static str, Vec<Bson>>,
    /// Events that other programs caused.
    pub(crate) foreign: u64,
    /// Events that the library itself caused.
    pub(crate) own: u64,
    /// Events that could not be understood, and why.
    pub(crate) poison: Vec<String>,
}

impl Batch {
    pub(crate) fn is_idle(&self) -> bool {
        self.changes.is_empty() && self.gaps.is_empty() && self.stored.is_empty()
    }
}

/// Documents that have a tombstone: the library deletes them.
#[derive(Debug, Default)]
pub(crate) struct Entombed {
    ids: HashSet<(&'static str, IdKey)>,
    order: VecDeque<(&'static str, IdKey)>,
}

impl Entombed {
    fn put(&mut self, key: (&'static str, IdKey)) {
        if self.ids.insert(key.clone()) {
            self.order.push_back(key);
        }
        if self.order.len() > ENTOMBED
            && let Some(oldest) = self.order.pop_front()
        {
            self.ids.remove(&oldest);
        }
    }

    fn take(&mut self, key: &(&'static str, IdKey)) -> bool {
        // The order keeps the key until it is the oldest: forgetting early costs a look, and never a change.
        self.ids.remove(key)
    }
}

/// Reads the events of a batch. An event that cannot be understood is noted, and makes its collection a gap.
pub(crate) fn read(interests: &Interests, entombed: &mut Entombed, events: &[Document]) -> Batch {
    let mut batch = Batch::default();
    for event in events {
        if let Err(reason) = add(interests, entombed, event, &mut batch) {
            let name = ns(event, "ns").and_then(|name| interests.of(name));
            let scope = match name {
                Some(interest) => Scope::Collection(interest.collection.to_owned()),
                None => Scope::Everything { followed: true },
            };
            batch.gaps.push(Gap::new(scope, reason.clone()));
            batch.poison.push(reason);
        }
    }
    batch
}

fn ns<'d>(event: &'d Document, key: &str) -> Option<&'d str> {
    event.get_document(key).ok()?.get_str("coll").ok()
}

fn names<'d>(event: &'d Document, key: &str) -> impl Iterator<Item = &'d str> {
    let names = event.get_array(key).into_iter().flatten();
    names.filter_map(Bson::as_str)
}

/// True if an update is of the library: it sets a field of the library, or removes nothing else. Another program may remove one along with
/// what it belongs to.
fn is_own_update(event: &Document) -> bool {
    let mut gone = names(event, "gone").peekable();
    let none_set = names(event, "set").next().is_none();
    names(event, "set").any(stored::is_own)
        || none_set && gone.peek().is_some() && gone.all(stored::is_own)
}

fn add(
    interests: &Interests,
    entombed: &mut Entombed,
    event: &Document,
    batch: &mut Batch,
) -> Result<(), String> {
    let kind = event
        .get_str("operationType")
        .map_err(|error| format!("an event without a type: {error}"))?;
    let interest = ns(event, "ns").and_then(|name| interests.of(name));
    match kind {
        "insert" | "update" | "replace" | "delete" => {}
        "drop" | "rename" => {
            batch.foreign += 1;
            let renamed = ns(event, "to").and_then(|name| interests.of(name));
            for interest in interest.into_iter().chain(renamed) {
                let scope = Scope::Collection(interest.collection.to_owned());
                batch.gaps.push(Gap::new(
                    scope,
                    format!("{kind} of {}", interest.collection),
                ));
            }
            return Ok(());
        }
        "dropDatabase" | "invalidate" => {
            batch.foreign += 1;
            batch
                .gaps
                .push(Gap::new(Scope::Everything { followed: true }, kind));
            return Ok(());
        }
        // Indexes, collection options and shards change no document.
        _ => return Ok(()),
    }
    let Some(interest) = interest else {
        return Ok(());
    };
    let key = event.get_document("documentKey").ok();
    let id = key.and_then(|key| key.get("_id")).cloned();
    let id = id.ok_or_else(|| format!("{kind} in {}: no documentKey", interest.collection))?;
    let place = (interest.collection, IdKey::new(&id));
    let dn = event.get_document("dn").ok();
    if dn.is_some_and(|dn| dn.contains_key(stored::key::TOMBSTONE))
        || names(event, "set").any(|name| name == stored::TOMBSTONE)
    {
        entombed.put(place.clone());
    } else if kind == "replace"
        || names(event, "gone").any(|name| matches!(name, stored::OWN | stored::TOMBSTONE))
    {
        entombed.take(&place);
    }
    let lost_all =
        names(event, "gone").any(|name| name == stored::OWN) && interest.keeps_revisions();
    let own = match kind {
        "insert" => dn.is_some(),
        "update" => !lost_all && is_own_update(event),
        _ => false,
    };
    if own {
        batch.own += 1;
        if kind == "insert" && !interest.out.is_empty() {
            batch
                .stored
                .entry(interest.collection)
                .or_default()
                .push(id);
        }
        return Ok(());
    }
    let paths: Vec<String> = names(event, "set")
        .chain(names(event, "gone"))
        .map(without_indexes)
        .collect();
    if kind == "update" && !lost_all && !interest.concerns(&paths) {
        return Ok(());
    }
    let own_delete = kind == "delete" && entombed.take(&place);
    if own_delete {
        batch.own += 1;
    } else {
        batch.foreign += 1;
    }
    let changes = batch.changes.entry(interest.collection).or_default();
    let change = changes.entry(place.1).or_insert_with(|| Change::of(id));
    if kind != "insert" {
        match event.get_bool("had").unwrap_or(false) {
            true => change
                .before
                .extend(event.get_document("fullDocumentBeforeChange").ok().cloned()),
            false => change.without_image = true,
        }
    }
    match (kind, &mut change.paths) {
        ("update", Some(known)) if !lost_all => known.extend(paths),
        _ => change.paths = None,
    }
    change.deleted = kind == "delete";
    change.was_deleted |= kind == "delete";
    change.own_delete = own_delete;
    change.inserted = kind == "insert" || change.inserted && kind != "delete";
    change.replaced |= kind == "replace";
    Ok(())
}
