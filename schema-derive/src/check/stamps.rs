//! Rules on `#[created]`, `#[updated]` and `#[immutable]`, as far as the struct shows them.

use proc_macro2::TokenStream;

use crate::ctxt::Ctxt;
use crate::diag;
use crate::syntax::{Field, FieldAttrs, Item, Kind};

/// The tokens of an attribute on a field.
type Site = fn(&FieldAttrs) -> Option<&TokenStream>;

/// The attributes.
const NAMES: [(&str, Site); 4] = [
    ("created", |attrs| attrs.created.as_ref()),
    ("updated", |attrs| attrs.updated.as_ref()),
    ("deleted", |attrs| attrs.deleted.as_ref()),
    ("immutable", |attrs| attrs.immutable.as_ref()),
];

pub(crate) fn check(item: &Item, cx: &Ctxt) {
    for (name, site) in NAMES {
        let mut first: Option<&Field> = None;
        for field in item.body.fields() {
            let Some(site) = site(&field.attrs) else {
                continue;
            };
            cx.set_place(field.place);
            let stamp = name != "immutable";
            if item.kind == Kind::Embed {
                cx.push(diag::stamp_in_embed(site, name, &field.owner));
            } else if item.attrs.bucket.is_some() {
                cx.push(diag::stamp_and(site, name, "bucket", &field.owner));
            } else if let Some(first) = first.filter(|_| stamp) {
                cx.push(diag::stamp_twice(site, name, &field.owner, &first.owner));
            } else if let Some(other) = conflicting_attribute(field, name) {
                cx.push(diag::stamp_and(site, name, other, &field.owner));
            } else if let Some(with) = field.serde.with.as_ref().filter(|_| stamp) {
                cx.push(diag::stamp_stored(with, name, &field.owner));
            } else {
                first = Some(field);
            }
        }
    }
}

/// Another thing that the field is, which contradicts the attribute.
fn conflicting_attribute(field: &Field, name: &str) -> Option<&'static str> {
    let attrs = &field.attrs;
    let there = [
        ("_id", field.serde.name == "_id"),
        ("refs", attrs.refs.is_some()),
        ("parent", attrs.parent.is_some()),
        ("denorm", !attrs.denorm.is_empty()),
        ("recent", attrs.recent.is_some()),
        ("count", attrs.count.is_some()),
        ("version", attrs.version.is_some()),
        ("flatten", field.serde.flatten.is_some()),
        ("embed", name != "immutable" && attrs.embed.is_some()),
        ("opaque", name != "immutable" && attrs.opaque.is_some()),
        ("updated", name != "updated" && attrs.updated.is_some()),
        ("deleted", name == "immutable" && attrs.deleted.is_some()),
        (
            "created",
            matches!(name, "immutable" | "deleted") && attrs.created.is_some(),
        ),
        ("volatile", name != "updated" && attrs.volatile.is_some()),
    ];
    let found = there.into_iter().find(|(_, there)| *there);
    found.map(|(name, _)| name)
}
