//! `new = NewIssue`: a struct of new documents, without the fields that the library fills in or keeps.

use proc_macro2::TokenStream;
use quote::{quote, quote_spanned};
use syn::Type;
use syn::spanned::Spanned;

use super::entry;
use crate::ir::{Entry, Ir, Role, Row};
use crate::syntax::{Body, Field};
use crate::types;

/// The struct, and how a document is made from it.
pub(crate) fn expand(ir: &Ir<'_>) -> Option<(TokenStream, TokenStream)> {
    let name = ir.item.attrs.new.as_ref();
    let name = name.filter(|name| ir.is_model() && **name != ir.item.ident)?;
    if !matches!(ir.item.body, Body::Struct(_)) {
        return None;
    }
    let (model, vis) = (&ir.item.ident, &ir.item.vis);
    let (mut given, mut values) = (TokenStream::new(), TokenStream::new());
    for row in ir.fields() {
        let (field, ident) = (row.field, &row.field.ident);
        if row.is_stored() && is_left_out(row) {
            let value = blank(&field.ty);
            values.extend(quote!(#ident: #value,));
            continue;
        }
        let entry = row.entry().filter(|_| row.is_stored());
        let (ty, value) = match entry.and_then(|entry| by_ids(ir, field, entry)) {
            Some((ty, value)) => (ty, value),
            None => {
                let ty = &field.ty;
                (quote!(#ty), quote!(new.#ident))
            }
        };
        let doc = format!("The `{}` of the `{}`.", field.rust(), ir.name());
        let vis = &field.vis;
        given.extend(quote! { #[doc = #doc] #vis #ident: #ty, });
        values.extend(quote!(#ident: #value,));
    }
    let doc = format!(
        "A new `{}`, without the fields that the library fills in: `{}::from` makes the document.",
        ir.name(),
        ir.name()
    );
    let definition = quote! {
        #[doc = #doc]
        #[allow(missing_debug_implementations)]
        #vis struct #name { #given }
    };
    let body = if ir.failed {
        quote!(::core::unreachable!())
    } else {
        quote!(#model { #values })
    };
    let conversion = quote! {
        #[allow(unused_variables)]
        #[automatically_derived]
        impl ::core::convert::From<#name> for #model {
            fn from(new: #name) -> Self {
                use __rt::BlankFallback as _;
                #body
            }
        }
    };
    Some((definition, conversion))
}

/// True if the library fills the field in, or keeps it.
fn is_left_out(row: &Row<'_>) -> bool {
    match &row.role {
        Role::Id => is_generated(&row.field.ty),
        Role::Copy { .. } | Role::Recent { .. } | Role::Count(_) | Role::Version => true,
        // Entries are the truth of both sides; an array of ids may follow the other one.
        Role::Refs {
            attr,
            entry,
            member,
        } => attr.inverse.is_some() && entry.is_none() && member.is_none(),
        Role::Own => row.is_stamp(),
        Role::Parent { .. } => false,
    }
}

/// True of `Id<Issue>` and `ObjectId`, whose defaults are new ids.
fn is_generated(ty: &Type) -> bool {
    let Type::Path(path) = ty else {
        return false;
    };
    let Some(last) = path.path.segments.last() else {
        return false;
    };
    match &last.arguments {
        syn::PathArguments::None => last.ident == "ObjectId",
        syn::PathArguments::AngleBracketed(arguments) => {
            last.ident == "Id" && arguments.args.len() == 1
        }
        syn::PathArguments::Parenthesized(_) => false,
    }
}

fn blank(ty: &Type) -> TokenStream {
    quote_spanned!(ty.span()=> __rt::Blank::<#ty>::NEW.value())
}

/// Ids in place of generated entries, whose copies the library fills in.
fn by_ids(ir: &Ir<'_>, field: &Field, entry: &Entry<'_>) -> Option<(TokenStream, TokenStream)> {
    let (rt, name, ident) = (&ir.rt, entry.name, &field.ident);
    let id = entry::id_type(rt, entry);
    let copies = entry.copies.iter().map(|copied| {
        let (ident, ty) = (copied.name, entry::copied_type(&quote!(__rt), copied));
        quote!(#ident: __rt::Blank::<#ty>::NEW.value(),)
    });
    let entry = quote!(|id| #name { id, #(#copies)* });
    let is_entry = |ty: &Type| matches!(ty, Type::Path(path) if path.path.is_ident(name));
    if is_entry(&field.ty) {
        return Some((id, quote!((#entry)(new.#ident))));
    }
    if types::option_inner(&field.ty).is_some_and(is_entry) {
        let ty = quote!(::core::option::Option<#id>);
        return Some((ty, quote!(new.#ident.map(#entry))));
    }
    let Type::Path(path) = &field.ty else {
        return None;
    };
    let last = path.path.segments.last()?;
    let syn::PathArguments::AngleBracketed(arguments) = &last.arguments else {
        return None;
    };
    let [syn::GenericArgument::Type(inner)] = &*arguments.args.iter().cloned().collect::<Vec<_>>()
    else {
        return None;
    };
    (last.ident == "Vec" && is_entry(inner)).then(|| {
        let ty = quote!(#rt::Vec<#id>);
        (ty, quote!(new.#ident.into_iter().map(#entry).collect()))
    })
}
