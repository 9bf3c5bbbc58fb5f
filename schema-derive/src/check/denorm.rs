//! Rules 4.D on copies, as far as the struct shows them.

use proc_macro2::Ident;

use crate::ctxt::Ctxt;
use crate::diag;
use crate::ir::{self, entry_name, is_map, same_path};
use crate::syntax::{DenormAttr, Field, Item};

pub(crate) fn check(item: &Item, cx: &Ctxt) {
    // Stored names of copies, to see two rules filling one field.
    for field in item.body.fields() {
        cx.set_place(field.place);
        let relation = field.attrs.refs.is_some() || field.attrs.parent.is_some();
        let mut into: Vec<String> = Vec::new();
        for denorm in &field.attrs.denorm {
            if relation {
                check_entry_copy(field, denorm, &mut into, cx);
            } else {
                check_plain_copy(item, field, denorm, cx);
            }
        }
        if !relation && field.attrs.denorm.len() > 1 && field.attrs.broken.is_empty() {
            let second = &field.attrs.denorm[1];
            cx.push(diag::denorm_same_path(
                &second.site,
                &field.owner,
                &field.rust(),
            ));
        }
    }
}

/// A copy inside a generated entry.
fn check_entry_copy(field: &Field, denorm: &DenormAttr, into: &mut Vec<String>, cx: &Ctxt) {
    let target = field.attrs.refs.as_ref().map(|refs| &refs.target).or(field
        .attrs
        .parent
        .as_ref()
        .map(|parent| &parent.target));
    let Some(target) = target else { return };
    if entry_name(field).is_none() {
        // Skip maps: another rule already reports that they have no copies at all.
        let of_map = field.attrs.refs.is_some() && is_map(field);
        if into.is_empty() && !of_map {
            cx.push(diag::denorm_entry(
                &field.ty,
                &field.owner,
                target,
                field.attrs.refs.is_some(),
            ));
        }
        into.push(String::new());
        return;
    }
    if !same_path(target, &denorm.from) {
        cx.push(diag::denorm_no_key(
            &denorm.from,
            &field.owner,
            &denorm.from,
            Some(target),
        ));
        return;
    }
    if let Some(via) = &denorm.via {
        cx.push(diag::denorm_via_entry(via, &field.owner));
    }
    if let Some(id) = &denorm.id {
        check_id_name(field, denorm, id, cx);
    }
    for (n, source) in denorm.fields.iter().enumerate() {
        let renamed = denorm.into.as_ref().filter(|_| n == 0);
        let Some(name) = renamed.or(source.last()) else {
            continue;
        };
        let stored = crate::names::unraw(name);
        if stored == "id" || stored == "_id" {
            cx.push(diag::denorm_id(
                name,
                &field.owner,
                &denorm.from,
                renamed.is_some_and(|name| source.last() != Some(name)),
            ));
        } else if into.contains(&stored) {
            cx.push(diag::denorm_same_path(name, &field.owner, &stored));
        } else {
            into.push(stored);
        }
    }
}

/// The stored name of the reference in an entry: one that no copy has, and the same in all attributes of the field.
fn check_id_name(field: &Field, denorm: &DenormAttr, id: &syn::LitStr, cx: &Ctxt) {
    let name = id.value();
    if let Some(problem) = super::types::names::unusable(&name) {
        cx.push(diag::denorm_id_name(id, &field.owner, problem));
    } else if super::types::names::is_library_name(&name) {
        cx.push(diag::denorm_id_reserved(id, &field.owner));
    }
    let all = || field.attrs.denorm.iter();
    let first = all().find_map(|attr| attr.id.as_ref());
    if first.is_some_and(|first| first.value() != name) {
        cx.push(diag::denorm_id_twice(id, &field.owner));
    }
    let copies = all().flat_map(|attr| {
        let into = attr.into.iter();
        let fields = attr.fields.iter().skip(usize::from(attr.into.is_some()));
        into.chain(fields.filter_map(|path| path.last()))
    });
    let clash = |copy: &&Ident| ir::stored_name(copy, field.serde.rule) == name;
    if copies.into_iter().any(|copy| clash(&copy)) {
        cx.push(diag::denorm_id_copy(id, &field.owner, &denorm.from));
    }
}

/// A copy in a plain field beside its reference.
fn check_plain_copy(item: &Item, field: &Field, denorm: &DenormAttr, cx: &Ctxt) {
    if field
        .attrs
        .broken
        .iter()
        .any(|name| matches!(*name, "refs" | "parent"))
    {
        return;
    }
    if denorm.fields.len() > 1 {
        cx.push(diag::denorm_many_plain(
            &denorm.site,
            &field.owner,
            &denorm.from,
        ));
        return;
    }
    if let Some(into) = &denorm.into {
        cx.push(diag::denorm_into_plain(into, &field.owner));
    }
    if let Some(id) = &denorm.id {
        cx.push(diag::denorm_id_plain(id, &field.owner));
    }
    if let Some(derives) = denorm.derives.as_ref().and_then(|derives| derives.first()) {
        cx.push(diag::denorm_derive_plain(derives, &field.owner));
    }
    let source = denorm.fields.first().and_then(|path| path.first());
    if let Some(source) = source
        && denorm.from.is_ident(&item.ident)
        && crate::names::unraw(source) == field.rust()
    {
        cx.push(diag::denorm_cycle(source, &field.owner));
    }
    check_via(item, field, denorm, cx);
}

/// A plain copy has one reference beside it that it follows, or names one of several.
fn check_via(item: &Item, field: &Field, denorm: &DenormAttr, cx: &Ctxt) {
    let (owner, from) = (&field.owner, &denorm.from);
    let siblings = ir::siblings(item, field);
    let is_parent = |other: &&&Field| {
        let parent = other.attrs.parent.as_ref();
        parent.is_some_and(|parent| same_path(&parent.target, from))
    };
    let parents = siblings.iter().filter(is_parent);
    let parents: Vec<String> = parents.map(|other| other.rust()).collect();
    match (&denorm.via, parents.as_slice()) {
        (Some(via), _) => {
            if !parents.contains(&crate::names::unraw(via)) {
                cx.push(diag::denorm_via_unknown(via, owner, from, &parents));
            }
        }
        (None, []) => report_no_reference(field, denorm, &siblings, cx),
        (None, [_]) => {}
        (None, several) => {
            cx.push(diag::denorm_ambiguous(&denorm.site, owner, from, several));
        }
    }
}

fn report_no_reference(field: &Field, denorm: &DenormAttr, siblings: &[&Field], cx: &Ctxt) {
    let (owner, from) = (&field.owner, &denorm.from);
    let is_unreadable = |other: &&Field| other.attrs.broken.contains(&"parent");
    if siblings.iter().any(is_unreadable) {
        // It may be the reference that is missing here.
        return;
    }
    let holds_array = |other: &&Field| {
        let refs = other.attrs.refs.as_ref();
        refs.is_some_and(|refs| same_path(&refs.target, from))
    };
    cx.push(if siblings.iter().any(holds_array) {
        let path = crate::names::dotted(&denorm.fields[0]);
        diag::denorm_beside_refs(&denorm.site, owner, from, &path)
    } else {
        diag::denorm_no_key(from, owner, from, None)
    });
}
