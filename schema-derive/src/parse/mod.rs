//! From tokens to [`crate::syntax`]: what was written. Nothing is judged here but the writing itself.

mod access;
mod bounds;
pub(crate) mod index;
pub(crate) mod opts;
mod projection;
mod relation;
pub(crate) mod serde;

use proc_macro2::TokenStream;
use quote::ToTokens;
use syn::ext::IdentExt;
use syn::{Attribute, Data, DeriveInput, Fields, Meta};

use self::opts::{Opt, OptBody, Opts, form, form_on};
pub(crate) use self::projection::projection;
use self::serde::{SerdeField, SerdeItem};
use crate::ctxt::Ctxt;
use crate::diag;
use crate::names::unraw;
use crate::rules;
use crate::syntax::{
    Allow, Body, Content, EmbedAttr, Field, FieldAttrs, Item, ItemAttrs, Kind, QueueAttr, Variant,
};

/// The short attributes; each is accepted inside `#[model(..)]` too.
const SHORT: &[&str] = &[
    "embed", "refs", "parent", "denorm", "index", "volatile", "version", "recent", "count",
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
    rule: Option<serde::RenameRule>,
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
        let attrs = field_attrs(&field.attrs, &owner, cx);
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

fn item_attrs(attrs: &[Attribute], kind: Kind, ident: &proc_macro2::Ident, cx: &Ctxt) -> ItemAttrs {
    let owner = unraw(ident);
    let owner = owner.as_str();
    let mut out = ItemAttrs::default();
    let mut site = None;
    for attr in attrs {
        if let Some(name) = SHORT.iter().find(|name| attr.path().is_ident(name)) {
            let belongs = if *name == "index" {
                "on a field; on the model write `#[model(index(keys(a, b)))]`"
            } else {
                "on a field"
            };
            cx.push(diag::misplaced(&attr.meta, name, owner, belongs));
            continue;
        }
        if !attr.path().is_ident("model") {
            continue;
        }
        let Some(args) = parenthesised(attr, "model", owner, cx) else {
            continue;
        };
        site = Some(attr.meta.to_token_stream());
        if args.is_empty() {
            cx.push(diag::bad_shape(
                &attr.meta,
                "has empty parentheses",
                "model",
                owner,
                &form_on("model", owner),
            ));
            continue;
        }
        let mut opts = Opts::split(cx, "model", owner, attr.meta.to_token_stream(), args, 0);
        if kind == Kind::Embed {
            misplaced(&mut opts, NOT_ON_EMBED);
        }
        let (later, known): (Vec<&str>, Vec<&str>) = match kind {
            Kind::Model => (
                vec!["bucket", "shard_key"],
                vec![
                    "collection",
                    "index",
                    "allow",
                    "crate",
                    "access",
                    "bucket",
                    "queue",
                    "schema_version",
                    "migrate",
                    "common",
                    "shard_key",
                    "strict",
                ],
            ),
            Kind::Embed => (Vec::new(), vec!["allow", "crate"]),
        };
        opts.known(&known, &["index", "allow", "access"]);
        for word in later {
            if let Some(opt) = opts.get(word) {
                cx.push(diag::not_yet(
                    &opt.tokens,
                    &format!("option `{word}`"),
                    owner,
                ));
            }
        }
        if let Some(lit) = opts.string("collection") {
            if out.collection.is_some() {
                cx.push(diag::duplicate_option(&lit, "collection", "model", owner));
            }
            out.collection = Some((lit.clone(), lit.value()));
        }
        if let Some(path) = opts.path("crate") {
            out.krate = Some(path);
        }
        for opt in opts.all("index") {
            match &opt.body {
                OptBody::List(list) => {
                    let inner =
                        Opts::split(cx, "index", owner, opt.tokens.clone(), list.clone(), 0);
                    out.indexes.extend(index::on_item(inner));
                }
                _ => cx.push(diag::bad_shape(
                    &opt.tokens,
                    "takes its options in parentheses",
                    "index",
                    owner,
                    "index(keys(a, -b))",
                )),
            }
        }
        for opt in opts.all("access") {
            access::all(opt, owner, cx, &mut out.accesses);
        }
        if let Some(opt) = opts.get("queue") {
            if out.queue.is_some() {
                cx.push(diag::duplicate_option(&opt.tokens, "queue", "model", owner));
            }
            out.queue = queue(opt, owner, cx);
        }
        if let Some(opt) = opts.get("schema_version") {
            let twice = out.schema_version.is_some() || out.schema_unclear;
            if twice {
                cx.push(diag::duplicate_option(
                    &opt.tokens,
                    "schema_version",
                    "model",
                    owner,
                ));
            }
            out.schema_version = opts.number("schema_version");
            out.schema_unclear = out.schema_version.is_none();
        }
        if let Some(path) = opts.path("migrate") {
            out.migrate = Some(path);
        }
        if let Some(words) = opts.words("common") {
            out.common.extend(words);
        }
        out.strict |= opts.flag("strict").is_some();
        allows(opts.all("allow"), owner, cx, &mut out.allows);
    }
    if kind == Kind::Model && out.collection.is_none() && !cx.failed_here() {
        let span = site.unwrap_or_else(|| ident.to_token_stream());
        cx.push(diag::no_collection(&span, owner));
    }
    out
}

/// `queue`, `queue(priority = urgency, order = due, max_attempts = 5)`
fn queue(opt: &Opt, owner: &str, cx: &Ctxt) -> Option<QueueAttr> {
    let list = match &opt.body {
        OptBody::Flag => TokenStream::new(),
        OptBody::List(list) if !list.is_empty() => list.clone(),
        body => {
            let problem = match body {
                OptBody::List(_) => "has empty parentheses",
                _ => "takes its options in parentheses",
            };
            cx.push(diag::bad_shape(
                &opt.tokens,
                problem,
                "queue",
                owner,
                &form("queue"),
            ));
            return None;
        }
    };
    let mut opts = Opts::split(cx, "queue", owner, opt.tokens.clone(), list, 0);
    opts.known(&["priority", "order", "max_attempts"], &[]);
    Some(QueueAttr {
        priority: opts.word("priority"),
        order: opts.word("order"),
        max_attempts: opts.number("max_attempts"),
    })
}

/// Options of the item that mean nothing here, with what to do instead.
type Misplaced = &'static [(&'static str, &'static str)];

const NOT_ON_FIELD: Misplaced = &[
    ("collection", "it belongs on the model"),
    ("crate", "it belongs on the model"),
    ("access", "it belongs on the model"),
    ("bucket", "it belongs on the model"),
    ("queue", "it belongs on the model"),
    ("schema_version", "it belongs on the model"),
    ("migrate", "it belongs on the model"),
    ("common", "it belongs on the model"),
    ("shard_key", "it belongs on the model"),
    ("strict", "it belongs on the model"),
];

const NOT_ON_EMBED: Misplaced = &[
    (
        "collection",
        "remove it, or derive `MongoModel`: an embedded document owns no collection",
    ),
    (
        "index",
        "put `#[index]` on a field, or `index(keys(..))` on the model that embeds it",
    ),
    ("access", "it belongs on the model that embeds it"),
    ("bucket", "it belongs on the model that embeds it"),
    ("queue", "it belongs on the model that embeds it"),
    ("schema_version", "it belongs on the model that embeds it"),
    ("migrate", "it belongs on the model that embeds it"),
    ("common", "it belongs on a model that is an enum"),
    ("shard_key", "it belongs on the model that embeds it"),
    ("strict", "it belongs on the model that embeds it"),
];

/// Takes out the options that stand in the wrong place.
fn misplaced(opts: &mut Opts<'_>, words: Misplaced) {
    let (cx, owner) = (opts.cx, opts.owner);
    opts.items
        .retain(|opt| match words.iter().find(|(word, _)| opt.is(word)) {
            Some((word, belongs)) => {
                cx.push(diag::option_misplaced(&opt.key, word, owner, belongs));
                false
            }
            None => true,
        });
}

/// `allow(rule, reason = "..")`
fn allows<'a>(opts: impl Iterator<Item = &'a Opt>, owner: &str, cx: &Ctxt, out: &mut Vec<Allow>) {
    for opt in opts {
        let before = cx.reported();
        let OptBody::List(list) = &opt.body else {
            cx.push(diag::bad_shape(
                &opt.tokens,
                "takes a rule and a reason",
                "allow",
                owner,
                &form("allow"),
            ));
            continue;
        };
        let mut inner = Opts::split(cx, "allow", owner, opt.tokens.clone(), list.clone(), 0);
        let first = inner
            .items
            .first()
            .filter(|first| matches!(first.body, OptBody::Flag));
        let Some(word) = first.and_then(|first| first.key.clone()) else {
            if cx.reported() == before {
                cx.push(diag::bad_shape(
                    &opt.tokens,
                    "names a rule first",
                    "allow",
                    owner,
                    &form("allow"),
                ));
            }
            continue;
        };
        inner.items.remove(0);
        inner.known(&["reason"], &[]);
        let name = word.unraw().to_string();
        let Some(rule) = rules::RULES.iter().find(|rule| rule.name() == name) else {
            let known: Vec<String> = rules::RULES.iter().map(|rule| rule.name()).collect();
            let known: Vec<&str> = known.iter().map(String::as_str).collect();
            cx.push(diag::allow_unknown(&word, owner, &known));
            if let Some(meant) = diag::nearest(&name, &known) {
                // The rule that was meant is held back: the misspelling is the one mistake.
                let word = proc_macro2::Ident::new(meant, word.span());
                out.push(Allow {
                    word,
                    used: std::cell::Cell::new(true),
                });
            }
            continue;
        };
        if rule.level == rules::Level::Hard {
            cx.push(diag::allow_hard(&word, owner));
            continue;
        }
        match inner.string("reason") {
            Some(reason) if reason.value().trim().is_empty() => {
                cx.push(diag::allow_without_reason(&reason, &name, owner))
            }
            None if cx.reported() == before => {
                cx.push(diag::allow_without_reason(&opt.tokens, &name, owner))
            }
            _ => {}
        }
        out.push(Allow {
            word,
            used: std::cell::Cell::new(false),
        });
    }
}

fn field_attrs(attrs: &[Attribute], owner: &str, cx: &Ctxt) -> FieldAttrs {
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
            "volatile" | "version" if !bare => {
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
    for (word, what) in [
        ("overflow", "option `overflow`"),
        ("snapshot", "option `snapshot`"),
    ] {
        if let Some(opt) = opts.get(word) {
            opts.cx.push(diag::not_yet(&opt.tokens, what, opts.owner));
        }
    }
    if opts.get("max").is_none() {
        opts.missing("max", "#[embed(max = 20)]");
    }
    EmbedAttr {
        max: opts.number("max"),
        allow_large: relation::reason(&opts, "allow_large"),
        site: opts.site,
    }
}
