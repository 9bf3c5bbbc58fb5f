//! Rules on `tenant = ..`, as far as the struct shows them.

use super::stamps::conflicting_attribute;
use crate::ctxt::Ctxt;
use crate::diag;
use crate::ir::{Fixed, Ir, Row};
use crate::names::{dotted, unraw};
use crate::syntax::{Body, IndexAttr};

pub(crate) fn check(ir: &Ir<'_>, cx: &Ctxt) {
    check_across(ir, cx);
    let Some(site) = &ir.item.attrs.tenant else {
        return;
    };
    cx.set_place(0);
    let owner = ir.name();
    if let Some(other) = conflicting_kind(ir) {
        cx.push(diag::tenant_kind(site, &owner, other));
        return;
    }
    let Some(row) = ir.tenant().filter(|row| row.is_addressable()) else {
        let fields = ir.fields().filter(|row| row.is_addressable());
        let names: Vec<String> = fields.map(Row::rust).collect();
        cx.push(diag::tenant_field(site, &owner, &names));
        return;
    };
    check_field(row, cx);
    for row in ir.fields() {
        cx.set_place(row.place());
        for index in row.indexes() {
            check_index(index, row.owner(), site, cx);
        }
        if row.fixed_site(Fixed::Tenant).is_some()
            && let [index, ..] = row.indexes()
        {
            cx.push(diag::tenant_index(&index.site, row.owner()));
        }
    }
    cx.set_place(0);
    for index in &ir.item.attrs.indexes {
        check_index(index, &owner, site, cx);
    }
}

/// Reports indexes across tenants that are not unique, or whose item has no tenant.
fn check_across(ir: &Ir<'_>, cx: &Ctxt) {
    let has_tenant = ir.item.attrs.tenant.is_some();
    let report = |index: &IndexAttr, owner: &str| {
        let Some(site) = &index.across_tenants else {
            return;
        };
        if !has_tenant {
            cx.push(diag::tenant_across(site, owner, "the item has no `tenant`"));
        } else if index.unique.is_none() {
            cx.push(diag::tenant_across(site, owner, "not `unique`"));
        }
    };
    for row in ir.fields() {
        cx.set_place(row.place());
        let indexes = row.indexes().iter();
        indexes.for_each(|index| report(index, row.owner()));
    }
    cx.set_place(0);
    let indexes = ir.item.attrs.indexes.iter();
    indexes.for_each(|index| report(index, &ir.name()));
}

/// The property of a model that excludes a wall.
fn conflicting_kind(ir: &Ir<'_>) -> Option<&'static str> {
    let item = ir.item;
    if matches!(item.body, Body::Enum(_)) {
        return Some("is an enum");
    }
    let there = [("shares a collection", item.attrs.shares.is_some())];
    let found = there.into_iter().find(|(_, there)| *there);
    found.map(|(name, _)| name)
}

fn check_field(row: &Row<'_>, cx: &Ctxt) {
    let Some(site) = row.fixed_site(Fixed::Tenant) else {
        return;
    };
    let serde = &row.field.serde;
    if let Some(other) = conflicting_attribute(row, Fixed::Tenant) {
        cx.push(diag::tenant_and(site, row.owner(), other));
    } else if let Some(tokens) = serde.with.as_ref().or(serde.skip_if.as_ref()) {
        cx.set_place(row.place());
        cx.push(diag::tenant_stored(tokens, row.owner()));
        cx.set_place(0);
    }
}

fn check_index(index: &IndexAttr, owner: &str, tenant: &syn::Ident, cx: &Ctxt) {
    if index.across_tenants.is_none()
        && let Some(sparse) = &index.sparse
    {
        cx.push(diag::tenant_sparse(sparse, owner));
    }
    let named = |path: &[syn::Ident]| dotted(path) == unraw(tenant);
    if let Some(key) = index.keys.iter().find(|key| named(&key.path)) {
        cx.push(diag::tenant_index(&key.tokens, owner));
    }
}
