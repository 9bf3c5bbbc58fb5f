//! Rules on `bucket(..)`, as far as the struct shows them.

use crate::ctxt::Ctxt;
use crate::diag;
use crate::ir::{Bucket, Ir, Role, Row};
use crate::names::unraw;
use crate::rules::{self, Rule};
use crate::syntax::Body;
use crate::types;

/// The cost table of the rules ends with a page of a thousand items.
const LARGE: u64 = 1_000;

/// True if the field holds the items of a bucket.
pub(super) fn holds_items(ir: &Ir<'_>, row: &Row<'_>) -> bool {
    let bucket = ir.item.attrs.bucket.as_ref();
    bucket.is_some_and(|bucket| unraw(&bucket.items) == row.rust())
}

pub(crate) fn check(ir: &Ir<'_>, cx: &Ctxt) {
    let item = ir.item;
    let (Some(attr), Some(bucket)) = (&item.attrs.bucket, ir.bucket()) else {
        return;
    };
    if !ir.is_model() || matches!(item.body, Body::Enum(_)) {
        return;
    }
    cx.set_place(0);
    let owner = ir.name();
    for (with, there) in [
        ("queue", item.attrs.queue.is_some()),
        ("schema_version", item.attrs.schema_version.is_some()),
    ] {
        if there {
            cx.push(diag::bucket_and(&attr.site, with, &owner));
        }
    }
    match bucket.items {
        None => {
            let vecs = ir.fields().filter(|row| row.is_vec());
            let vecs: Vec<String> = vecs.map(Row::rust).collect();
            cx.push(diag::bucket_items(&attr.items, &owner, &vecs));
        }
        Some(row) => check_items(row, cx),
    }
    match bucket.count {
        None => {
            cx.set_place(0);
            cx.push(diag::bucket_count(&item.ident, &owner));
        }
        Some(row) if has_other_role(row) => {
            cx.set_place(row.place());
            cx.push(diag::bucket_count_field(&row.field.ident, row.owner()));
        }
        Some(_) => {}
    }
    if let Some(row) = ir.fields().find(|row| row.version_site().is_some()) {
        cx.set_place(row.place());
        cx.push(diag::bucket_version(&row.field.ident, row.owner()));
    }
    check_parent(ir, &bucket, cx);
}

/// Checks the array that holds the items.
fn check_items(row: &Row<'_>, cx: &Ctxt) {
    cx.set_place(row.place());
    let (ty, owner) = (&row.field.ty, row.owner());
    if !row.is_plain_vec() {
        cx.push(diag::bucket_array(ty, owner));
    } else if !row.holds_documents() {
        cx.push(diag::bucket_scalars(ty, owner));
    } else if row.embed().is_none() && !row.is_broken("embed") {
        cx.push(diag::bucket_max(ty, owner));
    }
}

/// Checks the `_id`, and the reference that it goes with.
fn check_parent(ir: &Ir<'_>, bucket: &Bucket<'_>, cx: &Ctxt) {
    // Another rule already reports a model without `_id`.
    let Some(id) = bucket.id else { return };
    let Some(of) = id.bucket_of() else {
        cx.set_place(id.place());
        let mut parents = ir.stored().filter(|row| row.parent().is_some());
        let target = parents.next().and_then(Row::parent_name);
        cx.push(diag::bucket_id(&id.field.ty, id.owner(), target));
        return;
    };
    match bucket.parents.as_slice() {
        [] => {
            cx.set_place(id.place());
            cx.push(diag::bucket_parent(
                &id.field.ty,
                &ir.name(),
                &of.to_string(),
            ));
        }
        [parent] => {
            cx.set_place(parent.place());
            let ty = &parent.field.ty;
            let option = types::option_inner(ty).map(|_| "an `Option`");
            let key = parent.key().map(|_| "`key = ..`");
            let inverse = parent.inverse().map(|_| "`inverse = ..`");
            let entry = (!parent.copies().is_empty()).then_some("`denorm`");
            let with = parent.has_functions().then_some("`with = ..`");
            if let Some(what) = option.or(key).or(inverse).or(entry).or(with) {
                cx.push(diag::bucket_parent_plain(ty, parent.owner(), what));
            }
        }
        [_, second, ..] => {
            cx.set_place(second.place());
            cx.push(diag::bucket_parents(
                &second.field.ident,
                second.owner(),
                &of.to_string(),
            ));
        }
    }
}

/// True if the field of the count has another role as well, or a stored form of its own.
fn has_other_role(row: &Row<'_>) -> bool {
    let other = !matches!(row.role, Role::Own) || !row.copies().is_empty();
    other || row.version_site().is_some() || row.is_declared_opaque() || row.has_functions()
}

/// The advice that the bucket breaks, with the Rust name of the field.
pub(crate) fn advice(ir: &Ir<'_>) -> Vec<(&'static Rule, String)> {
    let (Some(attr), Some(bucket)) = (&ir.item.attrs.bucket, ir.bucket()) else {
        return Vec::new();
    };
    let name = unraw(&attr.items);
    let mut found: Vec<&'static Rule> = Vec::new();
    let max = bucket.items.and_then(|row| row.embed()?.max.as_ref());
    if max.is_some_and(|max| max.value > LARGE) {
        found.push(&rules::BUCKET_LARGE);
    }
    let inside = |path: &Vec<syn::Ident>| path.len() > 1 && unraw(&path[0]) == name;
    let mut accesses = ir.item.attrs.accesses.iter();
    if accesses.any(|access| access.keys.iter().chain(&access.range).any(inside)) {
        found.push(&rules::BUCKET_RANDOM);
    }
    found.into_iter().map(|rule| (rule, name.clone())).collect()
}
