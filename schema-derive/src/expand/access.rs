//! `access(..)`: its rows, and its methods.

use proc_macro2::{Ident, TokenStream};
use quote::{ToTokens, quote};

use super::checks::at;
use super::{index, relation};
use crate::check::{self, allowed};
use crate::ir::{Ir, Row};
use crate::names;
use crate::rules;
use crate::syntax::{AccessAttr, KeyKind};

/// The rows of the model's table.
pub(crate) fn rows(ir: &Ir<'_>) -> Vec<TokenStream> {
    let accesses = ir.item.attrs.accesses.iter();
    accesses.map(|access| row(ir, access)).collect()
}

fn row(ir: &Ir<'_>, access: &AccessAttr) -> TokenStream {
    let name = names::unraw(&access.name);
    let keys = access.keys.iter().map(names::unraw);
    let only = access.only.iter().map(|one| {
        let path = one
            .path
            .iter()
            .map(names::unraw)
            .collect::<Vec<_>>()
            .join(".");
        let op = index::condition(one, &quote!(__rt));
        quote!(__rt::ConditionRow { path: #path, op: #op })
    });
    let range = match access.range.as_ref().map(names::unraw) {
        Some(range) => quote!(::core::option::Option::Some(#range)),
        None => quote!(::core::option::Option::None),
    };
    let sort = access.sort.iter().map(|key| {
        let (path, kind) = (names::unraw(&key.field), direction(key.descending));
        quote!(__rt::KeyRow { path: #path, kind: __rt::KeyKind::#kind })
    });
    let limit = access.limit.as_ref().map_or(0, |limit| limit.value);
    let serving = check::served_by(ir.item, access);
    let covered = serving
        .as_ref()
        .is_some_and(|serving| serving.covers(ir.item));
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
pub(crate) fn methods(ir: &Ir<'_>) -> TokenStream {
    if !ir.is_model() || !ir.item.generics.params.is_empty() {
        return TokenStream::new();
    }
    let accesses = ir.item.attrs.accesses.iter().enumerate();
    accesses
        .filter_map(|(n, access)| method(ir, n, access))
        .collect()
}

fn method(ir: &Ir<'_>, n: usize, access: &AccessAttr) -> Option<TokenStream> {
    let (model, vis, krate, name) = (&ir.item.ident, &ir.item.vis, ir.krate(), &access.name);
    // A field may have that name.
    let taken = access
        .keys
        .iter()
        .chain(&access.range)
        .any(|key| names::unraw(key) == "db");
    let db = if taken { quote!(__db) } else { quote!(db) };
    let mut args = TokenStream::new();
    let mut asks = TokenStream::new();
    let mut targets = Vec::new();
    for key in &access.keys {
        let row = find(ir, key)?;
        targets.extend(row.entry().and_then(|_| row.target()));
        let (ty, handle) = (compared(row), handle(row));
        args.extend(quote!(, #key: impl #krate::field::IntoArg<#ty>));
        asks.extend(quote!(.equal(#handle, &#krate::field::IntoArg::<#ty>::into_arg(#key))));
    }
    if let Some(key) = &access.range {
        let row = find(ir, key)?;
        targets.extend(row.entry().and_then(|_| row.target()));
        let (ty, handle) = (compared(row), handle(row));
        args.extend(quote!(, #key: impl ::core::ops::RangeBounds<#ty>));
        asks.extend(quote!(.within(#handle, &#key)));
    }
    for key in &access.sort {
        let (handle, descending) = (handle(find(ir, &key.field)?), key.descending);
        asks.extend(quote!(.sorted(#handle, #descending)));
    }
    let body = if ir.failed {
        quote!(::core::unreachable!())
    } else {
        quote! {
            let __fields = <<#model as __rt::MongoModel>::Fields as __rt::Handles>::VALUE;
            __rt::Asked::<#model>::new(#n)#asks.find(#db)
        }
    };
    let doc = doc(ir, access);
    let unused = ir.failed.then(|| quote!(#[allow(unused_variables)]));
    Some(quote! {
        #unused
        impl #model where #(for<'__any> #targets: __rt::MongoModel),* {
        #[doc = #doc]
        #vis fn #name<'a>(#db: &'a #krate::Database #args) -> #krate::crud::Find<'a, #model> { #body }
        }
    })
}

fn doc(ir: &Ir<'_>, access: &AccessAttr) -> String {
    let list = |names: Vec<String>| {
        names
            .iter()
            .map(|name| format!("`{name}`"))
            .collect::<Vec<_>>()
            .join(", ")
    };
    let mut doc = format!("The `{}` documents", ir.name());
    let mut by: Vec<String> = access.keys.iter().map(names::unraw).collect();
    by.extend(access.range.as_ref().map(names::unraw));
    if !by.is_empty() {
        doc.push_str(&format!(" with this {}", list(by)));
    }
    if !access.sort.is_empty() {
        let sort = access.sort.iter().map(|key| {
            let minus = if key.descending { "-" } else { "" };
            format!("{minus}{}", names::unraw(&key.field))
        });
        doc.push_str(&format!(", sorted by {}", list(sort.collect())));
    }
    if let Some(limit) = access.limit.as_ref().filter(|limit| limit.value > 0) {
        doc.push_str(&format!(", at most {}", limit.value));
    }
    doc.push_str(": one `find`, served by an index. Options of [`find`] can be added or changed before `.await`.");
    doc.replace("[`find`]", "`find`")
}

fn find<'a, 'i>(ir: &'i Ir<'a>, name: &Ident) -> Option<&'i Row<'a>> {
    let field = check::named_field(ir.item, name)?;
    ir.rows.iter().find(|row| row.field.place == field.place)
}

/// What is compared: the id in a reference, an element of an array, the value in an `Option`.
fn compared(row: &Row<'_>) -> TokenStream {
    let ty = &row.field.ty;
    match (row.entry(), row.target()) {
        (Some(_), Some(target)) => match row.key() {
            Some(key) => relation::key_type(&quote!(__rt), target, key),
            None => quote!(<#target as __rt::MongoModel>::Id),
        },
        _ if row.opaque() => ty.to_token_stream(),
        _ => quote!(<#ty as __rt::Value>::Elem),
    }
}

fn handle(row: &Row<'_>) -> TokenStream {
    let field = &row.field.ident;
    match (row.entry(), row.target()) {
        (Some(_), Some(_)) => quote!(__fields.#field.id),
        _ => quote!(__fields.#field),
    }
}

/// That documents have an order by what they are sorted by.
pub(crate) fn checks(ir: &Ir<'_>) -> TokenStream {
    let (model, owner) = (&ir.item.ident, ir.name());
    let mut out = TokenStream::new();
    for access in &ir.item.attrs.accesses {
        let pattern = names::unraw(&access.name);
        if allowed(ir.item, None, &rules::IDX_SORT_DIR) {
            continue;
        }
        for key in &access.sort {
            let Some(n) = find(ir, &key.field).and_then(|found| {
                ir.rows
                    .iter()
                    .position(|row| row.field.place == found.field.place)
            }) else {
                continue;
            };
            let field = names::unraw(&key.field);
            let call = at(
                &key.field.to_token_stream(),
                &quote!(__rt::check::access_sort),
                quote!(&<#model as __rt::Value>::FIELDS[#n], #owner, #pattern, #field),
            );
            out.extend(quote!(const _: () = #call;));
        }
    }
    out
}
