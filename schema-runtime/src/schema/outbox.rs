//! The lists of entries that documents hold until these are in a log.

use std::collections::HashMap;
use std::sync::OnceLock;

use bson::{Bson, Document, doc};

use crate::bson_util::path::first_step;
use crate::schema::history::HistoryRow;
use crate::schema::person::is_personal_at;
use crate::schema::registry;
use crate::schema::rows::{CopyRow, FieldRow, Fixed, Kind, Shape};
use crate::schema::stored;

/// A list of entries that a document holds until these are in a log.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Outbox {
    /// The events that writes emit.
    Events,
    /// The changes of the document.
    History,
}

impl Outbox {
    /// The lists of the documents of this collection.
    pub(crate) fn find_all(collection: &str) -> impl Iterator<Item = Outbox> {
        let all = [Outbox::Events, Outbox::History].into_iter();
        all.filter(move |outbox| outbox.log_of(collection).is_some())
    }

    /// The collection of the entries; `None` if documents of this collection have no such list.
    pub(crate) fn log_of(self, collection: &str) -> Option<&'static str> {
        match self {
            Outbox::Events => {
                let models = registry::models();
                let mut rows = models.iter().filter(|model| model.collection == collection);
                rows.find_map(|model| model.events.map(|row| row.log))
            }
            Outbox::History => RecordedFields::find(collection).map(|(_, recorded)| recorded.log),
        }
    }

    /// The path of the list with its number.
    pub(crate) fn path(self) -> &'static str {
        match self {
            Outbox::Events => stored::EVENTS,
            Outbox::History => stored::HISTORY,
        }
    }

    /// The key of the list with its number.
    pub(crate) fn key(self) -> &'static str {
        match self {
            Outbox::Events => stored::key::EVENTS,
            Outbox::History => stored::key::HISTORY,
        }
    }

    /// The path of the list.
    pub(crate) fn list(self) -> &'static str {
        match self {
            Outbox::Events => stored::EVENTS_LEFT,
            Outbox::History => stored::HISTORY_LEFT,
        }
    }

    /// The path of the number of the latest entry.
    pub(crate) fn number(self) -> &'static str {
        match self {
            Outbox::Events => stored::EVENT_NUMBER,
            Outbox::History => stored::HISTORY_NUMBER,
        }
    }

    /// The path of the tokens in the list.
    pub(crate) fn token(self) -> &'static str {
        match self {
            Outbox::Events => stored::EVENTS_LEFT_TOKEN,
            Outbox::History => stored::HISTORY_LEFT_TOKEN,
        }
    }

    /// The name in messages.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Outbox::Events => "events",
            Outbox::History => "history",
        }
    }
}

/// The fields of a model whose changes its history keeps.
#[derive(Debug)]
pub(crate) struct RecordedFields {
    pub(crate) log: &'static str,
    shape: &'static Shape,
    /// The fields at the top that are left out.
    left_out: Vec<&'static str>,
    row: HistoryRow,
}

impl RecordedFields {
    /// The history of the documents of this collection; `None` if their model keeps none.
    pub(crate) fn find(collection: &str) -> Option<(&'static str, &'static RecordedFields)> {
        static ALL: OnceLock<HashMap<&'static str, RecordedFields>> = OnceLock::new();
        let all = ALL.get_or_init(|| {
            let models = registry::models().into_iter();
            let kept = models.filter_map(|model| {
                let history = model.history?;
                let mut left_out = vec!["_id", stored::OWN, stored::PARTS];
                left_out.extend(history.skip);
                add_derived(model.shape, &mut left_out);
                let recorded = RecordedFields {
                    log: history.log,
                    shape: model.shape,
                    left_out,
                    row: history,
                };
                Some((model.collection, recorded))
            });
            kept.collect()
        });
        all.get_key_value(collection)
            .map(|(collection, recorded)| (*collection, recorded))
    }

    /// True if the history keeps changes of the field at this path.
    pub(crate) fn records(&self, path: &str) -> bool {
        self.records_top(first_step(path)) && !is_derived_at(self.shape, path)
    }

    /// True if the history keeps changes of this field at the top.
    pub(crate) fn records_top(&self, name: &str) -> bool {
        !self.left_out.contains(&name) && self.may_record(name)
    }

    /// True if the model does not leave this field out.
    pub(crate) fn may_record(&self, name: &str) -> bool {
        let HistoryRow { skip, fields, .. } = self.row;
        !skip.contains(&name) && (fields.is_empty() || fields.contains(&name))
    }

    /// The condition of a pipeline that the history keeps changes of the field with this name.
    pub(crate) fn condition(&self, name: &str) -> Document {
        let is_kept = doc! { "$not": [{ "$in": [name, self.left_out.clone()] }] };
        match self.row.fields {
            [] => is_kept,
            fields => doc! { "$and": [is_kept, { "$in": [name, fields] }] },
        }
    }

