//! Lists and counts of children, and two-way references: their rows, and the methods that change or rebuild them.

use proc_macro2::TokenStream;
use quote::{ToTokens, quote};

use super::span::call_with_span;
use super::{copies, numbers, tenant, two_way};
use crate::diag;
use crate::ir::{Ir, Role, Row};
use crate::names;
use crate::types;

/// `DerivedRow { .. }`, for a field that follows from its children.
pub(crate) fn expand_row(row: &Row<'_>) -> Option<TokenStream> {
    let child = row.child()?;
    let (via, what) = match &row.role {
        Role::Recent {
            attr: Some(attr), ..
        } => {
            let sort = attr.sort.as_ref()?;
            let (field, descending) = (names::unraw(&sort.field), sort.descending);
            let max = attr.max.as_ref().map_or(0, |max| max.value);
            let fields = attr.fields.iter().map(names::unraw);
            let only = numbers::expand_only(&attr.only);
            let what = quote!(Recent { max: #max, sort: (#field, #descending), fields: &[#(#fields),*], #only });
            (attr.via.as_ref(), what)
        }
        Role::Count(attr) => (attr.via.as_ref(), numbers::number(row, attr)),
        _ => return None,
    };
    let via = match via.map(names::unraw) {
        Some(via) => quote!(::core::option::Option::Some(#via)),
        None => quote!(::core::option::Option::None),
    };
    Some(
        quote!(__rt::DerivedRow { child: __rt::Probe::<#child>::TABLES, via: #via, what: __rt::Derived::#what }),
    )
}

/// `reassign_owner`, `add_task`, `rebuild_logmsgs`, ..
pub(crate) fn expand_methods(ir: &Ir<'_>) -> TokenStream {
    if !ir.is_model() {
        return TokenStream::new();
    }
    ir.stored()
        .filter_map(|row| match (&row.role, row.inverse()) {
            // MongoDB refuses to change an `_id`.
            (Role::Parent { .. }, Some(_)) if row.is_stored_as_id() => None,
            (Role::Parent { .. }, Some(_)) => Some(expand_reassign(ir, row)),
            (Role::Refs { .. }, Some(_)) => two_way::expand_methods(ir, row),
            (Role::Recent { .. } | Role::Count(_), _) => Some(expand_rebuild(ir, row)),
            _ => None,
        })
        .collect()
}

/// The method of a `parent` with an inverse that assigns another parent: `reassign_owner`.
fn expand_reassign(ir: &Ir<'_>, row: &Row<'_>) -> TokenStream {
    let Some(target) = row.target() else {
        return TokenStream::new();
    };
    let (krate, model, vis) = (ir.krate(), &ir.item.ident, &row.field.vis);
    let (field, method) = (
        row.field.rust(),
        names::relation_method("reassign", &row.field.ident),
    );
    let id = quote!(<#target as __rt::Model>::DocumentId);
    let (to, some) = if types::option_inner(&row.field.ty).is_some() {
        (quote!(::core::option::Option<#id>), None)
    } else {
        (id, Some(quote!(::core::option::Option::Some)))
    };
    let doc = format!(
        "Gives the `{}` with this `_id` another `{field}`: both sides of the reference follow, whatever stops half way.",
        ir.name()
    );
    let make = quote!(#krate::denorm::Reassign::new::<#target>(db, id.into_arg(), #field, #some(#krate::field::IntoArg::<#to>::into_arg(to))));
    let (handle, make) = tenant::reach(ir, &quote!(db), &make);
    quote! {
        impl #model where for<'__any> #target: __rt::Model {
        #[doc = #doc]
        #vis fn #method<'a>(db: &'a #handle, id: impl #krate::field::IntoArg<<#model as __rt::Model>::DocumentId>, to: impl #krate::field::IntoArg<#to>) -> #krate::denorm::Reassign<'a, #model> {
            #make
        }
        }
    }
}

/// The method that rebuilds a list of the last children, or their count, from the stored children.
fn expand_rebuild(ir: &Ir<'_>, row: &Row<'_>) -> TokenStream {
    let Some(child) = row.child() else {
        return TokenStream::new();
    };
    let (krate, model, vis) = (ir.krate(), &ir.item.ident, &row.field.vis);
    let (verb, builder) = match &row.role {
        Role::Count(attr) if !attr.number.is_extreme() => ("recount", quote!(Recount)),
        _ => ("rebuild", quote!(Rebuild)),
    };
    let (field, method) = (
        row.field.rust(),
        names::relation_method(verb, &row.field.ident),
    );
    let doc = format!(
        "Makes `{field}` of the `{}` with this `_id` what the `{}` documents that refer to it say.",
        ir.name(),
        names::path_name(child),
    );
    let make = quote!(#krate::denorm::#builder::new(db, id.into_arg(), #field));
    let (handle, make) = tenant::reach(ir, &quote!(db), &make);
    quote! {
        impl #model {
        #[doc = #doc]
        #vis fn #method<'a>(db: &'a #handle, id: impl #krate::field::IntoArg<<#model as __rt::Model>::DocumentId>) -> #krate::denorm::#builder<'a, #model> {
            #make
        }
        }
    }
}

/// Checks that need the other model's type.
pub(crate) fn expand_checks(ir: &Ir<'_>, row: &Row<'_>, bits: u32) -> TokenStream {
    if !ir.is_model() {
        return TokenStream::new();
    }
    let mut out = TokenStream::new();
    if let (Some(inverse), Some(target)) = (row.inverse(), row.target()) {
        out.extend(other_side(ir, row, inverse, target));
    }
    if let Some(child) = row.child() {
        out.extend(children(ir, row, child));
        match &row.role {
            Role::Recent {
                attr: Some(attr), ..
            } => {
                let fields = || attr.fields.iter().map(std::slice::from_ref);
                out.extend(fields().map(|path| copies::copied(ir, row, child, path, bits)));
                out.extend(fields().map(|path| copies::named(child, path)));
                out.extend(
                    attr.sort
                        .as_ref()
                        .map(|sort| sorted(row, child, &sort.field)),
                );
                out.extend(numbers::compared(row, child, &attr.only));
            }
            Role::Count(attr) => out.extend(numbers::expand_checks(ir, row, attr, bits)),
            _ => {}
        }
    }
    out
}

/// Checks that the other side of a two-way reference names this one.
fn other_side(ir: &Ir<'_>, row: &Row<'_>, inverse: &syn::Ident, target: &syn::Path) -> TokenStream {
    let (owner, model, name) = (&row.field.owner, &ir.item.ident, ir.name());
    let (field, many) = (row.field.rust(), matches!(row.role, Role::Refs { .. }));
    let (target_name, inverse_name) = (names::path_name(target), names::unraw(inverse));
    let side = quote!(__rt::check::Side {
        owner: #owner, model: #name, place: __rt::Probe::<#model>::PLACE, field: #field, many: #many,
        references: __rt::Probe::<#model>::REFERENCES,
        soft_delete: __rt::Probe::<#model>::SOFT_DELETE || __rt::Probe::<#target>::SOFT_DELETE
    });
    let call = call_with_span(
        &inverse.to_token_stream(),
        &quote!(__rt::check::inverse),
        quote!(
            #side, #target_name, __rt::Probe::<#target>::PLACE, #inverse_name,
            __rt::Probe::<#target>::REFERENCES, __rt::Probe::<#target>::COPYABLE
        ),
    );
    quote!(const _: () = #call;)
}

/// Checks that the children refer to this model.
fn children(ir: &Ir<'_>, row: &Row<'_>, child: &syn::Path) -> TokenStream {
    let owner = &row.field.owner;
    let (model, name) = match ir.period() {
        Some((_, Some(parent))) => (parent.to_token_stream(), diag::type_text(parent)),
        _ => (ir.item.ident.to_token_stream(), ir.name()),
    };
    let (lower, child_name) = (name.to_lowercase(), names::path_name(child));
    let (verb, via) = match &row.role {
        Role::Count(attr) => (attr.number.verb(), attr.via.as_ref()),
        Role::Recent { attr, .. } => ("lists", attr.and_then(|attr| attr.via.as_ref())),
        _ => return TokenStream::new(),
    };
    let place = via.map_or_else(|| child.to_token_stream(), ToTokens::to_token_stream);
    let via = via.map(names::unraw).unwrap_or_default();
    // Skip children without our derives: the code that looks up their fields already reports them.
    let known = matches!(row.role, Role::Recent { .. })
        .then(|| quote!(|| !__rt::Probe::<#child>::IS_KNOWN));
    let call = call_with_span(
        &place,
        &quote!(__rt::check::children),
        quote!(
            __rt::check::About {
                owner: #owner, model: #name, lower: #lower, place: __rt::Probe::<#model>::PLACE,
                child: #child_name, verb: #verb
            },
            __rt::Probe::<#child>::IS_MODEL #known, __rt::Probe::<#child>::REFERENCES, #via
        ),
    );
    quote!(const _: () = #call;)
}

/// Checks that the children have the field that sorts the list.
fn sorted(row: &Row<'_>, child: &syn::Path, field: &syn::Ident) -> TokenStream {
    let (owner, child_name, name) = (
        &row.field.owner,
        names::path_name(child),
        names::unraw(field),
    );
    let slot = quote!({ __rt::slot(__rt::Probe::<#child>::COPYABLE, #name) });
    let call = call_with_span(
        &field.to_token_stream(),
        &quote!(__rt::check::sorted::<#child, #slot>),
        quote!(__rt::Probe::<#child>::IS_MODEL, #owner, #child_name, #name, __rt::Probe::<#child>::COPYABLE),
    );
    quote!(const _: () = #call;)
}
