//! Rules on `#[personal]`, as far as the struct shows them.

use super::index::declared;
use super::stamps::conflicting_attribute;
use crate::ctxt::Ctxt;
use crate::diag;
use crate::ir::{Fixed, Ir, Role, Row};
use crate::names::unraw;
use crate::syntax::{Body, IndexAttr, PersonalAttr};
use crate::types;

pub(crate) fn check(ir: &Ir<'_>, cx: &Ctxt) {
    for row in ir.fields() {
        let Some(attr) = row.personal() else { continue };
        cx.set_place(row.place());
        let (site, owner) = (&attr.site, row.owner());
        if let Some(why) = no_place(ir) {
            cx.push(diag::personal_place(site, owner, why));
            continue;
        }
        if let Some(other) = other_role(row, attr) {
            cx.push(diag::personal_and(site, owner, other));
            continue;
        }
        if let Some(of) = attr.of.as_ref().filter(|_| person(ir, row).is_none()) {
            cx.push(diag::personal_of(of, owner));
        }
        match (&attr.keep_for, &attr.reason) {
            (Some(given), None) => cx.push(diag::personal_kept(given, owner, "reason")),
            (None, Some(given)) => cx.push(diag::personal_kept(given, owner, "keep_for")),
            (Some(_), Some(_)) => {}
            (None, None) => check_erased(ir, row, attr, cx),
        }
    }
}

/// The person that a personal field is of, where a reference leads to it: the reference.
pub(crate) fn person<'i>(ir: &'i Ir<'_>, row: &Row<'_>) -> Option<&'i Row<'i>> {
    let of = row.personal()?.of.as_ref()?;
    let reference = ir.addressable(of)?;
    let is_plain = matches!(&reference.role, Role::Parent { attr, .. } if attr.key.is_none());
    let is_one = is_plain && !reference.has_functions() && ir.polymorphic().is_none();
    is_one.then_some(reference)
}

/// The reason why an erase can set no field of the item.
fn no_place(ir: &Ir<'_>) -> Option<&'static str> {
    match (&ir.item.body, ir.is_model()) {
        (Body::Struct(_), false) => None,
        (Body::Struct(_), true) => place_error(ir),
        (Body::Enum(_), true) => {
            Some("it is a whole variant: mark the fields of the struct that it holds")
        }
        (Body::Enum(_), false) => {
            Some("it is in a variant of an embedded enum: mark the field that holds the enum")
        }
        (Body::Newtype(_), _) => {
            Some("its struct is stored as the value that it holds: mark the field that holds it")
        }
    }
}

/// The reason why updates set no field of the model.
pub(crate) fn place_error(ir: &Ir<'_>) -> Option<&'static str> {
    if ir.bucket().is_some() {
        return Some("its model is a bucket, whose items are pushed and never changed");
    }
    let shares = ir.item.attrs.shares.is_some();
    shares.then_some("its model has the collection of another one, which does not see its fields")
}

/// The reason why no field of the item is set by writes of whole documents.
pub(super) fn field_of_model(ir: &Ir<'_>) -> Option<&'static str> {
    if !ir.is_model() {
        return Some("it is in an embedded document");
    }
    if !matches!(ir.item.body, Body::Struct(_)) {
        return Some("its model is an enum");
    }
    if ir.bucket().is_some() {
        return Some("its model is a bucket");
    }
    let shares = ir.item.attrs.shares.is_some();
    shares.then_some("its model has the collection of another one")
}

/// The attribute that contradicts `#[personal]`. A copy that stays as it was stored may be kept.
fn other_role(row: &Row<'_>, attr: &PersonalAttr) -> Option<&'static str> {
    let is_frozen = matches!(&row.role, Role::Copy { attr, .. } if attr.snapshot);
    if is_frozen && attr.keep_for.is_some() {
        return None;
    }
    if row.overflow().is_some() {
        return Some("overflow");
    }
    if !row.is_stored() {
        return Some("skip");
    }
    row.fixed()
        .map(Fixed::name)
        .or_else(|| conflicting_attribute(row, Fixed::Immutable))
}

/// Checks the value that stands in place of the erased one.
fn check_erased(ir: &Ir<'_>, row: &Row<'_>, attr: &PersonalAttr, cx: &Ctxt) {
    let (site, owner) = (&attr.site, row.owner());
    let is_option = types::option_inner(&row.field.ty).is_some();
    let is_absent = is_option && attr.erased.is_none();
    if attr.erased.is_none() && !is_option {
        cx.push(diag::personal_value(site, owner));
        return;
    }
    let is_distinct = attr
        .erased
        .as_ref()
        .is_some_and(|erased| erased.to_string().contains("{id}"));
    let leaves_out = |attr: &IndexAttr| {
        is_absent && (attr.partial.is_some() || (attr.sparse.is_some() && attr.keys.len() < 2))
    };
    let name = row.rust();
    let clashes = declared(ir).iter().any(|index| {
        let mut keys = index.keys.iter();
        let has_field = keys.any(|key| key.path.first().is_some_and(|first| unraw(first) == name));
        has_field && index.attr.unique.is_some() && !is_distinct && !leaves_out(index.attr)
    });
    if clashes {
        cx.push(diag::personal_unique(site, owner));
    }
}
