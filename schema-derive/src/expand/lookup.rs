//! The facts about this item that other models' code looks up: its id, its fields' names and types.

use proc_macro2::{Ident, TokenStream};
use quote::{ToTokens, format_ident, quote};

use super::{handles, relation, tokens};
use crate::check::{self, Served};
use crate::ir::{Fixed, Ir, Role, Row};
use crate::names;
use crate::syntax::{Body, DenormAttr};

pub(crate) fn expand(ir: &Ir<'_>) -> TokenStream {
    let rows = ir.handles();
    let names = rows.iter().map(|row| row.field.rust());
    let (names_head, lookup) = (
        impl_head(ir, &quote!(Names)),
        impl_head(ir, &quote!(Lookup)),
    );
    let projectable = impl_head(ir, &quote!(Projectable));
    let handles = handles_type(ir);
    let denies = (ir.item.serde.deny_unknown_fields.is_some() && !ir.failed)
        .then(|| constant("DENIES_UNKNOWN"));
    let soft_delete = ir.item.attrs.soft_delete.as_ref();
    let soft_delete = soft_delete.map(|_| constant("SOFT_DELETE"));
    let walled = ir.tenant().map(|_| constant("WALLED"));
    let (facts, fields, own_id) = if ir.is_model() {
        let copied = rows
            .iter()
            .enumerate()
            .filter(|(_, row)| is_copyable(ir, row));
        let fields = copied.map(|(n, row)| impl_field(ir, n, row)).collect();
        (model_facts(ir, &rows), fields, id_field(ir))
    } else {
        (
            references_of_variant(ir),
            impl_segments(ir, &rows),
            TokenStream::new(),
        )
    };
    let nested = impl_copied_fields(ir, &rows);
    quote! {
        #names_head { const NAMES: &'static [__Str] = &[#(#names),*]; }
        #[automatically_derived]
        #lookup { type Fields = #handles; #denies #soft_delete #walled #facts }
        #projectable { type Handles = <Self as __rt::Lookup>::Fields; }
        #fields
        #nested
        #own_id
    }
}

/// The head of an impl of a trait of the runtime for the item.
fn impl_head(ir: &Ir<'_>, path: &TokenStream) -> TokenStream {
    let ident = &ir.item.ident;
    let generics = tokens::value_bounds(&ir.item.generics);
    let (impl_generics, _, where_clause) = generics.split_for_impl();
    let (_, type_generics, _) = ir.item.generics.split_for_impl();
    quote!(impl #impl_generics __rt::#path for #ident #type_generics #where_clause)
}

/// The const of a fact that is true. Facts that are false are not written.
fn constant(name: &str) -> TokenStream {
    let name = format_ident!("{name}");
    quote!(
        const #name: bool = true;
    )
}

/// The type of the handles of the item's fields.
fn handles_type(ir: &Ir<'_>) -> TokenStream {
    if ir.is_model() {
        names::handles(&ir.item.ident).to_token_stream()
    } else if matches!(ir.item.body, Body::Newtype(_)) {
        quote!(__rt::NoFields)
    } else {
        handles::type_at(ir, &quote!(__rt::Nowhere))
    }
}

/// The fields of an embedded document, each with its handle below any path.
fn impl_segments(ir: &Ir<'_>, rows: &[&Row<'_>]) -> TokenStream {
    let led = check::leading(ir);
    let all = rows.iter().enumerate();
    let segments = all.map(|(n, row)| impl_segment(ir, &led, n, row));
    let missing = impl_head(ir, &quote!(HasSeg<{ __rt::MISSING }>));
    quote! {
        #(#segments)*
        #missing { type Seg = __rt::Missing; type Value = __rt::Missing; type Handle<__P: __rt::Path> = __rt::NoField; }
    }
}

