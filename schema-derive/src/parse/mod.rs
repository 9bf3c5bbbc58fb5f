//! From tokens to [`crate::syntax`]: what was written. Nothing is judged here but the writing itself.

mod access;
mod bounds;
pub(crate) mod index;
mod model;
pub(crate) mod opts;
mod projection;
mod relation;
pub(crate) mod serde;

use proc_macro2::TokenStream;
use quote::ToTokens;
use syn::{Attribute, Data, DeriveInput, Fields, Meta, Type};

use self::model::{NOT_ON_FIELD, allows, item_attrs, misplaced};
use self::opts::{Opt, OptBody, Opts, form, form_on};
pub(crate) use self::projection::projection;
use crate::ctxt::Ctxt;
use crate::diag;
use crate::names::unraw;
use crate::syntax::{
    Body, Content, EmbedAttr, Field, FieldAttrs, Item, Kind, RenameRule, SerdeField, SerdeItem,
    Variant,
};
use crate::types;

/// The short attributes; each is accepted inside `#[model(..)]` too.
const SHORT: &[&str] = &[
    "embed",
    "refs",
    "parent",
    "denorm",
    "index",
    "volatile",
    "version",
    "recent",
    "count",
    "created",
    "updated",
    "deleted",
    "immutable",
];

/// The whole item. Always gives one, with what could be understood.
pub(crate) fn item(input: &DeriveInput, kind: Kind, cx: &Ctxt) -> Item {
    cx.at(0);
    let owner = unraw(&input.ident);
    let serde = SerdeItem::parse(&input.attrs, cx, &owner);
    let attrs = item_attrs(&input.attrs, kind, &input.ident, cx);
    let body = body(input, kind, &owner, &serde, cx);
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

fn body(input: &DeriveInput, kind: Kind, owner: &str, serde: &SerdeItem, cx: &Ctxt) -> Body {
    let mut place = 0;
    let shape = |cx: &Ctxt| {
        cx.at(0);
        cx.push(diag::shape(&input.ident, kind, owner));
        Body::Struct(Vec::new())
    };
    match &input.data {
        Data::Struct(data) => match &data.fields {
            Fields::Named(_) => Body::Struct(fields(
                &data.fields,
                owner,
                serde,
                serde.rename_all,
                &mut place,
                cx,
            )),
            Fields::Unnamed(unnamed) if unnamed.unnamed.len() == 1 && kind == Kind::Embed => {
                let mut fields = fields(&data.fields, owner, serde, None, &mut place, cx);
                Body::Newtype(Box::new(fields.remove(0)))
            }
            _ => shape(cx),
        },
        Data::Enum(data) if kind == Kind::Embed || serde.tag.is_some() => {
            let mut variants = Vec::new();
            for variant in &data.variants {
                cx.at(0);
                on_variant(variant, owner, cx);
                let tags = serde::variant_name(&variant.attrs, &variant.ident, serde, cx, owner);
                let inner = format!("{owner}::{}", unraw(&variant.ident));
                let content = match &variant.fields {
                    Fields::Unit => Content::Unit,
                    Fields::Named(_) => {
                        let rule = serde::variant_rename_all(&variant.attrs, cx, &inner)
                            .or(serde.rename_all_fields);
                        Content::Struct(fields(
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
                            fields(&variant.fields, &inner, serde, None, &mut place, cx);
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
fn on_variant(variant: &syn::Variant, owner: &str, cx: &Ctxt) {
    let owner = format!("{owner}::{}", unraw(&variant.ident));
    for attr in &variant.attrs {
        let Some(name) = SHORT
            .iter()
            .chain(&["model"])
            .find(|name| attr.path().is_ident(name))
        else {
            continue;
        };
        cx.push(diag::misplaced(
            &attr.meta,
            name,
            &owner,
            "on a field inside",
        ));
    }
}

fn fields(
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
        cx.at(*place);
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

/// One of our attributes, taken out of its brackets: name, span, arguments (`None` for a bare word).
struct Short {
    name: &'static str,
    site: TokenStream,
    args: Option<TokenStream>,
}

/// All our attributes on a field, those inside `#[model(..)]` lifted out, in source order.
fn short_attributes(attrs: &[Attribute], owner: &str, cx: &Ctxt) -> (Vec<Short>, Vec<Opt>) {
    let mut found = Vec::new();
    let mut model = Vec::new();
    for attr in attrs {
        if attr.path().is_ident("model") {
            let Some(args) = parenthesised(attr, "model", owner, cx) else {
                continue;
            };
            if args.is_empty() {
                cx.push(diag::bad_shape(
                    &attr.meta,
                    "has empty parentheses",
                    "model",
                    owner,
                    &form_on("model", owner),
                ));
            }
            let opts = Opts::split(cx, "model", owner, attr.meta.to_token_stream(), args, 0);
            for opt in opts.items {
                match SHORT.iter().find(|name| opt.is(name)) {
                    Some(name) => match &opt.body {
                        OptBody::Value(_) => cx.push(diag::bad_shape(
                            &opt.tokens,
                            "takes its options in parentheses",
                            name,
                            owner,
                            &form(name),
                        )),
                        OptBody::Flag => found.push(Short {
                            name,
                            site: opt.tokens,
                            args: None,
                        }),
                        OptBody::List(list) => found.push(Short {
                            name,
                            site: opt.tokens.clone(),
                            args: Some(list.clone()),
                        }),
                    },
                    None => model.push(opt),
                }
            }
            continue;
        }
        let Some(name) = SHORT.iter().find(|name| attr.path().is_ident(name)) else {
            continue;
        };
        let site = attr.meta.to_token_stream();
        match &attr.meta {
            Meta::Path(_) => found.push(Short {
                name,
                site,
                args: None,
            }),
            Meta::List(_) => {
                if let Some(args) = parenthesised(attr, name, owner, cx) {
                    found.push(Short {
                        name,
                        site,
                        args: Some(args),
                    });
                }
            }
            Meta::NameValue(_) => cx.push(diag::bad_shape(
                &site,
                "takes its options in parentheses",
                name,
                owner,
                &form(name),
            )),
        }
    }
    (found, model)
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

/// True if the type is neither an array, set or map nor a well-known value. The compiler refuses an alias of one.
fn single_document(ty: &Type) -> bool {
    let ty = types::option_inner(ty).unwrap_or(ty);
    types::array_element(ty).is_none() && types::map_value(ty).is_none() && !types::well_known(ty)
}

fn field_attrs(attrs: &[Attribute], ty: &Type, owner: &str, cx: &Ctxt) -> FieldAttrs {
    let mut out = FieldAttrs::default();
    let (short, model) = short_attributes(attrs, owner, cx);
    let mut seen: Vec<&str> = Vec::new();
    for Short { name, site, args } in short {
        if seen.contains(&name) && !matches!(name, "denorm" | "index") {
            cx.push(diag::duplicate_attribute(&site, name, owner));
            continue;
        }
        seen.push(name);
        let bare = args.is_none();
        if args.as_ref().is_some_and(TokenStream::is_empty) {
            cx.push(diag::bad_shape(
                &site,
                "has empty parentheses",
                name,
                owner,
                &form(name),
            ));
            out.mark_broken(name);
            continue;
        }
        let split = |positional| {
            Opts::split(
                cx,
                name,
                owner,
                site.clone(),
                args.clone().unwrap_or_default(),
                positional,
            )
        };
        match name {
            // Embedding is the default: on a single document the attribute only says so.
            "embed" if bare && single_document(ty) => {
                out.embed = Some(EmbedAttr {
                    site,
                    max: None,
                    allow_large: false,
                    overflow: None,
                });
            }
            "embed" | "refs" | "parent" | "denorm" | "recent" | "count" if bare => {
                cx.push(diag::bad_shape(
                    &site,
                    "says nothing",
                    name,
                    owner,
                    &form(name),
                ));
                out.mark_broken(name);
            }
            "volatile" | "version" | "created" | "updated" | "deleted" | "immutable" if !bare => {
                cx.push(diag::bad_shape(
                    &site,
                    "takes no options",
                    name,
                    owner,
                    &form(name),
                ));
            }
            "embed" => out.embed = Some(embed(split(0))),
            "refs" => match relation::refs(split(1)) {
                Some(refs) => out.refs = Some(refs),
                None => out.mark_broken(name),
            },
            "parent" => match relation::parent(split(1)) {
                Some(parent) => out.parent = Some(parent),
                None => out.mark_broken(name),
            },
            "denorm" => match relation::denorm(split(0)) {
                Some(denorm) => out.denorm.push(denorm),
                None => out.mark_broken(name),
            },
            "recent" => match relation::recent(split(1)) {
                Some(recent) => out.recent = Some(recent),
                None => out.mark_broken(name),
            },
            "count" => match relation::count(split(1)) {
                Some(count) => out.count = Some(count),
                None => out.mark_broken(name),
            },
            "index" => out.index.extend(index::on_field(split(0))),
            "volatile" => out.volatile = Some(site),
            "created" => out.created = Some(site),
            "updated" => out.updated = Some(site),
            "deleted" => out.deleted = Some(site),
            "immutable" => out.immutable = Some(site),
            _ => out.version = Some(site),
        }
    }
    if !model.is_empty() {
        let site: TokenStream = model.iter().map(|opt| opt.tokens.clone()).collect();
        let mut opts = Opts::split(cx, "model", owner, site, TokenStream::new(), 0);
        opts.items = model;
        misplaced(&mut opts, NOT_ON_FIELD);
        opts.known(
            &["opaque", "max_len", "writes_per_read", "allow"],
            &["allow"],
        );
        out.opaque = opts.flag("opaque");
        out.max_len = bounds::max_len(&opts);
        out.writes = bounds::writes(&opts);
        allows(opts.all("allow"), owner, cx, &mut out.allows);
    }
    out
}

impl FieldAttrs {
    /// Remembers that an attribute was there but could not be understood, so that no other check speaks about its absence.
    fn mark_broken(&mut self, name: &'static str) {
        self.broken.push(name);
    }
}

/// `embed(max = 20, allow_large = "..")`
fn embed(mut opts: Opts<'_>) -> EmbedAttr {
    opts.known(&["max", "allow_large", "overflow", "snapshot"], &[]);
    if let Some(opt) = opts.get("snapshot") {
        let what = "option `snapshot`";
        opts.cx.push(diag::not_yet(&opt.tokens, what, opts.owner));
    }
    if opts.get("max").is_none() {
        opts.missing("max", "#[embed(max = 20)]");
    }
    EmbedAttr {
        max: opts.number("max"),
        allow_large: relation::reason(&opts, "allow_large"),
        overflow: opts.path("overflow"),
        site: opts.site,
    }
}
