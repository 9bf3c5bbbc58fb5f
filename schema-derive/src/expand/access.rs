//! `access(..)`: its rows, and its methods.

use proc_macro2::{Ident, TokenStream};
use quote::{ToTokens, quote};

use super::span::call_with_span;
use super::{index, relation, tenant};
use crate::check::{self, allowed};
use crate::ir::Ir;
use crate::names::{self, dotted};
use crate::rules;
use crate::syntax::{AccessAttr, KeyKind};

/// The rows of the model's table.
pub(crate) fn expand_rows(ir: &Ir<'_>) -> Vec<TokenStream> {
    let accesses = ir.item.attrs.accesses.iter();
    accesses.map(|access| expand_row(ir, access)).collect()
}

fn expand_row(ir: &Ir<'_>, access: &AccessAttr) -> TokenStream {
    let name = names::unraw(&access.name);
    let keys = access.keys.iter().map(|path| dotted(path));
    let only = access.only.iter().map(|one| {
        let path = dotted(&one.path);
        let op = index::expand_condition(one, &quote!(__rt));
        quote!(__rt::ConditionRow { path: #path, op: #op })
    });
    let range = match access.range.as_ref().map(|path| dotted(path)) {
        Some(range) => quote!(::core::option::Option::Some(#range)),
        None => quote!(::core::option::Option::None),
    };
    let sort = access.sort.iter().map(|(path, descending)| {
        let (path, kind) = (dotted(path), direction(*descending));
        quote!(__rt::KeyRow { path: #path, kind: __rt::KeyKind::#kind })
    });
    let limit = access.limit.as_ref().map_or(0, |limit| limit.value);
    let serving = check::served_by(ir, access);
    let covered = serving.as_ref().is_some_and(|serving| serving.covers(ir));
    let served = serving
        .into_iter()
        .flat_map(|serving| serving.keys)
        .map(|(path, kind)| {
            let kind = match kind {
                KeyKind::Hashed => quote!(Hashed),
                kind => direction(kind == KeyKind::Desc),
            };
            quote!(__rt::KeyRow { path: #path, kind: __rt::KeyKind::#kind })
        });
    quote! {
        __rt::AccessRow {
            name: #name, keys: &[#(#keys),*], only: &[#(#only),*], range: #range, sort: &[#(#sort),*], limit: #limit,
            index: &[#(#served),*], covered: #covered
        }
    }
}

fn direction(descending: bool) -> TokenStream {
    if descending {
        quote!(Desc)
    } else {
        quote!(Asc)
    }
}

/// `LogMsg::recent(&db, host)`, ..
pub(crate) fn expand_methods(ir: &Ir<'_>) -> TokenStream {
    if !ir.is_model() || !ir.item.generics.params.is_empty() {
        return TokenStream::new();
    }
    let accesses = ir.item.attrs.accesses.iter().enumerate();
    accesses
        .filter_map(|(n, access)| expand_method(ir, n, access))
        .collect()
}

fn expand_method(ir: &Ir<'_>, n: usize, access: &AccessAttr) -> Option<TokenStream> {
    let (model, vis, krate, name) = (&ir.item.ident, &ir.item.vis, ir.krate(), &access.name);
    let compared = || access.keys.iter().chain(&access.range);
    // A field may have the name `db`.
    let taken = compared().any(|path| dotted(path) == "db");
    let db = if taken { quote!(__db) } else { quote!(db) };
    let mut args = TokenStream::new();
    let mut asks = TokenStream::new();
    let mut targets = Vec::new();
    for path in compared() {
        let row = ir.addressable(path.first()?)?;
        targets.extend(row.entry().and_then(|_| row.target()));
    }
    for path in &access.keys {
        let (ty, handle, arg) = (compared_type(ir, path)?, handle(ir, path)?, argument(path)?);
        args.extend(quote!(, #arg: impl #krate::field::IntoArg<#ty>));
        asks.extend(quote!(.equal(#handle, &#krate::field::IntoArg::<#ty>::into_arg(#arg))));
    }
    if let Some(path) = &access.range {
        let (ty, handle, arg) = (compared_type(ir, path)?, handle(ir, path)?, argument(path)?);
        args.extend(quote!(, #arg: impl ::core::ops::RangeBounds<#ty>));
        asks.extend(quote!(.within(#handle, &#arg)));
    }
    for (path, descending) in &access.sort {
        let handle = handle(ir, path)?;
        asks.extend(quote!(.sorted(#handle, #descending)));
    }
    let query = quote!(__rt::AccessQuery::<#model>::new(#n)#asks);
    let (reached, find) = tenant::reach(ir, &db, &quote!(#query.find(#db)));
    let body = if ir.failed {
        quote!(::core::unreachable!())
    } else {
        quote! {
            let __fields = <<#model as __rt::Model>::FieldHandles as __rt::Handles>::VALUE;
            #find
        }
    };
    let doc = document_method(ir, access);
    let unused = ir.failed.then(|| quote!(#[allow(unused_variables)]));
    Some(quote! {
        #unused
        impl #model where #(for<'__any> #targets: __rt::Model),* {
        #[doc = #doc]
        #vis fn #name<'a>(#db: &'a #reached #args) -> #krate::crud::Find<'a, #model> { #body }
        }
    })
}

fn document_method(ir: &Ir<'_>, access: &AccessAttr) -> String {
    let list = |names: Vec<String>| {
        names
            .iter()
            .map(|name| format!("`{name}`"))
            .collect::<Vec<_>>()
            .join(", ")
    };
    let mut doc = format!("The `{}` documents", ir.name());
    let by = access.keys.iter().chain(&access.range);
    let by: Vec<String> = by.map(|path| dotted(path)).collect();
    if !by.is_empty() {
        doc.push_str(&format!(" with this {}", list(by)));
    }
    if !access.sort.is_empty() {
        let sort = access.sort.iter().map(|(path, descending)| {
            let minus = if *descending { "-" } else { "" };
            format!("{minus}{}", dotted(path))
        });
        doc.push_str(&format!(", sorted by {}", list(sort.collect())));
    }
    if let Some(limit) = access.limit.as_ref().filter(|limit| limit.value > 0) {
        doc.push_str(&format!(", at most {}", limit.value));
    }
    doc.push_str(": one `find`, served by an index. Options of [`find`] can be added or changed before `.await`.");
    doc.replace("[`find`]", "`find`")
}

/// The argument: `address_city`.
fn argument(path: &[Ident]) -> Option<Ident> {
    match path {
        [one] => Some(one.clone()),
        [.., last] => {
            let names: Vec<String> = path.iter().map(names::unraw).collect();
            Some(Ident::new(&names.join("_"), last.span()))
        }
        [] => None,
    }
}

/// The type that the pattern compares: the id in a reference, an element of an array, the value in an `Option`.
fn compared_type(ir: &Ir<'_>, path: &[Ident]) -> Option<TokenStream> {
    let (first, inside) = path.split_first()?;
    let row = ir.addressable(first)?;
    let ty = &row.field.ty;
    let Some(entry) = row.entry() else {
        if inside.is_empty() && row.opaque() {
            return Some(ty.to_token_stream());
        }
        let own = quote!(<#ty as __rt::Value>::Elem);
        let step = |of: TokenStream, name: &Ident| {
            let name = names::unraw(name);
            let slot = quote!({ __rt::slot(<#of as __rt::Names>::NAMES, #name) });
            quote!(<<#of as __rt::HasSeg<#slot>>::Value as __rt::Value>::Elem)
        };
        return Some(inside.iter().fold(own, step));
    };
    let copied = inside.first().and_then(|name| {
        let mut copies = entry.copies.iter();
        copies.find(|copied| names::unraw(copied.name) == names::unraw(name))
    });
    if let Some(copied) = copied {
        let (owner, slot) = relation::source_field(&quote!(__rt), copied.from, copied.source);
        return Some(quote!(<<#owner as __rt::HasField<#slot>>::Type as __rt::Value>::Elem));
    }
    let target = entry.target?;
    Some(match entry.key {
        Some(key) => relation::key_type(&quote!(__rt), target, key),
        None => quote!(<#target as __rt::Model>::DocumentId),
    })
}

fn handle(ir: &Ir<'_>, path: &[Ident]) -> Option<TokenStream> {
    let row = ir.addressable(path.first()?)?;
    let id = (path.len() == 1 && row.entry().is_some()).then(|| quote!(.id));
    Some(quote!(__fields #(.#path)* #id))
}

/// Checks that documents have an order by the fields of `sort`.
pub(crate) fn expand_checks(ir: &Ir<'_>) -> TokenStream {
    let model = &ir.item.ident;
    let mut out = TokenStream::new();
    if allowed(ir, None, &rules::IDX_SORT_DIR) {
        return out;
    }
    for access in &ir.item.attrs.accesses {
        let pattern = names::unraw(&access.name);
        for (path, _) in &access.sort {
            let name = dotted(path);
            let place: TokenStream = path
                .last()
                .map(ToTokens::to_token_stream)
                .into_iter()
                .collect();
            let function = quote!(__rt::check::access_sort::<#model>);
            let call = call_with_span(&place, &function, quote!(#pattern, #name));
            out.extend(quote!(const _: () = #call;));
        }
    }
    out
}
