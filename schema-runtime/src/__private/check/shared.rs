//! Rules for what the variants of a model declare on a field that all of them have: its table is that of the first variant.

use crate::__private::text::refuse;
use crate::schema::index_row::{
    CollationRow, ConditionOp, ConditionRow, IndexRow, KeyRow, Literal, TextRow,
};
use crate::schema::lookup::same;
use crate::schema::rows::FieldRow;

/// A variant declares the same indexes and the same aliases on the `shared` fields as the `first` one.
#[track_caller]
pub const fn variant_shared(
    shared: &[FieldRow],
    first: &'static str,
    fields: &[FieldRow],
    owner: &'static str,
) {
    let mut n = 0;
    while n < shared.len() {
        if let Some(own) = find(fields, shared[n].name)
            && let Some(difference) = compare(&shared[n], own)
        {
            refuse!(
                "`{first}` and `{owner}` both store `{name}{difference}";
                first, owner, name = shared[n].name, difference
            );
        }
        n += 1;
    }
}

const INDEXES: &str = "`, but do not declare the same indexes on it [POLY_FIELD]\nhelp: write the same `#[index(..)]` on it in every variant, or store one of them under another name: `#[serde(rename = \"..\")]`\nnote: every variant has this field, so its indexes are those of the whole collection; on a field of some variants, an index contains their documents alone";

const ALIASES: &str = "`, but do not read it under the same names [POLY_FIELD]\nhelp: write the same `#[serde(alias = \"..\")]` on it in every variant\nnote: every variant has this field: a projection reads it from all documents of the collection, whatever their kind";

const fn find<'a>(fields: &'a [FieldRow], name: &str) -> Option<&'a FieldRow> {
    let mut n = 0;
    while n < fields.len() {
        if same(fields[n].name, name) {
            return Some(&fields[n]);
        }
        n += 1;
    }
    None
}

/// The difference between two rows, as the rest of the message.
const fn compare(a: &FieldRow, b: &FieldRow) -> Option<&'static str> {
    if !same_indexes(a.indexes, b.indexes) {
        return Some(INDEXES);
    }
    if !same_names(a.aliases, b.aliases) {
        return Some(ALIASES);
    }
    let (Some(a), Some(b)) = (a.shape, b.shape) else {
        return None;
    };
    let mut n = 0;
    while n < a.fields.len() {
        // A field that the other document lacks is reported as another type.
        if let Some(other) = find(b.fields, a.fields[n].name)
            && let Some(difference) = compare(&a.fields[n], other)
        {
            return Some(difference);
        }
        n += 1;
    }
    None
}

const fn same_names(a: &[&str], b: &[&str]) -> bool {
    has_names(a, b) && has_names(b, a)
}

/// True if each of `names` is one of `all`.
const fn has_names(all: &[&str], names: &[&str]) -> bool {
    let mut n = 0;
    while n < names.len() {
        let (mut m, mut found) = (0, false);
        while m < all.len() {
            found |= same(all[m], names[n]);
            m += 1;
        }
        if !found {
            return false;
        }
        n += 1;
    }
    true
}

const fn same_indexes(a: &[IndexRow], b: &[IndexRow]) -> bool {
    has_indexes(a, b) && has_indexes(b, a)
}

/// True if each of `indexes` is one of `all`.
const fn has_indexes(all: &[IndexRow], indexes: &[IndexRow]) -> bool {
    let mut n = 0;
    while n < indexes.len() {
        let (mut m, mut found) = (0, false);
        while m < all.len() {
            found |= same_index(&all[m], &indexes[n]);
            m += 1;
        }
        if !found {
            return false;
        }
        n += 1;
    }
    true
}

const fn same_index(a: &IndexRow, b: &IndexRow) -> bool {
    let expiry = match (a.expire_after, b.expire_after) {
        (None, None) => true,
        (Some(a), Some(b)) => a == b,
        _ => false,
    };
    let collation = match (a.collation, b.collation) {
        (None, None) => true,
        (Some(a), Some(b)) => same_collation(a, b),
        _ => false,
    };
    let text = match (a.text, b.text) {
        (None, None) => true,
        (Some(a), Some(b)) => same_text(a, b),
        _ => false,
    };
    a.unique == b.unique
        && a.sparse == b.sparse
        && expiry
        && collation
        && text
        && same_option(a.name, b.name)
        && same_keys(a.keys, b.keys)
        && same_conditions(a.partial, b.partial)
}

const fn same_keys(a: &[KeyRow], b: &[KeyRow]) -> bool {
    let mut n = 0;
    while n < a.len() && n < b.len() {
        if !same(a[n].path, b[n].path) || a[n].kind as u8 != b[n].kind as u8 {
            return false;
        }
        n += 1;
    }
    a.len() == b.len()
}

const fn same_conditions(a: &[ConditionRow], b: &[ConditionRow]) -> bool {
    let mut n = 0;
    while n < a.len() && n < b.len() {
        if !same(a[n].path, b[n].path) || !same_condition(a[n].op, b[n].op) {
            return false;
        }
        n += 1;
    }
    a.len() == b.len()
}

const fn same_condition(a: ConditionOp, b: ConditionOp) -> bool {
    match (a, b) {
        (ConditionOp::Exists, ConditionOp::Exists) => true,
        (ConditionOp::Type(a), ConditionOp::Type(b)) => same(a, b),
        (ConditionOp::Eq(a), ConditionOp::Eq(b))
        | (ConditionOp::Gt(a), ConditionOp::Gt(b))
        | (ConditionOp::Gte(a), ConditionOp::Gte(b))
        | (ConditionOp::Lt(a), ConditionOp::Lt(b))
        | (ConditionOp::Lte(a), ConditionOp::Lte(b)) => same_literal(a, b),
        _ => false,
    }
}

const fn same_literal(a: Literal, b: Literal) -> bool {
    match (a, b) {
        (Literal::Str(a), Literal::Str(b)) => same(a, b),
        (Literal::Int(a), Literal::Int(b)) => a == b,
        (Literal::Double(a), Literal::Double(b)) => a.to_bits() == b.to_bits(),
        (Literal::Bool(a), Literal::Bool(b)) => a == b,
        _ => false,
    }
}

const fn same_collation(a: &CollationRow, b: &CollationRow) -> bool {
    let strength = match (a.strength, b.strength) {
        (None, None) => true,
        (Some(a), Some(b)) => a == b,
        _ => false,
    };
    same(a.locale, b.locale)
        && strength
        && same_switch(a.case_level, b.case_level)
        && same_switch(a.numeric_ordering, b.numeric_ordering)
}

const fn same_switch(a: Option<bool>, b: Option<bool>) -> bool {
    match (a, b) {
        (None, None) => true,
        (Some(a), Some(b)) => a == b,
        _ => false,
    }
}

const fn same_text(a: &TextRow, b: &TextRow) -> bool {
    let mut n = 0;
    while n < a.weights.len() && n < b.weights.len() {
        if !same(a.weights[n].0, b.weights[n].0) || a.weights[n].1 != b.weights[n].1 {
            return false;
        }
        n += 1;
    }
    a.weights.len() == b.weights.len()
        && same_option(a.default_language, b.default_language)
        && same_option(a.language_override, b.language_override)
}

const fn same_option(a: Option<&str>, b: Option<&str>) -> bool {
    match (a, b) {
        (None, None) => true,
        (Some(a), Some(b)) => same(a, b),
        _ => false,
    }
}
