//! `#[model(..)]`: the options of a whole item, and those that fields and items share.

use proc_macro2::TokenStream;
use quote::ToTokens;
use syn::Attribute;
use syn::ext::IdentExt;

use super::opts::{Opt, OptBody, Opts, form, form_on};
use super::short::Short;
use super::{access, index, parenthesised};
use crate::ctxt::Ctxt;
use crate::diag;
use crate::names::unraw;
use crate::rules;
use crate::syntax::{Allow, BucketAttr, ItemAttrs, Kind, OptionsAttr, QueueAttr};

pub(super) fn item_attrs(
    attrs: &[Attribute],
    kind: Kind,
    ident: &proc_macro2::Ident,
    cx: &Ctxt,
) -> ItemAttrs {
    let owner = unraw(ident);
    let owner = owner.as_str();
    let mut out = ItemAttrs::default();
    let mut site = None;
    for attr in attrs {
        if let Some(short) = Short::of(attr) {
            let belongs = if short == Short::Index {
                "on a field; on the model write `#[model(index(keys(a, b)))]`"
            } else {
                "on a field"
            };
            cx.push(diag::misplaced(&attr.meta, short.name(), owner, belongs));
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
                vec!["shard_key"],
                vec![
                    "collection",
                    "index",
                    "allow",
                    "crate",
                    "access",
                    "bucket",
                    "queue",
                    "options",
                    "schema_version",
                    "migrate",
                    "unversioned",
                    "common",
                    "shard_key",
                    "shares",
                    "new",
                    "soft_delete",
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
        if let Some(opt) = opts.get("options") {
            if out.options.is_some() {
                cx.push(diag::duplicate_option(
                    &opt.tokens,
                    "options",
                    "model",
                    owner,
                ));
            }
            out.options = options(opt, owner, cx);
        }
        if let Some(opt) = opts.get("bucket") {
            if out.bucket.is_some() {
                cx.push(diag::duplicate_option(
                    &opt.tokens,
                    "bucket",
                    "model",
                    owner,
                ));
            }
            out.bucket = bucket(opt, owner, cx);
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
        if let Some(path) = opts.path("shares") {
            out.shares = Some(path);
        }
        if let Some(word) = opts.word("new") {
            if out.new.is_some() {
                cx.push(diag::duplicate_option(&word, "new", "model", owner));
            }
            out.new = Some(word);
        }
        if opts.get("unversioned").is_some() {
            out.unversioned = opts.number("unversioned");
        }
        if let Some(words) = opts.words("common") {
            out.common.extend(words);
        }
        if let Some(flag) = opts.flag("soft_delete") {
            out.soft_delete = Some(flag);
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
pub(super) fn queue(opt: &Opt, owner: &str, cx: &Ctxt) -> Option<QueueAttr> {
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

const READ_PREFERENCES: &[&str] = &[
    "primary",
    "primaryPreferred",
    "secondary",
    "secondaryPreferred",
    "nearest",
];

/// `snapshot` belongs to a session, and no update or delete takes `linearizable` or `available` back.
const READ_CONCERNS: &[&str] = &["local", "available", "majority", "linearizable"];

const WRITE_CONCERNS: &[&str] = &["majority", "1", "2", "3"];

/// `options(read_preference = "nearest", read_concern = "majority", write_concern = "majority", max_time_ms = 500)`
fn options(opt: &Opt, owner: &str, cx: &Ctxt) -> Option<OptionsAttr> {
    let list = match &opt.body {
        OptBody::List(list) if !list.is_empty() => list.clone(),
        body => {
            let problem = match body {
                OptBody::List(_) => "has empty parentheses",
                _ => "takes its options in parentheses",
            };
            let form = form("options");
            cx.push(diag::bad_shape(
                &opt.tokens,
                problem,
                "options",
                owner,
                &form,
            ));
            return None;
        }
    };
    let mut opts = Opts::split(cx, "options", owner, opt.tokens.clone(), list, 0);
    opts.known(
        &[
            "read_preference",
            "read_concern",
            "write_concern",
            "max_time_ms",
        ],
        &[],
    );
    let one_of = |key: &str, known: &[&str]| {
        let found = opts.string(key)?;
        if known.contains(&found.value().as_str()) {
            return Some(found);
        }
        cx.push(diag::option_value(&found, key, owner, known));
        None
    };
    Some(OptionsAttr {
        read_preference: one_of("read_preference", READ_PREFERENCES),
        read_concern: one_of("read_concern", READ_CONCERNS),
        write_concern: one_of("write_concern", WRITE_CONCERNS),
        max_time_ms: opts.number("max_time_ms"),
    })
}

/// `bucket(lines)`
fn bucket(opt: &Opt, owner: &str, cx: &Ctxt) -> Option<BucketAttr> {
    let OptBody::List(list) = &opt.body else {
        cx.push(diag::bad_shape(
            &opt.tokens,
            "names the field of its items in parentheses",
            "bucket",
            owner,
            &form("bucket"),
        ));
        return None;
    };
    let before = cx.reported();
    let mut opts = Opts::split(cx, "bucket", owner, opt.tokens.clone(), list.clone(), 0);
    let first = opts.items.first();
    let first = first.filter(|first| matches!(first.body, OptBody::Flag));
    let Some(items) = first.and_then(|first| first.key.clone()) else {
        if cx.reported() == before {
            cx.push(diag::bad_shape(
                &opt.tokens,
                "names the field of its items first",
                "bucket",
                owner,
                &form("bucket"),
            ));
        }
        return None;
    };
    opts.items.remove(0);
    for more in &opts.items {
        cx.push(diag::bucket_option(&more.tokens, &items, owner));
    }
    Some(BucketAttr {
        site: opt.tokens.clone(),
        items,
    })
}

/// Options of the item that mean nothing here, with what to do instead.
pub(super) type Misplaced = &'static [(&'static str, &'static str)];

pub(super) const NOT_ON_FIELD: Misplaced = &[
    ("collection", "it belongs on the model"),
    ("crate", "it belongs on the model"),
    ("access", "it belongs on the model"),
    ("bucket", "it belongs on the model"),
    ("queue", "it belongs on the model"),
    ("options", "it belongs on the model"),
    ("schema_version", "it belongs on the model"),
    ("migrate", "it belongs on the model"),
    ("unversioned", "it belongs on the model"),
    ("common", "it belongs on the model"),
    ("shard_key", "it belongs on the model"),
    ("shares", "it belongs on the model"),
    ("new", "it belongs on the model"),
    ("soft_delete", "it belongs on the model"),
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
    ("options", "it belongs on the model that embeds it"),
    ("schema_version", "it belongs on the model that embeds it"),
    ("migrate", "it belongs on the model that embeds it"),
    ("unversioned", "it belongs on the model that embeds it"),
    ("common", "it belongs on a model that is an enum"),
    ("shard_key", "it belongs on the model that embeds it"),
    ("shares", "it belongs on the model that embeds it"),
    ("new", "it belongs on the model that embeds it"),
    ("soft_delete", "it belongs on the model that embeds it"),
    ("strict", "it belongs on the model that embeds it"),
];

/// Takes out the options that stand in the wrong place.
pub(super) fn misplaced(opts: &mut Opts<'_>, words: Misplaced) {
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
pub(super) fn allows<'a>(
    opts: impl Iterator<Item = &'a Opt>,
    owner: &str,
    cx: &Ctxt,
    out: &mut Vec<Allow>,
) {
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
