//! Rules about the value of a field, as `#[check(..)]` has them.

use proc_macro2::{Ident, TokenStream};
use syn::Path;

/// `#[check(len = 3..=80, each(not_empty))]`
pub(crate) struct CheckAttr {
    pub(crate) site: TokenStream,
    pub(crate) checks: Vec<ValueCheck>,
    /// `finite = false`: also in a strict model the field may hold NaN.
    pub(crate) not_finite: bool,
}

/// A rule about a field.
pub(crate) struct ValueCheck {
    pub(crate) rule: ValueRule,
    pub(crate) part: Part,
    /// `on = write`: stored documents may break it.
    pub(crate) on_write: bool,
    pub(crate) name: Ident,
    pub(crate) tokens: TokenStream,
}

/// The part of a field's value that a rule is about.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Part {
    Whole,
    /// `each(..)` of an array, `values(..)` of a map.
    Each,
    /// `keys(..)` of a map.
    Keys,
}

pub(crate) enum ValueRule {
    /// `u64::MAX` where there is no end.
    Len {
        min: u64,
        max: u64,
    },
    Range {
        min: Option<End>,
        max: Option<End>,
        /// `max` itself is too large.
        exclusive: bool,
    },
    NotEmpty,
    Finite,
    OneOf(Vec<String>),
    OneOfInt(Vec<i64>),
    Pattern(String),
    Email,
    Url,
    /// A function of the program.
    With(Path),
}

/// An end of a range.
#[derive(Clone, Copy)]
pub(crate) enum End {
    Int(i64),
    Float(f64),
}
