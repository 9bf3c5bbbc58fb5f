//! From tokens to [`crate::syntax`]: what was written. Nothing is judged here but the writing itself.

mod access;
mod allow;
mod attributes;
mod bounds;
mod checks;
mod comparison;
mod field;
pub(crate) mod index;
mod migration;
mod model;
pub(crate) mod opts;
mod personal;
mod projection;
mod relation;
pub(crate) mod serde;
mod shard_key;
mod short;

use proc_macro2::TokenStream;
use quote::ToTokens;
use syn::{Attribute, Data, DeriveInput, Fields, Meta};

use self::attributes::form_on;
use self::field::field_attrs;
pub(crate) use self::migration::parse_migration;
use self::model::item_attrs;
pub(crate) use self::projection::parse_projection;
use self::short::Short;
use crate::ctxt::Ctxt;
use crate::diag;
use crate::names::unraw;
use crate::syntax::{Body, Content, Field, Item, Kind, RenameRule, SerdeField, SerdeItem, Variant};

/// The whole item. Always gives one, with what could be understood.
pub(crate) fn parse_item(input: &DeriveInput, kind: Kind, cx: &Ctxt) -> Item {
    cx.set_place(0);
    let owner = unraw(&input.ident);
    let serde = SerdeItem::parse(&input.attrs, cx, &owner);
    let attrs = item_attrs(&input.attrs, kind, &input.ident, cx);
    let mut body = parse_body(input, kind, &owner, &serde, cx);
    if let (Some(name), Body::Struct(fields)) = (&attrs.tenant, &mut body) {
        let mut fields = fields.iter_mut();
        if let Some(field) = fields.find(|field| field.rust() == unraw(name)) {
            field.attrs.tenant = Some(name.to_token_stream());
        }
    }
    Item {
        kind,
        ident: input.ident.clone(),
        vis: input.vis.clone(),
        generics: input.generics.clone(),
        attrs,
        serde,
        body,
    }
}

fn parse_body(input: &DeriveInput, kind: Kind, owner: &str, serde: &SerdeItem, cx: &Ctxt) -> Body {
    let mut place = 0;
    let shape = |cx: &Ctxt| {
        cx.set_place(0);
        cx.push(diag::shape(&input.ident, kind, owner));
        Body::Struct(Vec::new())
    };
    match &input.data {
        Data::Struct(data) => match &data.fields {
            Fields::Named(_) => Body::Struct(parse_fields(
                &data.fields,
                owner,
                serde,
                serde.rename_all,
                &mut place,
                cx,
            )),
            Fields::Unnamed(unnamed) if unnamed.unnamed.len() == 1 && kind == Kind::Embed => {
                let mut fields = parse_fields(&data.fields, owner, serde, None, &mut place, cx);
                Body::Newtype(Box::new(fields.remove(0)))
            }
            _ => shape(cx),
        },
        Data::Enum(data) if kind == Kind::Embed || serde.tag.is_some() => {
            let mut variants = Vec::new();
            for variant in &data.variants {
                cx.set_place(0);
                report_variant_attributes(variant, owner, cx);
                let tags = serde::variant_name(&variant.attrs, &variant.ident, serde, cx, owner);
                let inner = format!("{owner}::{}", unraw(&variant.ident));
                let content = match &variant.fields {
                    Fields::Unit => Content::Unit,
                    Fields::Named(_) => {
                        let rule = serde::variant_rename_all(&variant.attrs, cx, &inner)
                            .or(serde.rename_all_fields);
                        Content::Struct(parse_fields(
                            &variant.fields,
                            &inner,
                            serde,
                            rule,
                            &mut place,
                            cx,
                        ))
                    }
                    Fields::Unnamed(unnamed) if unnamed.unnamed.len() == 1 => {
                        let mut fields =
                            parse_fields(&variant.fields, &inner, serde, None, &mut place, cx);
                        Content::Newtype(Box::new(fields.remove(0)))
                    }
                    Fields::Unnamed(_) => {
                        // Beside a tag serde refuses it itself.
                        if serde.tag.is_none() || serde.content.is_some() {
                            cx.push(diag::tuple_variant(&variant.ident, &inner));
                        }
                        Content::Unit
                    }
                };
                variants.push(Variant {
                    ident: variant.ident.clone(),
                    serde: tags,
                    content,
                });
            }
            Body::Enum(variants)
        }
        _ => shape(cx),
    }
}

/// A variant has no attributes of ours.
fn report_variant_attributes(variant: &syn::Variant, owner: &str, cx: &Ctxt) {
    let owner = format!("{owner}::{}", unraw(&variant.ident));
    for attr in &variant.attrs {
        let name = match Short::from_attribute(attr) {
            // `#[default]` is the variant that `derive(Default)` makes.
            Some(Short::Default) => continue,
            Some(short) => short.name(),
            None if attr.path().is_ident("model") => "model",
            None => continue,
        };
        cx.push(diag::misplaced(
            &attr.meta,
            name,
            &owner,
            "on a field inside",
        ));
    }
}

fn parse_fields(
    fields: &Fields,
    owner: &str,
    item: &SerdeItem,
    rule: Option<RenameRule>,
    place: &mut usize,
    cx: &Ctxt,
) -> Vec<Field> {
    let mut out = Vec::new();
    for field in fields {
        *place += 1;
        cx.set_place(*place);
        let ident = field
            .ident
            .clone()
            .unwrap_or_else(|| proc_macro2::Ident::new("value", proc_macro2::Span::call_site()));
        let owner = if field.ident.is_some() {
            format!("{owner}::{}", unraw(&ident))
        } else {
            owner.to_owned()
        };
        let serde = SerdeField::parse(&field.attrs, &ident, item, rule, cx, &owner);
        let attrs = field_attrs(&field.attrs, &field.ty, &owner, cx);
        out.push(Field {
            place: *place,
            ident,
            owner,
            vis: field.vis.clone(),
            ty: field.ty.clone(),
            serde,
            attrs,
        });
    }
    out
}

/// The arguments of `#[name(..)]`; reports other brackets, `= ..` and a bare word.
fn parenthesised(
    attr: &Attribute,
    name: &'static str,
    owner: &str,
    cx: &Ctxt,
) -> Option<TokenStream> {
    let problem = match &attr.meta {
        Meta::List(list) if matches!(list.delimiter, syn::MacroDelimiter::Paren(_)) => {
            return Some(list.tokens.clone());
        }
        Meta::List(_) => "takes its options in parentheses, not in other brackets",
        Meta::Path(_) => "says nothing",
        Meta::NameValue(_) => "takes its options in parentheses",
    };
    cx.push(diag::bad_shape(
        &attr.meta,
        problem,
        name,
        owner,
        &form_on(name, owner),
    ));
    None
}