    /// True if the entry of an update has the fields after it.
    pub(crate) fn is_whole(&self) -> bool {
        self.row.whole
    }

    /// The number of entries that a document keeps.
    pub(crate) fn keep_last(&self) -> Option<i64> {
        self.row.keep_last.map(u64::cast_signed)
    }

    /// Removes what is about other documents from a state of a document, but for copies and numbers that are about no person: an erase could not
    /// change it in a log.
    pub(crate) fn forget_others(&self, document: &mut Document) {
        forget(self.shape, document, &is_about_others);
    }

    /// Removes in addition everything whose changes have no entry of their own: the values that the library derives, also inside of embedded
    /// documents and arrays, and their revisions.
    pub(crate) fn forget_derived(&self, document: &mut Document) {
        let drops = |row: &FieldRow, value: &Bson| is_derived(row) || is_about_others(row, value);
        forget(self.shape, document, &drops);
        forget_revisions(document);
    }

    /// True if every step of the path but the last is an embedded document, so that a pipeline changes what an operator changes.
    pub(crate) fn is_plain(&self, path: &str) -> bool {
        [stored::OWN, stored::PARTS].contains(&first_step(path))
            || !path.contains('.')
            || self.shape.is_in_documents(path)
    }
}

/// True if the library derives the value of this field.
fn is_derived(row: &FieldRow) -> bool {
    row.copy.is_some()
        || row.derived.is_some()
        || row.tree.is_some()
        || row.version.is_some()
        || row.fixed == Some(Fixed::Updated)
}

fn add_derived(shape: &'static Shape, names: &mut Vec<&'static str>) {
    for row in shape.fields {
        match row.shape.filter(|_| row.name.is_empty()) {
            Some(inner) => add_derived(inner, names),
            None if is_derived(row) => names.push(row.name),
            None => {}
        }
    }
}

fn is_derived_at(shape: &Shape, path: &str) -> bool {
    let (step, rest) = path.split_once('.').unwrap_or((path, ""));
    shape.fields.iter().any(|row| match row.shape {
        Some(inner) if row.name.is_empty() => is_derived_at(inner, path),
        _ if row.name != step => false,
        _ if is_derived(row) => true,
        Some(inner) if !rest.is_empty() => is_derived_at(inner, rest),
        _ => false,
    })
}

/// True if the value is a list of other documents, or about a person.
fn is_about_others(row: &FieldRow, value: &Bson) -> bool {
    let is_list = matches!(value, Bson::Array(_) | Bson::Document(_));
    row.derived.is_some() && is_list || is_about_person(row, MOST_COPIES)
}

/// Removes the fields that `drops` chooses by their rows and values.
fn forget(shape: &Shape, document: &mut Document, drops: &dyn Fn(&FieldRow, &Bson) -> bool) {
    for row in shape.fields {
        match (row.shape, document.get_mut(row.name)) {
            (Some(inner), None) if row.name.is_empty() => forget(inner, document, drops),
            (_, Some(value)) if drops(row, value) => drop(document.remove(row.name)),
            (Some(inner), Some(value)) => forget_in(inner, row.kind == Kind::Map, value, drops),
            _ => {}
        }
    }
}

fn forget_in(
    shape: &Shape,
    is_map: bool,
    value: &mut Bson,
    drops: &dyn Fn(&FieldRow, &Bson) -> bool,
) {
    match value {
        Bson::Array(values) => {
            let values = values.iter_mut();
            values.for_each(|value| forget_in(shape, is_map, value, drops));
        }
        Bson::Document(entries) if is_map => {
            let values = entries.iter_mut();
            values.for_each(|(_, value)| forget_in(shape, false, value, drops));
        }
        Bson::Document(fields) => forget(shape, fields, drops),
        _ => {}
    }
}

/// Removes the revisions beside copies.
fn forget_revisions(document: &mut Document) {
    let names: Vec<String> = document.keys().cloned().collect();
    for name in names.iter().filter(|name| stored::is_own_field(name)) {
        document.remove(name);
    }
    document
        .iter_mut()
        .for_each(|(_, value)| forget_revisions_in(value));
}

fn forget_revisions_in(value: &mut Bson) {
    match value {
        Bson::Document(fields) => forget_revisions(fields),
        Bson::Array(values) => values.iter_mut().for_each(forget_revisions_in),
        _ => {}
    }
}

/// The largest number of copies of copies that are followed.
const MOST_COPIES: u32 = 16;

/// True if the field is about a person, or a copy of a field that is.
fn is_about_person(row: &FieldRow, depth: u32) -> bool {
    let copies_person = |copy: &CopyRow| {
        let shape = (copy.source)().shape;
        let path: Vec<&str> = copy.field.split('.').collect();
        let source = shape.field_at(copy.field);
        is_personal_at(shape.fields, &path)
            || source.is_none_or(|(_, row)| depth == 0 || is_about_person(row, depth - 1))
    };
    row.personal.is_some() || row.copy.is_some_and(copies_person)
}
