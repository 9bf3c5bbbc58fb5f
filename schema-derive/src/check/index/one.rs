//! Rules on one index.

use proc_macro2::{Ident, TokenStream};

use super::stored::{Stored, element_storage, field_storage};
use super::{Index, Key, text};
use crate::check::allowed;
use crate::ctxt::Ctxt;
use crate::diag;
use crate::ir::{Ir, Row};
use crate::names::unraw;
use crate::rules;
use crate::syntax::{ConditionAttr, ConditionOp, KeyKind};
use crate::types;

/// The number of keys that the server allows in one index.
const KEYS_MAX: usize = 32;
/// 68 years: the server refuses more.
const TTL_MAX: u64 = 2_147_483_647;

pub(super) fn check(ir: &Ir<'_>, index: &Index<'_>, cx: &Ctxt) {
    // A key that is wrong by itself makes all else guesswork.
    if !check_keys(ir, index, cx) {
        return;
    }
    check_name(ir, index, cx);
    check_id(ir, index, cx);
    check_expiry(ir, index, cx);
    text::check(ir, index, cx);
    check_hashed(ir, index, cx);
    check_wildcard(ir, index, cx);
    check_geo(index, cx);
    check_parallel(ir, index, cx);
    check_unique(ir, index, cx);
    check_partial(ir, index, cx);
}

/// Checks that every key is a stored field, and occurs once.
fn check_keys(ir: &Ir<'_>, index: &Index<'_>, cx: &Ctxt) -> bool {
    let before = cx.report_count();
    for (n, key) in index.keys.iter().enumerate() {
        let Some(first) = key.path.first() else {
            continue;
        };
        let Some(row) = key.row else {
            report_unknown(ir, &key.tokens, first, cx);
            continue;
        };
        // Other rules may have reported this already for an attribute on the field.
        if index.row.is_some() && cx.has_failed_here() && !row.is_addressable() {
            return false;
        }
        if !row.is_stored() {
            cx.push(diag::idx_skipped_field(&key.tokens, row.owner()));
        } else if row.is_flattened() && key.path.len() == 1 {
            cx.push(diag::idx_flattened(&key.tokens, row.owner()));
        } else if index.keys[..n]
            .iter()
            .any(|earlier| earlier.rust() == key.rust())
        {
            cx.push(diag::idx_key_twice(&key.tokens, &key.owner(ir)));
        }
    }
    if index.keys.len() > KEYS_MAX {
        cx.push(diag::idx_fields(
            &index.keys[KEYS_MAX].tokens,
            &ir.name(),
            index.keys.len(),
            KEYS_MAX,
        ));
    }
    cx.report_count() == before
}

/// Reports a path that begins with no field of the item.
fn report_unknown(ir: &Ir<'_>, tokens: &TokenStream, first: &Ident, cx: &Ctxt) {
    let names: Vec<String> = ir.stored().map(Row::rust).collect();
    cx.push(diag::idx_unknown_field(
        tokens,
        &unraw(first),
        &ir.name(),
        &names,
    ));
}

fn check_name(ir: &Ir<'_>, index: &Index<'_>, cx: &Ctxt) {
    let Some(name) = &index.attr.name else { return };
    let text = name.value();
    if text.is_empty() || text == "*" || text == "_id_" || text.contains('\0') {
        cx.push(diag::idx_name(name, &index.owner(ir), &text));
    }
}

fn check_id(ir: &Ir<'_>, index: &Index<'_>, cx: &Ctxt) {
    if let [key] = index.keys.as_slice()
        && key.is_btree()
        && key.single_field().is_some_and(|row| row.is_id)
        && index.attr.expire_after.is_none()
    {
        cx.push(diag::idx_id(&index.attr.site, &index.owner(ir)));
    }
}

fn check_expiry(ir: &Ir<'_>, index: &Index<'_>, cx: &Ctxt) {
    let Some(after) = &index.attr.expire_after else {
        return;
    };
    let owner = index.owner(ir);
    if after.value > TTL_MAX {
        cx.push(diag::idx_ttl_range(&after.tokens, &owner, TTL_MAX));
    }
    let [key] = index.keys.as_slice() else {
        cx.push(diag::idx_ttl_compound(&after.tokens, &owner, &ir.name()));
        return;
    };
    if !key.is_btree() {
        cx.push(diag::idx_ttl_special(
            &after.tokens,
            &owner,
            key.kind.name(),
        ));
        return;
    }
    let Some(row) = key.single_field() else {
        return;
    };
    if row.is_id {
        cx.push(diag::idx_ttl_id(&after.tokens, &owner));
        return;
    }
    let found = match field_storage(row) {
        Stored::Array => element_storage(row),
        found => found,
    };
    let date = matches!(
        found,
        Stored::Date | Stored::Unknown | Stored::Array | Stored::Map
    );
    // A date in another form is one mistake, with or without an index.
    let said = matches!(found, Stored::Trap(_)) && cx.has_failed_here();
    if !date && !said {
        cx.push(diag::idx_ttl_type(
            &after.tokens,
            &owner,
            &row.field.ty,
            found.name(),
        ));
    }
}

