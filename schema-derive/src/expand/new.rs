//! `new = NewIssue`: a struct of new documents, without the fields that the library fills in or keeps.

use proc_macro2::{Ident, TokenStream};
use quote::{format_ident, quote, quote_spanned};
use syn::Type;
use syn::spanned::Spanned;

use super::subset::{by_ids, definition, describe, deserialize, read_field};
use crate::ir::{Fixed, Ir, Row};
use crate::syntax::{Instead, SubsetAttr};

/// The struct, and the impls that make a document from it.
pub(crate) fn expand(ir: &Ir<'_>, attr: &SubsetAttr) -> (TokenStream, TokenStream) {
    let rows: Vec<&Row<'_>> = ir.subset(attr).collect();
    let mut values = TokenStream::new();
    let mut fields = Vec::new();
    let mut of_item = false;
    for row in ir.fields() {
        let (ident, ty) = (&row.field.ident, &row.field.ty);
        if row.fixed() == Some(Fixed::Tenant) {
            values.extend(quote!(#ident: tenant,));
            continue;
        }
        if !rows.iter().any(|given| given.is(row)) {
            // The library fills it in, or the attribute leaves it out: then it has the value that serde gives it.
            let given = ir.no_part(row, attr.kind).is_none();
            let value = given.then(|| left_out(ir, row)).flatten();
            of_item |= given && is_of_item(row);
            let value = value.unwrap_or_else(|| blank(ty));
            values.extend(quote!(#ident: #value,));
            continue;
        }
        let member = attr.member(row);
        let (ty, value) = match by_ids(ir, row) {
            Some(ids) => {
                let make = ids.make;
                (ids.ty, quote!((#make)(new.#member)))
            }
            None => (quote!(#ty), quote!(new.#member)),
        };
        fields.push((row, ty));
        values.extend(quote!(#ident: #value,));
    }
    let tenant = ir.tenant().map(|row| &row.field.ty);
    let of = tenant.map_or("", |_| " of it and the tenant");
    let doc = format!(
        "A new `{}`, without the fields that the library fills in: `{}::from` makes the document{of}.",
        ir.name(),
        ir.name()
    );
    let definition = definition(ir, attr, &doc, &fields);
    let (model, name) = (&ir.item.ident, &attr.name);
    let setup = of_item.then(|| default_item(ir));
    let body = if ir.failed {
        quote!(::core::unreachable!())
    } else {
        quote!(#setup #model { #values })
    };
    // The struct alone, which a client may have sent, does not say whose document it is.
    let (given, pattern) = match tenant {
        Some(tenant) => (quote!((#name, #tenant)), quote!((new, tenant))),
        None => (quote!(#name), quote!(new)),
    };
    let read = attr.deserialize.then(|| read(ir, attr, &fields));
    let defaults = default_functions(ir, attr);
    let conversion = quote! {
        #defaults
        #[allow(unused_variables)]
        #[automatically_derived]
        impl ::core::convert::From<#given> for #model {
            fn from(#pattern: #given) -> Self {
                use __rt::BlankFallback as _;
                #body
            }
        }
        #read
    };
    (definition, conversion)
}

fn blank(ty: &Type) -> TokenStream {
    quote_spanned!(ty.span()=> __rt::Blank::<#ty>::NEW.value())
}

/// The functions of `#[default(..)]`. They stand beside the impls, because an expression must see none of the locals of one.
fn default_functions(ir: &Ir<'_>, attr: &SubsetAttr) -> TokenStream {
    let rows = ir
        .fields()
        .filter(|row| !ir.failed && ir.no_part(row, attr.kind).is_none());
    rows.filter_map(|row| {
        let value = &row.default()?.value;
        // A tuple of what should be one expression is reported there.
        let value = quote_spanned!(value.span()=> (#value));
        let (function, field) = (default_function(row), &row.field.ty);
        let ty = by_ids(ir, row).map_or_else(|| quote!(#field), |ids| ids.ty);
        Some(quote! {
            #[allow(non_snake_case, unused_parens)]
            fn #function() -> #ty {
                #value
            }
        })
    })
    .collect()
}

fn default_function(row: &Row<'_>) -> Ident {
    format_ident!("__default_{}", row.rust())
}

/// The value of `#[default(..)]`, of the type that the struct has.
fn own_default(row: &Row<'_>) -> Option<TokenStream> {
    row.default()?;
    let function = default_function(row);
    Some(quote!(#function()))
}

/// The value of a field that the struct does not have; `None` where it is that of the type.
fn left_out(ir: &Ir<'_>, row: &Row<'_>) -> Option<TokenStream> {
    let own = own_default(row).map(|value| match by_ids(ir, row) {
        Some(ids) => {
            let make = ids.make;
            quote!((#make)(#value))
        }
        None => value,
    });
    own.or_else(|| declared_default(row))
}

/// The value that serde's attributes declare for an absent field; `None` where it is that of the type.
fn declared_default(row: &Row<'_>) -> Option<TokenStream> {
    let ident = &row.field.ident;
    match &row.field.serde.instead {
        Instead::OfItem => Some(quote!(default.#ident)),
        Instead::Function(function) => Some(quote!(#function())),
        Instead::Nothing | Instead::Default => None,
    }
}

fn is_of_item(row: &Row<'_>) -> bool {
    row.default().is_none() && matches!(row.field.serde.instead, Instead::OfItem)
}

/// True if the JSON of a new document has to have the field, unless its type is optional.
fn is_needed(row: &Row<'_>) -> bool {
    row.default().is_none() && matches!(row.field.serde.instead, Instead::Nothing)
}

/// The document whose fields are the defaults.
fn default_item(ir: &Ir<'_>) -> TokenStream {
    let model = &ir.item.ident;
    let default = ir.item.serde.default_fn.as_ref().map_or_else(
        || quote!(<#model as ::core::default::Default>::default),
        |function| quote!(#function),
    );
    quote!(let default: #model = #default();)
}

/// The code that reads the struct from JSON: a field that the request lacks has its `#[default(..)]`, else the value that serde gives it.
fn read(ir: &Ir<'_>, attr: &SubsetAttr, fields: &[(&Row<'_>, TokenStream)]) -> TokenStream {
    let of_item = fields.iter().any(|(row, _)| is_of_item(row));
    let setup = of_item.then(|| default_item(ir));
    let values = fields.iter().map(|(row, ty)| {
        let member = attr.member(row);
        let plain = by_ids(ir, row).is_none();
        if is_needed(row) && row.is_stored() {
            let value = read_field(ir, attr, row, ty, "need");
            return quote!(#member: #value,);
        }
        let instead = own_default(row)
            .or_else(|| declared_default(row).filter(|_| plain))
            .unwrap_or_else(|| quote!(::core::default::Default::default()));
        if !row.is_stored() {
            return quote!(#member: #instead,);
        }
        let value = read_field(ir, attr, row, ty, "take");
        quote!(#member: match #value { ::core::option::Option::Some(value) => value, ::core::option::Option::None => #instead },)
    });
    let values = quote!(#(#values)*);
    let stored = || {
        fields
            .iter()
            .map(|(row, _)| *row)
            .filter(|row| row.is_stored())
    };
    let read = deserialize(ir, attr, stored(), setup, &values);
    let schema = describe(ir, attr, stored(), |row| {
        if is_needed(row) { "need" } else { "take" }
    });
    quote!(#read #schema)
}
