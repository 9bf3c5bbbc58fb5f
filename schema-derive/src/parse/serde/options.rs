//! The options of `#[serde(..)]` attributes as they are written. Nothing in them is an error here: serde's own derive reports what
//! it cannot read. An option whose value cannot be read is there without a value.

use darling::ast::NestedMeta;
use darling::util::{Ignored, Override};
use darling::{Error, FromMeta};
use proc_macro2::TokenStream;
use quote::ToTokens;
use syn::parse::ParseStream;
use syn::{Attribute, ExprPath, LitStr, Meta, Token};

/// The options of every `#[serde(..)]`, up to the first that cannot be read in each.
pub(super) fn read_options<T: FromMeta + Default>(attrs: &[Attribute]) -> T {
    let mut options = Vec::new();
    for attr in attrs.iter().filter(|attr| attr.path().is_ident("serde")) {
        let read = |input: ParseStream<'_>| {
            while !input.is_empty() {
                options.push(NestedMeta::Meta(input.parse::<Meta>()?));
                input.parse::<Option<Token![,]>>()?;
            }
            Ok(())
        };
        let _ = attr.parse_args_with(read);
    }
    T::from_list(&options).unwrap_or_default()
}

/// An option, each time that it is written.
pub(super) type Every<T> = Vec<Given<T>>;

/// An option as it is written, with its value, if that can be read.
#[derive(Debug)]
pub(super) struct Given<T> {
    /// The name of the option, which messages point at.
    pub(super) site: TokenStream,
    pub(super) value: Option<T>,
}

impl<T: FromMeta> FromMeta for Given<T> {
    fn from_meta(meta: &Meta) -> darling::Result<Self> {
        Ok(Given {
            site: meta.path().to_token_stream(),
            value: T::from_meta(meta).ok(),
        })
    }
}

/// The place of an option that has no value, if it is written.
pub(super) fn site_of<T>(option: &[Given<T>]) -> Option<TokenStream> {
    option.last().map(|given| given.site.clone())
}

/// The value that counts: the last one.
pub(super) fn value_of<T>(option: Every<T>) -> Option<T> {
    option
        .into_iter()
        .filter_map(|given| given.value)
        .next_back()
}

/// The options of a struct or enum.
#[derive(Debug, Default, FromMeta)]
#[darling(default)]
pub(super) struct ItemOptions {
    #[darling(multiple)]
    pub(super) rename_all: Every<Directions>,
    #[darling(multiple)]
    pub(super) rename_all_fields: Every<Directions>,
    #[darling(multiple)]
    pub(super) tag: Every<LitStr>,
    #[darling(multiple)]
    pub(super) content: Every<LitStr>,
    #[darling(multiple)]
    pub(super) untagged: Every<Ignored>,
    #[darling(multiple)]
    pub(super) transparent: Every<Ignored>,
    #[darling(multiple)]
    pub(super) deny_unknown_fields: Every<Ignored>,
    #[darling(multiple)]
    pub(super) default: Every<Override<ExprPath>>,
    #[darling(multiple)]
    pub(super) remote: Every<Ignored>,
    #[darling(multiple)]
    pub(super) field_identifier: Every<Ignored>,
    #[darling(multiple)]
    pub(super) variant_identifier: Every<Ignored>,
    #[darling(flatten)]
    pub(super) others: Others,
}

