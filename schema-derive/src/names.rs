//! Every name that an expansion makes up.

use ident_case::RenameRule;
use proc_macro2::{Ident, Span};
use quote::format_ident;
use syn::ext::IdentExt;

/// The name without `r#`.
pub(crate) fn unraw(ident: &Ident) -> String {
    ident.unraw().to_string()
}

/// `address.city`
pub(crate) fn dotted(path: &[Ident]) -> String {
    path.iter().map(unraw).collect::<Vec<_>>().join(".")
}

/// `crate::shop::Product` -> `Product`
pub(crate) fn path_name(path: &syn::Path) -> String {
    let last = path.segments.last();
    last.map_or_else(String::new, |segment| unraw(&segment.ident))
}

/// `Product` -> `ProductFields`, spanned at the type so that "go to definition" leads there.
pub(crate) fn handles(model: &Ident) -> Ident {
    format_ident!("{}Fields", model.unraw(), span = model.span())
}

/// `Subject` -> `SubjectLoaded`
pub(crate) fn loaded(item: &Ident) -> Ident {
    format_ident!("{}Loaded", item.unraw(), span = item.span())
}

/// `parts` -> `load_parts`
pub(crate) fn loader(field: &Ident) -> Ident {
    format_ident!("load_{}", field.unraw(), span = field.span())
}

/// `parts` -> `load_parts_many`
pub(crate) fn loader_many(field: &Ident) -> Ident {
    format_ident!("load_{}_many", field.unraw(), span = field.span())
}

/// `parts` -> `by_parts`
pub(crate) fn reverse_finder(field: &Ident) -> Ident {
    format_ident!("by_{}", field.unraw(), span = field.span())
}

/// `host` -> `by_host_many`
pub(crate) fn reverse_finder_many(field: &Ident) -> Ident {
    format_ident!("by_{}_many", field.unraw(), span = field.span())
}

/// `reassign` and `owner` -> `reassign_owner`
pub(crate) fn relation_method(verb: &str, field: &Ident) -> Ident {
    format_ident!("{verb}_{}", field.unraw(), span = field.span())
}

/// `address.city` and `name` -> `is_duplicate_address_city_name`
pub(crate) fn is_duplicate(fields: &[String], span: Span) -> Ident {
    let joined = fields.join("_").replace('.', "_");
    Ident::new(&format!("is_duplicate_{joined}"), span)
}

/// `PartTime` -> `part_time`
pub(crate) fn snake(variant: &Ident) -> Ident {
    let snake = RenameRule::SnakeCase.apply_to_variant(unraw(variant));
    // `ident_case` makes no letters small beyond ASCII.
    let out = snake.to_lowercase();
    syn::parse_str::<Ident>(&out).map_or_else(
        |_| format_ident!("r#{out}", span = variant.span()),
        |_| Ident::new(&out, variant.span()),
    )
}

/// The marker of a field, in a module of its own, so that a field named like a type hides nothing. It stands at the field:
/// what the compiler says of it is about the field.
pub(crate) fn marker(field: &Ident) -> Ident {
    field.clone()
}
