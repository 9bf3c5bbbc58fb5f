//! Rules on `shard_key(..)`.

use crate::ctxt::Ctxt;
use crate::diag;
use crate::ir::{Ir, Row};
use crate::names::unraw;
use crate::rules::{self, Rule};
use crate::syntax::{Body, ShardField, ShardKeyAttr};
use crate::types;

pub(crate) fn check(ir: &Ir<'_>, cx: &Ctxt) {
    let Some(key) = &ir.item.attrs.shard_key else {
        return;
    };
    cx.set_place(0);
    let owner = ir.name();
    if let Some(kind) = conflicting_kind(ir) {
        cx.push(diag::shard_with(&key.site, &owner, kind));
        return;
    }
    check_fields(ir, key, cx);
    check_unique(ir, cx);
}

/// The property of a model whose commands cannot name a shard.
fn conflicting_kind(ir: &Ir<'_>) -> Option<&'static str> {
    let attrs = &ir.item.attrs;
    let kinds = [
        ("is an enum", matches!(ir.item.body, Body::Enum(_))),
        ("shares a collection", attrs.shares.is_some()),
        ("is a queue", attrs.queue.is_some()),
        ("is a bucket", attrs.bucket.is_some()),
    ];
    kinds.into_iter().find_map(|(kind, is)| is.then_some(kind))
}

/// Checks that the key is the `_id`, or the tenant and then the `_id`. The first mistake says what the key has to be.
fn check_fields(ir: &Ir<'_>, key: &ShardKeyAttr, cx: &Ctxt) {
    let Some(id) = ir.id() else { return };
    let form = key_form(ir, id);
    let owner = ir.name();
    let is = |row: Option<&Row<'_>>, field: &ShardField| {
        row.is_some_and(|row| row.rust() == unraw(&field.name))
    };
    for (n, field) in key.fields.iter().enumerate() {
        let Some(row) = ir.addressable(&field.name) else {
            let names: Vec<String> = [ir.tenant(), Some(id)]
                .into_iter()
                .flatten()
                .map(Row::rust)
                .collect();
            cx.push(diag::shard_unknown(&field.name, &owner, &names));
            return;
        };
        let earlier = &key.fields[..n];
        let problem = if earlier.iter().any(|other| other.name == field.name) {
            "is in it twice"
        } else if is(Some(id), field) && n > 0 && !is_generated(id) {
            "may be the same in two tenants"
        } else if is(Some(id), field) {
            continue;
        } else if !is(ir.tenant(), field) {
            "is neither its `_id` nor its tenant"
        } else if n > 0 {
            "is the tenant, which stands before the `_id`"
        } else if field.hashed {
            "is the tenant, which is not hashed"
        } else {
            continue;
        };
        cx.push(diag::shard_field(
            &field.tokens,
            row.owner(),
            problem,
            &form,
        ));
        return;
    }
    if !key.fields.iter().any(|field| is(Some(id), field)) {
        cx.push(diag::shard_without_id(&key.site, &owner, &form));
    }
}

/// True if no two programs store the same `_id`.
fn is_generated(id: &Row<'_>) -> bool {
    let name = types::last_ident(&id.field.ty);
    name.is_some_and(|name| ["Id", "ObjectId", "Uuid"].iter().any(|known| name == known))
}

/// The key that a model can have: `shard_key(org, id)`.
fn key_form(ir: &Ir<'_>, id: &Row<'_>) -> String {
    match ir.tenant().filter(|_| is_generated(id)) {
        Some(tenant) => format!("shard_key({}, {})", tenant.rust(), id.rust()),
        None => format!("shard_key(hashed({}))", id.rust()),
    }
}

/// Reports unique indexes: a shard compares its own documents alone.
fn check_unique(ir: &Ir<'_>, cx: &Ctxt) {
    for row in ir.fields() {
        cx.set_place(row.place());
        for unique in row
            .indexes()
            .iter()
            .filter_map(|index| index.unique.as_ref())
        {
            cx.push(diag::shard_unique(unique, row.owner()));
        }
    }
    cx.set_place(0);
    for index in &ir.item.attrs.indexes {
        if let Some(unique) = &index.unique {
            cx.push(diag::shard_unique(unique, &ir.name()));
        }
    }
}

/// An `_id` that grows with time puts all new documents on one shard, where nothing stands before it.
pub(crate) fn advice(ir: &Ir<'_>) -> Vec<(&'static Rule, String)> {
    let Some((key, id)) = ir.item.attrs.shard_key.as_ref().zip(ir.id()) else {
        return Vec::new();
    };
    let alone = matches!(key.fields.as_slice(), [field] if !field.hashed);
    let grows = types::last_ident(&id.field.ty);
    let grows = grows.is_some_and(|name| name == "Id" || name == "ObjectId");
    let found = (alone && grows).then(|| (&rules::SHARD_GROWING, id.rust()));
    found.into_iter().collect()
}
