//! The rules that a struct shows by itself. Consts in the expansion check facts that only the types or another model show,
//! with the runtime's `__private::check`.

mod access;
mod bucket;
mod children;
mod denorm;
mod embed;
mod index;
mod new;
mod overflow;
mod projection;
mod queue;
mod refs;
mod schema;
mod soft_delete;
mod stamps;
mod types;
mod unchecked;
mod variants;
mod version;

pub(crate) use self::projection::check_projection;
use crate::ctxt::Ctxt;
use crate::diag;
use crate::ir::Ir;
use crate::rules::{self, Rule};
use crate::syntax::{Body, Field, Item, Kind};

pub(crate) use access::served_by;
pub(crate) use bucket::{Parts as BucketParts, parts as bucket_parts};
pub(crate) use index::expires;
pub(crate) use index::{Asks, Served, leading, questions, unique, unique_keys};
pub(crate) use overflow::{Parts as OverflowParts, parts as overflow_parts};
pub(crate) use queue::field as named_field;

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
    types::check(item, cx);
    embed::check(item, cx);
    refs::check(item, cx);
    children::check(item, cx);
    version::check(item, cx);
    stamps::check(item, cx);
    soft_delete::check(item, cx);
    queue::check(item, cx);
    bucket::check(item, cx);
    overflow::check(item, cx);
    schema::check(item, cx);
    new::check(item, cx);
    variants::check(item, cx);
    denorm::check(item, cx);
    unchecked::check(item, cx);
    // Index rules look at every field; a field that is broken already would only repeat itself there.
    if !matches!((item.kind, &item.body), (Kind::Model, Body::Enum(_))) {
        index::check(item, cx);
        access::check(item, cx);
    }
    check_strict(item, cx);
    check_unused_allows(item, cx);
}

/// True if `rule` is allowed on the field or on the whole item; records that the override suppresses a finding.
pub(crate) fn allowed(item: &Item, field: Option<&Field>, rule: &'static Rule) -> bool {
    let on_field = field.iter().flat_map(|field| &field.attrs.allows);
    let mut allows = on_field.chain(&item.attrs.allows).peekable();
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
    &rules::BYTES_AS_ARRAY,
    &rules::DENORM_HOT,
    &rules::IDX_UNIQUE_ARRAY,
    &rules::IDX_SORT_DIR,
    &rules::COUNT_TTL,
];

fn check_unused_allows(item: &Item, cx: &Ctxt) {
    if cx.has_failed() {
        // A rule may not have been reached because of another mistake.
        return;
    }
    let check = |allow: &crate::syntax::Allow, owner: &str| {
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
    for allow in &item.attrs.allows {
        check(allow, &crate::names::unraw(&item.ident));
    }
    for field in item.body.fields() {
        cx.set_place(field.place);
        for allow in &field.attrs.allows {
            check(allow, &field.owner);
        }
    }
}

/// Turns the advice about a strict model into errors.
fn check_strict(item: &Item, cx: &Ctxt) {
    if !item.attrs.strict || cx.has_failed() {
        return;
    }
    let owner = crate::names::unraw(&item.ident);
    let fields = item.body.fields();
    for (rule, name) in advice(item) {
        match fields.iter().find(|field| field.rust() == name) {
            Some(field) => {
                cx.set_place(field.place);
                cx.push(diag::strict(&field.ident, &field.owner, rule));
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
    if versioned && item.attrs.schema_version.is_none() && !allowed(item, None, rule) {
        cx.push(diag::strict_schema_version(&item.ident, &owner));
    }
}

/// The findings of the derive below an error: data, no output.
pub(crate) fn advice(item: &Item) -> Vec<(&'static Rule, String)> {
    let mut found = types::advice(item);
    found.extend(refs::advice(item));
    found.extend(children::advice(item));
    found.extend(index::advice(item));
    found.extend(access::advice(item));
    found.extend(bucket::advice(item));
    found.retain(|(rule, field)| {
        let field = item
            .body
            .fields()
            .into_iter()
            .find(|candidate| candidate.rust() == *field);
        !allowed(item, field, rule)
    });
    found
}
