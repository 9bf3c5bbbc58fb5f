//! Changes that no entry explains: the entries are replayed, and the values that each of them has met are compared with those that the entries
//! before it have left.

use std::collections::HashMap;

use bson::{Bson, Document};
use serde::Serialize;

use super::state::{Position, Snapshot};
use super::{Change, Entry, MOST};
use crate::bson_util::id_key::IdKey;
use crate::error::Result;
use crate::outbox::changes_between;
use crate::schema::outbox::RecordedFields;
use crate::schema::stored::is_own_field;

/// A change of a document that no entry of its history explains.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[non_exhaustive]
pub struct ForeignChange {
    /// The revision of the last entry that shows the value as it was before.
    pub after: i64,
    /// The revision of the first entry that has met the other value; `None` if no entry has: then the document has it now.
    pub before: Option<i64>,
    /// The path, the value as the entries left it, and the value that was met. The path is empty where another program has deleted or stored the
    /// document.
    pub change: Change,
}

/// Compares the entries of a document with each other, and with the document. `None` if the document has changed meanwhile.
pub(super) async fn find_changes(snapshot: &Snapshot<'_>) -> Result<Option<Vec<ForeignChange>>> {
    let Some((_, history)) = RecordedFields::find(snapshot.meta.collection) else {
        return Ok(Some(Vec::new()));
    };
    let mut replay = Replay::new(history);
    let mut last = None;
    loop {
        let page = snapshot.stored(last, Position::Oldest, MOST).await?;
        // Later entries are about a later state of the document.
        let is_earlier = |entry: &&Entry| snapshot.latest.is_none_or(|r| entry.revision <= r);
        page.iter()
            .filter(is_earlier)
            .for_each(|entry| replay.apply(entry));
        last = page.last().map(|entry| entry.revision).or(last);
        if page.len() < usize::try_from(MOST).unwrap_or(usize::MAX) {
            break;
        }
    }
    let undelivered = snapshot.undelivered().iter();
    undelivered.for_each(|entry| replay.apply(entry));
    if snapshot.latest.is_none() {
        // Nothing says which entries belong to this state, unless there are no others after it.
        let again = snapshot.again().await?;
        let later = snapshot.stored(last, Position::Oldest, 1).await?;
        if again.now != snapshot.now || !later.is_empty() {
            return Ok(None);
        }
    }
    Ok(Some(replay.end(snapshot.now.as_document())))
}

/// A value, as the entries leave it.
struct Replayed {
    steps: Vec<Bson>,
    value: Option<Bson>,
    /// The revision at which all of it was shown.
    revision: i64,
    /// True if another program has moved its elements: then it is not followed until all of it is shown again.
    moved: bool,
}

/// The values that the entries leave, and the changes that no entry explains.
struct Replay {
    history: &'static RecordedFields,
    /// The values; none is inside of another.
    values: Vec<Replayed>,
    /// The revision since which all fields are followed; `None` for the values that entries have named.
    complete: Option<i64>,
    /// True if the document is stored; `None` before the first entry.
    exists: Option<bool>,
    latest: i64,
    /// The revision of the last entry that shows a path inside of a value.
    shown: HashMap<String, i64>,
    changes: Vec<ForeignChange>,
}

impl Replay {
    fn new(history: &'static RecordedFields) -> Self {
        Replay {
            history,
            values: Vec::new(),
            complete: None,
            exists: None,
            latest: 0,
            shown: HashMap::new(),
            changes: Vec::new(),
        }
    }

