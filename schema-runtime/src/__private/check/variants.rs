//! Rules for the fields that the variants of a model share.

use super::values::same_checks;
use crate::__private::text::refuse;
use crate::schema::lookup::{Referring, same};
use crate::schema::relation::RelationRow;
use crate::schema::rows::{CopyRow, FieldRow};

/// A variant holds the `_id`, as the field `id`.
#[track_caller]
pub const fn variant_id(fields: &[FieldRow], owner: &'static str, ty: &'static str) {
    let mut n = 0;
    while n < fields.len() {
        if same(fields[n].name, "_id") && same(fields[n].rust, "id") {
            if fields[n].with {
                variant_id_form(owner, ty);
            }
            return;
        }
        n += 1;
    }
    refuse!(
        "variant `{owner}` has no field `id` stored as `_id` [ID_MISSING]\n\
         help: in `{ty}`: `#[serde(rename = \"_id\")] pub id: Id<..>`\n\
         note: every document has an `_id`, whatever its kind";
        owner, ty
    );
}

#[track_caller]
const fn variant_id_form(owner: &'static str, ty: &'static str) {
    refuse!(
        "the `_id` of variant `{owner}` has a `#[serde(with = ..)]`, which its enum does not see [ID_TYPE]\n\
         help: let a type say how it is stored, in `{ty}` and all other variants: `struct DocumentId(#[serde(with = \"..\")] ..)` with `#[derive(MongoEmbed)]`\n\
         note: a reference or a query would look for the id in the form of its type, and find nothing";
        owner, ty
    );
}

/// A variant as the checks of two variants see it.
#[derive(Clone, Copy)]
pub struct Variant {
    /// `Employee::Hourly`
    pub name: &'static str,
    /// The rows of its fields.
    pub fields: &'static [FieldRow],
    /// See [`Lookup::REFERENCES`](crate::schema::lookup::Lookup::REFERENCES).
    pub references: Option<&'static [Referring]>,
}

/// A name that two variants have means one field in both.
#[track_caller]
pub const fn variant_fields(first: Variant, second: Variant) {
    let mut n = 0;
    while n < first.fields.len() {
        let a = &first.fields[n];
        let mut m = 0;
        while m < second.fields.len() {
            let b = &second.fields[m];
            if !a.name.is_empty() && same(a.name, b.name) {
                if let Some(difference) = compare(a, b) {
                    report(difference, &first, &second, a.name);
                }
                if !same_target(a.rust, first.references, second.references) {
                    report(Difference::Target, &first, &second, a.name);
                }
            }
            m += 1;
        }
        n += 1;
    }
}

#[track_caller]
const fn report(difference: Difference, first: &Variant, second: &Variant, field: &str) {
    refuse!(
        "`{name}` and `{second_name}` both store `{field}{text}";
        name = first.name, second_name = second.name, field, text = difference.text()
    );
}

/// The difference between two fields of one name.
#[derive(Clone, Copy)]
enum Difference {
    /// The way they are stored.
    Storage,
    /// The model that they refer to.
    Target,
    /// The rules of the reference.
    Reference,
    /// The rules by which the copy follows its source.
    Copy,
    /// The checks.
    Checks,
    /// The value that an erase of a person leaves.
    Personal,
}

impl Difference {
    const fn text(self) -> &'static str {
        match self {
            Difference::Storage => {
                "`, but not the same [POLY_FIELD]\nhelp: give it one type, bound and reference in both, or store one of them under another name: `#[serde(rename = \"..\")]`\nnote: they stand in one collection: a filter, an index and a copy take them for one field"
            }
            Difference::Target => {
                "`, but refer to different models by it [POLY_FIELD]\nhelp: store one of them under another name: `#[serde(rename = \"..\")]`\nnote: they stand in one collection: a delete and a loader take them for one reference, and would miss the other model"
            }
            Difference::Reference => {
                "`, but not with the same rules [POLY_FIELD]\nhelp: give both references the same `on_delete`, `missing`, `sort` and `checked` or `unchecked`\nnote: they stand in one collection: a delete and a loader take them for one reference, and follow one of them"
            }
            Difference::Copy => {
                "`, but the copies do not follow their source in the same way [POLY_FIELD]\nhelp: give both `#[denorm(..)]` the same `level`, and write `snapshot` on both or on none\nnote: they stand in one collection: a change of the source takes them for one copy"
            }
            Difference::Personal => {
                "`, but an erase of a person does not make the same of both [POLY_FIELD]\nhelp: give it the same `#[personal(..)]` in both, or store one of them under another name: `#[serde(rename = \"..\")]`\nnote: they stand in one collection: an erase takes them for one field"
            }
            Difference::Checks => {
                "`, but not with the same checks [POLY_FIELD]\nhelp: give it the same `#[check(..)]` in both, or store one of them under another name: `#[serde(rename = \"..\")]`\nnote: both have one path in the collection: an update does not see which variant is stored"
            }
        }
    }
}

