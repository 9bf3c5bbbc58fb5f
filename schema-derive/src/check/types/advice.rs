//! Findings that are not wrong enough for an error: data for the schema report.

use crate::ir::{Ir, Role, Row};
use crate::rules::{self, Rule};
use crate::syntax::ValueRule;
use crate::types;

/// The advice that the item breaks, with the Rust name of the field, in source order.
pub(crate) fn advice(ir: &Ir<'_>) -> Vec<(&'static Rule, String)> {
    let advise = |row: &Row<'_>| {
        let found = advise_field(ir, row).into_iter();
        found.map(|rule| (rule, row.rust())).collect::<Vec<_>>()
    };
    ir.stored().flat_map(advise).collect()
}

fn advise_field(ir: &Ir<'_>, row: &Row<'_>) -> Vec<&'static Rule> {
    let field = row.field;
    if row.is_flattened() {
        let opaque = row.is_declared_opaque() || row.has_functions();
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
        if field.serde.skip_if.is_none() && !row.is_id {
            found.push(if row.parent().is_some() {
                &rules::PARENT_OPTION_NULL
            } else {
                &rules::NULL_VS_MISSING
            });
        }
    } else if types::array_element(&field.ty).is_some() && !field.serde.default {
        found.push(&rules::VEC_NO_DEFAULT);
    } else if matches!(row.role, Role::Count(_)) && !field.serde.default {
        found.push(&rules::COUNT_NO_DEFAULT);
    }
    if unbounded(row, &["Binary", "ByteBuf"]) {
        found.push(&rules::BINARY_UNBOUNDED);
    }
    if ir.item.attrs.strict && unbounded(row, &["String"]) {
        found.push(&rules::STRING_UNBOUNDED);
    }
    if !row.has_functions() {
        if types::leaf_is(&field.ty, &["u64", "usize"]) {
            found.push(&rules::INT_UNSIGNED);
        }
        if is_narrow_counter(row) {
            found.push(&rules::INC_NARROW);
        }
        if types::leaf_is(&field.ty, &["f32", "f64"]) && is_money(&field.rust()) {
            found.push(&rules::MONEY_FLOAT);
        }
    }
    found
}

/// True if the field holds values of a type in `names` and declares no length for them. A reference is as long as the value that it refers
/// by, and a copy as long as its source.
fn unbounded(row: &Row<'_>, names: &[&str]) -> bool {
    let follows = row.is_reference() || !row.copies().is_empty();
    let stored_so = !row.has_functions() && !row.is_declared_opaque();
    let named = types::last_ident(types::leaf(&row.field.ty));
    let holds = named.is_some_and(|ident| names.contains(&ident.to_string().as_str()));
    holds && stored_so && !follows && row.max_len().is_none() && !row.is_length_checked()
}

/// True if the field is a counter, as its name shows, in an integer that `inc` may overflow, and no rule limits its range.
fn is_narrow_counter(row: &Row<'_>) -> bool {
    let mut checks = row.check().into_iter().flat_map(|check| &check.checks);
    let has_range = checks.any(|check| matches!(check.rule, ValueRule::Range { .. }));
    let ty = types::option_inner(&row.field.ty).unwrap_or(&row.field.ty);
    let is_single = types::array_element(ty).is_none() && types::map_value(ty).is_none();
    let is_narrow = types::leaf_is(ty, &["i8", "i16", "i32", "u8", "u16"]);
    is_single && is_narrow && row.fixed().is_none() && is_counter(&row.field.rust()) && !has_range
}

fn is_counter(name: &str) -> bool {
    const WORDS: [&str; 9] = [
        "counter",
        "hits",
        "views",
        "visits",
        "likes",
        "downloads",
        "clicks",
        "votes",
        "plays",
    ];
    name.split('_').any(|word| WORDS.contains(&word))
}

fn is_money(name: &str) -> bool {
    name.split('_')
        .any(|word| ["price", "cost", "amount", "balance", "total"].contains(&word))
}
