//! The `#[serde(..)]` attributes. Attributes that decide the stored form are stored; those that cannot be honoured are reported
//! here or, if that needs the types, by `check`. Only attributes that change no stored byte are ignored: `bound`,
//! `borrow`, `crate`, `expecting`, `other`, and the container's `rename`.
//!
//! Malformed attributes are serde's own to report: its derive reads the same item.

mod form;

use proc_macro2::{Ident, TokenTree};
use quote::ToTokens;
use syn::meta::ParseNestedMeta;
use syn::{Attribute, ExprPath, LitStr, Token};

pub(crate) use self::form::name_form;
use crate::ctxt::Ctxt;
use crate::diag;
use crate::names::unraw;
use crate::syntax::{Conversion, Instead, RenameRule, SerdeField, SerdeItem, SerdeVariant};

impl SerdeItem {
    pub(crate) fn parse(attrs: &[Attribute], cx: &Ctxt, owner: &str) -> SerdeItem {
        let mut out = SerdeItem::default();
        for_each_option(attrs, |key, meta| {
            let site = || meta.path.to_token_stream();
            match key {
                "rename_all" => out.rename_all = rename_all(key, meta, cx, owner)?,
                "rename_all_fields" => out.rename_all_fields = rename_all(key, meta, cx, owner)?,
                "tag" => {
                    let lit = text(meta)?;
                    out.tag = Some(lit.value());
                    out.tag_tokens = Some(lit.to_token_stream());
                }
                "content" => {
                    out.content = Some(site());
                    out.content_name = text(meta)?.value();
                }
                "untagged" => out.untagged = Some(site()),
                "transparent" => out.transparent = Some(site()),
                "deny_unknown_fields" => out.deny_unknown_fields = Some(site()),
                "default" => {
                    out.default = true;
                    out.default_fn = function(meta)?;
                }
                "from" | "try_from" | "into" => {
                    let lit = text(meta)?;
                    out.conversions.push(Conversion {
                        key: key.to_owned(),
                        ty: lit.parse()?,
                        tokens: lit.to_token_stream(),
                    });
                }
                "remote" => cx.push(diag::serde_remote(&meta.path, owner)),
                "field_identifier" | "variant_identifier" => {
                    cx.push(diag::serde_identifier(&meta.path, key, owner))
                }
                "bound" | "crate" | "expecting" => {}
                _ => out.special = true,
            }
            Ok(())
        });
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
        let mut naming = Naming::default();
        let (mut unwritten, mut unread) = (None, None);
        for_each_option(attrs, |key, meta| {
            let site = || Some(meta.path.to_token_stream());
            match key {
                "rename" => naming.rename(meta)?,
                "alias" => out.aliases.push(text(meta)?),
                "default" => {
                    out.default = true;
                    out.instead = function(meta)?.map_or(Instead::Default, Instead::Function);
                }
                "skip" => (unwritten, unread) = (site(), site()),
                "skip_serializing" => unwritten = site(),
                "skip_deserializing" => unread = site(),
                "skip_serializing_if" => {
                    let path: ExprPath = text(meta)?.parse()?;
                    out.skip_none = is_none(&path);
                    out.skip_if = Some(path.to_token_stream());
                }
                "with" => {
                    let path: ExprPath = text(meta)?.parse()?;
                    out.serialize_with = Some(function_of(&path, "serialize"));
                    out.deserialize_with = Some(function_of(&path, "deserialize"));
                    out.with = site();
                }
                "serialize_with" => {
                    out.serialize_with = Some(text(meta)?.parse()?);
                    out.with = site();
                }
                "deserialize_with" => {
                    out.deserialize_with = Some(text(meta)?.parse()?);
                    out.with = site();
                }
                "flatten" => out.flatten = site(),
                // `getter` means something only beside `remote`, which is refused.
                "bound" | "borrow" | "getter" => {}
                _ => out.special = true,
            }
            Ok(())
        });
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
    let mut naming = Naming::default();
    let mut aliases = Vec::new();
    let (mut unwritten, mut skipped, mut unread, mut other) = (false, false, None, false);
    for_each_option(attrs, |key, meta| {
        match key {
            "rename" => naming.rename(meta)?,
            "alias" => aliases.push(text(meta)?),
            // Such a variant exists in memory or in old documents only.
            "skip" => (unwritten, skipped) = (true, true),
            "skip_serializing" => unwritten = true,
            "skip_deserializing" => unread = Some(meta.path.to_token_stream()),
            "with" | "serialize_with" | "deserialize_with" => {
                cx.push(diag::serde_variant_with(&meta.path, key, &owner))
            }
            "untagged" => cx.push(diag::serde_variant_untagged(&meta.path, &owner)),
            "other" => other = true,
            // `rename_all` is read with the fields.
            _ => {}
        }
        Ok(())
    });
    if let Some(unread) = unread.filter(|_| !unwritten) {
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
        other,
    }
}

/// A variant's own `rename_all`, which names its fields.
pub(crate) fn variant_rename_all(
    attrs: &[Attribute],
    cx: &Ctxt,
    owner: &str,
) -> Option<RenameRule> {
    let mut rule = None;
    for_each_option(attrs, |key, meta| {
        if key == "rename_all" {
            rule = rename_all(key, meta, cx, owner)?;
        }
        Ok(())
    });
    rule
}

/// `rename = ".."`, `rename(serialize = "..", deserialize = "..")`
#[derive(Default)]
struct Naming {
    written: Option<LitStr>,
    read: Vec<LitStr>,
}

impl Naming {
    fn rename(&mut self, meta: &ParseNestedMeta<'_>) -> syn::Result<()> {
        let (written, read) = split_directions(meta)?;
        self.written = written.or(self.written.take());
        self.read.extend(read);
        Ok(())
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
fn rename_all(
    key: &str,
    meta: &ParseNestedMeta<'_>,
    cx: &Ctxt,
    owner: &str,
) -> syn::Result<Option<RenameRule>> {
    let (written, read) = split_directions(meta)?;
    let (write, read) = (
        written.as_ref().map(LitStr::value),
        read.first().map(LitStr::value),
    );
    if write != read {
        cx.push(diag::rename_all_asym(
            &meta.path,
            key,
            owner,
            write.as_deref(),
            read.as_deref(),
        ));
    }
    Ok(write.and_then(|name| RenameRule::from_name(&name)))
}

/// The name to write and the names to read.
fn split_directions(meta: &ParseNestedMeta<'_>) -> syn::Result<(Option<LitStr>, Vec<LitStr>)> {
    if meta.input.peek(Token![=]) {
        let both = text(meta)?;
        return Ok((Some(both.clone()), vec![both]));
    }
    let (mut written, mut read) = (None, Vec::new());
    meta.parse_nested_meta(|inner| {
        let lit = text(&inner)?;
        if inner.path.is_ident("serialize") {
            written = Some(lit);
        } else if inner.path.is_ident("deserialize") {
            read.push(lit);
        } else {
            return Err(inner.error("neither `serialize` nor `deserialize`"));
        }
        Ok(())
    })?;
    Ok((written, read))
}

/// Hands over every option of every `#[serde(..)]`, and skips what `option` leaves unread.
fn for_each_option(
    attrs: &[Attribute],
    mut option: impl FnMut(&str, &ParseNestedMeta<'_>) -> syn::Result<()>,
) {
    for attr in attrs.iter().filter(|attr| attr.path().is_ident("serde")) {
        // Serde itself reports an attribute that cannot be read.
        let _ = attr.parse_nested_meta(|meta| {
            let key = meta
                .path
                .get_ident()
                .map(ToString::to_string)
                .unwrap_or_default();
            option(&key, &meta)?;
            while !meta.input.is_empty() && !meta.input.peek(Token![,]) {
                meta.input.parse::<TokenTree>()?;
            }
            Ok(())
        });
    }
}

/// `= ".."`
fn text(meta: &ParseNestedMeta<'_>) -> syn::Result<LitStr> {
    meta.value()?.parse()
}

/// `default` is bare or `default = "function"`.
fn function(meta: &ParseNestedMeta<'_>) -> syn::Result<Option<ExprPath>> {
    if meta.input.peek(Token![=]) {
        return Ok(Some(text(meta)?.parse()?));
    }
    Ok(None)
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