const fn compare(a: &FieldRow, b: &FieldRow) -> Option<Difference> {
    let stored = a.kind as u8 == b.kind as u8
        && a.nullable == b.nullable
        && a.with == b.with
        && a.max == b.max
        && a.max_len == b.max_len
        && same(a.rust, b.rust);
    if !stored {
        return Some(Difference::Storage);
    }
    if !same_checks(a.checks, b.checks) {
        return Some(Difference::Checks);
    }
    if !same_personal(a, b) {
        return Some(Difference::Personal);
    }
    let inside = match (a.shape, b.shape) {
        (None, None) => None,
        (Some(a), Some(b)) => compare_fields(a.fields, b.fields),
        _ => Some(Difference::Storage),
    };
    match compare_references(a, b) {
        Some(difference) => Some(difference),
        None => inside,
    }
}

/// True if an erase makes the same of both fields.
const fn same_personal(a: &FieldRow, b: &FieldRow) -> bool {
    match (a.personal, b.personal) {
        (None, None) => true,
        (Some(a), Some(b)) => {
            same_name(a.of, b.of)
                && same_name(a.erased, b.erased)
                && a.kept.is_some() == b.kept.is_some()
        }
        _ => false,
    }
}

/// Compares two fields as references and as copies.
const fn compare_references(a: &FieldRow, b: &FieldRow) -> Option<Difference> {
    let relation = match (a.relation, b.relation) {
        (None, None) => None,
        (Some(a), Some(b)) => compare_relations(a, b),
        _ => Some(Difference::Storage),
    };
    if relation.is_some() {
        return relation;
    }
    match (a.copy, b.copy) {
        (None, None) => None,
        (Some(a), Some(b)) => compare_copies(a, b),
        _ => Some(Difference::Storage),
    }
}

const fn compare_relations(a: &RelationRow, b: &RelationRow) -> Option<Difference> {
    let stored = a.many == b.many
        && a.entry == b.entry
        && same(a.entry_id, b.entry_id)
        && a.members == b.members
        && a.holds as u8 == b.holds as u8
        && same_name(a.key, b.key);
    if !stored {
        return Some(Difference::Storage);
    }
    let sort = match (a.sort, b.sort) {
        (None, None) => true,
        (Some((a, down)), Some((b, also_down))) => same(a, b) && down == also_down,
        _ => false,
    };
    // Where the attribute of a reference does not say it, its copies decide too if a write checks the reference.
    let rules = sort
        && a.on_delete as u8 == b.on_delete as u8
        && a.missing as u8 == b.missing as u8
        && (a.copied != b.copied || a.checked == b.checked)
        && a.must_be_checked == b.must_be_checked;
    if rules {
        None
    } else {
        Some(Difference::Reference)
    }
}

const fn compare_copies(a: &CopyRow, b: &CopyRow) -> Option<Difference> {
    // The reference of this name gives the source.
    if !same(a.field, b.field) || !same(a.via, b.via) {
        return Some(Difference::Storage);
    }
    if a.snapshot == b.snapshot && a.level as u8 == b.level as u8 {
        None
    } else {
        Some(Difference::Copy)
    }
}

/// Compares the fields of two embedded documents, one by one.
const fn compare_fields(a: &[FieldRow], b: &[FieldRow]) -> Option<Difference> {
    if a.len() != b.len() {
        return Some(Difference::Storage);
    }
    let mut n = 0;
    while n < a.len() {
        if !same(a[n].name, b[n].name) {
            return Some(Difference::Storage);
        }
        if let Some(difference) = compare(&a[n], &b[n]) {
            return Some(difference);
        }
        n += 1;
    }
    None
}

const fn same_name(a: Option<&str>, b: Option<&str>) -> bool {
    match (a, b) {
        (None, None) => true,
        (Some(a), Some(b)) => same(a, b),
        _ => false,
    }
}

/// True if both refer to one model by the field `rust`, or one of them does not refer.
const fn same_target(
    rust: &str,
    first: Option<&[Referring]>,
    second: Option<&[Referring]>,
) -> bool {
    match (target(rust, first), target(rust, second)) {
        (Some(first), Some(second)) => same(first, second),
        _ => true,
    }
}

/// The place of the model that the field refers to.
const fn target(rust: &str, references: Option<&[Referring]>) -> Option<&'static str> {
    let Some(all) = references else {
        return None;
    };
    let mut n = 0;
    while n < all.len() {
        if same(all[n].field, rust) {
            return Some(all[n].to);
        }
        n += 1;
    }
    None
}

/// The fields inside the field of a row, if they are known.
#[must_use]
pub const fn fields_inside(row: &FieldRow) -> &'static [FieldRow] {
    match row.shape {
        Some(shape) => shape.fields,
        None => &[],
    }
}

