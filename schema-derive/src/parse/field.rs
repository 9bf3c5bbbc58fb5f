//! The attributes of a field.

use proc_macro2::TokenStream;
use quote::ToTokens;
use syn::ext::IdentExt;
use syn::{Attribute, Meta, Type};

use super::allow::parse_allows;
use super::attributes::{self, form, form_on};
use super::opts::{Opt, OptBody, Opts};
use super::short::Short;
use super::{bounds, checks, index, parenthesised, personal, relation};
use crate::ctxt::Ctxt;
use crate::diag;
use crate::syntax::{DefaultAttr, EmbedAttr, FieldAttrs, Number};
use crate::types;

pub(super) fn field_attrs(attrs: &[Attribute], ty: &Type, owner: &str, cx: &Ctxt) -> FieldAttrs {
    let mut out = FieldAttrs::default();
    let (short, model) = short_attributes(attrs, owner, cx);
    let mut seen: Vec<Short> = Vec::new();
    for written in short {
        let name = written.short.name();
        if seen.contains(&written.short) && !written.short.repeats() {
            cx.push(diag::duplicate_attribute(&written.site, name, owner));
            continue;
        }
        seen.push(written.short);
        if !read_attribute(&written, ty, owner, cx, &mut out) {
            out.mark_broken(name);
        }
    }
    if !model.is_empty() {
        read_model_options(model, owner, cx, &mut out);
    }
    out
}

/// An attribute of ours, taken out of its brackets: name, span, arguments (`None` for a bare word).
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
                match opt
                    .key
                    .as_ref()
                    .and_then(|key| Short::from_name(&key.unraw()))
                {
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
        let Some(short) = Short::from_attribute(attr) else {
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

impl Written {
    fn report_shape(&self, problem: &str, owner: &str, cx: &Ctxt) {
        let name = self.short.name();
        cx.push(diag::bad_shape(
            &self.site,
            problem,
            name,
            owner,
            &form(name),
        ));
    }

    /// The options of the attribute, none without parentheses. `positional` is the number of arguments before them.
    fn split<'a>(&self, positional: usize, owner: &'a str, cx: &'a Ctxt) -> Opts<'a> {
        let args = self.args.clone().unwrap_or_default();
        let (name, site) = (self.short.name(), self.site.clone());
        Opts::split(cx, name, owner, site, args, positional)
    }

    /// The options of an attribute that means nothing without them.
    fn require_options<'a>(
        &self,
        positional: usize,
        owner: &'a str,
        cx: &'a Ctxt,
    ) -> Option<Opts<'a>> {
        if self.args.is_none() {
            self.report_shape("says nothing", owner, cx);
            return None;
        }
        Some(self.split(positional, owner, cx))
    }

    /// An attribute that takes no options, for spans; `None` if it has some, which is reported.
    fn refuse_options(&self, owner: &str, cx: &Ctxt) -> Option<TokenStream> {
        if self.args.is_some() {
            self.report_shape("takes no options", owner, cx);
            return None;
        }
        Some(self.site.clone())
    }
}