/// The options of a field.
#[derive(Debug, Default, FromMeta)]
#[darling(default)]
pub(super) struct FieldOptions {
    #[darling(multiple)]
    pub(super) rename: Every<Directions>,
    #[darling(multiple)]
    pub(super) alias: Every<LitStr>,
    #[darling(multiple)]
    pub(super) default: Every<Override<ExprPath>>,
    #[darling(multiple)]
    pub(super) skip: Every<Ignored>,
    #[darling(multiple)]
    pub(super) skip_serializing: Every<Ignored>,
    #[darling(multiple)]
    pub(super) skip_deserializing: Every<Ignored>,
    #[darling(multiple)]
    pub(super) skip_serializing_if: Every<ExprPath>,
    #[darling(multiple)]
    pub(super) with: Every<ExprPath>,
    #[darling(multiple)]
    pub(super) serialize_with: Every<ExprPath>,
    #[darling(multiple)]
    pub(super) deserialize_with: Every<ExprPath>,
    #[darling(multiple)]
    pub(super) flatten: Every<Ignored>,
    #[darling(flatten)]
    pub(super) others: Others,
}

/// The options of a variant.
#[derive(Debug, Default, FromMeta)]
#[darling(default)]
pub(super) struct VariantOptions {
    #[darling(multiple)]
    pub(super) rename: Every<Directions>,
    #[darling(multiple)]
    pub(super) rename_all: Every<Directions>,
    #[darling(multiple)]
    pub(super) alias: Every<LitStr>,
    #[darling(multiple)]
    pub(super) skip: Every<Ignored>,
    #[darling(multiple)]
    pub(super) skip_serializing: Every<Ignored>,
    #[darling(multiple)]
    pub(super) skip_deserializing: Every<Ignored>,
    #[darling(multiple)]
    pub(super) with: Every<Ignored>,
    #[darling(multiple)]
    pub(super) serialize_with: Every<Ignored>,
    #[darling(multiple)]
    pub(super) deserialize_with: Every<Ignored>,
    #[darling(multiple)]
    pub(super) untagged: Every<Ignored>,
    #[darling(multiple)]
    pub(super) other: Every<Ignored>,
    #[darling(flatten)]
    _others: Others,
}

/// The options that a struct does not list, in the order in which they are written.
#[derive(Debug, Default)]
pub(super) struct Others(Every<LitStr>);

impl Others {
    /// True if another option than these is written.
    pub(super) fn has_other_than(&self, names: &[&str]) -> bool {
        let mut written = self.0.iter().map(|option| option.site.to_string());
        written.any(|name| !names.contains(&name.as_str()))
    }

    /// The texts of the options that have one of these names.
    pub(super) fn texts<'o>(
        &'o self,
        names: &'o [&str],
    ) -> impl Iterator<Item = (String, &'o LitStr)> {
        let texts = self.0.iter().filter_map(|option| {
            let name = option.site.to_string();
            Some((name, option.value.as_ref()?))
        });
        texts.filter(|(name, _)| names.contains(&name.as_str()))
    }
}

impl FromMeta for Others {
    fn from_list(options: &[NestedMeta]) -> darling::Result<Self> {
        let options = options.iter().filter_map(|option| match option {
            NestedMeta::Meta(meta) => Given::from_meta(meta).ok(),
            _ => None,
        });
        Ok(Others(options.collect()))
    }
}

/// `".."` for both directions, or `(serialize = "..", deserialize = "..")`.
#[derive(Debug, Default)]
pub(super) struct Directions {
    pub(super) written: Option<LitStr>,
    pub(super) read: Vec<LitStr>,
}

impl FromMeta for Directions {
    fn from_meta(meta: &Meta) -> darling::Result<Self> {
        #[derive(FromMeta)]
        struct Both {
            #[darling(multiple)]
            serialize: Vec<LitStr>,
            #[darling(multiple)]
            deserialize: Vec<LitStr>,
        }
        match meta {
            Meta::NameValue(_) => {
                let both = LitStr::from_meta(meta)?;
                Ok(Directions {
                    written: Some(both.clone()),
                    read: vec![both],
                })
            }
            Meta::List(_) => {
                let Both {
                    serialize,
                    deserialize,
                } = Both::from_meta(meta)?;
                Ok(Directions {
                    written: serialize.into_iter().next_back(),
                    read: deserialize,
                })
            }
            Meta::Path(_) => Err(Error::unsupported_format("word")),
        }
    }
}
