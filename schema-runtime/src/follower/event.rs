//! A change event, as the follower's pipeline reduces it, and what it says about the library's fields. The effects of events on each
//! other are in `batch`.

use bson::{Bson, Document};

use crate::bson_util::path::without_indexes;
use crate::schema::stored;

/// A change event.
#[derive(Debug, Clone, Copy)]
pub(super) struct Event<'d> {
    /// The type of the operation.
    pub(super) kind: &'d str,
    fields: &'d Document,
}

/// The collection in this field of an event.
pub(super) fn collection<'d>(event: &'d Document, field: &str) -> Option<&'d str> {
    event.get_document(field).ok()?.get_str("coll").ok()
}

impl<'d> Event<'d> {
    pub(super) fn read(fields: &'d Document) -> Result<Self, String> {
        let kind = fields
            .get_str("operationType")
            .map_err(|error| format!("an event without a type: {error}"))?;
        Ok(Event { kind, fields })
    }

    pub(super) fn collection(&self, field: &str) -> Option<&'d str> {
        collection(self.fields, field)
    }

    /// The `_id` of the document.
    pub(super) fn id(&self, collection: &str) -> Result<Bson, String> {
        let key = self.fields.get_document("documentKey").ok();
        let id = key.and_then(|key| key.get("_id")).cloned();
        id.ok_or_else(|| format!("{} in {collection}: no documentKey", self.kind))
    }

    /// The names in a list of the event: the paths that it `set`, and those that are `gone`.
    fn names(&self, list: &str) -> impl Iterator<Item = &'d str> + use<'d> {
        let names = self.fields.get_array(list).into_iter().flatten();
        names.filter_map(Bson::as_str)
    }

    /// All paths that an update changed.
    pub(super) fn paths(&self) -> Vec<String> {
        let names = self.names("set").chain(self.names("gone"));
        names.map(without_indexes).collect()
    }

    /// True if the event removed this path.
    pub(super) fn removes(&self, path: &str) -> bool {
        self.names("gone").any(|name| name == path)
    }

    /// True if the document has a tombstone since.
    pub(super) fn entombs(&self) -> bool {
        let dn = self.own_fields();
        dn.is_some_and(|dn| dn.contains_key(stored::key::TOMBSTONE))
            || self.names("set").any(|name| name == stored::TOMBSTONE)
    }

    /// True if the document may have lost its tombstone.
    pub(super) fn exhumes(&self) -> bool {
        self.kind == "replace" || self.removes(stored::OWN) || self.removes(stored::TOMBSTONE)
    }

    /// True if the library caused the event. `lost_all` is true if the document lost the library's fields, which it needs.
    pub(super) fn is_own(&self, lost_all: bool) -> bool {
        match self.kind {
            "insert" => self.own_fields().is_some(),
            "update" => !lost_all && self.is_own_update(),
            _ => false,
        }
    }

    /// True if an update is of the library: it sets a field of the library, or removes nothing else. Another program may remove one along
    /// with what it belongs to.
    fn is_own_update(&self) -> bool {
        let mut gone = self.names("gone").peekable();
        let none_set = self.names("set").next().is_none();
        self.names("set").any(stored::is_own_field)
            || none_set && gone.peek().is_some() && gone.all(stored::is_own_field)
    }

    /// The document before the change; `None` if the server does not report it, `Some(None)` if the event lacks it.
    pub(super) fn image(&self) -> Option<Option<&'d Document>> {
        let reported = self.fields.get_bool("had").unwrap_or(false);
        reported.then(|| self.fields.get_document("fullDocumentBeforeChange").ok())
    }

    /// The references of counted children as the event has stored them, as a part of the document; `None` for a delete.
    pub(super) fn put(&self) -> Option<Document> {
        match self.kind {
            "insert" | "replace" => self.fields.get_document("fullDocument").ok().cloned(),
            "update" => {
                let mut out = Document::new();
                let put = self.fields.get_array("put").into_iter().flatten();
                for field in put.filter_map(Bson::as_document) {
                    if let (Ok(path), Some(value)) = (field.get_str("k"), field.get("v")) {
                        insert_at(&mut out, path, value);
                    }
                }
                Some(out)
            }
            _ => None,
        }
    }

    fn own_fields(&self) -> Option<&'d Document> {
        self.fields.get_document("dn").ok()
    }
}

/// Stores a value at a path of field names.
fn insert_at(document: &mut Document, path: &str, value: &Bson) {
    match path.split_once('.') {
        None => drop(document.insert(path, value)),
        Some((first, rest)) => {
            let mut inner = document.get_document(first).cloned().unwrap_or_default();
            insert_at(&mut inner, rest, value);
            document.insert(first, inner);
        }
    }
}
