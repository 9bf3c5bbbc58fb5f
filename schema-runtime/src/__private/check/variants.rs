//! Rules for the fields that the variants of a model share.

use crate::__private::text::Text;
use crate::schema::lookup::same;
use crate::schema::rows::FieldRow;

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
    let text = Text::<1024>::new()
        .push_str("variant `")
        .push_str(owner)
        .push_str("` has no field `id` stored as `_id` [ID_MISSING]\nhelp: in `")
        .push_str(ty)
        .push_str("`: `#[serde(rename = \"_id\")] pub id: Id<..>`\nnote: every document has an `_id`, whatever its kind");
    panic!("{}", text.as_str());
}

#[track_caller]
const fn variant_id_form(owner: &'static str, ty: &'static str) {
    let text = Text::<1024>::new()
        .push_str("the `_id` of variant `")
        .push_str(owner)
        .push_str("` has a `#[serde(with = ..)]`, which its enum does not see [ID_TYPE]\nhelp: let a type say how it is stored, in `")
        .push_str(ty)
        .push_str("` and all other variants: `struct DocumentId(#[serde(with = \"..\")] ..)` with `#[derive(MongoEmbed)]`\nnote: a reference or a query would look for the id in the form of its type, and find nothing");
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
        (Some(a), Some(b)) => a.many == b.many && a.entry == b.entry,
        _ => false,
    };
    let copies = match (a.copy, b.copy) {
        (None, None) => true,
        (Some(a), Some(b)) => same(a.field, b.field) && same(a.via, b.via),
        _ => false,
    };
    let inside = match (a.shape, b.shape) {
        (None, None) => true,
        (Some(a), Some(b)) => all_agree(a.fields, b.fields),
        _ => false,
    };
    let kinds = a.kind as u8 == b.kind as u8 && a.nullable == b.nullable && a.with == b.with;
    kinds && a.max == b.max && relations && copies && inside && same(a.rust, b.rust)
}

/// The same fields, one by one.
const fn all_agree(a: &[FieldRow], b: &[FieldRow]) -> bool {
    let mut n = 0;
    while n < a.len() && n < b.len() {
        if !same(a[n].name, b[n].name) || !agree(&a[n], &b[n]) {
            return false;
        }
        n += 1;
    }
    a.len() == b.len()
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
            let text = Text::<1024>::new()
                .push_str("`")
                .push_str(row.rust)
                .push_str("` of `")
                .push_str(owner)
                .push_str("` goes with `")
                .push_str(beside)
                .push_str("`, but not every variant that has the one has the other [POLY_FIELD]\nhelp: give both to every variant, or give the one to this variant under a name of its own\nnote: what all variants have is one field of the collection, with its reference and its copies");
            panic!("{}", text.as_str());
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
    let text = Text::<1024>::new()
        .push_str("`common(")
        .push_str(field)
        .push_str(")` names no field of `")
        .push_str(owner)
        .push_str("` [POLY_COMMON]\nhelp: a field that some variants have is reached through them: `|e| e.hourly.rate`\nnote: `common(..)` names fields that every variant has, under one name");
    panic!("{}", text.as_str());
}
