//! Findings that are not wrong enough for an error: data for the schema report.

use crate::ir::is_id;
use crate::rules::{self, Rule};
use crate::syntax::{Field, Item};
use crate::types;

/// Broken advice with the Rust name of the field, in source order.
pub(crate) fn advice(item: &Item) -> Vec<(&'static Rule, String)> {
    let stored = item
        .body
        .fields()
        .into_iter()
        .filter(|field| field.serde.skip.is_none());
    stored
        .flat_map(|field| {
            advise_field(item, field)
                .into_iter()
                .map(|rule| (rule, field.rust()))
        })
        .collect()
}

fn advise_field(item: &Item, field: &Field) -> Vec<&'static Rule> {
    if field.serde.flatten.is_some() {
        let opaque = field.attrs.opaque.is_some() || field.serde.with.is_some();
        let ty = types::option_inner(&field.ty).unwrap_or(&field.ty);
        let document = types::last_ident(ty)
            .is_some_and(|ident| ident == "Document" || ident == "RawDocumentBuf");
        // Only its keys are unknown: the fields of a flattened struct are checked like all others.
        if opaque || document || types::map_value(ty).is_some() {
            return vec![&rules::FLATTEN];
        }
        return Vec::new();
    }
    let mut found: Vec<&'static Rule> = Vec::new();
    if types::option_inner(&field.ty).is_some() {
        if field.serde.skip_if.is_none() && !is_id(item, field) {
            let parent = field.attrs.parent.is_some();
            found.push(if parent {
                &rules::PARENT_OPTION_NULL
            } else {
                &rules::NULL_VS_MISSING
            });
        }
    } else if types::array_element(&field.ty).is_some() && !field.serde.default {
        found.push(&rules::VEC_NO_DEFAULT);
    } else if field.attrs.count.is_some() && !field.serde.default {
        found.push(&rules::COUNT_NO_DEFAULT);
    }
    if unbounded(field, &["Binary", "ByteBuf"]) {
        found.push(&rules::BINARY_UNBOUNDED);
    }
    if item.attrs.strict && unbounded(field, &["String"]) {
        found.push(&rules::STRING_UNBOUNDED);
    }
    if field.serde.with.is_none() {
        if types::leaf_is(&field.ty, &["u64", "usize"]) {
            found.push(&rules::INT_UNSIGNED);
        }
        if types::leaf_is(&field.ty, &["f32", "f64"]) && is_money(&field.rust()) {
            found.push(&rules::MONEY_FLOAT);
        }
    }
    found
}

/// True if the field holds values of such a type and declares no length for them. A reference is as long as the value that it refers
/// by, and a copy as long as its source.
fn unbounded(field: &Field, names: &[&str]) -> bool {
    let attrs = &field.attrs;
    let follows = attrs.refs.is_some() || attrs.parent.is_some() || !attrs.denorm.is_empty();
    let stored_so = field.serde.with.is_none() && attrs.opaque.is_none();
    let named = types::last_ident(types::leaf(&field.ty));
    let holds = named.is_some_and(|ident| names.contains(&ident.to_string().as_str()));
    holds && stored_so && !follows && attrs.max_len.is_none()
}

fn is_money(name: &str) -> bool {
    name.split('_')
        .any(|word| ["price", "cost", "amount", "balance", "total"].contains(&word))
}
