//! The facts about this item that other models' code looks up: its id, its fields' names and types.

use proc_macro2::TokenStream;
use quote::{ToTokens, format_ident, quote};

use super::{handles, relation, tokens};
use crate::check;
use crate::ir::{self, Ir, Role, Row};
use crate::names;
use crate::syntax::{Body, DenormAttr};

pub(crate) fn item(ir: &Ir<'_>) -> TokenStream {
    let ident = &ir.item.ident;
    let generics = tokens::value_bounds(&ir.item.generics);
    let (impl_generics, _, where_clause) = generics.split_for_impl();
    let (_, type_generics, _) = ir.item.generics.split_for_impl();
    let head = |path: TokenStream| quote!(impl #impl_generics #path for #ident #type_generics #where_clause);
    let rows = ir.handles();
    let led = check::leading(ir.item);
    let copyable = |row: &Row<'_>| copyable(ir, row);
    let names = rows.iter().map(|row| row.field.rust());
    let fields = if ir.is_model() {
        names::handles(ident).to_token_stream()
    } else if matches!(ir.item.body, Body::Newtype(_)) {
        quote!(__rt::NoFields)
    } else {
        handles::type_at(ir, &quote!(__rt::Nowhere))
    };
    let names_head = head(quote!(__rt::Names));
    let lookup = head(quote!(__rt::Lookup));
    let projectable = head(quote!(__rt::Projectable));
    let fields_of: TokenStream = if ir.is_model() {
        rows.iter()
            .enumerate()
            .filter(|(_, row)| copyable(row))
            .map(|(n, row)| field(ir, n, row))
            .collect()
    } else {
        rows.iter()
            .enumerate()
            .map(|(n, row)| {
                let (head, marker, ty) = (
                    head(quote!(__rt::HasSeg<#n>)),
                    &row.marker,
                    visible(ir, row),
                );
                let (index, write) = handles::kinds(ir, row, &led);
                let ident = &row.field.ident;
                let own = matches!(ir.item.body, Body::Struct(_)) && ir.item.generics.params.is_empty();
                let id = (own && row.field.serde.name == "_id" && ir::copyable(ir.item, row.field)).then(|| {
                    quote!(fn __id(&self) -> ::core::option::Option<&dyn ::core::any::Any> { ::core::option::Option::Some(&self.#ident) })
                });
                quote! { #head { type Seg = __field::#marker; type Value = #ty; type Handle<__P: __rt::Path> = __rt::Field<__rt::At<__P, __field::#marker>, #ty, #index, #write>; #id } }
            })
            .chain(std::iter::once({
                let head = head(quote!(__rt::HasSeg<{ __rt::MISSING }>));
                quote! { #head { type Seg = __rt::Missing; type Value = __rt::Missing; type Handle<__P: __rt::Path> = __rt::NoField; } }
            }))
            .collect()
    };
    let nested = nested(ir, &rows);
    let denies = (ir.item.serde.deny_unknown_fields.is_some() && !ir.failed).then(|| {
        quote!(
            const DENIES_UNKNOWN: bool = true;
        )
    });
    let soft_delete = ir.item.attrs.soft_delete.as_ref().map(|_| {
        quote!(
            const SOFT_DELETE: bool = true;
        )
    });
    let (mut model, mut own_id) = (TokenStream::new(), TokenStream::new());
    // The enum of a variant's struct looks up the struct's references.
    let refers = !ir.is_model() && ir.rows.iter().any(|row| row.target().is_some());
    if refers && ir.item.generics.params.is_empty() && matches!(ir.item.body, Body::Struct(_)) {
        model = references(ir);
    }
    if ir.is_model() {
        let copied = copyable_names(ir, &rows);
        let unique = if ir.failed {
            // An index that could not be understood may be the one that a reference needs.
            ir.rows.iter().map(|row| row.field.rust()).collect()
        } else {
            check::unique(ir.item)
        };
        let references = references(ir);
        let name = ir.name();
        let form = ir.id.map(|n| ir.rows[n].form()).unwrap_or_default();
        let form = (!form.is_empty()).then(|| quote!(const ID_FORM: &'static str = #form;));
        let expires = check::expires(ir.item).then(|| {
            quote!(
                const EXPIRES: bool = true;
            )
        });
        model = quote! {
            const IS_MODEL: bool = true;
            const COPYABLE: &'static [__Str] = #copied;
            const ID: usize = __rt::ID;
            const UNIQUE: &'static [&'static str] = &[#(#unique),*];
            const PLACE: &'static str = ::core::concat!(::core::module_path!(), "::", #name);
            #references
            #form
            #expires
            fn tables() -> &'static __rt::ModelMeta { __meta() }
        };
        let id = ir.id_type();
        let row = ir.id.map(|n| &ir.rows[n]);
        let (module, codec) = row.map_or((None, format_ident!("__Plain")), tokens::codec);
        let with = row
            .filter(|row| row.field.serde.with.is_some())
            .map(|_| with_flag());
        own_id = quote! { impl __rt::HasField<{ __rt::ID }> for #ident { type Type = #id; type Codec = #module #codec; #with } };
        own_id.extend(quote! { impl __rt::RefTo<#ident> for #id {} });
    }
    quote! {
        #names_head { const NAMES: &'static [__Str] = &[#(#names),*]; }
        #lookup { type Fields = #fields; #denies #soft_delete #model }
        #projectable { type Handles = <Self as __rt::Lookup>::Fields; }
        #fields_of
        #nested
        #own_id
    }
}

/// True if other models can copy the field.
fn copyable(ir: &Ir<'_>, row: &Row<'_>) -> bool {
    ir::copyable(ir.item, row.field) && row.field.serde.flatten.is_none()
}

/// The names of the fields, marked where other models cannot copy them.
fn copyable_names(ir: &Ir<'_>, rows: &[&Row<'_>]) -> TokenStream {
    if rows.iter().all(|row| copyable(ir, row)) {
        return quote!(<Self as __rt::Names>::NAMES);
    }
    let names = rows.iter().map(|row| {
        let hidden = if copyable(ir, row) { "" } else { "!" };
        format!("{hidden}{}", row.field.rust())
    });
    quote!(&[#(#names),*])
}

/// The fields of an embedded struct, as other models may copy them one by one. A field of an enum is stored in some of its variants
/// only, and the parameters of a generic type are no stored types before they are known.
fn nested(ir: &Ir<'_>, rows: &[&Row<'_>]) -> TokenStream {
    let own = matches!(ir.item.body, Body::Struct(_)) && ir.item.generics.params.is_empty();
    if ir.is_model() || !own {
        return TokenStream::new();
    }
    let (ident, names) = (&ir.item.ident, copyable_names(ir, rows));
    let fields = rows.iter().enumerate();
    let fields = fields.filter(|(_, row)| copyable(ir, row));
    let fields = fields.map(|(n, row)| field(ir, n, row));
    quote! {
        impl __rt::CopyFields for #ident { type Inside = <Self as __rt::Lookup>::Fields; const INSIDE: &'static [__Str] = #names; }
        #(#fields)*
    }
}

/// The references that the fields hold; none for a model with mistakes, which may concern the reference that is looked up.
fn references(ir: &Ir<'_>) -> TokenStream {
    if ir.failed {
        return TokenStream::new();
    }
    let rows = ir.rows.iter().filter_map(|row| {
        let (field, target) = (row.field.rust(), row.target()?);
        let many = matches!(row.role, Role::Refs { .. });
        let (by_key, ty) = (row.key().is_some(), &row.field.ty);
        let members = match relation::members(row) {
            Some(all) => quote!(#all.are_meant()),
            None => quote!(false),
        };
        let entries = match row.entry() {
            Some(_) if many => quote!(true),
            _ => members.clone(),
        };
        let optional = if many {
            quote!(false)
        } else {
            quote!(__rt::Probe::<#ty>::IS_OPTION)
        };
        let inverse = match row.inverse().map(names::unraw) {
            Some(inverse) => quote!(::core::option::Option::Some(#inverse)),
            None => quote!(::core::option::Option::None),
        };
        Some(quote!(__rt::Referring { field: #field, to: __rt::Probe::<#target>::PLACE, many: #many, optional: #optional, by_key: #by_key, inverse: #inverse, entries: #entries, members: #members }))
    });
    quote! { const REFERENCES: ::core::option::Option<&'static [__rt::Referring]> = ::core::option::Option::Some(&[#(#rows),*]); }
}

/// The field's type, where naming it in a trait is no leak of a private one.
fn visible(ir: &Ir<'_>, row: &Row<'_>) -> TokenStream {
    let ty = &row.field.ty;
    if ir::copyable(ir.item, row.field) {
        quote!(#ty)
    } else {
        quote!(__rt::Missing)
    }
}

fn with_flag() -> TokenStream {
    quote!(
        const WITH: bool = true;
    )
}

/// One field as other models may copy it. Default values are not written.
fn field(ir: &Ir<'_>, slot: usize, row: &Row<'_>) -> TokenStream {
    let (ident, ty) = (&ir.item.ident, &row.field.ty);
    let (module, codec) = tokens::codec(row);
    let mut extra = TokenStream::new();
    if matches!(row.role, Role::Id) {
        extra.extend(quote!(
            const IS_ID: bool = true;
        ));
    }
    if matches!(row.role, Role::Version) {
        extra.extend(quote!(
            const VERSION: bool = true;
        ));
    }
    if row.field.attrs.updated.is_some() {
        extra.extend(quote!(
            const UPDATED: bool = true;
        ));
    }
    if row.field.attrs.volatile.is_some() {
        extra.extend(quote!(
            const VOLATILE: bool = true;
        ));
    }
    if let Some(writes) = &row.field.attrs.writes {
        extra.extend(quote!(
            const WRITES: &'static str = #writes;
        ));
    }
    // Use only the field's own declaration: if copies form a cycle, looking up the source of a source would never end.
    if let Some(max_len) = row.field.attrs.max_len.as_ref().map(|max| max.value) {
        extra.extend(quote!(
            const MAX_LEN: u64 = #max_len;
        ));
    }
    if row.max > 0 {
        let max = row.max;
        extra.extend(quote!(
            const MAX: u64 = #max;
        ));
    }
    if row.field.serde.with.is_some() {
        extra.extend(with_flag());
    }
    let derived =
        row.child().is_some() || matches!(row.role, Role::Refs { .. }) && row.inverse().is_some();
    if derived {
        extra.extend(quote!(
            const DERIVED: bool = true;
        ));
    }
    if let Role::Copy { attr, .. } = &row.role
        && !attr.snapshot
    {
        extra.extend(origins(attr));
    }
    quote! { impl __HasField<#slot> for #ident { type Type = #ty; type Codec = #module #codec; #extra } }
}

/// The chain of sources that a copy follows, step by step.
fn origins(attr: &DenormAttr) -> TokenStream {
    let (from, field) = (&attr.from, &attr.fields[0]);
    let (model, name) = (names::path_name(from), names::dotted(field));
    let (owner, slot) = relation::source_field(&quote!(__rt), from, field);
    let option = quote!(::core::option::Option);
    let onward = (2..=4_usize).map(|n| {
        let (step, before) = (
            format_ident!("ORIGIN_{n}"),
            format_ident!("ORIGIN_{}", n - 1),
        );
        quote!(const #step: #option<__rt::Origin> = <#owner as __rt::HasField<#slot>>::#before;)
    });
    quote! {
        const ORIGIN_1: #option<__rt::Origin> = #option::Some(__rt::Origin { place: __rt::Probe::<#from>::PLACE, model: #model, field: #name });
        #(#onward)*
    }
}
