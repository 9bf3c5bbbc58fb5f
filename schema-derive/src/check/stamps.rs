//! Rules on `#[created]`, `#[updated]`, `#[deleted]` and `#[immutable]`, as far as the struct shows them.

use crate::ctxt::Ctxt;
use crate::diag;
use crate::ir::{Fixed, Ir, Row};
use crate::syntax::Attr;

pub(crate) fn check(ir: &Ir<'_>, cx: &Ctxt) {
    // The model names its tenant, which has rules of its own.
    let attributes = Fixed::ALL.into_iter();
    for fixed in attributes.filter(|fixed| *fixed != Fixed::Tenant) {
        let mut first: Option<&Row<'_>> = None;
        let (name, stamp) = (fixed.name(), fixed.is_stamp());
        for row in ir.fields() {
            let Some(site) = row.fixed_site(fixed) else {
                continue;
            };
            let owner = row.owner();
            cx.set_place(row.place());
            if !ir.is_model() {
                cx.push(diag::stamp_in_embed(site, name, owner));
            } else if ir.bucket().is_some() {
                cx.push(diag::stamp_and(site, name, "bucket", owner));
            } else if let Some(first) = first.filter(|_| stamp) {
                cx.push(diag::stamp_twice(site, name, owner, first.owner()));
            } else if let Some(other) = conflicting_attribute(row, fixed) {
                cx.push(diag::stamp_and(site, name, other, owner));
            } else if let Some(with) = row.field.serde.with.as_ref().filter(|_| stamp) {
                cx.push(diag::stamp_stored(with, name, owner));
            } else {
                first = Some(row);
            }
        }
    }
}

/// The other role of the field, which contradicts the attribute.
pub(super) fn conflicting_attribute(row: &Row<'_>, fixed: Fixed) -> Option<&'static str> {
    if row.is_stored_as_id() {
        return Some("_id");
    }
    let role = row.first_of(&[
        Attr::Refs,
        Attr::Parent,
        Attr::Denorm,
        Attr::Recent,
        Attr::Count,
        Attr::Sum,
        Attr::Avg,
        Attr::Min,
        Attr::Max,
        Attr::Version,
    ]);
    let flattened = || row.is_flattened().then_some("flatten");
    let others: &[Attr] = match fixed {
        Fixed::Created => &[Attr::Embed, Attr::Opaque, Attr::Updated, Attr::Volatile],
        Fixed::Updated => &[Attr::Embed, Attr::Opaque],
        Fixed::Deleted => &[
            Attr::Embed,
            Attr::Opaque,
            Attr::Updated,
            Attr::Created,
            Attr::Volatile,
        ],
        Fixed::Immutable => &[Attr::Updated, Attr::Deleted, Attr::Created, Attr::Volatile],
        Fixed::Tenant => &[
            Attr::Embed,
            Attr::Opaque,
            Attr::Updated,
            Attr::Deleted,
            Attr::Created,
            Attr::Immutable,
            Attr::Volatile,
        ],
    };
    role.or_else(flattened).or_else(|| row.first_of(others))
}
