//! `is_duplicate_<fields>(&error)`: asks if an error is about one of the model's unique indexes.

use std::collections::HashSet;

use proc_macro2::{Ident, Span, TokenStream};
use quote::quote;

use crate::ir::Ir;
use crate::names::{self, dotted};
use crate::syntax::IndexAttr;

/// The method for the `_id`, and those for the lists of fields with a unique index.
pub(crate) fn expand_methods(ir: &Ir<'_>) -> TokenStream {
    if !ir.is_model() || !ir.item.generics.params.is_empty() {
        return TokenStream::new();
    }
    let id = ir
        .id()
        .map(|row| (row.field.ident.span(), vec![row.rust()]));
    let of_fields = ir.stored().flat_map(|row| {
        let indexes = row.indexes().iter();
        indexes.filter_map(|index| fields(index, Some(&row.field.ident)))
    });
    let of_model = ir.item.attrs.indexes.iter();
    let of_model = of_model.filter_map(|index| fields(index, None));
    let mut seen = HashSet::new();
    let all = id.into_iter().chain(of_fields).chain(of_model);
    all.map(|(span, fields)| (names::is_duplicate(&fields, span), fields))
        .filter(|(name, _)| seen.insert(name.to_string()))
        .map(|(name, fields)| expand_method(ir, &name, &fields))
        .collect()
}

/// The Rust paths of the keys, if the index is unique.
fn fields(index: &IndexAttr, field: Option<&Ident>) -> Option<(Span, Vec<String>)> {
    index.unique.as_ref()?;
    let first = index.keys.first().and_then(|key| key.path.first());
    let span = first.or(field)?.span();
    if index.keys.is_empty() {
        return Some((span, vec![names::unraw(field?)]));
    }
    let keys = index.keys.iter().map(|key| dotted(&key.path));
    Some((span, keys.collect()))
}

fn expand_method(ir: &Ir<'_>, name: &Ident, fields: &[String]) -> TokenStream {
    let (model, vis, krate) = (&ir.item.ident, &ir.item.vis, ir.krate());
    let quoted: Vec<String> = fields.iter().map(|field| format!("`{field}`")).collect();
    let doc = format!(
        "True if the error says that another `{}` has the same {} already.",
        ir.name(),
        quoted.join(", ")
    );
    let body = if ir.failed {
        quote!(::core::unreachable!())
    } else {
        quote!(__rt::is_duplicate_of(__meta(), error, &[#(#fields),*]))
    };
    let unused = ir.failed.then(|| quote!(#[allow(unused_variables)]));
    quote! {
        #unused
        impl #model {
            #[doc = #doc]
            #[must_use]
            #vis fn #name(error: &#krate::Error) -> ::core::primitive::bool { #body }
        }
    }
}
