//! `#[migration]`: its options, and the function below it.

use proc_macro2::{Delimiter, Ident, TokenStream, TokenTree};
use quote::ToTokens;
use syn::LitStr;

use super::attributes;
use super::opts::{Opts, split_commas};
use crate::ctxt::Ctxt;
use crate::diag;
use crate::names::unraw;
use crate::syntax::Migration;

/// The migration; `None` if it is no function.
pub(crate) fn parse_migration(
    args: TokenStream,
    item: &TokenStream,
    cx: &Ctxt,
) -> Option<Migration> {
    let tokens: Vec<TokenTree> = item.clone().into_iter().collect();
    let Some(ident) = function_name(&tokens) else {
        cx.push(diag::migration_function(item, None));
        return None;
    };
    if !is_step(&tokens) {
        cx.push(diag::migration_function(ident, Some(ident)));
    }
    let owner = unraw(ident);
    let mut opts = Opts::split(cx, "migration", &owner, ident.to_token_stream(), args, 0);
    opts.check_names(&attributes::MIGRATION);
    let name = opts.string("name");
    Some(Migration {
        name: name.unwrap_or_else(|| LitStr::new(&owner, ident.span())),
        after: opts.strings("after"),
        needs: opts.indexes("needs"),
        undo: opts.path("undo"),
        krate: opts.path("crate"),
        ident: ident.clone(),
    })
}

/// The identifier behind `fn`.
fn function_name(tokens: &[TokenTree]) -> Option<&Ident> {
    let mut pairs = tokens.windows(2);
    pairs.find_map(|pair| match pair {
        [TokenTree::Ident(word), TokenTree::Ident(name)] if word == "fn" => Some(name),
        _ => None,
    })
}

/// True for an `async fn` of one argument, without parameters of types.
fn is_step(tokens: &[TokenTree]) -> bool {
    let is =
        |token: &TokenTree, word: &str| matches!(token, TokenTree::Ident(ident) if ident == word);
    let at = tokens.iter().position(|token| is(token, "fn"));
    let is_async = at.is_some_and(|at| at > 0 && is(&tokens[at - 1], "async"));
    let arguments = at
        .and_then(|at| tokens.get(at + 2))
        .and_then(|token| match token {
            TokenTree::Group(group) if group.delimiter() == Delimiter::Parenthesis => {
                Some(split_commas(group.stream()))
            }
            _ => None,
        });
    let takes_one = arguments.is_some_and(|arguments| {
        arguments.len() == 1 && !arguments[0].iter().any(|token| is(token, "self"))
    });
    is_async && takes_one
}