/// Fills `out` with one attribute; false if the attribute could not be understood, which was reported.
fn read_attribute(
    written: &Written,
    ty: &Type,
    owner: &str,
    cx: &Ctxt,
    out: &mut FieldAttrs,
) -> bool {
    if written.args.as_ref().is_some_and(TokenStream::is_empty) {
        written.report_shape("has empty parentheses", owner, cx);
        return false;
    }
    let options = |positional| written.require_options(positional, owner, cx);
    let mark = || written.refuse_options(owner, cx);
    match written.short {
        // Embedding is the default: on a single document the attribute only says so.
        Short::Embed if written.args.is_none() && is_single_document(ty) => {
            let plain = EmbedAttr {
                site: written.site.clone(),
                max: None,
                overflow: None,
            };
            fill(&mut out.embed, Some(plain))
        }
        Short::Embed => fill(&mut out.embed, options(0).map(parse_embed)),
        Short::Refs => fill(&mut out.refs, options(1).and_then(relation::parse_refs)),
        Short::Parent => fill(&mut out.parent, options(1).and_then(relation::parse_parent)),
        Short::Recent => fill(&mut out.recent, options(1).and_then(relation::parse_recent)),
        Short::Count | Short::Sum | Short::Avg | Short::Min | Short::Max => {
            let number = match written.short {
                Short::Sum => Number::Sum,
                Short::Avg => Number::Average,
                Short::Min => Number::Least,
                Short::Max => Number::Greatest,
                _ => Number::Count,
            };
            let number = options(1).and_then(|opts| relation::parse_number(opts, number));
            match (&out.count, number) {
                (Some(other), Some(_)) => {
                    cx.push(diag::both_numbers(&written.site, other.name(), owner));
                    true
                }
                (_, number) => fill(&mut out.count, number),
            }
        }
        Short::Denorm => {
            let denorm = options(0).and_then(relation::parse_denorm);
            let understood = denorm.is_some();
            out.denorm.extend(denorm);
            understood
        }
        // Index rules have nothing to say about a field without an index.
        Short::Index => {
            let options = written.split(0, owner, cx);
            if options.get("contains").is_some() || options.get("min").is_some() {
                if out.contains.is_some() {
                    cx.push(diag::contains_twice(&written.site, owner));
                }
                return fill(&mut out.contains, index::parse_contains(options));
            }
            if options.get("vector").is_some() {
                if out.vector.is_some() {
                    cx.push(diag::vector_twice(&written.site, owner));
                }
                return fill(&mut out.vector, index::parse_vector(options));
            }
            out.index.extend(index::parse_on_field(options));
            true
        }
        Short::Volatile => fill(&mut out.volatile, mark()),
        Short::Version => fill(&mut out.version, mark()),
        Short::Created => fill(&mut out.created, mark()),
        Short::Updated => fill(&mut out.updated, mark()),
        Short::Deleted => fill(&mut out.deleted, mark()),
        Short::Immutable => fill(&mut out.immutable, mark()),
        // Whole subtrees are found by it.
        Short::Ancestors => {
            let served = Opts::split(
                cx,
                "index",
                owner,
                written.site.clone(),
                TokenStream::new(),
                0,
            );
            out.index.extend(index::parse_on_field(served));
            fill(&mut out.ancestors, mark())
        }
        Short::Check => {
            let more = options(0).map(checks::parse_check);
            let understood = more.is_some();
            match (&mut out.check, more) {
                (Some(all), Some(more)) => {
                    all.checks.extend(more.checks);
                    all.not_finite |= more.not_finite;
                }
                (None, more) => out.check = more,
                (Some(_), None) => {}
            }
            understood
        }
        Short::Period => fill(&mut out.period, options(0).map(relation::parse_period)),
        Short::Personal => {
            let options = written.split(0, owner, cx);
            fill(&mut out.personal, Some(personal::parse_personal(options)))
        }
        Short::Default => fill(&mut out.default, parse_default(written, owner, cx)),
    }
}

/// `#[default(Stage::first())]`: rustc reads the expression at the field's type.
fn parse_default(written: &Written, owner: &str, cx: &Ctxt) -> Option<DefaultAttr> {
    let Some(value) = written.args.clone() else {
        written.report_shape("says nothing", owner, cx);
        return None;
    };
    let site = written.site.clone();
    Some(DefaultAttr { site, value })
}

/// The options of `#[model(..)]` that are no attributes of their own.
fn read_model_options(options: Vec<Opt>, owner: &str, cx: &Ctxt, out: &mut FieldAttrs) {
    let site: TokenStream = options.iter().map(|opt| opt.tokens.clone()).collect();
    let mut opts = Opts::split(cx, "model", owner, site, TokenStream::new(), 0);
    opts.items = options;
    opts.remove_misplaced(attributes::instead_on_field);
    opts.check_names(&attributes::FIELD);
    out.opaque = opts.flag("opaque");
    out.max_len = bounds::parse_max_len(&opts);
    out.writes = bounds::parse_writes(&opts);
    parse_allows(opts.all("allow"), owner, cx, &mut out.allows);
}

/// True if the type is neither an array, set or map nor a well-known value. The compiler refuses an alias of one.
fn is_single_document(ty: &Type) -> bool {
    let ty = types::option_inner(ty).unwrap_or(ty);
    types::array_element(ty).is_none() && types::map_value(ty).is_none() && !types::well_known(ty)
}

/// Fills `value` in; false if there is none.
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

/// `embed(max = 20)`
fn parse_embed(mut opts: Opts<'_>) -> EmbedAttr {
    opts.check_names(&attributes::EMBED);
    if opts.get("max").is_none() {
        opts.missing("max", "#[embed(max = 20)]");
    }
    EmbedAttr {
        max: opts.number("max"),
        overflow: opts.path("overflow"),
        site: opts.site,
    }
}
