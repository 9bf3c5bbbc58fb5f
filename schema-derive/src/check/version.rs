//! Rules on `#[version]`, as far as the struct shows them.

use crate::ctxt::Ctxt;
use crate::diag;
use crate::ir::{Ir, Row};
use crate::syntax::Attr;

/// Attributes that make the field something else.
const CONFLICTING: &[Attr] = &[
    Attr::Refs,
    Attr::Parent,
    Attr::Denorm,
    Attr::Embed,
    Attr::Recent,
    Attr::Count,
    Attr::Sum,
    Attr::Avg,
    Attr::Min,
    Attr::Max,
    Attr::Opaque,
];

pub(crate) fn check(ir: &Ir<'_>, cx: &Ctxt) {
    let mut first: Option<&Row<'_>> = None;
    for row in ir.fields() {
        let Some(site) = row.version_site() else {
            continue;
        };
        cx.set_place(row.place());
        let (owner, serde) = (row.owner(), &row.field.serde);
        if !ir.is_model() {
            cx.push(diag::version_in_embed(site, owner));
        } else if let Some(first) = first {
            cx.push(diag::version_twice(site, owner, first.owner()));
        } else if row.is_stored_as_id() {
            cx.push(diag::version_and(site, "_id", owner));
        } else if let Some(other) = row.first_of(CONFLICTING) {
            cx.push(diag::version_and(site, other, owner));
        } else if let Some(with) = &serde.with {
            cx.push(diag::version_stored(with, "with = ..", owner));
        } else if let Some(skip) = &serde.skip_if {
            cx.push(diag::version_stored(
                skip,
                "skip_serializing_if = ..",
                owner,
            ));
        } else {
            first = Some(row);
        }
    }
}
