//! The contents of the `#[serde(..)]` attributes.

use proc_macro2::TokenStream;
use syn::{ExprPath, LitStr, Type};

use super::RenameRule;

/// The serde attributes of a struct or enum.
#[derive(Default)]
pub(crate) struct SerdeItem {
    pub(crate) rename_all: Option<RenameRule>,
    pub(crate) rename_all_fields: Option<RenameRule>,
    /// `tag = ".."`: the stored name of the tag.
    pub(crate) tag: Option<String>,
    /// The literal of `tag`, for spans.
    pub(crate) tag_tokens: Option<TokenStream>,
    pub(crate) content: Option<TokenStream>,
    /// The stored name of the content.
    pub(crate) content_name: String,
    pub(crate) untagged: Option<TokenStream>,
    pub(crate) transparent: Option<TokenStream>,
    pub(crate) deny_unknown_fields: Option<TokenStream>,
    /// True if every field may be absent.
    pub(crate) default: bool,
    /// The function of `default = ".."`.
    pub(crate) default_fn: Option<ExprPath>,
    /// `from`, `try_from` and `into`.
    pub(crate) conversions: Vec<Conversion>,
    /// True if an attribute changes the stored form in a way that only serde knows.
    pub(crate) special: bool,
}

/// `into = "Type"` and its like.
pub(crate) struct Conversion {
    /// `into`, `from` or `try_from`
    pub(crate) key: String,
    pub(crate) ty: Type,
    pub(crate) tokens: TokenStream,
}

/// The serde attributes of a field.
#[derive(Default)]
pub(crate) struct SerdeField {
    /// The stored name.
    pub(crate) name: String,
    /// The `rename_all` in force.
    pub(crate) rule: Option<RenameRule>,
    /// The literal that gives the name, where one does.
    pub(crate) renamed_tokens: Option<TokenStream>,
    pub(crate) aliases: Vec<LitStr>,
    /// The attribute by which the field is never stored.
    pub(crate) skip: Option<TokenStream>,
    /// `skip_serializing` alone: not stored, but looked for when a document is read.
    pub(crate) sought: bool,
    pub(crate) skip_if: Option<TokenStream>,
    /// True if `skip_if` is `Option::is_none`.
    pub(crate) skip_none: bool,
    /// The attribute `with`, `serialize_with` or `deserialize_with`, if it is there.
    pub(crate) with: Option<TokenStream>,
    pub(crate) serialize_with: Option<ExprPath>,
    pub(crate) deserialize_with: Option<ExprPath>,
    /// True if a stored document may lack the field; also by the struct's own `default`.
    pub(crate) default: bool,
    /// The value that replaces an absent field.
    pub(crate) instead: Instead,
    pub(crate) flatten: Option<TokenStream>,
    /// The names under which it is read, aliases included.
    pub(crate) read: Vec<String>,
    /// True if an attribute changes the stored form in a way that only serde knows.
    pub(crate) special: bool,
}

/// The value of a field that a document lacks.
#[derive(Default)]
pub(crate) enum Instead {
    /// The result that its type gives for an absent field: an error, or `None`.
    #[default]
    Nothing,
    /// The field of the struct's own default.
    OfItem,
    Default,
    Function(ExprPath),
}

/// The serde attributes of a variant.
pub(crate) struct SerdeVariant {
    /// The stored tag.
    pub(crate) name: String,
    /// The tags that are read, aliases included.
    pub(crate) read: Vec<String>,
    /// The literals of its aliases.
    pub(crate) aliases: Vec<LitStr>,
    /// True if it is written; `skip` and `skip_serializing` make it an error.
    pub(crate) written: bool,
    /// True if it stands for every tag that no variant has.
    pub(crate) other: bool,
}

impl SerdeField {
    /// The names under which it is read, but for the stored name.
    pub(crate) fn read_also(&self) -> Vec<&str> {
        let names = self.read.iter().map(String::as_str);
        names.filter(|name| *name != self.name).collect()
    }
}
