//! Adds up the events of a batch to the changes of its documents.

use std::collections::{BTreeMap, HashMap, HashSet, VecDeque};

use bson::{Bson, Document};

use super::event::{self, Event};
use super::interest::{Interest, Interests};
use super::position::{Gap, Scope};
use crate::bson_util::id_key::IdKey;
use crate::schema::stored;

/// The largest number of documents with a tombstone that are remembered.
const ENTOMBED: usize = 100_000;

/// The changes of one document by other programs.
#[derive(Debug, Clone)]
pub(crate) struct Change {
    pub(crate) id: Bson,
    /// The stored paths that changed; `None` for the whole document.
    pub(crate) paths: Option<Vec<String>>,
    /// True if the document was inserted, after its last delete.
    pub(crate) inserted: bool,
    /// True if an event replaced the document. The server reports some writes of the library in this way, too.
    pub(crate) replaced: bool,
    /// True if the document does not exist any more.
    pub(crate) deleted: bool,
    /// True if the document was deleted at some time during these changes.
    pub(crate) was_deleted: bool,
    /// The document before the change, if the server reports it: its references, keys and count flags.
    pub(crate) before: Vec<Document>,
    /// The references to counting parents that the events have stored. The library may have changed them since.
    pub(crate) put: Vec<Document>,
    /// True if the server does not report, for some event, the document before the change.
    pub(crate) without_image: bool,
}

impl Change {
    fn new(id: Bson) -> Change {
        Change {
            id,
            paths: Some(Vec::new()),
            inserted: false,
            replaced: false,
            deleted: false,
            was_deleted: false,
            before: Vec::new(),
            put: Vec::new(),
            without_image: false,
        }
    }

    /// A document that is as another program may have stored it.
    pub(crate) fn stored(id: Bson) -> Change {
        Change {
            paths: None,
            replaced: true,
            without_image: true,
            ..Change::new(id)
        }
    }

    /// Adds an event of the same document. `paths` are those that an update changed; `None` if it removed the library's fields, which
    /// makes it a change of the whole document.
    fn add(&mut self, event: &Event<'_>, paths: Option<Vec<String>>) {
        let kind = event.kind;
        if kind != "insert" {
            match event.image() {
                Some(image) => self.before.extend(image.cloned()),
                None => self.without_image = true,
            }
        }
        self.put.extend(event.put());
        match (kind, paths, &mut self.paths) {
            ("update", Some(paths), Some(changed)) => changed.extend(paths),
            _ => self.paths = None,
        }
        self.deleted = kind == "delete";
        self.was_deleted |= kind == "delete";
        self.inserted = kind == "insert" || self.inserted && kind != "delete";
        self.replaced |= kind == "replace";
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

/// The changes of one batch by other programs, and the gaps that its events show.
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
    /// Adds what an event says.
    fn add(
        &mut self,
        interests: &Interests,
        entombed: &mut Entombed,
        event: &Document,
    ) -> Result<(), String> {
        let event = Event::read(event)?;
        let interest = event.collection("ns").and_then(|name| interests.find(name));
        match event.kind {
            "insert" | "update" | "replace" | "delete" => match interest {
                Some(interest) => self.add_change(interest, entombed, &event),
                None => Ok(()),
            },
            "drop" | "rename" => {
                self.foreign += 1;
                let renamed = event.collection("to").and_then(|name| interests.find(name));
                for interest in interest.into_iter().chain(renamed) {
                    let scope = Scope::Collection(interest.collection.to_owned());
                    let reason = format!("{} of {}", event.kind, interest.collection);
                    self.gaps.push(Gap::new(scope, reason));
                }
                Ok(())
            }
            "dropDatabase" | "invalidate" => {
                self.foreign += 1;
                let scope = Scope::Everything { followed: true };
                self.gaps.push(Gap::new(scope, event.kind));
                Ok(())
            }
            // Indexes, collection options and shards change no document.
            _ => Ok(()),
        }
    }

    /// Adds the change of one document.
    fn add_change(
        &mut self,
        interest: &Interest,
        entombed: &mut Entombed,
        event: &Event<'_>,
    ) -> Result<(), String> {
        let id = event.id(interest.collection)?;
        let place = (interest.collection, IdKey::new(&id));
        if event.entombs() {
            entombed.put(place.clone());
        } else if event.exhumes() {
            entombed.take(&place);
        }
        let lost_all = interest.keeps_revisions() && event.removes(stored::OWN);
        // A delete of the library has dealt with the parents and references that the document had last. Those of a foreign change before
        // it may be others, so that change is followed as if this were not there.
        let own_delete = event.kind == "delete" && entombed.take(&place);
        if own_delete || event.is_own(lost_all) {
            self.own += 1;
            if event.kind == "insert" && !interest.out.is_empty() {
                let stored = self.stored.entry(interest.collection);
                stored.or_default().push(id);
            }
            return Ok(());
        }
        let paths = event.paths();
        if event.kind == "update" && !lost_all && !interest.concerns(&paths) {
            return Ok(());
        }
        self.foreign += 1;
        let changes = self.changes.entry(interest.collection).or_default();
        let change = changes.entry(place.1).or_insert_with(|| Change::new(id));
        change.add(event, (!lost_all).then_some(paths));
        Ok(())
    }

    pub(crate) fn is_idle(&self) -> bool {
        self.changes.is_empty() && self.gaps.is_empty() && self.stored.is_empty()
    }
}

/// Documents with a tombstone, which the library is deleting.
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
        if let Err(reason) = batch.add(interests, entombed, event) {
            let interest = event::collection(event, "ns").and_then(|name| interests.find(name));
            let scope = match interest {
                Some(interest) => Scope::Collection(interest.collection.to_owned()),
                None => Scope::Everything { followed: true },
            };
            batch.gaps.push(Gap::new(scope, reason.clone()));
            batch.poison.push(reason);
        }
    }
    batch
}
