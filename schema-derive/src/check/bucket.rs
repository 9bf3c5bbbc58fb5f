//! Rules on `bucket(..)`, as far as the struct shows them.

use crate::check::named_field;
use crate::ctxt::Ctxt;
use crate::diag;
use crate::names::unraw;
use crate::rules::{self, Rule};
use crate::syntax::{Body, BucketAttr, Field, FieldAttrs, Item, Kind};
use crate::types;

/// The cost table of the rules ends with a page of a thousand items.
const LARGE: u64 = 1_000;

/// The fields of a bucket.
pub(crate) struct Parts<'a> {
    pub(crate) items: &'a Field,
    pub(crate) id: &'a Field,
    pub(crate) parent: &'a Field,
    pub(crate) count: &'a Field,
}

/// The fields of a bucket in which nothing is missing.
pub(crate) fn parts(item: &Item) -> Option<Parts<'_>> {
    let bucket = item.attrs.bucket.as_ref()?;
    let id = find_id(item)?;
    Some(Parts {
        items: find_items(item, bucket).filter(|field| holds_documents(field))?,
        id,
        parent: single(&find_parents(item, id))?,
        count: find_count(item)?,
    })
}

/// True if the field holds the items of a bucket.
pub(super) fn holds_items(item: &Item, field: &Field) -> bool {
    let bucket = item.attrs.bucket.as_ref();
    bucket.is_some_and(|bucket| unraw(&bucket.items) == field.rust())
}

pub(crate) fn check(item: &Item, cx: &Ctxt) {
    let Some(bucket) = &item.attrs.bucket else {
        return;
    };
    if item.kind == Kind::Embed || matches!(item.body, Body::Enum(_)) {
        return;
    }
    cx.set_place(0);
    let owner = unraw(&item.ident);
    for (with, there) in [
        ("queue", item.attrs.queue.is_some()),
        ("schema_version", item.attrs.schema_version.is_some()),
    ] {
        if there {
            cx.push(diag::bucket_and(&bucket.site, with, &owner));
        }
    }
    match find_items(item, bucket) {
        None => {
            let fields = item.body.fields().into_iter();
            let vecs = fields.filter(|field| is_vec(field)).map(Field::rust);
            let vecs: Vec<String> = vecs.collect();
            cx.push(diag::bucket_items(&bucket.items, &owner, &vecs));
        }
        Some(field) => check_items(field, cx),
    }
    match find_count(item) {
        None => {
            cx.set_place(0);
            cx.push(diag::bucket_count(&item.ident, &owner));
        }
        Some(field) if has_other_role(&field.attrs) || field.serde.with.is_some() => {
            cx.set_place(field.place);
            cx.push(diag::bucket_count_field(&field.ident, &field.owner));
        }
        Some(_) => {}
    }
    if let Some(field) = item
        .body
        .fields()
        .into_iter()
        .find(|field| field.attrs.version.is_some())
    {
        cx.set_place(field.place);
        cx.push(diag::bucket_version(&field.ident, &field.owner));
    }
    check_parent(item, &owner, cx);
}

/// The array that holds the items.
fn check_items(field: &Field, cx: &Ctxt) {
    cx.set_place(field.place);
    let attrs = &field.attrs;
    if !is_plain_vec(field) {
        cx.push(diag::bucket_array(&field.ty, &field.owner));
    } else if !holds_documents(field) {
        cx.push(diag::bucket_scalars(&field.ty, &field.owner));
    } else if attrs.embed.is_none() && !attrs.broken.contains(&"embed") {
        cx.push(diag::bucket_max(&field.ty, &field.owner));
    }
}

/// A `Vec` that serde stores as it is, and that refers to nothing.
fn is_plain_vec(field: &Field) -> bool {
    let attrs = &field.attrs;
    let refers = attrs.refs.is_some() || attrs.recent.is_some() || attrs.broken.contains(&"refs");
    let stored = field.serde.with.is_some() || attrs.opaque.is_some();
    is_vec(field) && !refers && !stored
}

/// Such a `Vec`, as far as its type shows, of documents.
pub(super) fn holds_documents(field: &Field) -> bool {
    let element = types::array_element(&field.ty);
    is_plain_vec(field) && element.is_some_and(|element| !types::well_known(element))
}

