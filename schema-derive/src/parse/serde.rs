//! The `#[serde(..)]` attributes. Attributes that decide the stored form are stored; those that cannot be honoured are reported
//! here or, if that needs the types, by `check`. Only attributes that change no stored byte are ignored: `bound`,
//! `borrow`, `crate`, `expecting`, `other`, and the container's `rename`.
//!
//! Malformed attributes are serde's own to report: its derive reads the same item.

mod form;
mod options;

use darling::util::Override;
use proc_macro2::Ident;
use quote::ToTokens;
use syn::{Attribute, ExprPath, LitStr};

pub(crate) use self::form::name_form;
use self::options::{
    Directions, Every, FieldOptions, Given, ItemOptions, VariantOptions, read_options, site_of,
    value_of,
};
use crate::ctxt::Ctxt;
use crate::diag;
use crate::names::unraw;
use crate::syntax::{Conversion, Instead, RenameRule, SerdeField, SerdeItem, SerdeVariant};

/// The types through which serde reads and writes another.
const CONVERSIONS: [&str; 3] = ["from", "try_from", "into"];

impl SerdeItem {
    pub(crate) fn parse(attrs: &[Attribute], cx: &Ctxt, owner: &str) -> SerdeItem {
        let options: ItemOptions = read_options(attrs);
        for remote in &options.remote {
            cx.push(diag::serde_remote(&remote.site, owner));
        }
        for (key, identifier) in [
            ("field_identifier", &options.field_identifier),
            ("variant_identifier", &options.variant_identifier),
        ] {
            for given in identifier {
                cx.push(diag::serde_identifier(&given.site, key, owner));
            }
        }
        let tag = value_of(options.tag);
        let mut out = SerdeItem {
            rename_all: rename_all("rename_all", options.rename_all, cx, owner),
            rename_all_fields: rename_all(
                "rename_all_fields",
                options.rename_all_fields,
                cx,
                owner,
            ),
            tag: tag.as_ref().map(LitStr::value),
            tag_tokens: tag.map(|tag| tag.to_token_stream()),
            content: site_of(&options.content),
            content_name: value_of(options.content).map_or_else(String::new, |name| name.value()),
            untagged: site_of(&options.untagged),
            transparent: site_of(&options.transparent),
            deny_unknown_fields: site_of(&options.deny_unknown_fields),
            default: !options.default.is_empty(),
            default_fn: value_of(options.default).and_then(Override::explicit),
            special: options
                .others
                .has_other_than(&["bound", "crate", "expecting"]),
            conversions: Vec::new(),
        };
        let conversions = options.others.texts(&CONVERSIONS);
        out.conversions.extend(conversions.filter_map(|(key, lit)| {
            Some(Conversion {
                key,
                ty: lit.parse().ok()?,
                tokens: lit.to_token_stream(),
            })
        }));
        out.special |=
            out.untagged.is_some() || out.transparent.is_some() || !out.conversions.is_empty();
        out
    }
}

impl SerdeField {
    /// `rule` is the `rename_all` in force.
    pub(crate) fn parse(
        attrs: &[Attribute],
        ident: &Ident,
        item: &SerdeItem,
        rule: Option<RenameRule>,
        cx: &Ctxt,
        owner: &str,
    ) -> SerdeField {
        let mut out = SerdeField {
            default: item.default,
            rule,
            ..SerdeField::default()
        };
        if item.default {
            out.instead = Instead::OfItem;
        }
        let options: FieldOptions = read_options(attrs);
        // `getter` means something only beside `remote`, which is refused.
        out.special = options
            .others
            .has_other_than(&["bound", "borrow", "getter"]);
        let naming = Naming::of(options.rename);
        out.aliases = values_of(options.alias);
        if let Some(default) = options.default.into_iter().next_back() {
            out.default = true;
            out.instead = match default.value.and_then(Override::explicit) {
                Some(function) => Instead::Function(function),
                None => Instead::Default,
            };
        }
        let unwritten = site_of(&options.skip).or(site_of(&options.skip_serializing));
        let unread = site_of(&options.skip).or(site_of(&options.skip_deserializing));
        if let Some(path) = value_of(options.skip_serializing_if) {
            out.skip_none = is_none(&path);
            out.skip_if = Some(path.to_token_stream());
        }
        out.with = site_of(&options.with)
            .or(site_of(&options.serialize_with))
            .or(site_of(&options.deserialize_with));
        let with = value_of(options.with);
        let function = |name| with.as_ref().map(|module| function_of(module, name));
        out.serialize_with = value_of(options.serialize_with).or_else(|| function("serialize"));
        out.deserialize_with =
            value_of(options.deserialize_with).or_else(|| function("deserialize"));
        out.flatten = site_of(&options.flatten);
        match (&unwritten, &unread) {
            (None, Some(unread)) => cx.push(diag::serde_unread(unread, owner)),
            (Some(_), unread) => out.sought = unread.is_none(),
            (None, None) => {}
        }
        out.skip = unwritten;
        let rust = unraw(ident);
        let plain = rule.map_or_else(|| rust.clone(), |rule| rule.field(&rust));
        if out.skip.is_none() && out.flatten.is_none() {
            naming.symmetric(&plain, &out.aliases, cx, owner);
        }
        out.renamed_tokens = naming.written.as_ref().map(ToTokens::to_token_stream);
        out.read = naming.reads(&plain, &out.aliases);
        out.name = naming.written.map_or(plain, |lit| lit.value());
        out
    }
}

