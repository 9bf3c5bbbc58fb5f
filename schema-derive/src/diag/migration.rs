//! Messages about one-off migrations.

use proc_macro2::Ident;
use quote::ToTokens;
use syn::LitStr;

use super::Diag;
use crate::rules;

pub(crate) fn migration_function(span: &dyn ToTokens, name: Option<&Ident>) -> Diag {
    let owner = name.map_or_else(|| "this".to_owned(), |name| format!("`{name}`"));
    let shown = name.map_or_else(|| "split_name".to_owned(), ToString::to_string);
    Diag::new(
        span,
        &rules::MIGRATION_FUNCTION,
        format!("{owner} is a migration, but no `async fn` of one argument"),
    )
    .help(format!("`async fn {shown}(m: &Migration) -> Result<()>`"))
    .note("a run of migrations calls the function with the migration, and waits for its result")
}

pub(crate) fn migration_unnamed(span: &LitStr, owner: &str) -> Diag {
    Diag::new(
        span,
        &rules::ATTR_VALUE,
        format!("option `name` of `#[migration(..)]` on `{owner}` takes a text that is not empty"),
    )
    .help("the correct form is `name = \"split_name\"`, or none for the name of the function")
}

pub(crate) fn migration_after(span: &LitStr, owner: &str, is_own: bool) -> Diag {
    let name = span.value();
    let what = match is_own {
        true => format!("the migration `{owner}` comes after itself"),
        false => format!("the migration `{owner}` comes after `{name}`, which it names twice"),
    };
    let diag = Diag::new(span, &rules::MIGRATION_AFTER, what);
    match is_own {
        true => diag.help("name the migrations that have to be done before"),
        false => diag.help("remove one of them"),
    }
    .note("`after` is the order of migrations; a ring has none")
}