    fn apply(&mut self, entry: &Entry) {
        let revision = entry.revision;
        let state = |value: Option<&Bson>| value.and_then(Bson::as_document).cloned();
        match entry.changes.as_slice() {
            [Change { after, .. }] if entry.is_insert() => {
                // An update of a document that has no field of the history looks like an insert.
                if self.exists == Some(true) && revision == self.latest + 1 {
                    self.compare(&Document::new(), Some(revision));
                } else if self.exists == Some(true) && self.complete.is_some() {
                    let state = self.state();
                    self.report_document(Some(state), None, Some(revision));
                }
                self.show(state(after.as_ref()).unwrap_or_default(), revision);
                self.exists = Some(true);
            }
            [Change { before, .. }] if entry.is_delete() => {
                self.compare(&state(before.as_ref()).unwrap_or_default(), Some(revision));
                self.show(Document::new(), revision);
                self.exists = Some(false);
            }
            changes => {
                self.apply_changes(changes, revision);
                if let Some(document) = state(entry.document.as_ref()) {
                    self.compare(&document, Some(revision));
                    self.show(document, revision);
                }
                self.exists = Some(true);
            }
        }
        self.latest = revision;
    }

    /// The changes up to the present state.
    fn end(mut self, now: Option<&Document>) -> Vec<ForeignChange> {
        match (self.exists, now) {
            (Some(true), Some(now)) => self.compare(now, None),
            (Some(true), None) => {
                let state = self.state();
                self.report_document(Some(state), None, None);
            }
            (Some(false), Some(now)) => {
                let fields = now.iter().filter(|(name, _)| self.follows(name));
                let mut now: Document = fields.map(|(k, v)| (k.clone(), v.clone())).collect();
                self.history.forget_derived(&mut now);
                self.report_document(None, Some(now), None);
            }
            (Some(false), None) | (None, _) => {}
        }
        self.changes
    }

    fn follows(&self, name: &str) -> bool {
        self.history.records_top(name) && !is_own_field(name)
    }

    /// Follows all fields of a state that an entry shows.
    fn show(&mut self, document: Document, revision: i64) {
        let fields = document.into_iter();
        let fields = fields.filter(|(name, _)| self.follows(name));
        let values = fields.map(|(name, value)| Replayed {
            steps: vec![name.into()],
            value: Some(value),
            revision,
            moved: false,
        });
        self.values = values.collect();
        self.complete = Some(revision);
        self.shown.clear();
    }

    /// The fields that are followed.
    fn state(&self) -> Document {
        let fields = self
            .values
            .iter()
            .filter_map(|one| match one.steps.as_slice() {
                [Bson::String(name)] => Some((name.clone(), one.value.clone()?)),
                _ => None,
            });
        fields.collect()
    }

    /// Compares all values with those that were met in a document.
    fn compare(&mut self, met: &Document, before: Option<i64>) {
        if self.complete.is_some() {
            for name in met.keys() {
                self.position(&[name.into()]);
            }
        }
        let met = Bson::Document(met.clone());
        for one in std::mem::take(&mut self.values) {
            self.compare_value(&one, find_at(&met, &one.steps), before);
            self.values.push(one);
        }
    }

    fn compare_value(&mut self, one: &Replayed, met: Option<&Bson>, before: Option<i64>) {
        let mut changes = self.differences(&one.steps, one.value.as_ref(), met);
        if one.moved && !changes.is_empty() {
            changes = vec![Change::new(
                one.steps.clone(),
                one.value.clone(),
                met.cloned(),
            )];
        }
        for change in changes {
            let shown = self.shown.get(&format!("{:?}", change.steps)).copied();
            let shown = shown.filter(|_| !one.moved).unwrap_or(one.revision);
            let after = shown.max(one.revision);
            self.changes.push(ForeignChange {
                after,
                before,
                change,
            });
        }
    }

    fn report_document(
        &mut self,
        state: Option<Document>,
        met: Option<Document>,
        before: Option<i64>,
    ) {
        let change = Change::new(Vec::new(), state.map(Bson::from), met.map(Bson::from));
        let after = self.latest;
        self.changes.push(ForeignChange {
            after,
            before,
            change,
        });
    }

