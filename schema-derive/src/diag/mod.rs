//! The only place that words messages.
//!
//! ```text
//! error: <what is wrong, in the user's own names> [CODE]
//!        help: <an attribute or type to paste>
//!        note: <the rule, with the number that motivates it>
//! ```

mod access;
mod advice;
mod bucket;
mod children;
mod comparisons;
mod contains;
mod embed;
mod events;
mod grammar;
mod history;
mod index;
mod migration;
mod period;
mod personal;
mod projection;
mod queue;
mod refs;
mod schema;
mod shard_key;
mod soft_delete;
mod stamps;
mod subset;
mod tenant;
mod tree;
mod types;
mod values;
mod variants;
mod vector;
mod version;

pub(crate) use access::*;
pub(crate) use advice::*;
pub(crate) use bucket::*;
pub(crate) use children::*;
pub(crate) use comparisons::*;
pub(crate) use contains::*;
pub(crate) use embed::*;
pub(crate) use events::*;
pub(crate) use grammar::*;
pub(crate) use history::*;
pub(crate) use index::*;
pub(crate) use migration::*;
pub(crate) use period::*;
pub(crate) use personal::*;
pub(crate) use projection::*;
pub(crate) use queue::*;
pub(crate) use refs::*;
pub(crate) use schema::*;
pub(crate) use shard_key::*;
pub(crate) use soft_delete::*;
pub(crate) use stamps::*;
pub(crate) use subset::*;
pub(crate) use tenant::*;
pub(crate) use tree::*;
pub(crate) use types::*;
pub(crate) use values::*;
pub(crate) use variants::*;
pub(crate) use vector::*;
pub(crate) use version::*;

use std::any::Any;

use proc_macro2::TokenStream;
use quote::{ToTokens, quote};

use crate::rules::Rule;

/// The error in place of an expansion that panicked, with the panic's message.
pub(crate) fn panicked(derive: &str, panic: &(dyn Any + Send)) -> TokenStream {
    let message = panic
        .downcast_ref::<String>()
        .map(String::as_str)
        .or_else(|| panic.downcast_ref::<&str>().copied())
        .unwrap_or("no message");
    let text = format!(
        "`#[derive({derive})]` panicked: {message}\n\
         help: this is a defect of mongo-model, not of your schema: please report it, with this item"
    );
    quote!(::core::compile_error!(#text);)
}

/// A mistake: its place and its message.
#[derive(Debug)]
pub(crate) struct Diag {
    span: TokenStream,
    rule: &'static Rule,
    what: String,
    helps: Vec<String>,
    notes: Vec<String>,
}

impl Diag {
    /// `what` is one line: lower case, present tense, no full stop; the code is added here.
    pub(crate) fn new(span: &dyn ToTokens, rule: &'static Rule, what: String) -> Self {
        Diag {
            span: span.to_token_stream(),
            rule,
            what,
            helps: Vec::new(),
            notes: Vec::new(),
        }
    }

    /// Something the user can paste.
    pub(crate) fn help(mut self, text: impl Into<String>) -> Self {
        self.helps.push(text.into());
        self
    }

    /// The rule and the fact behind it.
    pub(crate) fn note(mut self, text: impl Into<String>) -> Self {
        self.notes.push(text.into());
        self
    }

    /// The text as the user sees it.
    pub(crate) fn text(&self) -> String {
        let mut text = format!("{} [{}]", self.what, self.rule.code);
        for help in &self.helps {
            text.push_str("\nhelp: ");
            text.push_str(help);
        }
        for note in &self.notes {
            text.push_str("\nnote: ");
            text.push_str(note);
        }
        text
    }

    /// Line and column, where there is a compiler to ask.
    pub(crate) fn position(&self) -> (usize, usize) {
        let first = self.span.clone().into_iter().next();
        match first.filter(|_| proc_macro::is_available()) {
            Some(token) => {
                let span = token.span().unwrap();
                (span.line(), span.column())
            }
            None => (0, 0),
        }
    }

    pub(crate) fn to_tokens(&self) -> TokenStream {
        syn::Error::new_spanned(&self.span, self.text()).into_compile_error()
    }
}

/// A type as a user would write it.
pub(crate) fn type_text(ty: &syn::Type) -> String {
    spaced(&ty.to_token_stream().to_string())
}

/// A path as a user would write it.
pub(crate) fn path_text(path: &syn::Path) -> String {
    spaced(&path.to_token_stream().to_string())
}

/// Token streams print with a space between all tokens.
fn spaced(text: &str) -> String {
    let mut out = text.replace(" :: ", "::").replace(":: ", "::");
    for (from, to) in [
        (" < ", "<"),
        ("< ", "<"),
        (" <", "<"),
        (" >", ">"),
        (" ,", ","),
        ("& ", "&"),
        ("[ ", "["),
        (" ]", "]"),
        (" ;", ";"),
    ] {
        out = out.replace(from, to);
    }
    out
}
