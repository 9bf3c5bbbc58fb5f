//! From tokens to [`crate::syntax`]: what was written. Nothing is judged here but the writing itself.

mod access;
mod bounds;
pub(crate) mod index;
mod model;
pub(crate) mod opts;
mod projection;
mod relation;
pub(crate) mod serde;
mod short;

use proc_macro2::TokenStream;
use quote::ToTokens;
use syn::ext::IdentExt;
use syn::{Attribute, Data, DeriveInput, Fields, Meta, Type};

use self::model::{NOT_ON_FIELD, allows, item_attrs, misplaced};
use self::opts::{Opt, OptBody, Opts, form, form_on};
pub(crate) use self::projection::projection;
use self::short::Short;
use crate::ctxt::Ctxt;
use crate::diag;
use crate::names::unraw;
use crate::syntax::{
    Body, Content, EmbedAttr, Field, FieldAttrs, Item, Kind, RenameRule, SerdeField, SerdeItem,
    Variant,
};
use crate::types;

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
        let name = match Short::of(attr) {
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
struct Written {
    short: Short,
    site: TokenStream,
    args: Option<TokenStream>,
}

/// All our attributes on a field, those inside `#[model(..)]` lifted out, in source order.
fn short_attributes(attrs: &[Attribute], owner: &str, cx: &Ctxt) -> (Vec<Written>, Vec<Opt>) {
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
                match opt.key.as_ref().and_then(|key| Short::named(&key.unraw())) {
                    Some(short) => match &opt.body {
                        OptBody::Value(_) => cx.push(diag::bad_shape(
                            &opt.tokens,
                            "takes its options in parentheses",
                            short.name(),
                            owner,
                            &form(short.name()),
                        )),
                        OptBody::Flag => found.push(Written {
                            short,
                            site: opt.tokens,
                            args: None,
                        }),
                        OptBody::List(list) => found.push(Written {
                            short,
                            site: opt.tokens.clone(),
                            args: Some(list.clone()),
                        }),
                    },
                    None => model.push(opt),
                }
            }
            continue;
        }
        let Some(short) = Short::of(attr) else {
            continue;
        };
        let name = short.name();
        let site = attr.meta.to_token_stream();
        match &attr.meta {
            Meta::Path(_) => found.push(Written {
                short,
                site,
                args: None,
            }),
            Meta::List(_) => {
                if let Some(args) = parenthesised(attr, name, owner, cx) {
                    found.push(Written {
                        short,
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
    let mut seen: Vec<Short> = Vec::new();
    for Written { short, site, args } in short {
        let name = short.name();
        if seen.contains(&short) && !short.repeats() {
            cx.push(diag::duplicate_attribute(&site, name, owner));
            continue;
        }
        seen.push(short);
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
        let split = |args: TokenStream, positional| {
            Opts::split(cx, name, owner, site.clone(), args, positional)
        };
        let options = |positional| match args.clone() {
            Some(args) => Some(split(args, positional)),
            None => {
                cx.push(diag::bad_shape(
                    &site,
                    "says nothing",
                    name,
                    owner,
                    &form(name),
                ));
                None
            }
        };
        let mark = || {
            if args.is_some() {
                cx.push(diag::bad_shape(
                    &site,
                    "takes no options",
                    name,
                    owner,
                    &form(name),
                ));
                return None;
            }
            Some(site.clone())
        };
        let understood = match short {
            // Embedding is the default: on a single document the attribute only says so.
            Short::Embed if args.is_none() && single_document(ty) => {
                let site = site.clone();
                fill(
                    &mut out.embed,
                    Some(EmbedAttr {
                        site,
                        max: None,
                        allow_large: false,
                        overflow: None,
                    }),
                )
            }
            Short::Embed => fill(&mut out.embed, options(0).map(embed)),
            Short::Refs => fill(&mut out.refs, options(1).and_then(relation::refs)),
            Short::Parent => fill(&mut out.parent, options(1).and_then(relation::parent)),
            Short::Recent => fill(&mut out.recent, options(1).and_then(relation::recent)),
            Short::Count => fill(&mut out.count, options(1).and_then(relation::count)),
            Short::Denorm => match options(0).and_then(relation::denorm) {
                Some(denorm) => {
                    out.denorm.push(denorm);
                    true
                }
                None => false,
            },
            // Index rules have nothing to say about a field without an index.
            Short::Index => {
                let options = split(args.clone().unwrap_or_default(), 0);
                out.index.extend(index::on_field(options));
                true
            }
            Short::Volatile => fill(&mut out.volatile, mark()),
            Short::Version => fill(&mut out.version, mark()),
            Short::Created => fill(&mut out.created, mark()),
            Short::Updated => fill(&mut out.updated, mark()),
            Short::Deleted => fill(&mut out.deleted, mark()),
            Short::Immutable => fill(&mut out.immutable, mark()),
        };
        if !understood {
            out.mark_broken(name);
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

/// Says whether there is a value to fill in.
fn fill<T>(place: &mut Option<T>, value: Option<T>) -> bool {
    *place = value;
    place.is_some()
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
