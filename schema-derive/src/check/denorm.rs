//! Rules 4.D on copies, as far as the struct shows them.

use proc_macro2::Ident;
use syn::Path;

use crate::ctxt::Ctxt;
use crate::diag;
use crate::ir::{Ir, Role, Row, same_path, stored_name};
use crate::names::{dotted, unraw};
use crate::syntax::DenormAttr;

pub(crate) fn check(ir: &Ir<'_>, cx: &Ctxt) {
    for row in ir.fields() {
        cx.set_place(row.place());
        match row.target() {
            Some(target) => check_entry(row, target, cx),
            None => check_plain(ir, row, cx),
        }
    }
}

/// Checks the copies inside a generated entry.
fn check_entry(row: &Row<'_>, target: &Path, cx: &Ctxt) {
    if row.copies().is_empty() {
        return;
    }
    let array = matches!(row.role, Role::Refs { .. });
    if row.entry().is_none() {
        // Skip maps: another rule already reports that they have no copies at all.
        if !(array && row.is_map()) {
            cx.push(diag::denorm_entry(
                &row.field.ty,
                row.owner(),
                target,
                array,
            ));
        }
        return;
    }
    // Names of the copies so far, to see two of them filling one field.
    let mut into: Vec<String> = Vec::new();
    for denorm in row.copies() {
        check_entry_copy(row, target, denorm, &mut into, cx);
    }
}

fn check_entry_copy(
    row: &Row<'_>,
    target: &Path,
    denorm: &DenormAttr,
    into: &mut Vec<String>,
    cx: &Ctxt,
) {
    let (owner, from) = (row.owner(), &denorm.from);
    if !same_path(target, from) {
        cx.push(diag::denorm_no_key(from, owner, from, Some(target)));
        return;
    }
    if let Some(via) = &denorm.via {
        cx.push(diag::denorm_via_entry(via, owner));
    }
    if let Some(id) = &denorm.id {
        check_id_name(row, denorm, id, cx);
    }
    for (n, source) in denorm.fields.iter().enumerate() {
        let renamed = denorm.into.as_ref().filter(|_| n == 0);
        let Some(name) = renamed.or(source.last()) else {
            continue;
        };
        let stored = unraw(name);
        if stored == "id" || stored == "_id" {
            let other = renamed.is_some_and(|name| source.last() != Some(name));
            cx.push(diag::denorm_id(name, owner, from, other));
        } else if into.contains(&stored) {
            cx.push(diag::denorm_same_path(name, owner, &stored));
        } else {
            into.push(stored);
        }
    }
}

/// Checks the stored name of the reference in an entry: no copy has it, and all attributes of the field give the same.
fn check_id_name(row: &Row<'_>, denorm: &DenormAttr, id: &syn::LitStr, cx: &Ctxt) {
    let (name, owner) = (id.value(), row.owner());
    if let Some(problem) = super::types::names::unusable(&name) {
        cx.push(diag::denorm_id_name(id, owner, problem));
    } else if super::types::names::is_library_name(&name) {
        cx.push(diag::denorm_id_reserved(id, owner));
    }
    let all = || row.copies().iter();
    let first = all().find_map(|attr| attr.id.as_ref());
    if first.is_some_and(|first| first.value() != name) {
        cx.push(diag::denorm_id_twice(id, owner));
    }
    let copies = all().flat_map(|attr| {
        let into = attr.into.iter();
        let fields = attr.fields.iter().skip(usize::from(attr.into.is_some()));
        into.chain(fields.filter_map(|path| path.last()))
    });
    let clash = |copy: &Ident| stored_name(copy, row.field.serde.rule) == name;
    if copies.into_iter().any(clash) {
        cx.push(diag::denorm_id_copy(id, owner, &denorm.from));
    }
}

/// Checks that a plain field is one copy, of one field.
fn check_plain(ir: &Ir<'_>, row: &Row<'_>, cx: &Ctxt) {
    for denorm in row.copies() {
        check_plain_copy(ir, row, denorm, cx);
    }
    if let [_, second, ..] = row.copies()
        && row.broken().is_none()
    {
        cx.push(diag::denorm_same_path(
            &second.site,
            row.owner(),
            &row.rust(),
        ));
    }
}

/// Checks a copy in a plain field beside its reference.
fn check_plain_copy(ir: &Ir<'_>, row: &Row<'_>, denorm: &DenormAttr, cx: &Ctxt) {
    if row.is_broken("refs") || row.is_broken("parent") {
        return;
    }
    let (owner, from) = (row.owner(), &denorm.from);
    if denorm.fields.len() > 1 {
        cx.push(diag::denorm_many_plain(&denorm.site, owner, from));
        return;
    }
    if let Some(into) = &denorm.into {
        cx.push(diag::denorm_into_plain(into, owner));
    }
    if let Some(id) = &denorm.id {
        cx.push(diag::denorm_id_plain(id, owner));
    }
    if let Some(derives) = denorm.derives.as_ref().and_then(|derives| derives.first()) {
        cx.push(diag::denorm_derive_plain(derives, owner));
    }
    let source = denorm.fields.first().and_then(|path| path.first());
    if let Some(source) = source
        && from.is_ident(&ir.item.ident)
        && unraw(source) == row.rust()
    {
        cx.push(diag::denorm_cycle(source, owner));
    }
    check_via(ir, row, denorm, cx);
}

/// Checks that a plain copy has one reference beside it to follow, or names one of several.
fn check_via(ir: &Ir<'_>, row: &Row<'_>, denorm: &DenormAttr, cx: &Ctxt) {
    let (owner, from) = (row.owner(), &denorm.from);
    let refers = |other: &&Row<'_>| {
        let parent = other.parent();
        parent.is_some_and(|parent| same_path(&parent.target, from))
    };
    let parents = ir.siblings(row).filter(refers);
    let parents: Vec<String> = parents.map(Row::rust).collect();
    match (&denorm.via, parents.as_slice()) {
        (Some(via), _) => {
            if !parents.contains(&unraw(via)) {
                cx.push(diag::denorm_via_unknown(via, owner, from, &parents));
            }
        }
        (None, []) => report_no_reference(ir, row, denorm, cx),
        (None, [_]) => {}
        (None, several) => {
            cx.push(diag::denorm_ambiguous(&denorm.site, owner, from, several));
        }
    }
}

fn report_no_reference(ir: &Ir<'_>, row: &Row<'_>, denorm: &DenormAttr, cx: &Ctxt) {
    let (owner, from) = (row.owner(), &denorm.from);
    if ir.siblings(row).any(|other| other.is_broken("parent")) {
        // The broken attribute may be the reference that is missing.
        return;
    }
    let mut arrays = ir.siblings(row).filter_map(|other| match &other.role {
        Role::Refs { attr, .. } => Some(attr),
        _ => None,
    });
    cx.push(if arrays.any(|refs| same_path(&refs.target, from)) {
        let path = dotted(&denorm.fields[0]);
        diag::denorm_beside_refs(&denorm.site, owner, from, &path)
    } else {
        diag::denorm_no_key(from, owner, from, None)
    });
}
