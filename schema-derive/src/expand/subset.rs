//! The structs of `new`, `view` and `patch`: what they have in common.

use proc_macro2::{Ident, Span, TokenStream};
use quote::quote;
use syn::Type;

use super::{entry, tokens};
use crate::ir::{Entry, Ir, Row};
use crate::names::unraw;
use crate::syntax::{Extra, SubsetAttr, SubsetKind};
use crate::types;

/// The struct with these fields of these types.
pub(super) fn definition(
    ir: &Ir<'_>,
    attr: &SubsetAttr,
    doc: &str,
    fields: &[(&Row<'_>, TokenStream)],
) -> TokenStream {
    let (vis, name) = (&ir.item.vis, &attr.name);
    let given = fields.iter().map(|(row, ty)| {
        let (ident, vis) = (attr.member(row), &row.field.vis);
        let doc = format!("The `{}` of the `{}`.", row.rust(), ir.name());
        quote! { #[doc = #doc] #vis #ident: #ty, }
    });
    // The second field of a name is reported, and would be another error.
    let is_free = |extra: &&Extra| {
        fields
            .iter()
            .all(|(row, _)| attr.member(row) != &extra.name)
    };
    let extras = attr.with.iter().filter(is_free).map(|extra| {
        let (vis, ident, ty) = (&ir.item.vis, &extra.name, &extra.ty);
        let doc = format!(
            "The `{}` beside the fields of the `{}`.",
            unraw(ident),
            ir.name()
        );
        quote! { #[doc = #doc] #vis #ident: #ty, }
    });
    let derives = &attr.derives;
    let derives = (!derives.is_empty()).then(|| quote!(#[derive(#(#derives),*)]));
    quote! {
        #[doc = #doc]
        #[allow(missing_debug_implementations)]
        #derives
        #vis struct #name { #(#given)* #(#extras)* }
    }
}

/// The `Deserialize` of a struct that is read from JSON; `values` are expressions of `given`.
pub(super) fn deserialize<'r>(
    ir: &Ir<'_>,
    attr: &SubsetAttr,
    rows: impl Iterator<Item = &'r Row<'r>>,
    setup: Option<TokenStream>,
    values: &TokenStream,
) -> TokenStream {
    let (name, text, model) = (&attr.name, unraw(&attr.name), &ir.item.ident);
    let names = rows.map(|row| attr.json_name(row));
    let shape = if ir.is_model() {
        quote!(<#model as __rt::Model>::model_meta().shape)
    } else {
        let text = ir.name();
        quote!(const { &__rt::Shape { name: #text, fields: <#model as __rt::Value>::FIELDS } })
    };
    let body = if ir.failed {
        quote!(::core::unreachable!())
    } else {
        quote! {
            let mut given = __rt::Given::read(deserializer, #text, &[#(#names),*], #shape)?;
            #setup
            ::core::result::Result::Ok(#name { #values })
        }
    };
    quote! {
        #[allow(unused_variables)]
        #[automatically_derived]
        impl<'de> __rt::serde::Deserialize<'de> for #name {
            fn deserialize<__D: __rt::serde::Deserializer<'de>>(deserializer: __D) -> ::core::result::Result<Self, __D::Error> {
                #body
            }
        }
    }
}

/// The value that the JSON gives to the field: by `take` an optional one, by `need` one that has to be there.
pub(super) fn read_field(
    ir: &Ir<'_>,
    attr: &SubsetAttr,
    row: &Row<'_>,
    ty: &TokenStream,
    method: &str,
) -> TokenStream {
    let (stored, json) = (row.stored(), attr.json_name(row));
    let method = Ident::new(method, Span::call_site());
    let (codec, row) = if by_ids(ir, row).is_some() {
        let row = quote!(__rt::row::<#ty>(#stored, #stored));
        (quote!(__Plain), row)
    } else {
        let (module, codec) = tokens::codec(row);
        (quote!(#module #codec), quote!(given.row(#stored)))
    };
    quote!(given.#method::<#codec, _, __D::Error>(#json, #row)?)
}

/// A field of generated entries, as a struct has it that a program or a client fills: by ids, since the library fills in the copies.
pub(super) struct ByIds {
    pub(super) ty: TokenStream,
    /// Makes the field's value of the ids.
    pub(super) make: TokenStream,
}

/// The impl that describes the JSON of a struct; `presence` names the method that adds a field.
pub(super) fn describe<'r>(
    ir: &Ir<'_>,
    attr: &SubsetAttr,
    rows: impl Iterator<Item = &'r Row<'r>>,
    presence: impl Fn(&Row<'_>) -> &'static str,
) -> TokenStream {
    let (item, name, text) = (&ir.item.ident, &attr.name, unraw(&attr.name));
    let is_request = attr.kind != SubsetKind::View;
    // A flattened field has no name, and an answer may have more fields than its schema.
    let fields = rows.filter(|row| !row.is_flattened()).map(|row| {
        let (json, stored) = (attr.json_name(row), row.stored());
        if let Some(patch) = attr.nested(row) {
            let is_optional = types::option_inner(&row.field.ty).is_some();
            return quote!(fields.part::<#patch>(#json, #is_optional););
        }
        let method = Ident::new(presence(row), Span::call_site());
        match by_ids(ir, row).filter(|_| is_request) {
            Some(ids) => {
                let ty = ids.ty;
                quote!(fields.#method(#json, __rt::row::<#ty>(#stored, #stored));)
            }
            None => quote!(fields.#method(#json, fields.row(#stored));),
        }
    });
    let extras = attr.with.iter().map(|extra| {
        let (json, ty) = (unraw(&extra.name), &extra.ty);
        quote!(fields.value(#json, (&__rt::ApiValue::<#ty>::NEW).schema());)
    });
    let start = if ir.is_model() {
        quote!(of_model(<#item as __rt::Model>::model_meta(), #is_request))
    } else {
        quote!(of_embedded(<#item as __rt::Value>::FIELDS))
    };
    let body = if ir.failed {
        quote!(::core::unreachable!())
    } else {
        quote! {
            let mut fields = __rt::ApiFields::#start;
            #(#fields)*
            #(#extras)*
            fields
        }
    };
    tokens::with_driver(|| {
        quote! {
            #[allow(unused_imports, unused_mut)]
            #[automatically_derived]
            impl __rt::ApiStruct for #name {
                const NAME: &'static str = #text;
                fn describe() -> __rt::ApiFields {
                    use __rt::{ApiByValue as _, ApiOpaque as _};
                    #body
                }
            }
            __rt::impl_json_schema!(#name);
        }
    })
}

/// The value that the JSON of a patch gives.
pub(super) fn read_change(
    ir: &Ir<'_>,
    attr: &SubsetAttr,
    row: &Row<'_>,
    ty: &TokenStream,
) -> TokenStream {
    if attr.nested(row).is_none() {
        return read_field(ir, attr, row, ty, "take");
    }
    let json = attr.json_name(row);
    quote!(given.part::<_, __D::Error>(#json)?)
}

/// Ids in place of generated entries.
pub(super) fn by_ids(ir: &Ir<'_>, row: &Row<'_>) -> Option<ByIds> {
    let entry = row.entry().filter(|_| row.is_stored())?;
    let (rt, name, ty) = (&ir.rt, entry.name, &row.field.ty);
    let id = entry::id_type(rt, entry);
    let one = from_id(entry);
    let is_entry = |ty: &Type| matches!(ty, Type::Path(path) if path.path.is_ident(name));
    if is_entry(ty) {
        return Some(ByIds { ty: id, make: one });
    }
    if types::option_inner(ty).is_some_and(is_entry) {
        let ty = quote!(::core::option::Option<#id>);
        let make = quote!(|ids: #ty| ids.map(#one));
        return Some(ByIds { ty, make });
    }
    let Type::Path(path) = ty else {
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
        let make = quote!(|ids: #ty| ids.into_iter().map(#one).collect());
        ByIds { ty, make }
    })
}

/// Makes an entry of an id.
fn from_id(entry: &Entry<'_>) -> TokenStream {
    let name = entry.name;
    let copies = entry.copies.iter().map(|copied| {
        let (ident, ty) = (copied.name, entry::copied_type(&quote!(__rt), copied));
        quote!(#ident: __rt::Blank::<#ty>::NEW.value(),)
    });
    quote!(|id| #name { id, #(#copies)* })
}
