//! Refuses documents over their bounds before they are sent.

use std::borrow::Cow;
use std::collections::HashSet;

#[cfg(feature = "driver")]
use bson::RawBson;
use bson::{Bson, RawArray, RawBsonRef, RawDocument};

use super::checks::meets;
use super::{comparisons, self_references};
use crate::bson_util::id_key::IdKey;
use crate::bson_util::path::join;
use crate::error::violation::Violation;
use crate::error::{Error, Result};
use crate::schema::checks::{CheckRule, Part, Rules};
use crate::schema::model::ModelMeta;
use crate::schema::rows::{FieldRow, Kind, Shape};
use crate::schema::two_way::follows_other_side;

/// MongoDB's limit on one document.
pub(crate) const DOCUMENT_MAX: usize = 16 * 1024 * 1024;

/// The place of a value, in steps, so that a value that breaks no rule costs no text.
#[derive(Clone, Copy)]
enum Place<'p> {
    Document,
    Field(&'p Place<'p>, &'p str),
    Element(&'p Place<'p>, usize),
    Entry(&'p Place<'p>, &'p str),
}

impl Place<'_> {
    /// The stored path of the value: `addresses.2.city`.
    fn path(&self) -> String {
        match self {
            Place::Document => String::new(),
            Place::Field(above, name) | Place::Entry(above, name) => join(&above.path(), name),
            Place::Element(above, n) => join(&above.path(), &n.to_string()),
        }
    }
}

/// Checks every bound and every rule inside a document, and its size.
///
/// # Errors
/// [`Error::Invalid`] with all bounds and rules that it breaks; [`Error::OtherEntry`] if it breaks none.
pub(crate) fn document(meta: &'static ModelMeta, raw: &RawDocument) -> Result<()> {
    if raw.as_bytes().len() > DOCUMENT_MAX {
        return Err(Error::DocTooLarge {
            model: meta.name,
            bytes: raw.as_bytes().len(),
            limit: DOCUMENT_MAX,
        });
    }
    // A lower bound, or another program, may leave such an array over its bound: a document that was read has to remain one that can be
    // saved.
    let is_derived = |row: &'static FieldRow| row.max > 0 && follows_other_side(meta, row);
    let mut guard = Guard::new(meta, true);
    guard.fields(meta.shape, raw, &Place::Document, &is_derived);
    guard.document(meta, raw);
    guard.result()
}

/// The rules that a stored document breaks.
#[cfg(feature = "driver")]
pub(crate) fn violations(meta: &'static ModelMeta, raw: &RawDocument) -> Vec<Violation> {
    let mut guard = Guard::new(meta, false);
    guard.fields(meta.shape, raw, &Place::Document, &|_| false);
    guard.document(meta, raw);
    guard.broken
}