    /// The changes from one value at a path to another, without values that change without entries.
    fn differences(
        &self,
        steps: &[Bson],
        before: Option<&Bson>,
        after: Option<&Bson>,
    ) -> Vec<Change> {
        let [before, after] = [before, after].map(|value| {
            let mut document = match nested(steps, value) {
                Some(Bson::Document(document)) => document,
                _ => Document::new(),
            };
            self.history.forget_derived(&mut document);
            document
        });
        let changes = changes_between(Some(&before), Some(&after));
        let changes = changes.iter().map(Change::read);
        // The server takes numbers of different types for equal, and so an update from one to the other has no entry.
        let differs = |change: &Change| match (&change.before, &change.after) {
            (Some(before), Some(after)) => IdKey::new(before) != IdKey::new(after),
            _ => true,
        };
        let changes = changes.filter(differs).map(|change| {
            let rest = change.steps.get(steps.len()..).unwrap_or_default();
            Change::new([steps, rest].concat(), change.before, change.after)
        });
        changes.collect()
    }

    /// The place of the value that has this path, or is there from now on; `None` if only values inside of it are followed.
    fn position(&mut self, steps: &[Bson]) -> Option<usize> {
        let has = |one: &Replayed| steps.starts_with(&one.steps);
        if let Some(at) = self.values.iter().position(has) {
            return Some(at);
        }
        let revision = self.complete?;
        let steps = steps.get(..1)?.to_vec();
        if !steps
            .first()
            .and_then(Bson::as_str)
            .is_some_and(|name| self.follows(name))
        {
            return None;
        }
        let (value, moved) = (None, false);
        self.values.push(Replayed {
            steps,
            value,
            revision,
            moved,
        });
        Some(self.values.len() - 1)
    }

    /// Applies the changes of an update.
    fn apply_changes(&mut self, mut rest: &[Change], revision: i64) {
        while let [first, others @ ..] = rest {
            let name = first.steps.first().and_then(Bson::as_str);
            if !name.is_some_and(|name| self.follows(name)) {
                rest = others;
                continue;
            }
            let at = self.position(&first.steps);
            let mut one = match at {
                Some(at) => self.values.swap_remove(at),
                None => self.gather(first, revision),
            };
            let is_inside = |change: &&Change| change.steps.starts_with(&one.steps);
            let (changes, others) = rest.split_at(rest.iter().take_while(is_inside).count());
            self.apply_inside(&mut one, changes, revision);
            self.values.push(one);
            rest = others;
        }
    }

    /// Follows the value of a change instead of those inside of it.
    fn gather(&mut self, change: &Change, revision: i64) -> Replayed {
        let is_inside = |one: &Replayed| one.steps.starts_with(&change.steps);
        let values = std::mem::take(&mut self.values);
        let (inside, others) = values.into_iter().partition::<Vec<_>, _>(is_inside);
        self.values = others;
        for one in inside {
            let steps = &one.steps[change.steps.len()..];
            let met = change.before.as_ref().and_then(|met| find_at(met, steps));
            self.compare_value(&one, met, Some(revision));
        }
        Replayed {
            steps: change.steps.clone(),
            value: change.before.clone(),
            revision,
            moved: false,
        }
    }

    /// Applies changes of a value and inside of it.
    fn apply_inside(&mut self, one: &mut Replayed, changes: &[Change], revision: i64) {
        let is_shown = changes
            .first()
            .is_some_and(|first| first.steps.len() == one.steps.len());
        if one.moved && !is_shown {
            return;
        }
        let depth = one.steps.len();
        let before = |change: &Change| (change.before.clone(), change.after.is_none());
        let after = |change: &Change| (change.after.clone(), change.before.is_none());
        let Some(met) = changed(one.value.as_ref(), changes, depth, &before) else {
            one.moved = true;
            return;
        };
        self.compare_value(one, met.as_ref(), Some(revision));
        match changed(met.as_ref(), changes, depth, &after) {
            Some(value) => one.value = value,
            None => one.moved = true,
        }
        if is_shown {
            (one.revision, one.moved) = (revision, false);
        }
        let paths = changes.iter().map(|change| format!("{:?}", change.steps));
        self.shown.extend(paths.map(|path| (path, revision)));
    }
}

