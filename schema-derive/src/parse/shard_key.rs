//! `shard_key(..)` of `#[model(..)]`.

use proc_macro2::{Delimiter, Ident, TokenTree};

use super::opts::{Opt, OptBody, Opts, split_commas};
use crate::diag;
use crate::syntax::{ShardField, ShardKeyAttr};

const FORM: &str = "shard_key(hashed(id))";

/// `shard_key(org, hashed(id))`. None if something about it was reported.
pub(super) fn parse_shard_key(opts: &Opts<'_>, opt: &Opt) -> Option<ShardKeyAttr> {
    let fields = match &opt.body {
        OptBody::List(list) => split_commas(list.clone()),
        OptBody::Flag | OptBody::Value(_) => Vec::new(),
    };
    let fields: Option<Vec<ShardField>> = fields.iter().map(|part| parse_field(part)).collect();
    let fields = fields.filter(|fields| !fields.is_empty());
    if fields.is_none() {
        let wants = "fields, or `hashed(field)`, in parentheses";
        let diag = diag::bad_value(&opt.tokens, "shard_key", opts.attr, opts.owner, wants, FORM);
        opts.cx.push(diag);
    }
    Some(ShardKeyAttr {
        site: opt.tokens.clone(),
        fields: fields?,
    })
}

/// `org`, `hashed(id)`
fn parse_field(part: &[TokenTree]) -> Option<ShardField> {
    let (name, hashed): (Ident, bool) = match part {
        [TokenTree::Ident(name)] => (name.clone(), false),
        [TokenTree::Ident(word), TokenTree::Group(group)]
            if word == "hashed" && group.delimiter() == Delimiter::Parenthesis =>
        {
            (syn::parse2(group.stream()).ok()?, true)
        }
        _ => return None,
    };
    Some(ShardField {
        tokens: part.iter().cloned().collect(),
        name,
        hashed,
    })
}
