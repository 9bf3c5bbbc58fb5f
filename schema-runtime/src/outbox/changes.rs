//! Entries of a history: what changed between two states of a document.

use bson::oid::ObjectId;
use bson::{Bson, DateTime, Document, doc};

use super::emitter::Emitter;
use crate::driver::history::entry;
use crate::schema::outbox::RecordedFields;

/// The keys of an entry in the log.
pub(crate) mod key {
    /// The changes.
    pub(crate) const CHANGES: &str = "ch";
    /// The path of a change: names of fields, and places in arrays.
    pub(crate) const PATH: &str = "p";
    /// The value before the change, if there was one.
    pub(crate) const BEFORE: &str = "b";
    /// The value after the change, if there is one.
    pub(crate) const AFTER: &str = "a";
    /// The recorded fields after an update.
    pub(crate) const DOCUMENT: &str = "doc";
}

/// An entry as the log stores it.
#[derive(Debug)]
pub(super) struct LogEntry {
    pub(super) token: ObjectId,
    pub(super) value: Document,
    /// The time of the write; `None` for the time at which it comes into the log.
    pub(super) at: Option<DateTime>,
}

/// The entries of a document, oldest first. The state after each follows from the state of the document and the fields that the entries
/// after it have changed.
pub(super) fn entries(emitter: &Emitter, collection: &str) -> Vec<LogEntry> {
    let Some((_, history)) = RecordedFields::find(collection) else {
        return Vec::new();
    };
    let fields = emitter.fields.iter();
    let fields = fields.filter(|(name, _)| history.records_top(name));
    let mut after: Document = fields.map(|(k, v)| (k.clone(), v.clone())).collect();
    history.forget_others(&mut after);
    let mut all = Vec::new();
    for (token, facts) in &emitter.last {
        let facts = facts.as_document().cloned().unwrap_or_default();
        let fields = emitter.fields.iter();
        let fields = fields.filter(|(name, _)| history.may_record(name));
        let mut document: Document = fields.map(|(k, v)| (k.clone(), v.clone())).collect();
        history.forget_others(&mut document);
        all.push(LogEntry {
            token: *token,
            value: with_changes(facts, vec![change(&[], Some(&document.into()), None)]),
            at: None,
        });
    }
    let mut at = None;
    for (token, value) in emitter.entries.iter().rev() {
        let mut facts = value.as_document().cloned().unwrap_or_default();
        let mut before = match facts.remove(entry::BEFORE) {
            None => Document::new(),
            Some(_) => after.clone(),
        };
        let changed = value
            .as_document()
            .and_then(|value| value.get_array(entry::BEFORE).ok());
        for field in changed.into_iter().flatten().filter_map(Bson::as_document) {
            let Ok(name) = field.get_str("k") else {
                continue;
            };
            match field.get("v") {
                Some(value) => drop(before.insert(name, value.clone())),
                None => drop(before.remove(name)),
            }
        }
        history.forget_others(&mut before);
        if let Some(Bson::DateTime(time)) = facts.remove(entry::AT) {
            at = Some(time);
        }
        let (mut changes, mut path) = (Vec::new(), Vec::new());
        match before.is_empty() {
            true => changes.push(change(&[], None, Some(&after.into()))),
            false => {
                compare_documents(&before, &after, &mut path, &mut changes);
                let document = Some(after.clone()).filter(|_| history.is_whole());
                facts.extend(document.map(|fields| (key::DOCUMENT.to_owned(), fields.into())));
            }
        }
        all.push(LogEntry {
            token: *token,
            value: with_changes(facts, changes),
            at,
        });
        after = before;
    }
    all.reverse();
    all
}

fn with_changes(mut facts: Document, changes: Vec<Document>) -> Document {
    facts.insert(key::CHANGES, changes);
    facts
}

fn change(path: &[Bson], before: Option<&Bson>, after: Option<&Bson>) -> Document {
    let mut change = doc! { key::PATH: path };
    change.extend(before.map(|value| (key::BEFORE.to_owned(), value.clone())));
    change.extend(after.map(|value| (key::AFTER.to_owned(), value.clone())));
    change
}

/// Adds the changes from one value to another; `path` leads to them.
fn compare(before: &Bson, after: &Bson, path: &mut Vec<Bson>, out: &mut Vec<Document>) {
    match (before, after) {
        _ if before == after => {}
        (Bson::Document(before), Bson::Document(after)) => {
            compare_documents(before, after, path, out);
        }
        (Bson::Array(before), Bson::Array(after)) => {
            let places = 0..before.len().max(after.len());
            for place in places {
                path.push(Bson::Int64(place as i64));
                compare_some(before.get(place), after.get(place), path, out);
                path.pop();
            }
        }
        _ => out.push(change(path, Some(before), Some(after))),
    }
}

