//! Rules on `#[version]`, as far as the struct shows them.

use crate::ctxt::Ctxt;
use crate::diag;
use crate::syntax::{Field, Item, Kind};

pub(crate) fn check(item: &Item, cx: &Ctxt) {
    let mut first: Option<&Field> = None;
    for field in item.body.fields() {
        let Some(site) = &field.attrs.version else {
            continue;
        };
        cx.set_place(field.place);
        if item.kind == Kind::Embed {
            cx.push(diag::version_in_embed(site, &field.owner));
        } else if let Some(first) = first {
            cx.push(diag::version_twice(site, &field.owner, &first.owner));
        } else if field.serde.name == "_id" {
            cx.push(diag::version_and(site, "_id", &field.owner));
        } else if let Some(other) = conflicting_attribute(field) {
            cx.push(diag::version_and(site, other, &field.owner));
        } else if let Some(with) = &field.serde.with {
            cx.push(diag::version_stored(with, "with = ..", &field.owner));
        } else if let Some(skip) = &field.serde.skip_if {
            cx.push(diag::version_stored(
                skip,
                "skip_serializing_if = ..",
                &field.owner,
            ));
        } else {
            first = Some(field);
        }
    }
}

/// An attribute on the same field that says what else it is.
fn conflicting_attribute(field: &Field) -> Option<&'static str> {
    let attrs = &field.attrs;
    let there = [
        ("refs", attrs.refs.is_some()),
        ("parent", attrs.parent.is_some()),
        ("denorm", !attrs.denorm.is_empty()),
        ("embed", attrs.embed.is_some()),
        ("recent", attrs.recent.is_some()),
        ("count", attrs.count.is_some()),
        ("opaque", attrs.opaque.is_some()),
    ];
    let found = there.into_iter().find(|(_, there)| *there);
    found.map(|(name, _)| name)
}