/// Checks a value that the field at a path is to become.
pub(crate) fn value(
    row: &FieldRow,
    value: RawBsonRef<'_>,
    (meta, path): (&'static ModelMeta, &str),
) -> Result<()> {
    let mut guard = Guard::new(meta, true);
    guard.field(row, value, &Place::Field(&Place::Document, path));
    guard.result()
}

/// Checks an element that the array at a path is to have.
pub(crate) fn element(
    row: &FieldRow,
    value: RawBsonRef<'_>,
    (meta, path): (&'static ModelMeta, &str),
) -> Result<()> {
    let mut guard = Guard::new(meta, true);
    guard.element(row, value, &Place::Field(&Place::Document, path));
    guard.result()
}

/// True if a number meets a rule.
#[cfg(feature = "driver")]
pub(crate) fn is_met(rule: &CheckRule, number: &Bson) -> bool {
    let number = RawBson::try_from(number.clone());
    number.map_or(true, |number| meets(rule, number.as_raw_bson_ref()))
}

/// Looks at the values of one document.
struct Guard {
    model: &'static str,
    /// A write; false where a stored document is judged, and its bounds are not looked at.
    is_write: bool,
    rules: Rules,
    broken: Vec<Violation>,
    /// The first document that two memberships of one array name.
    twice: Option<Error>,
}

impl Guard {
    fn new(meta: &'static ModelMeta, is_write: bool) -> Self {
        Guard {
            model: meta.name,
            is_write,
            rules: meta.rules(is_write),
            broken: Vec::new(),
            twice: None,
        }
    }

    fn result(self) -> Result<()> {
        match self.broken.is_empty() {
            true => self.twice.map_or(Ok(()), Err),
            false => Err(Error::invalid(self.model, self.broken)),
        }
    }

    /// The fields of a document, without those that `passes_over` names.
    fn fields(
        &mut self,
        shape: &'static Shape,
        raw: &RawDocument,
        place: &Place<'_>,
        passes_over: &dyn Fn(&'static FieldRow) -> bool,
    ) {
        for row in shape.fields.iter().filter(|row| row.name.is_empty()) {
            if let Some(inner) = row.shape.filter(|_| self.looks_at(row)) {
                self.fields(inner, raw, place, passes_over);
            }
        }
        // Documents have their fields in the order of the rows, mostly.
        let mut next = 0;
        // A document that its own encoder wrote is well formed.
        for element in raw.iter_elements().map_while(std::result::Result::ok) {
            let name = element.key().as_str();
            let (before, after) = shape.fields.split_at(next);
            let mut rows = after.iter().zip(next..).chain(before.iter().zip(0..));
            let Some((row, at)) = rows.find(|(row, _)| row.name == name) else {
                continue;
            };
            next = at + 1;
            if self.looks_at(row)
                && !passes_over(row)
                && let Ok(value) = element.value()
            {
                self.field(row, value, &Place::Field(place, row.name));
            }
        }
    }

    /// True if a value of the field can break something. A copy is what its source says, and that was checked there.
    fn looks_at(&self, row: &FieldRow) -> bool {
        row.copy.is_none() && !row.is_unchecked(self.rules)
    }

    /// Checks the value of a field.
    fn field(&mut self, row: &FieldRow, value: RawBsonRef<'_>, place: &Place<'_>) {
        self.judge(row.rules(Part::Whole, self.rules), value, place);
        let mut len = 0;
        match value {
            RawBsonRef::Array(array) => {
                if self.is_write {
                    self.twice = self
                        .twice
                        .take()
                        .or_else(|| twice(self.model, row, array, place));
                }
                for (n, value) in array
                    .into_iter()
                    .map_while(std::result::Result::ok)
                    .enumerate()
                {
                    len += 1;
                    self.element(row, value, &Place::Element(place, n));
                }
            }
            RawBsonRef::Document(map) if row.kind == Kind::Map => {
                for (key, value) in map.iter().map_while(std::result::Result::ok) {
                    len += 1;
                    let place = Place::Entry(place, key.as_str());
                    let key = RawBsonRef::String(key.as_str());
                    self.judge(row.rules(Part::Keys, self.rules), key, &place);
                    self.element(row, value, &place);
                }
            }
            value => return self.element(row, value, place),
        }
        if self.is_write && row.max > 0 && len > row.max {
            self.broken.push(Violation::too_long(place.path(), row.max));
        }
    }

    /// Checks an element, or the single value of a field.
    fn element(&mut self, row: &FieldRow, value: RawBsonRef<'_>, place: &Place<'_>) {
        self.judge(row.rules(Part::Each, self.rules), value, place);
        let len = match value {
            RawBsonRef::Document(inner) => {
                if let Some(shape) = row.shape {
                    self.fields(shape, inner, place, &|_| false);
                }
                return;
            }
            _ if row.max_len == 0 || !self.is_write => return,
            // No string has more characters than bytes.
            RawBsonRef::String(text) if text.len() as u64 > row.max_len => text.chars().count(),
            RawBsonRef::Binary(binary) => binary.bytes.len(),
            _ => return,
        };
        if len as u64 > row.max_len {
            let violation = Violation::too_long(place.path(), row.max_len);
            self.broken.push(violation);
        }
    }

    /// The rules about a whole document.
    fn document(&mut self, meta: &'static ModelMeta, raw: &RawDocument) {
        // `verify` finds stored ones beside all other rings.
        if self.is_write {
            self.broken.extend(self_references::in_document(meta, raw));
        }
        let unmet = comparisons::unmet(meta, raw, self.is_write).map(Violation::of_comparison);
        self.broken.extend(unmet);
        let judges = meta.judges.iter();
        for judge in judges.filter(|judge| self.is_write || !judge.on_write) {
            let refusals = (judge.refusals)(raw).into_iter();
            let violation = |refusal| Violation::of_document(*judge, meta.shape.fields, refusal);
            self.broken.extend(refusals.map(violation));
        }
    }

    fn judge(
        &mut self,
        rules: impl Iterator<Item = &'static CheckRule>,
        value: RawBsonRef<'_>,
        place: &Place<'_>,
    ) {
        for rule in rules {
            let reason = match rule {
                CheckRule::With(_) if value == RawBsonRef::Null => continue,
                CheckRule::With(judge) => match (judge.refusal)(value) {
                    None => continue,
                    reason => reason.map(Cow::Borrowed),
                },
                rule if meets(rule, value) => continue,
                _ => None,
            };
            let violation = Violation::new(place.path(), *rule);
            self.broken.push(Violation {
                reason,
                ..violation
            });
        }
    }
}

/// The error that two memberships name the same document: it would have two roles.
fn twice(
    model: &'static str,
    row: &FieldRow,
    elements: &RawArray,
    place: &Place<'_>,
) -> Option<Error> {
    let relation = row.relation.filter(|relation| relation.members)?;
    let mut seen = HashSet::new();
    for element in elements.into_iter().map_while(std::result::Result::ok) {
        let id = element
            .as_document()
            .and_then(|entry| entry.get(relation.entry_id).ok().flatten());
        if let Some(id) = id
            && !seen.insert(IdKey::of_raw(id))
        {
            return Some(Error::OtherEntry {
                field: format!("{model}.{}", place.path()),
                id: Box::new(Bson::try_from(id).unwrap_or(Bson::Null)),
            });
        }
    }
    None
}
