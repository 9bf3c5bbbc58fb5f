//! `#[derive(MongoProjection)]`: the struct and its `#[projection(..)]` attributes, as written.

use quote::ToTokens;
use syn::{Attribute, Data, DeriveInput, Fields};

use super::opts::Opts;
use super::{attributes, parenthesised};
use crate::ctxt::Ctxt;
use crate::diag;
use crate::names::unraw;
use crate::syntax::{ProjectedField, Projection, SerdeField, SerdeItem};

/// The whole struct. Always gives one, with what could be understood.
pub(crate) fn parse_projection(input: &DeriveInput, cx: &Ctxt) -> Projection {
    cx.set_place(0);
    let owner = unraw(&input.ident);
    let serde = SerdeItem::parse(&input.attrs, cx, &owner);
    let mut out = Projection {
        ident: input.ident.clone(),
        generics: input.generics.clone(),
        of: None,
        fallback: None,
        krate: None,
        serde,
        fields: Vec::new(),
    };
    parse_item_attribute(&input.attrs, &owner, &mut out, cx);
    match &input.data {
        Data::Struct(data) if matches!(data.fields, Fields::Named(_)) => {
            out.fields = parse_fields(&data.fields, &owner, &out.serde, cx);
        }
        _ => cx.push(diag::projection_shape(&input.ident, &owner)),
    }
    out
}

fn parse_item_attribute(attrs: &[Attribute], owner: &str, out: &mut Projection, cx: &Ctxt) {
    let mut found = None;
    for attr in attrs.iter().filter(|a| a.path().is_ident("projection")) {
        if found.is_some() {
            cx.push(diag::duplicate_attribute(&attr.meta, "projection", owner));
            continue;
        }
        found = Some(attr);
        let Some(args) = parenthesised(attr, "projection", owner, cx) else {
            continue;
        };
        let site = attr.meta.to_token_stream();
        let mut opts = Opts::split(cx, "projection", owner, site, args, 0);
        opts.check_names(&attributes::PROJECTION);
        if opts.get("of").is_none() {
            opts.missing("of", "#[projection(of = Product)]");
        }
        out.of = opts.path("of");
        out.fallback = opts.path("fallback");
        out.krate = opts.path("crate");
    }
    if found.is_none() {
        cx.push(diag::projection_of_nothing(&out.ident, owner));
    }
}

fn parse_fields(fields: &Fields, owner: &str, item: &SerdeItem, cx: &Ctxt) -> Vec<ProjectedField> {
    let mut out = Vec::new();
    for (n, field) in fields.iter().enumerate() {
        cx.set_place(n + 1);
        let Some(ident) = &field.ident else { continue };
        let owner = format!("{owner}::{}", unraw(ident));
        let serde = SerdeField::parse(&field.attrs, ident, item, item.rename_all, cx, &owner);
        out.push(ProjectedField {
            place: n + 1,
            ident: ident.clone(),
            ty: field.ty.clone(),
            serde,
            nested: is_nested(&field.attrs, &owner, cx),
            owner,
        });
    }
    out
}

/// `#[projection(nested)]`
fn is_nested(attrs: &[Attribute], owner: &str, cx: &Ctxt) -> bool {
    let mut nested = false;
    for attr in attrs.iter().filter(|a| a.path().is_ident("projection")) {
        let Some(args) = parenthesised(attr, "projection", owner, cx) else {
            continue;
        };
        let site = attr.meta.to_token_stream();
        let mut opts = Opts::split(cx, "projection", owner, site, args, 0);
        opts.check_names(&attributes::PROJECTED_FIELD);
        nested |= opts.flag("nested").is_some();
    }
    nested
}
