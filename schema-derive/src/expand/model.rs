//! `MongoModel`: the tables of a model, and its entry in the registry.

use proc_macro2::TokenStream;
use quote::quote;

use super::span::type_with_span;
use super::tokens::with_driver;
use super::{
    access, bucket, codec, comparisons, events, history, index, queue, schema, tokens, variants,
};
use crate::check;
use crate::diag;
use crate::ir::{Ir, Row};
use crate::names;

pub(crate) fn expand(ir: &Ir<'_>) -> TokenStream {
    if !ir.item.generics.params.is_empty() {
        // Parameters were refused; an `impl` could not name what a const inside it needs.
        return TokenStream::new();
    }
    let (tables, model, register) = (expand_tables(ir), impl_model(ir), expand_registration(ir));
    quote! { #tables #model #register }
}

/// The function that gives the tables.
fn expand_tables(ir: &Ir<'_>) -> TokenStream {
    let (ident, name, attrs) = (&ir.item.ident, ir.name(), &ir.item.attrs);
    let collection = attrs.collection.as_ref().map_or("", |(_, name)| name);
    let indexes = attrs.indexes.iter();
    let indexes = indexes.map(|attr| index::expand_row(attr, &quote!(__rt)));
    let advice = check::advice(ir).into_iter().map(|(rule, field)| {
        let (code, says) = (rule.code, diag::advice(rule));
        quote!(__rt::Advice { rule: #code, field: #field, says: #says })
    });
    let of_fields = ir.fields().flat_map(Row::allows);
    let allowed = attrs.allows.iter().chain(of_fields);
    let allowed = allowed.map(|allow| allow.word.to_string().to_ascii_uppercase());
    let accesses = access::expand_rows(ir);
    let (queue, bucket, schema) = (
        queue::expand_row(ir),
        bucket::expand_row(ir),
        schema::expand_row(ir),
    );
    let (events, history) = (events::expand_row(ir), history::expand_row(ir));
    let options = expand_options(ir);
    let shares = match &attrs.shares {
        Some(path) if !ir.failed => {
            quote!(::core::option::Option::Some(<#path as __rt::Model>::model_meta))
        }
        _ => quote!(::core::option::Option::None),
    };
    let (comparisons, judges) = (comparisons::expand_rows(ir), comparisons::expand_judges(ir));
    let strict = attrs.strict;
    let shard_key = expand_shard_key(ir);
    quote! {
        fn __meta() -> &'static __rt::ModelMeta {
            static META: __rt::ModelMeta = __rt::ModelMeta {
                name: #name,
                collection: #collection,
                shape: &__rt::Shape { name: #name, fields: <#ident as __rt::Value>::FIELDS },
                indexes: &[#(#indexes),*],
                size: <#ident as __rt::Value>::SIZE,
                advice: &[#(#advice),*],
                allowed: &[#(#allowed),*],
                queue: #queue,
                events: #events,
                history: #history,
                options: #options,
                bucket: #bucket,
                schema: #schema,
                accesses: &[#(#accesses),*],
                shares: #shares,
                comparisons: #comparisons,
                judges: #judges,
                strict: #strict,
                shard_key: #shard_key,
                cache: __rt::OnceLock::new(),
            };
            &META
        }
    }
}

fn impl_model(ir: &Ir<'_>) -> TokenStream {
    let (ident, handles) = (&ir.item.ident, names::handles(&ir.item.ident));
    let kinds = variants::model_variants(ir);
    let id = match &kinds {
        Some(kinds) => variants::id_type(ir, kinds),
        None => ir.id_type(),
    };
    let get = match (&kinds, ir.id()) {
        (Some(kinds), _) if !ir.failed => variants::expand_id(ir, kinds),
        (None, Some(row)) if !ir.failed => {
            let field = &row.field.ident;
            quote!(&self.#field)
        }
        _ => quote!(::core::unreachable!()),
    };
    let codec = codec::generated(ir).then(|| {
        quote! {
            const CODEC: ::core::option::Option<__rt::Codec<Self>> = ::core::option::Option::Some(__rt::Codec::generated(&__CHECKED));
        }
    });
    let schema = schema::expand_row(ir);
    let versioned = ir.item.attrs.schema_version.as_ref();
    let versioned =
        versioned.map(|_| quote!(const SCHEMA: ::core::option::Option<__rt::SchemaRow> = #schema;));
    let unknown = variants::expand_is_unknown(ir);
    let stored_id = expand_id_functions(ir, &id);
    let handle = with_driver(|| {
        let handle = match ir.tenant().map(|row| &row.field.ty) {
            Some(tenant) => type_with_span(&quote!(__rt::Tenant), tenant),
            None => quote!(__rt::Database),
        };
        let acting = match ir.requires_actor() {
            true => quote!(__rt::Acting<#handle>),
            false => handle.clone(),
        };
        quote! {
            type DatabaseHandle = #acting;
            type TenantHandle = #handle;
        }
    });
    quote! {
        #[automatically_derived]
        impl __rt::Model for #ident {
            type DocumentId = #id;
            type FieldHandles = #handles;
            #handle
            #codec
            #versioned
            fn model_meta() -> &'static __rt::ModelMeta { __meta() }
            fn document_id(&self) -> &#id { #get }
            #unknown
            #stored_id
        }
    }
}

/// The entry in the registry; none for a model with mistakes.
fn expand_registration(ir: &Ir<'_>) -> TokenStream {
    if ir.failed {
        return TokenStream::new();
    }
    let ident = &ir.item.ident;
    let versioned = ir.item.attrs.schema_version.as_ref();
    let migratable = with_driver(|| {
        versioned.map(|_| quote!(__rt::inventory::submit! { __rt::Migratable::of::<#ident>() }))
    });
    quote! {
        __rt::inventory::submit! { __rt::Registered::of::<#ident>(__rt::decodes::<#ident>) }
        #migratable
    }
}

/// `shard_key(..)`
fn expand_shard_key(ir: &Ir<'_>) -> TokenStream {
    let Some(key) = &ir.item.attrs.shard_key else {
        return quote!(::core::option::Option::None);
    };
    let by_tenant = key.fields.len() > 1;
    let hashed = key.fields.iter().any(|field| field.hashed);
    quote!(::core::option::Option::Some(__rt::ShardKeyRow { by_tenant: #by_tenant, hashed: #hashed }))
}

/// `options(..)`
fn expand_options(ir: &Ir<'_>) -> TokenStream {
    let Some(options) = &ir.item.attrs.options else {
        return quote!(__rt::OptionsRow::NONE);
    };
    let given = |value: Option<TokenStream>| match value {
        Some(value) => quote!(::core::option::Option::Some(#value)),
        None => quote!(::core::option::Option::None),
    };
    let text = |value: &Option<String>| given(value.as_ref().map(|text| quote!(#text)));
    let preference = text(&options.read_preference);
    let (reads, writes) = (text(&options.read_concern), text(&options.write_concern));
    let time = options.max_time.as_ref().map(|time| time.value);
    let time = given(time.map(|time| quote!(#time)));
    quote! {
        __rt::OptionsRow { read_preference: #preference, read_concern: #reads, write_concern: #writes, max_time_ms: #time }
    }
}

/// The functions that write and read an `_id` with serde functions of its own.
fn expand_id_functions(ir: &Ir<'_>, id: &TokenStream) -> Option<TokenStream> {
    let row = ir.id().filter(|row| row.has_functions())?;
    let (module, codec) = tokens::codec(row);
    Some(quote! {
        fn write_id<__S: __rt::serde::Serializer>(id: &#id, serializer: __S) -> ::core::result::Result<__S::Ok, __S::Error> { <#module #codec as __rt::Encode<#id>>::write(id, serializer) }
        fn read_id<'de, __D: __rt::serde::Deserializer<'de>>(deserializer: __D) -> ::core::result::Result<#id, __D::Error> { <#module #codec as __rt::Decode<#id>>::read(deserializer) }
    })
}