/// A variant of an embedded enum that holds a struct, beside the variants before it of the same kind, and beside the fields that its enum
/// writes out: where one of two fields of one name is a reference or a copy, the other one is the same, and both have the same checks.
#[track_caller]
pub const fn embedded_variant(variant: Variant, earlier: &[Variant], written: Variant) {
    let mut n = 0;
    while n < earlier.len() {
        compare_inside(&earlier[n], &variant);
        n += 1;
    }
    compare_inside(&written, &variant);
}

#[track_caller]
const fn compare_inside(first: &Variant, second: &Variant) {
    let mut n = 0;
    while n < first.fields.len() {
        let a = &first.fields[n];
        let mut m = 0;
        while m < second.fields.len() {
            let b = &second.fields[m];
            if !a.name.is_empty() && same(a.name, b.name) {
                let targets = (
                    target(a.rust, first.references),
                    target(b.rust, second.references),
                );
                let difference = match targets {
                    (Some(to), Some(other)) if !same(to, other) => Some(Difference::Target),
                    _ => compare_paths(a, b),
                };
                if let Some(difference) = difference {
                    report_inside(difference, first, second, a.name);
                }
            }
            m += 1;
        }
        n += 1;
    }
}

/// Compares two fields of one path, as far as references, copies and checks go.
const fn compare_paths(a: &FieldRow, b: &FieldRow) -> Option<Difference> {
    let difference = compare_references(a, b);
    if difference.is_some() {
        return difference;
    }
    if !same_checks(a.checks, b.checks) {
        return Some(Difference::Checks);
    }
    let (Some(a), Some(b)) = (a.shape, b.shape) else {
        return None;
    };
    let mut n = 0;
    while n < a.fields.len() {
        let mut m = 0;
        while m < b.fields.len() {
            let (a, b) = (&a.fields[n], &b.fields[m]);
            if !a.name.is_empty() && same(a.name, b.name) {
                let difference = compare_paths(a, b);
                if difference.is_some() {
                    return difference;
                }
            }
            m += 1;
        }
        n += 1;
    }
    None
}

#[track_caller]
const fn report_inside(difference: Difference, first: &Variant, second: &Variant, field: &str) {
    let says = match difference {
        Difference::Storage => {
            "`, but not as the same reference or copy [POLY_FIELD]\nhelp: store one of them under another name: `#[serde(rename = \"..\")]`"
        }
        Difference::Target => {
            "`, but refer to different models by it [POLY_FIELD]\nhelp: store one of them under another name: `#[serde(rename = \"..\")]`"
        }
        Difference::Reference => {
            "`, but not with the same rules [POLY_FIELD]\nhelp: give both references the same `on_delete`, `missing`, `sort` and `checked` or `unchecked`"
        }
        Difference::Copy => {
            "`, but the copies do not follow their source in the same way [POLY_FIELD]\nhelp: give both `#[denorm(..)]` the same `level`, and write `snapshot` on both or on none"
        }
        Difference::Checks | Difference::Personal => {
            return report(difference, first, second, field);
        }
    };
    refuse!(
        "`{name}` and `{second_name}` both store `{field}{says}\n\
         note: both have one path in the collection: a delete, a loader and a change of the source do not see which variant is stored";
        name = first.name, second_name = second.name, field, says
    );
}

/// Fields that belong together are shared together: `fields` are those that all variants have, or those that only one has.
#[track_caller]
pub const fn variant_beside(fields: &[FieldRow], owner: &'static str) {
    let mut n = 0;
    while n < fields.len() {
        let row = &fields[n];
        let mut beside = match row.copy {
            Some(copy) => copy.via,
            None => "",
        };
        if let Some(relation) = row.relation
            && let Some((sort, _)) = relation.sort
        {
            beside = sort;
        }
        // An entry holds its copies itself.
        if !beside.is_empty() && !is_field(fields, beside) {
            refuse!(
                "`{rust}` of `{owner}` goes with `{beside}`, but not every variant that has the one has the other [POLY_FIELD]\n\
                 help: give both to every variant, or give the one to this variant under a name of its own\n\
                 note: what all variants have is one field of the collection, with its reference and its copies";
                rust = row.rust, owner, beside
            );
        }
        n += 1;
    }
}

const fn is_field(fields: &[FieldRow], name: &str) -> bool {
    let mut n = 0;
    while n < fields.len() {
        if same(fields[n].rust, name) {
            return true;
        }
        n += 1;
    }
    false
}

/// A field named by `common(..)` is one of every variant's.
#[track_caller]
pub const fn variant_common(fields: &[FieldRow], owner: &'static str, field: &'static str) {
    let mut n = 0;
    while n < fields.len() {
        if same(fields[n].rust, field) && !fields[n].name.is_empty() {
            return;
        }
        n += 1;
    }
    refuse!(
        "`common({field})` names no field of `{owner}` [POLY_COMMON]\n\
         help: a field that some variants have is reached through them: `|e| e.hourly.rate`\n\
         note: `common(..)` names fields that every variant has, under one name";
        field, owner
    );
}