fn check_hashed(ir: &Ir<'_>, index: &Index<'_>, cx: &Ctxt) {
    let mut of_hashed = index.keys.iter().filter(|key| key.kind == KeyKind::Hashed);
    if of_hashed.next().is_none() {
        return;
    }
    let owner = index.owner(ir);
    if let Some(second) = of_hashed.next() {
        cx.push(diag::idx_hashed_twice(&second.tokens, &owner));
    }
    if let Some(unique) = &index.attr.unique {
        cx.push(diag::idx_hashed_unique(unique, &owner));
    }
    if let Some(geo) = index.keys.iter().find(|key| key.kind == KeyKind::Geo) {
        cx.push(diag::idx_hashed_geo(&geo.tokens, &owner));
    }
    for key in &index.keys {
        if key.kind != KeyKind::Geo
            && key
                .row
                .is_some_and(|row| field_storage(row) == Stored::Array)
        {
            cx.push(diag::idx_hashed_array(&key.tokens, &key.owner(ir)));
        }
    }
}

fn check_wildcard(ir: &Ir<'_>, index: &Index<'_>, cx: &Ctxt) {
    let Some(key) = index.keys.iter().find(|key| key.kind == KeyKind::Wildcard) else {
        return;
    };
    let owner = index.owner(ir);
    if index.keys.len() > 1 && !index.has(KeyKind::Text) {
        cx.push(diag::idx_wildcard_compound(&key.tokens, &owner));
    }
    for (option, word) in [
        (&index.attr.unique, "unique"),
        (&index.attr.sparse, "sparse"),
    ] {
        if let Some(site) = option {
            cx.push(diag::idx_wildcard_option(site, &owner, word));
        }
    }
}

fn check_geo(index: &Index<'_>, cx: &Ctxt) {
    for key in index.keys.iter().filter(|key| key.kind == KeyKind::Geo) {
        if let Some(row) = key.single_field() {
            let found = field_storage(row);
            if found.is_scalar() && !row.is_id {
                cx.push(diag::idx_geo(
                    &key.tokens,
                    row.owner(),
                    &row.field.ty,
                    found.name(),
                ));
            }
        }
    }
}

fn check_parallel(ir: &Ir<'_>, index: &Index<'_>, cx: &Ctxt) {
    if index.has(KeyKind::Hashed) || index.has(KeyKind::Text) {
        // The rules of hashed and text indexes already report arrays.
        return;
    }
    let is_array = |key: &&Key<'_>| {
        key.is_btree()
            && key
                .row
                .is_some_and(|row| field_storage(row) == Stored::Array)
    };
    let mut arrays = index.keys.iter().filter(is_array);
    let Some(first) = arrays.next() else { return };
    if let Some(second) = arrays.find(|key| key.row.map(Row::place) != first.row.map(Row::place)) {
        cx.push(diag::idx_parallel(
            &second.tokens,
            &first.owner(ir),
            &second.owner(ir),
            [&first.rust(), &second.rust()],
        ));
    }
}

fn check_unique(ir: &Ir<'_>, index: &Index<'_>, cx: &Ctxt) {
    let Some(site) = &index.attr.unique else {
        return;
    };
    if index.has(KeyKind::Text) || index.has(KeyKind::Hashed) || index.has(KeyKind::Wildcard) {
        return;
    }
    for key in &index.keys {
        if let Some(row) = key.row.filter(|row| field_storage(row) == Stored::Array)
            && key.is_btree()
            && !allowed(ir, Some(row), &rules::IDX_UNIQUE_ARRAY)
        {
            cx.push(diag::idx_unique_array(site, &key.owner(ir)));
            return;
        }
    }
    if let Some(key) = index.keys.iter().find(|key| key.holds_live_copies()) {
        cx.push(diag::idx_unique_entry(
            site,
            &key.owner(ir),
            &with_reference(index, key),
        ));
        return;
    }
    // A key with a value is enough to distinguish documents: only an index that may hold nothing but nulls is suspect.
    let Some(nullable) = index
        .keys
        .iter()
        .map(|key| {
            key.single_field()
                .filter(|row| types::option_inner(&row.field.ty).is_some())
        })
        .collect::<Option<Vec<_>>>()
    else {
        return;
    };
    let safe = nullable.iter().any(|row| leaves_out_null(index, row));
    if let Some(row) = nullable.first()
        && !safe
        && !allowed(ir, Some(row), &rules::IDX_UNIQUE_NULL)
    {
        let sparse = index.attr.sparse.is_some();
        cx.push(diag::idx_unique_null(
            site,
            &index.owner(ir),
            &row.field.ty,
            index.row.is_some(),
            &row.rust(),
            row.field.serde.skip_none,
            sparse,
        ));
    }
}

