//! The models whose documents are persons, and the personal fields inside of documents.

use crate::schema::lookup::same;
use crate::schema::model::{Model, ModelMeta};
use crate::schema::rows::{FieldRow, Kind, Shape};

/// A model whose documents are persons: one of its fields is `#[personal]` itself, and not `of` another person. Of an enum, a field of a variant.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no person: none of its own fields is personal [PERSONAL_FIELD]",
    label = "not a person",
    note = "mark a field of `{Self}` with `#[personal]`"
)]
pub trait Person: Model {}

#[diagnostic::do_not_recommend]
impl<M: Model + MayBePerson> Person for M where M::Is: IsPerson {}

/// A model that may be a person. Written by its derive.
#[doc(hidden)]
pub trait MayBePerson {
    /// [`Is<true>`](Is) if it is one.
    type Is;
}

/// An answer as a type.
#[doc(hidden)]
#[derive(Debug)]
pub enum Is<const ANSWER: bool> {}

/// Yes.
#[doc(hidden)]
pub trait IsPerson {}
impl IsPerson for Is<true> {}

/// True if the documents of a model are persons.
pub(crate) fn is_person(meta: &ModelMeta) -> bool {
    are_persons(meta.shape.fields)
}

/// True if the library sets the field from other documents: an erase of those changes it.
pub(crate) const fn follows_others(row: &FieldRow) -> bool {
    let is_entry = matches!(row.relation, Some(relation) if !relation.members);
    row.copy.is_some() || row.derived.is_some() || is_entry
}

/// The first personal field in a document that meets a condition.
#[derive(Clone, Copy)]
pub(crate) struct Inside {
    /// The type that declares it.
    pub(crate) shape: &'static str,
    /// Its Rust name.
    pub(crate) field: &'static str,
}

/// The fields that [`find`] looks for.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Wanted {
    /// All.
    Any,
    /// Those of the person whose document they are in.
    Own,
    /// Those to which no path leads.
    Unreachable,
}

/// The first personal field inside of a row. Where `covered`, a field around it is personal, so that those of the person whose document it is
/// in are erased with that one.
#[must_use]
pub(crate) const fn find(row: &FieldRow, wanted: Wanted, covered: bool) -> Option<Inside> {
    match row.shape {
        Some(shape) if !follows_others(row) => {
            let covered = covered || row.personal.is_some();
            find_in(shape, wanted, (covered, is_hidden_inside(row)))
        }
        _ => None,
    }
}

/// True if no path leads into the value: a map, or an array of arrays.
const fn is_hidden_inside(row: &FieldRow) -> bool {
    let holds_containers = matches!(row.facts.elem_kind, Kind::Array | Kind::Map);
    matches!(row.kind, Kind::Map) || matches!(row.kind, Kind::Array) && holds_containers
}

const fn find_in(
    shape: &'static Shape,
    wanted: Wanted,
    (covered, hidden): (bool, bool),
) -> Option<Inside> {
    let (mut n, mut hidden) = (0, hidden);
    while n < shape.fields.len() {
        // The fields of an embedded enum stand in some of its variants only.
        hidden = hidden || shape.fields[n].tag;
        n += 1;
    }
    n = 0;
    while n < shape.fields.len() {
        let row = &shape.fields[n];
        if let Some(personal) = row.personal {
            let is_own = personal.of.is_none();
            let is_wanted = match wanted {
                Wanted::Any => true,
                Wanted::Own => is_own,
                Wanted::Unreachable => hidden,
            };
            if is_wanted && !(is_own && covered) {
                return Some(Inside {
                    shape: shape.name,
                    field: row.rust,
                });
            }
        }
        if let Some(inner) = row.shape
            && !follows_others(row)
        {
            let below = hidden || is_hidden_inside(row);
            let covered = covered || row.personal.is_some();
            let found = find_in(inner, wanted, (covered, below));
            if found.is_some() {
                return found;
            }
        }
        n += 1;
    }
    None
}

/// True if documents with these fields hold personal values at any depth.
#[must_use]
pub const fn hold_personal(fields: &[FieldRow]) -> bool {
    let mut n = 0;
    while n < fields.len() {
        if fields[n].personal.is_some() || find(&fields[n], Wanted::Any, false).is_some() {
            return true;
        }
        n += 1;
    }
    false
}

/// True if documents with these fields are persons: one of their own fields is personal, or one of the fields of a variant.
#[must_use]
pub const fn are_persons(fields: &[FieldRow]) -> bool {
    let mut n = 0;
    while n < fields.len() {
        let row = &fields[n];
        if matches!(row.personal, Some(personal) if personal.of.is_none()) {
            return true;
        }
        if row.variant.is_some()
            && let Some(shape) = row.shape
            && are_persons(shape.fields)
        {
            return true;
        }
        n += 1;
    }
    false
}

/// True if the value at this Rust path is personal: a field on the way to it, or one inside of it.
#[must_use]
pub const fn is_personal_at(fields: &[FieldRow], path: &[&str]) -> bool {
    let [step, rest @ ..] = path else {
        return hold_personal(fields);
    };
    let mut n = 0;
    while n < fields.len() {
        let row = &fields[n];
        if same(row.rust, step) {
            if row.personal.is_some() {
                return true;
            }
            return match row.shape {
                Some(shape) if !follows_others(row) => is_personal_at(shape.fields, rest),
                _ => false,
            };
        }
        n += 1;
    }
    false
}