/// A value at a path below another.
fn find_at<'v>(value: &'v Bson, steps: &[Bson]) -> Option<&'v Bson> {
    let Some((step, rest)) = steps.split_first() else {
        return Some(value);
    };
    let inner = match (value, step) {
        (Bson::Document(fields), Bson::String(name)) => fields.get(name),
        (Bson::Array(values), Bson::Int64(place)) => values.get(usize::try_from(*place).ok()?),
        _ => None,
    };
    find_at(inner?, rest)
}

/// A document with nothing but this value at a path; an array on the path has one element.
fn nested(steps: &[Bson], value: Option<&Bson>) -> Option<Bson> {
    let Some((step, rest)) = steps.split_first() else {
        return value.cloned();
    };
    let inner = nested(rest, value).into_iter();
    Some(match step {
        Bson::String(name) => Bson::Document(inner.map(|value| (name.clone(), value)).collect()),
        _ => Bson::Array(inner.collect()),
    })
}

/// One side of a change: its value, and whether the other side has none.
type Side<'s> = dyn Fn(&Change) -> (Option<Bson>, bool) + 's;

/// The value on one side of changes, whose paths have `depth` steps before it; `None` if it has no such places.
fn changed(
    value: Option<&Bson>,
    changes: &[Change],
    depth: usize,
    side: &Side<'_>,
) -> Option<Option<Bson>> {
    let mut whole: Document = value
        .map(|value| (String::new(), value.clone()))
        .into_iter()
        .collect();
    let mut absent: Option<&[Bson]> = None;
    for change in changes {
        let (value, ends) = side(change);
        let follows = absent.is_some_and(|last| is_next(last, &change.steps));
        absent = value.is_none().then_some(&change.steps);
        // The array ends before the first of several places that it does not have.
        if value.is_none() && follows {
            continue;
        }
        let rest = change.steps.get(depth..)?;
        match (rest, value) {
            ([], None) => drop(whole.remove("")),
            ([], Some(value)) => drop(whole.insert("", value)),
            (rest, value) => put(whole.get_mut("")?, rest, value, ends)?,
        }
    }
    Some(whole.remove(""))
}

/// True if two paths lead to two places of an array that follow each other.
fn is_next(last: &[Bson], this: &[Bson]) -> bool {
    match (last.split_last(), this.split_last()) {
        (Some((Bson::Int64(last), one)), Some((Bson::Int64(this), other))) => {
            one == other && last + 1 == *this
        }
        _ => false,
    }
}

/// Puts a value at a path. An array ends before a place without a value, and behind the place of a change that adds or removes an element.
/// `None` if there is no such place.
fn put(target: &mut Bson, steps: &[Bson], value: Option<Bson>, ends: bool) -> Option<()> {
    let (step, rest) = steps.split_first()?;
    match (target, step) {
        (Bson::Document(fields), Bson::String(name)) => match (rest, value) {
            ([], None) => drop(fields.remove(name)),
            ([], Some(value)) => drop(fields.insert(name, value)),
            (rest, value) => put(fields.get_mut(name)?, rest, value, ends)?,
        },
        (Bson::Array(values), Bson::Int64(place)) => {
            let place = usize::try_from(*place).ok()?;
            match (rest, value) {
                ([], _) if place > values.len() => return None,
                ([], None) => values.truncate(place),
                ([], Some(value)) => {
                    match values.get_mut(place) {
                        Some(old) => *old = value,
                        None => values.push(value),
                    }
                    if ends {
                        values.truncate(place + 1);
                    }
                }
                (rest, value) => put(values.get_mut(place)?, rest, value, ends)?,
            }
        }
        _ => return None,
    }
    Some(())
}
