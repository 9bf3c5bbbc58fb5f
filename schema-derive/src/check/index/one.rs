//! Rules on one index.

use super::stored::{Stored, element_storage, field_storage};
use super::{Index, Key, text};
use crate::check::allowed;
use crate::ctxt::Ctxt;
use crate::diag;
use crate::ir::is_id;
use crate::names::unraw;
use crate::rules;
use crate::syntax::{ConditionAttr, ConditionOp, Field, Item, KeyKind};
use crate::types;

/// The number of keys that the server allows in one index.
const KEYS_MAX: usize = 32;
/// 68 years: the server refuses more.
const TTL_MAX: u64 = 2_147_483_647;

pub(super) fn check(item: &Item, index: &Index<'_>, cx: &Ctxt) {
    // A key that is wrong by itself makes all else guesswork.
    if !check_keys(item, index, cx) {
        return;
    }
    check_name(item, index, cx);
    check_id(item, index, cx);
    check_expiry(item, index, cx);
    text::check(item, index, cx);
    check_hashed(item, index, cx);
    check_wildcard(item, index, cx);
    check_geo(item, index, cx);
    check_parallel(item, index, cx);
    check_unique(item, index, cx);
    check_partial(item, index, cx);
}

/// Checks that every key is a stored field, and occurs once.
fn check_keys(item: &Item, index: &Index<'_>, cx: &Ctxt) -> bool {
    let before = cx.report_count();
    for (n, key) in index.keys.iter().enumerate() {
        let Some(first) = key.path.first() else {
            continue;
        };
        let Some(field) = key.field else {
            let names: Vec<String> = item
                .body
                .fields()
                .iter()
                .filter(|field| field.serde.skip.is_none())
                .map(|field| field.rust())
                .collect();
            cx.push(diag::idx_unknown_field(
                &key.tokens,
                &unraw(first),
                &unraw(&item.ident),
                &names,
            ));
            continue;
        };
        // Other rules may have reported this already for an attribute on the field.
        if index.field.is_some()
            && cx.has_failed_here()
            && (field.serde.skip.is_some() || field.serde.flatten.is_some())
        {
            return false;
        }
        if field.serde.skip.is_some() {
            cx.push(diag::idx_skipped_field(&key.tokens, &field.owner));
        } else if field.serde.flatten.is_some() && key.path.len() == 1 {
            cx.push(diag::idx_flattened(&key.tokens, &field.owner));
        } else if index.keys[..n]
            .iter()
            .any(|earlier| earlier.rust() == key.rust())
        {
            cx.push(diag::idx_key_twice(&key.tokens, &key.owner(item)));
        }
    }
    if index.keys.len() > KEYS_MAX {
        cx.push(diag::idx_fields(
            &index.keys[KEYS_MAX].tokens,
            &unraw(&item.ident),
            index.keys.len(),
            KEYS_MAX,
        ));
    }
    cx.report_count() == before
}

fn check_name(item: &Item, index: &Index<'_>, cx: &Ctxt) {
    let Some(name) = &index.attr.name else { return };
    let text = name.value();
    if text.is_empty() || text == "*" || text == "_id_" || text.contains('\0') {
        cx.push(diag::idx_name(name, &index.owner(item), &text));
    }
}

fn check_id(item: &Item, index: &Index<'_>, cx: &Ctxt) {
    if let [key] = index.keys.as_slice()
        && key.is_btree()
        && key.single_field().is_some_and(|field| is_id(item, field))
        && index.attr.expire_after.is_none()
    {
        cx.push(diag::idx_id(&index.attr.site, &index.owner(item)));
    }
}

fn check_expiry(item: &Item, index: &Index<'_>, cx: &Ctxt) {
    let Some(after) = &index.attr.expire_after else {
        return;
    };
    let owner = index.owner(item);
    if after.value > TTL_MAX {
        cx.push(diag::idx_ttl_range(&after.tokens, &owner, TTL_MAX));
    }
    let [key] = index.keys.as_slice() else {
        cx.push(diag::idx_ttl_compound(
            &after.tokens,
            &owner,
            &unraw(&item.ident),
        ));
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
    let Some(field) = key.single_field() else {
        return;
    };
    if is_id(item, field) {
        cx.push(diag::idx_ttl_id(&after.tokens, &owner));
        return;
    }
    let found = match field_storage(field) {
        Stored::Array => element_storage(field),
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
            &field.ty,
            found.name(),
        ));
    }
}

fn check_hashed(item: &Item, index: &Index<'_>, cx: &Ctxt) {
    let mut of_hashed = index.keys.iter().filter(|key| key.kind == KeyKind::Hashed);
    if of_hashed.next().is_none() {
        return;
    }
    let owner = index.owner(item);
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
                .field
                .is_some_and(|field| field_storage(field) == Stored::Array)
        {
            cx.push(diag::idx_hashed_array(&key.tokens, &key.owner(item)));
        }
    }
}

