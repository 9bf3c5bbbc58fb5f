//! References: their rows, and the loaders.

use proc_macro2::{Ident, TokenStream};
use quote::{ToTokens, quote};

use super::{tenant, tokens};
use crate::ir::{Ir, Role, Row};
use crate::names;
use crate::syntax::{Check, DenormAttr, Level, OnDelete, OnMissing};

/// `RelationRow { .. }`, for a field that refers.
pub(crate) fn expand_row(ir: &Ir<'_>, row: &Row<'_>) -> Option<TokenStream> {
    let target = row.target()?;
    let entry = row.entry().is_some();
    let (many, sort, check) = match &row.role {
        Role::Refs { attr, .. } => (true, None, &attr.check),
        Role::Parent { attr, .. } => (false, attr.sort.as_ref(), &attr.check),
        _ => return None,
    };
    let (on_delete, missing) = rules_of(row)?;
    let mut out = if many {
        quote!(__rt::RelationRow::many(__rt::Probe::<#target>::TABLES))
    } else {
        quote!(__rt::RelationRow::one(__rt::Probe::<#target>::TABLES))
    };
    if let Some(entry) = row.entry() {
        let id = Some(&entry.id).filter(|id| *id != "id");
        let id = id.map(|id| quote!(.entry_id(#id)));
        out.extend(quote!(.entry() #id));
    }
    if let Some(all) = members(row) {
        out.extend(quote!(.members(#all.id())));
    }
    if let Some(sort) = sort {
        let (field, descending) = (names::unraw(&sort.field), sort.descending);
        out.extend(quote!(.sort(#field, #descending)));
    }
    if entry || ir.has_copies(row) {
        out.extend(quote!(.copied()));
    }
    if let Some((key, _)) = row.map() {
        let in_keys = holds(row, target, key);
        out.extend(quote!(.holds(__rt::Holds::map(#in_keys))));
    }
    if let Some(key) = row.key() {
        let key = names::unraw(key);
        out.extend(quote!(.key(#key)));
    }
    if let Some(inverse) = row.inverse() {
        let inverse = names::unraw(inverse);
        out.extend(quote!(.inverse(#inverse)));
    }
    if let Some((name, value)) = tag(ir, row) {
        out.extend(quote!(.tagged(#name, #value)));
    }
    match missing {
        OnMissing::Drop => {}
        OnMissing::Strict => out.extend(quote!(.missing(__rt::OnMissing::Strict))),
        OnMissing::KeepSlots => out.extend(quote!(.missing(__rt::OnMissing::KeepSlots))),
    }
    if on_delete == OnDelete::DenyPurge {
        out.extend(quote!(.deny_purge()));
    } else if on_delete != OnDelete::Deny {
        let rule = on_delete_path(on_delete);
        out.extend(quote!(.on_delete(#rule)));
    }
    // This comes last: the place and the rule of a reference decide if it is checked where nothing else is written.
    match check {
        Check::Default => {}
        Check::Checked => out.extend(quote!(.checked())),
        Check::Unchecked(_) => out.extend(quote!(.unchecked())),
    }
    Some(out)
}

/// The facts about the memberships in an array that the compiler checks.
pub(crate) fn members(row: &Row<'_>) -> Option<TokenStream> {
    let (Role::Refs { attr, .. }, Some(element)) = (&row.role, row.member()) else {
        return None;
    };
    let (owner, target) = (&row.field.owner, &attr.target);
    let target_name = names::path_name(target);
    let (element_name, lower) = (names::unraw(element), target_name.to_lowercase());
    let via = attr.via.as_ref().map(names::unraw).unwrap_or_default();
    let rule = on_delete_path(attr.on_delete);
    Some(quote!(__rt::check::Members {
        owner: #owner, element: #element_name, target: #target_name, lower: #lower,
        place: __rt::Probe::<#target>::PLACE, via: #via, on_delete: #rule,
        references: __rt::Probe::<#element>::REFERENCES, fields: __rt::Probe::<#element>::FIELDS
    }))
}

fn on_delete_path(rule: OnDelete) -> TokenStream {
    match rule {
        OnDelete::Deny | OnDelete::DenyPurge => quote!(__rt::OnDelete::Deny),
        OnDelete::Pull => quote!(__rt::OnDelete::Pull),
        OnDelete::Unset => quote!(__rt::OnDelete::Unset),
        OnDelete::Cascade => quote!(__rt::OnDelete::Cascade),
        OnDelete::Keep => quote!(__rt::OnDelete::Keep),
    }
}

/// The effect that the deletion of the target has on a reference, and how a loader treats an id that no document has.
fn rules_of(row: &Row<'_>) -> Option<(OnDelete, OnMissing)> {
    match &row.role {
        Role::Refs { attr, .. } => Some((attr.on_delete, attr.missing)),
        Role::Parent { attr, .. } => Some((attr.on_delete, attr.missing)),
        _ => None,
    }
}

/// The stored tag of the variant that holds a reference to one of several models, and its name.
fn tag<'i>(ir: &'i Ir<'_>, row: &'i Row<'_>) -> Option<(&'i str, &'i str)> {
    let variant = row.variant.filter(|_| ir.polymorphic().is_some())?;
    Some((ir.item.serde.tag.as_deref()?, &variant.serde.name))
}

/// An expression that is true if a value of type `ty` holds the ids or keys that the reference refers by.
pub(crate) fn holds(row: &Row<'_>, target: &syn::Path, ty: &syn::Type) -> TokenStream {
    match row.key() {
        None => quote!(__rt::ProbeIds::<#ty, #target>::HOLDS_IDS),
        Some(key) => {
            let key = key_type(&quote!(__rt), target, key);
            quote!(__rt::ProbeKey::<#ty, #key>::HOLDS_IDS)
        }
    }
}

/// The slot of the field `key` of `target`.
pub(crate) fn key_slot(rt: &TokenStream, target: &syn::Path, key: &Ident) -> TokenStream {
    let key = names::unraw(key);
    quote!({ #[allow(unused_imports)] use #rt::Fallback as _; #rt::slot(#rt::Probe::<#target>::COPYABLE, #key) })
}

/// The description of the field at `path` of `from`: the type that has it, and its slot there. Every step but the last leads into
/// an embedded document.
pub(crate) fn source_field(
    rt: &TokenStream,
    from: &syn::Path,
    path: &[Ident],
) -> (TokenStream, TokenStream) {
    let Some((first, inside)) = path.split_first() else {
        return (from.to_token_stream(), quote!({ #rt::MISSING }));
    };
    let top = (from.to_token_stream(), key_slot(rt, from, first));
    inside.iter().fold(top, |(owner, slot), step| {
        let (owner, name) = (inner(rt, &owner, &slot), names::unraw(step));
        let slot = quote!({ #[allow(unused_imports)] use #rt::Fallback as _; #rt::slot(#rt::Probe::<#owner>::NESTED, #name) });
        (owner, slot)
    })
}

/// The embedded document that the field of `owner` in this slot is, in an `Option` or not.
pub(crate) fn inner(rt: &TokenStream, owner: &TokenStream, slot: &TokenStream) -> TokenStream {
    quote!(#rt::Inner<<#owner as #rt::HasField<#slot>>::Type>)
}

/// The type of the values that a reference by the field `key` of `target` holds.
pub(crate) fn key_type(rt: &TokenStream, target: &syn::Path, key: &Ident) -> TokenStream {
    let slot = key_slot(rt, target, key);
    quote!(<<#target as #rt::HasField<#slot>>::Type as #rt::Value>::Elem)
}

/// The length and the bound of a field: its own declarations, or for a copy without them those of its source.
pub(crate) fn bounds(
    row: &Row<'_>,
    rt: &TokenStream,
) -> (Option<TokenStream>, Option<TokenStream>) {
    let declared = |value: u64| quote!(#value);
    let max_len = row.max_len();
    let max_len = max_len.map(|max| declared(max.value));
    let max = (row.max > 0).then(|| declared(row.max));
    let Role::Copy { attr, .. } = &row.role else {
        return (max_len, max);
    };
    let (owner, slot) = source_field(rt, &attr.from, &attr.fields[0]);
    let source = quote!(<#owner as #rt::HasField<#slot>>);
    (
        max_len.or_else(|| Some(quote!(#source::MAX_LEN))),
        max.or_else(|| Some(quote!(#source::MAX))),
    )
}

/// `CopyRow { .. }` of one copied field.
pub(crate) fn copy_row(attr: &DenormAttr, field: &[Ident], via: &str) -> TokenStream {
    let (from, field, snapshot) = (&attr.from, names::dotted(field), attr.snapshot);
    let level = match attr.level {
        Level::Eventual => quote!(Eventual),
        Level::Transactional => quote!(Transactional),
        Level::FireAndForget => quote!(FireAndForget),
    };
    quote! { __rt::CopyRow { source: __rt::Probe::<#from>::TABLES, field: #field, via: #via, snapshot: #snapshot, level: __rt::Level::#level } }
}

/// `load_parts`, `load_parts_many`, `by_parts`, ..
pub(crate) fn expand_loaders(ir: &Ir<'_>) -> TokenStream {
    if !ir.is_model() {
        return TokenStream::new();
    }
    ir.stored()
        .enumerate()
        .filter_map(|(n, row)| expand_methods(ir, n, row))
        .collect()
}

fn expand_methods(ir: &Ir<'_>, n: usize, row: &Row<'_>) -> Option<TokenStream> {
    let target = row.target()?;
    let (model, field, vis, krate) = (&ir.item.ident, &row.field.ident, &row.field.vis, ir.krate());
    let (one, many) = (names::loader(field), names::loader_many(field));
    let name = row.field.rust();
    let target_name = target.segments.last().map(|s| s.ident.to_string());
    let target_name = target_name.unwrap_or_default();
    let policy = match &row.role {
        Role::Refs { attr, .. } if attr.missing == OnMissing::KeepSlots => quote!(Slotted),
        Role::Refs { .. } => quote!(Dense),
        _ => quote!(Single),
    };
    let holder = row.entry().map_or(model, |entry| entry.name);
    // Leave out default type parameters: the compiler would report an unknown target once more.
    let key = row.key().map(|key| key_type(&quote!(__rt), target, key));
    let read = key.map(|key| quote!(, #target, #key));
    let refs = quote!(#krate::load::Refs<#holder, #target, #krate::load::#policy #read>);
    let one_doc = format!(
        "Loads what `{name}` refers to, from the collection of `{target_name}`: one `find` with `$in` per 10,000 distinct ids, nothing for none."
    );
    let many_doc = format!(
        "Loads what `{name}` refers to in many documents at once: one `find` with `$in` per 10,000 distinct ids, nothing for none."
    );
    // No index can serve values under a map's keys, so a map has no reverse finder.
    let back = row
        .map()
        .is_none()
        .then(|| reverse_finders(ir, n, row, target, &target_name));
    let fields = encode_functions(model, row);
    let load = quote!(#krate::load::Load::refs::<#model>(db, self, #n, #fields));
    let (reached, load, bound) = tenant::reach_target(ir, target, &load);
    let join = quote!(#krate::load::Join::refs::<#model>(db, documents, #n, #fields));
    let (_, join, _) = tenant::reach_target(ir, target, &join);
    // The bound is for any lifetime, so that a target that is no model is an error of the attribute and not of each method.
    Some(quote! {
        impl #model where for<'__any> #target: __rt::Model #bound {
        #[doc = #one_doc]
        #vis fn #one<'a>(&self, db: &'a #reached) -> #krate::load::Load<'a, #refs> { #load }
        #[doc = #many_doc]
        #vis fn #many<'a, 'd, __D: #krate::load::AsModel<#model>>(db: &'a #reached, documents: &'d [__D]) -> #krate::load::Join<'a, 'd, __D, #refs> {
            #join
        }
        #back
        }
    })
}

/// `by_parts`, `by_parts_many`: the documents that refer to given ones.
fn reverse_finders(
    ir: &Ir<'_>,
    n: usize,
    row: &Row<'_>,
    target: &syn::Path,
    target_name: &str,
) -> TokenStream {
    let (model, field, vis, krate) = (&ir.item.ident, &row.field.ident, &row.field.vis, ir.krate());
    let (by, by_many, name) = (
        names::reverse_finder(field),
        names::reverse_finder_many(field),
        row.field.rust(),
    );
    let key = row.key().map(|key| key_type(&quote!(__rt), target, key));
    let constructor = match &key {
        Some(key) => quote!(key::<#key>),
        None if row.member().is_some() => quote!(members),
        None => quote!(new),
    };
    let id = key.unwrap_or_else(|| quote!(<#target as __rt::Model>::DocumentId));
    let path = match row.entry() {
        // Only the types show the path of the id in a membership.
        _ if row.member().is_some() => name.clone(),
        Some(entry) => format!("{}.{}", row.stored(), entry.id),
        None => row.stored().to_owned(),
    };
    let by_doc = format!(
        "The documents whose `{name}` refers to this `{target_name}`: one `find`, served by an index."
    );
    let by_many_doc = format!(
        "The documents whose `{name}` refers to each of these: one command, served by an index."
    );
    let db = quote!(db);
    let (reached, find) = tenant::reach(
        ir,
        &db,
        &quote!(#krate::load::By::#constructor(db, #path, id)),
    );
    let (_, join) = tenant::reach(
        ir,
        &db,
        &quote!(#krate::load::Join::children(db, documents, #n)),
    );
    quote! {
        #[doc = #by_doc]
        #vis fn #by<'a>(db: &'a #reached, id: impl #krate::field::IntoArg<#id>) -> #krate::load::By<'a, #model, #target> {
            #find
        }
        #[doc = #by_many_doc]
        #vis fn #by_many<'a, 'd, __D: #krate::load::AsModel<#target>>(db: &'a #reached, documents: &'d [__D]) -> #krate::load::Join<'a, 'd, __D, #krate::load::Children<#model, #target>> {
            #join
        }
    }
}

/// The two functions that encode the reference: as a value, and into a document.
fn encode_functions(model: &Ident, row: &Row<'_>) -> TokenStream {
    let (field, ty) = (&row.field.ident, &row.field.ty);
    let (encode, put) = if row.has_functions() {
        let (module, codec) = tokens::codec(row);
        (
            quote!(<#module #codec as __rt::Encode<#ty>>::encode),
            quote!(put_by::<#module #codec, _>),
        )
    } else {
        (quote!(__rt::encode_value), quote!(put))
    };
    quote!(|__document| #encode(&__document.#field), |__document: &#model, __key, __to| __rt::done(__rt::#put(&__document.#field).put(__key, __to)))
}