fn impl_segment(
    ir: &Ir<'_>,
    led: &[(Vec<Ident>, Served<'_>)],
    n: usize,
    row: &Row<'_>,
) -> TokenStream {
    let head = impl_head(ir, &quote!(HasSeg<#n>));
    let (marker, ident, ty) = (&row.marker, &row.field.ident, visible_type(ir, row));
    let (index, write) = handles::index_and_write_kinds(ir, row, led);
    let own = matches!(ir.item.body, Body::Struct(_)) && ir.item.generics.params.is_empty();
    let id = own && row.is_stored_as_id() && ir.is_copyable(row);
    let derived = id.then(|| quote!(#[automatically_derived]));
    let id = id.then(|| {
        quote!(fn __id(&self) -> ::core::option::Option<&dyn ::core::any::Any> { ::core::option::Option::Some(&self.#ident) })
    });
    quote! { #derived #head { type Seg = __field::#marker; type Value = #ty; type Handle<__P: __rt::Path> = __rt::Field<__rt::At<__P, __field::#marker>, #ty, #index, #write>; #id } }
}

/// The references of a struct that is no model: the enum of which it is a variant looks them up.
fn references_of_variant(ir: &Ir<'_>) -> TokenStream {
    let refers = ir.stored().any(|row| row.target().is_some());
    if refers && ir.item.generics.params.is_empty() && matches!(ir.item.body, Body::Struct(_)) {
        expand_references(ir)
    } else {
        TokenStream::new()
    }
}

/// The facts about a model as a whole.
fn model_facts(ir: &Ir<'_>, rows: &[&Row<'_>]) -> TokenStream {
    let copied = copyable_names(ir, rows);
    let unique = if ir.failed {
        // An index that could not be understood may be the one that a reference needs.
        ir.stored().map(Row::rust).collect()
    } else {
        check::unique(ir)
    };
    let (references, name) = (expand_references(ir), ir.name());
    let form = ir.id().map(Row::form).unwrap_or_default();
    let form = (!form.is_empty()).then(|| quote!(const ID_FORM: &'static str = #form;));
    let expires = check::expires(ir).then(|| constant("EXPIRES"));
    quote! {
        const IS_MODEL: bool = true;
        const COPYABLE: &'static [__Str] = #copied;
        const ID: usize = __rt::ID;
        const UNIQUE: &'static [&'static str] = &[#(#unique),*];
        const PLACE: &'static str = ::core::concat!(::core::module_path!(), "::", #name);
        #references
        #form
        #expires
        fn tables() -> &'static __rt::ModelMeta { __meta() }
    }
}

/// The `_id` of a model, for those that refer to it.
fn id_field(ir: &Ir<'_>) -> TokenStream {
    let (ident, id) = (&ir.item.ident, ir.id_type());
    let row = ir.id();
    let (module, codec) = row.map_or((None, format_ident!("__Plain")), tokens::codec);
    let with = row.is_some_and(Row::has_functions);
    let with = with.then(|| constant("WITH"));
    quote! {
        impl __rt::HasField<{ __rt::ID }> for #ident { type Type = #id; type Codec = #module #codec; #with }
        impl __rt::RefTo<#ident> for #id {}
    }
}

/// True if other models can copy the field.
fn is_copyable(ir: &Ir<'_>, row: &Row<'_>) -> bool {
    ir.is_copyable(row) && !row.is_flattened()
}

/// The names of the fields, marked where other models cannot copy them.
fn copyable_names(ir: &Ir<'_>, rows: &[&Row<'_>]) -> TokenStream {
    if rows.iter().all(|row| is_copyable(ir, row)) {
        return quote!(<Self as __rt::Names>::NAMES);
    }
    let names = rows.iter().map(|row| {
        let hidden = if is_copyable(ir, row) { "" } else { "!" };
        format!("{hidden}{}", row.field.rust())
    });
    quote!(&[#(#names),*])
}

/// The fields of an embedded struct, as other models may copy them one by one. A field of an enum is stored in some of its variants
/// only, and the parameters of a generic type are no stored types before they are known.
fn impl_copied_fields(ir: &Ir<'_>, rows: &[&Row<'_>]) -> TokenStream {
    let own = matches!(ir.item.body, Body::Struct(_)) && ir.item.generics.params.is_empty();
    if ir.is_model() || !own {
        return TokenStream::new();
    }
    let (ident, names) = (&ir.item.ident, copyable_names(ir, rows));
    let fields = rows.iter().enumerate();
    let fields = fields.filter(|(_, row)| is_copyable(ir, row));
    let fields = fields.map(|(n, row)| impl_field(ir, n, row));
    quote! {
        impl __rt::CopyFields for #ident { type Inside = <Self as __rt::Lookup>::Fields; const INSIDE: &'static [__Str] = #names; }
        #(#fields)*
    }
}

/// The references that the fields hold; none for a model with mistakes, which may concern the reference that is looked up.
fn expand_references(ir: &Ir<'_>) -> TokenStream {
    if ir.failed {
        return TokenStream::new();
    }
    let rows = ir.stored().filter_map(|row| {
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
fn visible_type(ir: &Ir<'_>, row: &Row<'_>) -> TokenStream {
    let ty = &row.field.ty;
    if ir.is_copyable(row) {
        quote!(#ty)
    } else {
        quote!(__rt::Missing)
    }
}

/// The impl for a field that other models may copy. Default values are not written.
fn impl_field(ir: &Ir<'_>, slot: usize, row: &Row<'_>) -> TokenStream {
    let (ident, ty) = (&ir.item.ident, &row.field.ty);
    let (module, codec) = tokens::codec(row);
    let flag = |holds: bool, name| holds.then(|| constant(name));
    let is_id = flag(matches!(row.role, Role::Id), "IS_ID");
    let version = flag(matches!(row.role, Role::Version), "VERSION");
    let updated = flag(row.fixed_site(Fixed::Updated).is_some(), "UPDATED");
    let volatile = flag(row.is_volatile(), "VOLATILE");
    let writes = row
        .writes()
        .map(|writes| quote!(const WRITES: &'static str = #writes;));
    // Use only the field's own declaration: if copies form a cycle, looking up the source of a source would never end.
    let max_len = row.max_len().map(|max| max.value);
    let max_len = max_len.map(|max| quote!(const MAX_LEN: u64 = #max;));
    let max = row.max;
    let max = (max > 0).then(|| quote!(const MAX: u64 = #max;));
    let with = flag(row.has_functions(), "WITH");
    let two_way = matches!(row.role, Role::Refs { .. }) && row.inverse().is_some();
    let derived = flag(row.child().is_some() || two_way, "DERIVED");
    let origins = match &row.role {
        Role::Copy { attr, .. } if !attr.snapshot => Some(expand_origins(attr)),
        _ => None,
    };
    quote! {
        impl __HasField<#slot> for #ident {
            type Type = #ty;
            type Codec = #module #codec;
            #is_id #version #updated #volatile #writes #max_len #max #with #derived #origins
        }
    }
}

/// The chain of sources that a copy follows, step by step.
fn expand_origins(attr: &DenormAttr) -> TokenStream {
    let (from, field) = (&attr.from, &attr.fields[0]);
    let (model, name) = (names::path_name(from), names::dotted(field));
    let (owner, slot) = relation::source_field(&quote!(__rt), from, field);
    let steps = field.iter().map(names::unraw);
    let option = quote!(::core::option::Option);
    let onward = (2..=4_usize).map(|n| {
        let (step, before) = (
            format_ident!("ORIGIN_{n}"),
            format_ident!("ORIGIN_{}", n - 1),
        );
        quote!(const #step: #option<__rt::Origin> = <#owner as __rt::HasField<#slot>>::#before;)
    });
    quote! {
        const ORIGIN_1: #option<__rt::Origin> = #option::Some(__rt::Origin { place: __rt::Probe::<#from>::PLACE, model: #model, field: #name, personal: __rt::is_personal_at(__rt::Probe::<#from>::FIELDS, &[#(#steps),*]) });
        #(#onward)*
    }
}