/// The stored tags of a variant. Reports the variant's serde attributes that cannot be honoured.
pub(crate) fn variant_name(
    attrs: &[Attribute],
    ident: &Ident,
    item: &SerdeItem,
    cx: &Ctxt,
    owner: &str,
) -> SerdeVariant {
    let rust = unraw(ident);
    let owner = format!("{owner}::{rust}");
    let options: VariantOptions = read_options(attrs);
    let naming = Naming::of(options.rename);
    let aliases = values_of(options.alias);
    // Such a variant exists in memory or in old documents only.
    let skipped = !options.skip.is_empty();
    let unwritten = skipped || !options.skip_serializing.is_empty();
    for (key, with) in [
        ("with", &options.with),
        ("serialize_with", &options.serialize_with),
        ("deserialize_with", &options.deserialize_with),
    ] {
        for given in with {
            cx.push(diag::serde_variant_with(&given.site, key, &owner));
        }
    }
    for given in &options.untagged {
        cx.push(diag::serde_variant_untagged(&given.site, &owner));
    }
    if let Some(unread) = site_of(&options.skip_deserializing).filter(|_| !unwritten) {
        cx.push(diag::serde_unread(&unread, &owner));
    }
    let plain = item
        .rename_all
        .map_or_else(|| rust.clone(), |rule| rule.variant(&rust));
    if !unwritten {
        naming.symmetric(&plain, &aliases, cx, &owner);
    }
    SerdeVariant {
        read: if skipped {
            Vec::new()
        } else {
            naming.reads(&plain, &aliases)
        },
        name: naming.written.map_or(plain, |lit| lit.value()),
        aliases,
        written: !unwritten,
        other: !options.other.is_empty(),
    }
}

/// A variant's own `rename_all`, which names its fields.
pub(crate) fn variant_rename_all(
    attrs: &[Attribute],
    cx: &Ctxt,
    owner: &str,
) -> Option<RenameRule> {
    let options: VariantOptions = read_options(attrs);
    rename_all("rename_all", options.rename_all, cx, owner)
}

/// `rename = ".."`, `rename(serialize = "..", deserialize = "..")`
#[derive(Default)]
struct Naming {
    written: Option<LitStr>,
    read: Vec<LitStr>,
}

impl Naming {
    fn of(renames: Every<Directions>) -> Self {
        let mut naming = Naming::default();
        for names in values_of(renames) {
            naming.written = names.written.or(naming.written);
            naming.read.extend(names.read);
        }
        naming
    }

    /// The names that are read. `plain` is the name without `rename`.
    fn reads(&self, plain: &str, aliases: &[LitStr]) -> Vec<String> {
        let mut names: Vec<String> = self.read.iter().map(LitStr::value).collect();
        if names.is_empty() {
            names.push(plain.to_owned());
        }
        names.extend(aliases.iter().map(LitStr::value));
        names
    }

    /// Reports a name that is written but not among those that are read. `plain` is the name without `rename`.
    fn symmetric(&self, plain: &str, aliases: &[LitStr], cx: &Ctxt, owner: &str) {
        let Some(span) = self.written.as_ref().or(self.read.first()) else {
            return;
        };
        let written = self
            .written
            .as_ref()
            .map_or_else(|| plain.to_owned(), LitStr::value);
        let mut read: Vec<String> = self.read.iter().map(LitStr::value).collect();
        if read.is_empty() {
            read.push(plain.to_owned());
        }
        if !read.contains(&written) && !aliases.iter().any(|alias| alias.value() == written) {
            cx.push(diag::rename_asym(span, owner, &written, &read[0]));
        }
    }
}

/// `rename_all = ".."`; both directions must agree. A rule that serde does not know is serde's to report.
fn rename_all(key: &str, given: Every<Directions>, cx: &Ctxt, owner: &str) -> Option<RenameRule> {
    let Given { site, value } = given.into_iter().next_back()?;
    let names = value?;
    let written = names.written.as_ref().map(LitStr::value);
    let read = names.read.first().map(LitStr::value);
    if written != read {
        let (written, read) = (written.as_deref(), read.as_deref());
        cx.push(diag::rename_all_asym(&site, key, owner, written, read));
    }
    RenameRule::from_name(&written?)
}

fn values_of<T>(option: Every<T>) -> Vec<T> {
    option.into_iter().filter_map(|given| given.value).collect()
}

/// `with = "module"` names `module::serialize` and `module::deserialize`.
fn function_of(module: &ExprPath, name: &str) -> ExprPath {
    let mut path = module.clone();
    let span = path
        .path
        .segments
        .last()
        .map_or_else(proc_macro2::Span::call_site, |last| last.ident.span());
    path.path.segments.push(Ident::new(name, span).into());
    path
}

/// `Option::is_none`, however it is written.
fn is_none(path: &ExprPath) -> bool {
    let mut ends = path
        .path
        .segments
        .iter()
        .rev()
        .map(|segment| segment.ident.to_string());
    ends.next().is_some_and(|last| last == "is_none")
        && ends.next().is_some_and(|ty| ty == "Option")
}

#[cfg(test)]
mod tests;