/// The keys of the index as they are written, with the reference inside the entry `entry` in its place.
fn with_reference(index: &Index<'_>, entry: &Key<'_>) -> String {
    let keys = index.keys.iter().map(|key| {
        let sign = if key.kind == KeyKind::Desc { "-" } else { "" };
        let id = if key.rust() == entry.rust() {
            ".id"
        } else {
            ""
        };
        format!("{sign}{}{id}", key.rust())
    });
    keys.collect::<Vec<_>>().join(", ")
}

/// True if documents without a value in `field` are not in the index.
fn leaves_out_null(index: &Index<'_>, row: &Row<'_>) -> bool {
    let skip_none = row.field.serde.skip_none;
    if skip_none && index.attr.sparse.is_some() {
        return true;
    }
    let about_field = |condition: &&ConditionAttr| match condition.path.as_slice() {
        [] => index.row.is_some_and(|own| own.is(row)),
        [only] => unraw(only) == row.rust(),
        _ => false,
    };
    let mut conditions = index
        .attr
        .partial
        .iter()
        .flat_map(|partial| &partial.conditions)
        .filter(about_field);
    conditions.any(|condition| match &condition.op {
        // `exists` is true for null.
        ConditionOp::Exists => skip_none,
        ConditionOp::Type(name) => name != "null",
        _ => true,
    })
}

fn check_partial(ir: &Ir<'_>, index: &Index<'_>, cx: &Ctxt) {
    let Some(partial) = &index.attr.partial else {
        return;
    };
    if let Some(sparse) = &index.attr.sparse {
        cx.push(diag::idx_partial_sparse(sparse, &index.owner(ir)));
    }
    for condition in &partial.conditions {
        let row = match condition.path.as_slice() {
            [] => index.row,
            [first, rest @ ..] => {
                let found = ir.field(first);
                match found {
                    None => report_unknown(ir, &condition.tokens, first, cx),
                    Some(row) if !row.is_stored() => {
                        cx.push(diag::idx_skipped_field(&condition.tokens, row.owner()))
                    }
                    Some(_) => {}
                }
                found.filter(|row| rest.is_empty() && row.is_stored())
            }
        };
        let Some(row) = row else { continue };
        let found = match field_storage(row) {
            Stored::Array => element_storage(row),
            found => found,
        };
        if !can_meet(found, &condition.op) {
            cx.push(diag::idx_partial_never(
                &condition.tokens,
                row.owner(),
                &row.field.ty,
            ));
        }
    }
}

/// True if a value stored as `found` can meet the condition at all.
fn can_meet(found: Stored, op: &ConditionOp) -> bool {
    use syn::Lit;
    let literal = match op {
        ConditionOp::Exists => return true,
        ConditionOp::Type(name) => {
            let null = name == "null";
            return match found {
                Stored::String => null || matches!(name.as_str(), "string" | "array"),
                Stored::Bool => null || matches!(name.as_str(), "bool" | "array"),
                Stored::Date => null || matches!(name.as_str(), "date" | "array"),
                Stored::Number => {
                    null || matches!(
                        name.as_str(),
                        "number" | "int" | "long" | "double" | "decimal" | "array"
                    )
                }
                _ => true,
            };
        }
        ConditionOp::Eq(lit)
        | ConditionOp::Gt(lit)
        | ConditionOp::Gte(lit)
        | ConditionOp::Lt(lit)
        | ConditionOp::Lte(lit) => lit,
    };
    match found {
        Stored::String => matches!(literal, Lit::Str(_)),
        Stored::Bool => matches!(literal, Lit::Bool(_)),
        Stored::Number => matches!(literal, Lit::Int(_) | Lit::Float(_)),
        // A literal is a string, a number or a bool.
        Stored::Date | Stored::Timestamp => false,
        _ => true,
    }
}