/// The `_id`, and the reference that it goes with.
fn check_parent(item: &Item, owner: &str, cx: &Ctxt) {
    // Another rule already reports a model without `_id`.
    let Some(id) = find_id(item) else { return };
    let all: Vec<&Field> = find_all_parents(item);
    let Some(of) = parent_of_id(id) else {
        cx.set_place(id.place);
        let target = all.first().and_then(|field| target(field));
        cx.push(diag::bucket_id(&id.ty, &id.owner, target));
        return;
    };
    let found = find_parents(item, id);
    match found.as_slice() {
        [] => {
            cx.set_place(id.place);
            cx.push(diag::bucket_parent(&id.ty, owner, &of.to_string()));
        }
        [parent] => {
            cx.set_place(parent.place);
            let attrs = &parent.attrs;
            let attr = attrs.parent.as_ref();
            let option = types::option_inner(&parent.ty).map(|_| "an `Option`");
            let key = attr.and_then(|attr| attr.key.as_ref().map(|_| "`key = ..`"));
            let inverse = attr.and_then(|attr| attr.inverse.as_ref().map(|_| "`inverse = ..`"));
            let entry = (!attrs.denorm.is_empty()).then_some("`denorm`");
            let with = parent.serde.with.as_ref().map(|_| "`with = ..`");
            if let Some(what) = option.or(key).or(inverse).or(entry).or(with) {
                cx.push(diag::bucket_parent_plain(&parent.ty, &parent.owner, what));
            }
        }
        [_, second, ..] => {
            cx.set_place(second.place);
            cx.push(diag::bucket_parents(
                &second.ident,
                &second.owner,
                &of.to_string(),
            ));
        }
    }
}

/// The field that `bucket(..)` names.
fn find_items<'a>(item: &'a Item, bucket: &BucketAttr) -> Option<&'a Field> {
    named_field(item, &bucket.items)
}

fn is_vec(field: &Field) -> bool {
    types::last_ident(&field.ty).is_some_and(|ident| ident == "Vec")
}

fn find_id(item: &Item) -> Option<&Field> {
    let mut fields = item.body.fields().into_iter();
    fields.find(|field| field.serde.name == "_id" && field.serde.skip.is_none())
}

/// `Host` of `BucketId<Host>`.
fn parent_of_id(id: &Field) -> Option<&syn::Ident> {
    types::argument(&id.ty, "BucketId").and_then(types::last_ident)
}

fn find_all_parents(item: &Item) -> Vec<&Field> {
    let fields = item.body.fields().into_iter();
    fields
        .filter(|field| field.attrs.parent.is_some() && field.serde.skip.is_none())
        .collect()
}

/// The references to what the `_id` says.
fn find_parents<'a>(item: &'a Item, id: &Field) -> Vec<&'a Field> {
    let of = parent_of_id(id);
    let mut all = find_all_parents(item);
    all.retain(|field| target(field).is_some() && target(field) == of);
    all
}

fn target(field: &Field) -> Option<&syn::Ident> {
    let target = &field.attrs.parent.as_ref()?.target;
    target.segments.last().map(|segment| &segment.ident)
}

fn single<'a>(fields: &[&'a Field]) -> Option<&'a Field> {
    match fields {
        [one] => Some(*one),
        _ => None,
    }
}

fn find_count(item: &Item) -> Option<&Field> {
    let mut fields = item.body.fields().into_iter();
    fields.find(|field| field.rust() == "count" && field.serde.skip.is_none())
}

/// True if an attribute gives the field another role.
fn has_other_role(attrs: &FieldAttrs) -> bool {
    attrs.count.is_some()
        || attrs.version.is_some()
        || attrs.parent.is_some()
        || !attrs.denorm.is_empty()
        || attrs.opaque.is_some()
}

/// Broken advice with the Rust name of the field.
pub(crate) fn advice(item: &Item) -> Vec<(&'static Rule, String)> {
    let Some(bucket) = &item.attrs.bucket else {
        return Vec::new();
    };
    let name = unraw(&bucket.items);
    let mut found: Vec<&'static Rule> = Vec::new();
    let max = find_items(item, bucket).and_then(|field| field.attrs.embed.as_ref()?.max.as_ref());
    if max.is_some_and(|max| max.value > LARGE) {
        found.push(&rules::BUCKET_LARGE);
    }
    let inside = |path: &Vec<syn::Ident>| path.len() > 1 && unraw(&path[0]) == name;
    let mut accesses = item.attrs.accesses.iter();
    if accesses.any(|access| access.keys.iter().chain(&access.range).any(inside)) {
        found.push(&rules::BUCKET_RANDOM);
    }
    found.into_iter().map(|rule| (rule, name.clone())).collect()
}