fn compare_documents(
    before: &Document,
    after: &Document,
    path: &mut Vec<Bson>,
    out: &mut Vec<Document>,
) {
    let new = after.keys().filter(|name| !before.contains_key(name));
    for name in before.keys().chain(new) {
        path.push(Bson::from(name));
        compare_some(before.get(name), after.get(name), path, out);
        path.pop();
    }
}

fn compare_some(
    before: Option<&Bson>,
    after: Option<&Bson>,
    path: &mut Vec<Bson>,
    out: &mut Vec<Document>,
) {
    match (before, after) {
        (Some(before), Some(after)) => compare(before, after, path, out),
        (before, after) => out.push(change(path, before, after)),
    }
}

/// The changes from one state of a document to another; in a state without a document it is not stored.
pub(crate) fn between(before: Option<&Document>, after: Option<&Document>) -> Vec<Document> {
    let (mut changes, mut path) = (Vec::new(), Vec::new());
    match (before, after) {
        (Some(before), Some(after)) => compare_documents(before, after, &mut path, &mut changes),
        (None, None) => {}
        (before, after) => {
            let (before, after) = (before.map(Bson::from), after.map(Bson::from));
            changes.push(change(&[], before.as_ref(), after.as_ref()));
        }
    }
    changes
}

/// Takes a change of a document back. False if the document has no such place.
pub(crate) fn undo(document: &mut Bson, path: &[Bson], before: Option<&Bson>) -> bool {
    let Some((step, rest)) = path.split_first() else {
        *document = before.cloned().unwrap_or(Bson::Null);
        return true;
    };
    match (document, step) {
        (Bson::Document(fields), Bson::String(name)) => match (rest, before) {
            ([], None) => drop(fields.remove(name)),
            ([], Some(before)) => drop(fields.insert(name, before.clone())),
            (rest, before) => {
                return fields
                    .get_mut(name)
                    .is_some_and(|one| undo(one, rest, before));
            }
        },
        (Bson::Array(values), Bson::Int64(place)) => {
            let Ok(place) = usize::try_from(*place) else {
                return false;
            };
            match (rest, before) {
                // The values behind it have been added with it.
                ([], None) => values.truncate(place),
                ([], Some(before)) if place == values.len() => values.push(before.clone()),
                (rest, before) => {
                    return values
                        .get_mut(place)
                        .is_some_and(|one| undo(one, rest, before));
                }
            }
        }
        _ => return false,
    }
    true
}

#[cfg(test)]
mod tests {
    use bson::{Bson, doc};

    use super::{compare, key, undo};

    #[test]
    fn changes_lead_back_to_the_state_before() {
        let states = [
            doc! { "a": 1, "b": { "c": [1, 2, 3], "d": "x" } },
            doc! { "a": 1, "b": { "c": [1], "d": "y" }, "e": Bson::Null },
            doc! { "b": { "c": [1, { "f": 2 }, [3, 4], 5] } },
            doc! { "b": { "c": [{ "f": 1 }, { "f": 3, "g": [] }, [4]] }, "e": "z" },
            doc! { "b": 7 },
            doc! {},
        ];
        for before in &states {
            for after in &states {
                let (before, mut after): (Bson, Bson) = (before.into(), after.into());
                let mut changes = Vec::new();
                compare(&before, &after, &mut Vec::new(), &mut changes);
                assert_eq!(changes.is_empty(), before == after);
                for change in &changes {
                    let path = change.get_array(key::PATH).expect("a path");
                    assert!(undo(&mut after, path, change.get(key::BEFORE)));
                }
                // Fields come back at the end.
                let sorted = |value: &Bson| format!("{:?}", ordered(value));
                assert_eq!(sorted(&after), sorted(&before));
            }
        }
    }

    fn ordered(value: &Bson) -> Bson {
        match value {
            Bson::Document(fields) => {
                let mut all: Vec<_> = fields
                    .iter()
                    .map(|(k, v)| (k.clone(), ordered(v)))
                    .collect();
                all.sort_by(|one, other| one.0.cmp(&other.0));
                Bson::Document(all.into_iter().collect())
            }
            Bson::Array(values) => Bson::Array(values.iter().map(ordered).collect()),
            value => value.clone(),
        }
    }
}
