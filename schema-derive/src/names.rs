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

/// `add` and `members` -> `add_member`, for a method that takes one element of an array.
pub(crate) fn element_method(verb: &str, field: &Ident) -> Ident {
    let element = singular(&unraw(field));
    format_ident!("{verb}_{element}", span = field.span())
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

/// Plurals that the endings of [`singular`] get wrong.
const IRREGULAR: [(&str, &str); 21] = [
    ("aliases", "alias"),
    ("caches", "cache"),
    ("canvases", "canvas"),
    ("children", "child"),
    ("cookies", "cookie"),
    ("halves", "half"),
    ("heroes", "hero"),
    ("indices", "index"),
    ("leaves", "leaf"),
    ("lenses", "lens"),
    ("matrices", "matrix"),
    ("men", "man"),
    ("movies", "movie"),
    ("news", "news"),
    ("people", "person"),
    ("quizzes", "quiz"),
    ("series", "series"),
    ("shelves", "shelf"),
    ("species", "species"),
    ("vertices", "vertex"),
    ("women", "woman"),
];

/// The name of one element of the array: `members` -> `member`, `team_entries` -> `team_entry`. A name that is no English plural
/// stays as it is.
fn singular(name: &str) -> String {
    let word_at = name.rfind('_').map_or(0, |underscore| underscore + 1);
    let (before, word) = name.split_at(word_at);
    let irregular = IRREGULAR.iter().find(|(plural, _)| *plural == word);
    let one = match irregular {
        Some((_, singular)) => (*singular).to_owned(),
        None => regular_singular(word),
    };
    format!("{before}{one}")
}

fn regular_singular(word: &str) -> String {
    let ends = |endings: &[&str]| endings.iter().any(|ending| word.ends_with(ending));
    let without = |ending: &str| word.strip_suffix(ending).unwrap_or(word).to_owned();
    // One letter and an `s`, as in `xs`, is a plural; `s` alone is none.
    if !word.ends_with('s') || word.len() < 2 || ends(&["ss", "us", "is"]) {
        word.to_owned()
    } else if word.len() > 4 && word.ends_with("ies") {
        without("ies") + "y"
    } else if ends(&[
        "sses", "shes", "ches", "xes", "tuses", "nuses", "ruses", "buses", "puses",
    ]) {
        without("es")
    } else {
        without("s")
    }
}

#[cfg(test)]
mod tests {
    use super::singular;

    #[test]
    fn an_array_is_named_by_one_of_its_elements() {
        let pairs = [
            ("members", "member"),
            ("team_entries", "team_entry"),
            ("team_people", "team_person"),
            ("movies", "movie"),
            ("addresses", "address"),
            ("statuses", "status"),
            ("houses", "house"),
            ("boxes", "box"),
            ("batches", "batch"),
            ("sizes", "size"),
            ("tags_", "tags_"),
            ("ties", "tie"),
            ("xs", "x"),
            ("staff", "staff"),
            ("campus", "campus"),
            ("s", "s"),
            ("utenti", "utenti"),
        ];
        for (name, one) in pairs {
            assert_eq!(singular(name), one, "of {name}");
        }
    }
}