fn check_wildcard(item: &Item, index: &Index<'_>, cx: &Ctxt) {
    let Some(key) = index.keys.iter().find(|key| key.kind == KeyKind::Wildcard) else {
        return;
    };
    let owner = index.owner(item);
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

fn check_geo(item: &Item, index: &Index<'_>, cx: &Ctxt) {
    for key in index.keys.iter().filter(|key| key.kind == KeyKind::Geo) {
        if let Some(field) = key.single_field() {
            let found = field_storage(field);
            if found.is_scalar() && !is_id(item, field) {
                cx.push(diag::idx_geo(
                    &key.tokens,
                    &field.owner,
                    &field.ty,
                    found.name(),
                ));
            }
        }
    }
}

fn check_parallel(item: &Item, index: &Index<'_>, cx: &Ctxt) {
    if index.has(KeyKind::Hashed) || index.has(KeyKind::Text) {
        // Neither takes any array; their own rules say so.
        return;
    }
    let is_array = |key: &&Key<'_>| {
        key.is_btree()
            && key
                .field
                .is_some_and(|field| field_storage(field) == Stored::Array)
    };
    let mut arrays = index.keys.iter().filter(is_array);
    let Some(first) = arrays.next() else { return };
    if let Some(second) = arrays
        .find(|key| key.field.map(|field| field.place) != first.field.map(|field| field.place))
    {
        cx.push(diag::idx_parallel(
            &second.tokens,
            &first.owner(item),
            &second.owner(item),
            [&first.rust(), &second.rust()],
        ));
    }
}

fn check_unique(item: &Item, index: &Index<'_>, cx: &Ctxt) {
    let Some(site) = &index.attr.unique else {
        return;
    };
    if index.has(KeyKind::Text) || index.has(KeyKind::Hashed) || index.has(KeyKind::Wildcard) {
        return;
    }
    for key in &index.keys {
        if let Some(field) = key
            .field
            .filter(|field| field_storage(field) == Stored::Array)
            && key.is_btree()
            && !allowed(item, Some(field), &rules::IDX_UNIQUE_ARRAY)
        {
            cx.push(diag::idx_unique_array(site, &key.owner(item)));
            return;
        }
    }
    // One key with a value is enough to distinguish documents: only an index that may hold nothing but nulls is suspect.
    let Some(nullable) = index
        .keys
        .iter()
        .map(|key| {
            key.single_field()
                .filter(|field| types::option_inner(&field.ty).is_some())
        })
        .collect::<Option<Vec<_>>>()
    else {
        return;
    };
    let safe = nullable.iter().any(|field| leaves_out_null(index, field));
    if let Some(field) = nullable.first()
        && !safe
        && !allowed(item, Some(field), &rules::IDX_UNIQUE_NULL)
    {
        let sparse = index.attr.sparse.is_some();
        cx.push(diag::idx_unique_null(
            site,
            &index.owner(item),
            &field.ty,
            index.field.is_some(),
            &field.rust(),
            field.serde.skip_none,
            sparse,
        ));
    }
}

/// True if documents without a value in `field` are not in the index.
fn leaves_out_null(index: &Index<'_>, field: &Field) -> bool {
    if field.serde.skip_none && index.attr.sparse.is_some() {
        return true;
    }
    let about_field = |condition: &&ConditionAttr| match condition.path.as_slice() {
        [] => index.field.is_some_and(|own| own.place == field.place),
        [only] => unraw(only) == field.rust(),
        _ => false,
    };
    let mut conditions = index
        .attr
        .partial
        .iter()
        .flat_map(|partial| &partial.conditions)
        .filter(about_field);
    conditions.any(|condition| match &condition.op {
        // Null exists.
        ConditionOp::Exists => field.serde.skip_none,
        ConditionOp::Type(name) => name != "null",
        _ => true,
    })
}

fn check_partial(item: &Item, index: &Index<'_>, cx: &Ctxt) {
    let Some(partial) = &index.attr.partial else {
        return;
    };
    if let Some(sparse) = &index.attr.sparse {
        cx.push(diag::idx_partial_sparse(sparse, &index.owner(item)));
    }
    for condition in &partial.conditions {
        let field = match condition.path.as_slice() {
            [] => index.field,
            [first, rest @ ..] => {
                let fields = item.body.fields();
                let found = fields
                    .iter()
                    .copied()
                    .find(|field| field.rust() == unraw(first));
                match found {
                    None => {
                        let names: Vec<String> = fields
                            .iter()
                            .filter(|field| field.serde.skip.is_none())
                            .map(|field| field.rust())
                            .collect();
                        cx.push(diag::idx_unknown_field(
                            &condition.tokens,
                            &unraw(first),
                            &unraw(&item.ident),
                            &names,
                        ));
                    }
                    Some(field) if field.serde.skip.is_some() => {
                        cx.push(diag::idx_skipped_field(&condition.tokens, &field.owner))
                    }
                    Some(_) => {}
                }
                found.filter(|field| rest.is_empty() && field.serde.skip.is_none())
            }
        };
        let Some(field) = field else { continue };
        let found = match field_storage(field) {
            Stored::Array => element_storage(field),
            found => found,
        };
        if !can_meet(found, &condition.op) {
            cx.push(diag::idx_partial_never(
                &condition.tokens,
                &field.owner,
                &field.ty,
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
