//! The rules that a struct shows by itself. Consts in the expansion check facts that only the types or another model show,
//! with the runtime's `__private::check`.

mod access;
mod bucket;
mod children;
mod comparisons;
mod contains;
mod denorm;
mod embed;
mod events;
mod history;
mod index;
mod migration;
mod overflow;
mod period;
mod personal;
mod projection;
mod queue;
mod refs;
mod schema;
mod shard_key;
mod soft_delete;
mod stamps;
mod subset;
mod tenant;
mod tree;
mod types;
mod unchecked;
mod values;
mod variants;
mod vector;
mod version;

pub(crate) use self::history::records;
pub(crate) use self::migration::check_migration;
pub(crate) use self::period::zone_error;
pub(crate) use self::personal::{person, place_error};
pub(crate) use self::projection::check_projection;
pub(crate) use self::values::default_finite;
use crate::ctxt::Ctxt;
use crate::diag;
use crate::ir::{Ir, Row};
use crate::rules::{self, Rule};
use crate::syntax::{Allow, Body, Kind};

pub(crate) use access::served_by;
pub(crate) use index::expires;
pub(crate) use index::{Asks, Served, leading, questions, unique, unique_keys};

/// Checks everything, in source order.
pub(crate) fn check_item(ir: &Ir<'_>, cx: &Ctxt) {
    let item = ir.item;
    if item.kind == Kind::Model && !item.generics.params.is_empty() {
        cx.set_place(0);
        cx.push(diag::generic_model(
            &item.generics,
            &crate::names::unraw(&item.ident),
        ));
        return;
    }
    types::check(ir, cx);
    embed::check(ir, cx);
    values::check(ir, cx);
    comparisons::check(ir, cx);
    refs::check(ir, cx);
    children::check(ir, cx);
    period::check(ir, cx);
    version::check(ir, cx);
    stamps::check(ir, cx);
    soft_delete::check(ir, cx);
    queue::check(ir, cx);
    events::check(ir, cx);
    bucket::check(ir, cx);
    overflow::check(ir, cx);
    schema::check(ir, cx);
    subset::check(ir, cx);
    tenant::check(ir, cx);
    shard_key::check(ir, cx);
    personal::check(ir, cx);
    contains::check(ir, cx);
    vector::check(ir, cx);
    history::check(ir, cx);
    tree::check(ir, cx);
    variants::check(ir, cx);
    denorm::check(ir, cx);
    unchecked::check(ir, cx);
    // Index rules look at every field; a field that is broken already would only repeat itself there.
    if !matches!((item.kind, &item.body), (Kind::Model, Body::Enum(_))) {
        index::check(ir, cx);
        access::check(ir, cx);
    }
    check_strict(ir, cx);
    check_unused_allows(ir, cx);
}

/// True if `rule` is allowed on the field or on the whole item; records that the override suppresses a finding.
pub(crate) fn allowed(ir: &Ir<'_>, row: Option<&Row<'_>>, rule: &'static Rule) -> bool {
    let on_field = row.into_iter().flat_map(Row::allows);
    let mut allows = on_field.chain(&ir.item.attrs.allows).peekable();
    if allows.peek().is_none() {
        return false;
    }
    let name = rule.name();
    match allows.find(|allow| allow.word == name) {
        Some(allow) => {
            allow.used.set(true);
            true
        }
        None => false,
    }
}

/// Rules whose subject only the types can show: an override of one of these is taken at its word.
static BY_TYPE: &[&Rule] = &[
    &rules::EMBED_UNBOUNDED,
    &rules::ARRAY_UNBOUNDED,
    &rules::EMBED_MAP,
    &rules::EMBED_STANDALONE,
    &rules::EMBED_NESTED_PRODUCT,
    &rules::EMBED_OPTION_VEC,
    &rules::DATE_AS_STRING,
    &rules::UUID_GENERIC,
    &rules::DECIMAL_AS_STRING,
    &rules::BYTES_AS_ARRAY,
    &rules::DENORM_HOT,
    &rules::IDX_UNIQUE_ARRAY,
    &rules::IDX_SORT_DIR,
    &rules::COUNT_TTL,
];

fn check_unused_allows(ir: &Ir<'_>, cx: &Ctxt) {
    if cx.has_failed() {
        // A rule may not have been reached because of another mistake.
        return;
    }
    let check = |allow: &Allow, owner: &str| {
        let name = allow.word.to_string();
        let by_type = BY_TYPE.iter().any(|rule| rule.name() == name);
        let advice = rules::RULES
            .iter()
            .any(|rule| rule.name() == name && rule.level == rules::Level::Advice);
        if !allow.used.get() && !by_type && !advice {
            cx.push(diag::allow_unused(&allow.word, owner));
        }
    };
    cx.set_place(0);
    for allow in &ir.item.attrs.allows {
        check(allow, &ir.name());
    }
    for row in ir.fields() {
        cx.set_place(row.place());
        for allow in row.allows() {
            check(allow, row.owner());
        }
    }
}

/// Turns the advice about a strict model into errors.
fn check_strict(ir: &Ir<'_>, cx: &Ctxt) {
    let item = ir.item;
    if !item.attrs.strict || cx.has_failed() {
        return;
    }
    let owner = ir.name();
    for (rule, name) in advice(ir) {
        match ir.fields().find(|row| row.rust() == name) {
            Some(row) => {
                cx.set_place(row.place());
                cx.push(diag::strict(&row.field.ident, row.owner(), rule));
            }
            None => {
                cx.set_place(0);
                cx.push(diag::strict(&item.ident, &owner, rule));
            }
        }
    }
    cx.set_place(0);
    let rule = &rules::SCHEMA_VERSION;
    // A bucket has no version of its own.
    let versioned = item.attrs.bucket.is_none();
    if versioned && item.attrs.schema_version.is_none() && !allowed(ir, None, rule) {
        cx.push(diag::strict_schema_version(&item.ident, &owner));
    }
}

/// The findings of the derive that are no errors: they are data, and the compiler shows none.
pub(crate) fn advice(ir: &Ir<'_>) -> Vec<(&'static Rule, String)> {
    let mut found = types::advice(ir);
    found.extend(refs::advice(ir));
    found.extend(children::advice(ir));
    found.extend(index::advice(ir));
    found.extend(access::advice(ir));
    found.extend(bucket::advice(ir));
    found.extend(shard_key::advice(ir));
    found.retain(|(rule, name)| {
        let row = ir.fields().find(|row| row.rust() == *name);
        !allowed(ir, row, rule)
    });
    found
}
