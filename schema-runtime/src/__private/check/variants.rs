//! What the variants of a model have in common.

use crate::__private::text::Text;
use crate::lookup::same;
use crate::model::FieldRow;

/// A variant holds the `_id`, as the field `id`.
#[track_caller]
pub const fn variant_id(fields: &[FieldRow], owner: &'static str, ty: &'static str) {
    let mut n = 0;
    while n < fields.len() {
        if same(fields[n].name, "_id") && same(fields[n].rust, "id") {
            return;
        }
        n += 1;
    }
    let text = Text::<1024>::new()
        .push_str("variant `")
        .push_str(owner)
        .push_str("` has no field `id` stored as `_id` [ID_MISSING]\nhelp: in `")
        .push_str(ty)
        .push_str("`: `#[serde(rename = \"_id\")] pub id: Id<..>`\nnote: every document has an `_id`, whatever its kind");
    panic!("{}", text.as_str());
}

/// A name that two variants have means one field in both.
#[track_caller]
pub const fn variant_fields(
    first: &[FieldRow],
    first_name: &'static str,
    second: &[FieldRow],
    second_name: &'static str,
) {
    let mut n = 0;
    while n < first.len() {
        let a = &first[n];
        let mut m = 0;
        while m < second.len() {
            let b = &second[m];
            if !a.name.is_empty() && same(a.name, b.name) && !agree(a, b) {
                let text = Text::<1024>::new()
                    .push_str("`")
                    .push_str(first_name)
                    .push_str("` and `")
                    .push_str(second_name)
                    .push_str("` both store `")
                    .push_str(a.name)
                    .push_str("`, but not the same [POLY_FIELD]\nhelp: give it one type, bound and reference in both, or store one of them under another name: `#[serde(rename = \"..\")]`\nnote: they stand in one collection: a filter, an index and a copy take them for one field");
                panic!("{}", text.as_str());
            }
            m += 1;
        }
        n += 1;
    }
}

const fn agree(a: &FieldRow, b: &FieldRow) -> bool {
    let relations = match (a.relation, b.relation) {
        (None, None) => true,
        (Some(a), Some(b)) => a.many == b.many && a.entry == b.entry && a.copied == b.copied,
        _ => false,
    };
    let copies = match (a.copy, b.copy) {
        (None, None) => true,
        (Some(a), Some(b)) => same(a.field, b.field) && same(a.via, b.via),
        _ => false,
    };
    let kinds = a.kind as u8 == b.kind as u8 && a.nullable == b.nullable && a.with == b.with;
    kinds && a.max == b.max && relations && copies && same(a.rust, b.rust)
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
    let text = Text::<1024>::new()
        .push_str("`common(")
        .push_str(field)
        .push_str(")` names no field of `")
        .push_str(owner)
        .push_str("` [POLY_COMMON]\nhelp: a field that some variants have is reached through them: `|e| e.hourly.rate`\nnote: `common(..)` names fields that every variant has, under one name");
    panic!("{}", text.as_str());
}
