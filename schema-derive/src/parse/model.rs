//! `#[model(..)]` on a struct or enum.

use ident_case::RenameRule;
use proc_macro2::{Ident, TokenStream};
use quote::ToTokens;
use syn::Attribute;
use syn::ext::IdentExt;

use super::allow::parse_allows;
use super::attributes::{self, form, form_on, item_options};
use super::opts::{Opt, OptBody, Opts};
use super::shard_key::parse_shard_key;
use super::short::Short;
use super::{access, comparison, index, parenthesised};
use crate::ctxt::Ctxt;
use crate::diag;
use crate::names::unraw;
use crate::syntax::{
    BucketAttr, EventsAttr, HistoryAttr, ItemAttrs, Kind, OptionsAttr, QueueAttr, SubsetAttr,
    SubsetKind,
};

pub(super) fn item_attrs(attrs: &[Attribute], kind: Kind, ident: &Ident, cx: &Ctxt) -> ItemAttrs {
    let owner = unraw(ident);
    let mut out = ItemAttrs::default();
    let mut site = None;
    let mut given = Vec::new();
    for attr in attrs {
        if let Some(short) = Short::from_attribute(attr) {
            report_field_attribute(attr, short, &owner, cx);
        } else if attr.path().is_ident("model")
            && let Some(args) = parenthesised(attr, "model", &owner, cx)
        {
            site = Some(attr.meta.to_token_stream());
            if let Some(opts) = split_options(attr, args, kind, &owner, cx) {
                report_given_twice(&opts, kind, &mut given);
                read_options(&opts, &mut out);
            }
        }
    }
    if kind == Kind::Model && out.collection.is_none() && !cx.has_failed_here() {
        let span = site.unwrap_or_else(|| ident.to_token_stream());
        cx.push(diag::no_collection(&span, &owner));
    }
    out
}

/// An attribute of fields stands on the item.
fn report_field_attribute(attr: &Attribute, short: Short, owner: &str, cx: &Ctxt) {
    let belongs = if short == Short::Index {
        "on a field; on the model write `#[model(index(keys(a, b)))]`"
    } else {
        "on a field"
    };
    cx.push(diag::misplaced(&attr.meta, short.name(), owner, belongs));
}

/// The options of one `#[model(..)]`, those that do not belong there left out.
fn split_options<'a>(
    attr: &Attribute,
    args: TokenStream,
    kind: Kind,
    owner: &'a str,
    cx: &'a Ctxt,
) -> Option<Opts<'a>> {
    if args.is_empty() {
        cx.push(diag::bad_shape(
            &attr.meta,
            "has empty parentheses",
            "model",
            owner,
            &form_on("model", owner),
        ));
        return None;
    }
    let mut opts = Opts::split(cx, "model", owner, attr.meta.to_token_stream(), args, 0);
    if kind == Kind::Embed {
        opts.remove_misplaced(attributes::instead_on_embedded);
    }
    opts.check_names(item_options(kind));
    Some(opts)
}

/// An item may have several `#[model(..)]`, which together give each option once. `given` has those of the earlier ones.
fn report_given_twice(opts: &Opts<'_>, kind: Kind, given: &mut Vec<String>) {
    let earlier = given.len();
    for opt in &opts.items {
        let Some(name) = opt.key.as_ref().map(|key| key.unraw().to_string()) else {
            continue;
        };
        if given[..earlier].contains(&name) && !item_options(kind).is_repeatable(&name) {
            let place = match &opt.body {
                OptBody::Value(value) => value,
                OptBody::Flag | OptBody::List(_) => &opt.tokens,
            };
            let twice = diag::duplicate_option(place, &name, opts.attr, opts.owner);
            opts.cx.push(twice);
        }
        given.push(name);
    }
}

/// Fills `out` with the options of one `#[model(..)]`; those that it does not give stay.
fn read_options(opts: &Opts<'_>, out: &mut ItemAttrs) {
    let (owner, cx) = (opts.owner, opts.cx);
    let collection = opts
        .string("collection")
        .map(|lit| (lit.clone(), lit.value()));
    replace(&mut out.collection, collection);
    replace(&mut out.krate, opts.path("crate"));
    read_indexes(opts, out);
    for opt in opts.all("access") {
        access::parse_patterns(opt, owner, cx, &mut out.accesses);
    }
    for opt in opts.all("check") {
        let (comparisons, judges) = comparison::parse_checks(opts, opt);
        out.comparisons.extend(comparisons);
        out.judges.extend(judges);
    }
    replace(
        &mut out.queue,
        opts.get("queue")
            .and_then(|opt| parse_queue(opt, owner, cx)),
    );
    replace(
        &mut out.events,
        opts.get("events").and_then(|opt| parse_events(opts, opt)),
    );
    replace(
        &mut out.history,
        opts.get("history")
            .and_then(|opt| parse_history(opt, owner, cx)),
    );
    replace(
        &mut out.options,
        opts.get("options")
            .and_then(|opt| parse_options(opt, owner, cx)),
    );
    replace(
        &mut out.bucket,
        opts.get("bucket")
            .and_then(|opt| parse_bucket(opt, owner, cx)),
    );
    if opts.get("schema_version").is_some() {
        out.schema_version = opts.number("schema_version");
        out.schema_unclear = out.schema_version.is_none();
    }
    replace(&mut out.migrate, opts.path("migrate"));
    replace(&mut out.shares, opts.path("shares"));
    for kind in SubsetKind::ALL {
        let all = opts.all(kind.option());
        out.subsets
            .extend(all.filter_map(|opt| parse_subset(opts, opt, kind)));
    }
    replace(&mut out.unversioned, opts.number("unversioned"));
    out.common.extend(opts.words("common").unwrap_or_default());
    replace(&mut out.soft_delete, opts.flag("soft_delete"));
    replace(&mut out.tenant, opts.word("tenant"));
    let shard_key = opts.get("shard_key");
    replace(
        &mut out.shard_key,
        shard_key.and_then(|opt| parse_shard_key(opts, opt)),
    );
    out.strict |= opts.flag("strict").is_some();
    parse_allows(opts.all("allow"), owner, cx, &mut out.allows);
}

fn replace<T>(place: &mut Option<T>, value: Option<T>) {
    if value.is_some() {
        *place = value;
    }
}

/// `index(keys(a, -b))`
fn read_indexes(opts: &Opts<'_>, out: &mut ItemAttrs) {
    let (owner, cx) = (opts.owner, opts.cx);
    for opt in opts.all("index") {
        match &opt.body {
            OptBody::List(list) => {
                let inner = Opts::split(cx, "index", owner, opt.tokens.clone(), list.clone(), 0);
                out.indexes.extend(index::parse_on_item(inner));
            }
            OptBody::Flag | OptBody::Value(_) => cx.push(diag::bad_shape(
                &opt.tokens,
                "takes its options in parentheses",
                "index",
                owner,
                "index(keys(a, -b))",
            )),
        }
    }
}

/// The options in the parentheses of `opt`; reports when there are none.
fn inner_options<'a>(
    opt: &Opt,
    name: &'static str,
    owner: &'a str,
    cx: &'a Ctxt,
) -> Option<Opts<'a>> {
    let problem = match &opt.body {
        OptBody::List(list) if !list.is_empty() => {
            let site = opt.tokens.clone();
            return Some(Opts::split(cx, name, owner, site, list.clone(), 0));
        }
        OptBody::List(_) => "has empty parentheses",
        OptBody::Flag | OptBody::Value(_) => "takes its options in parentheses",
    };
    let form = form(name);
    cx.push(diag::bad_shape(&opt.tokens, problem, name, owner, &form));
    None
}

/// The options in the parentheses of `opt`, and none where it is a flag; reports empty parentheses.
fn optional_options<'a>(
    opt: &Opt,
    name: &'static str,
    owner: &'a str,
    cx: &'a Ctxt,
) -> Option<Opts<'a>> {
    match &opt.body {
        OptBody::Flag => {
            let site = opt.tokens.clone();
            Some(Opts::split(cx, name, owner, site, TokenStream::new(), 0))
        }
        OptBody::List(_) | OptBody::Value(_) => inner_options(opt, name, owner, cx),
    }
}

/// `queue`, `queue(priority = urgency, order = due, max_attempts = 5)`
fn parse_queue(opt: &Opt, owner: &str, cx: &Ctxt) -> Option<QueueAttr> {
    let mut opts = optional_options(opt, "queue", owner, cx)?;
    opts.check_names(&attributes::QUEUE);
    Some(QueueAttr {
        priority: opts.word("priority"),
        order: opts.word("order"),
        max_attempts: opts.number("max_attempts"),
    })
}

/// `events = OrderEvent`, `events(OrderEvent, readers(mails, billing))`
fn parse_events(opts: &Opts<'_>, opt: &Opt) -> Option<EventsAttr> {
    let (owner, cx) = (opts.owner, opts.cx);
    if !matches!(opt.body, OptBody::List(_)) {
        let event = opts.word_of(opt, "events = OrderEvent")?;
        let readers = Vec::new();
        return Some(EventsAttr { event, readers });
    }
    let mut inner = inner_options(opt, "events", owner, cx)?;
    let event = take_name(
        &mut inner,
        opt,
        "does not begin with the type of the events",
    )?;
    inner.check_names(&attributes::EVENTS);
    Some(EventsAttr {
        event,
        readers: inner.words("readers").unwrap_or_default(),
    })
}

/// `history`, `history(skip(notes), keep = "365d", by = required)`
fn parse_history(opt: &Opt, owner: &str, cx: &Ctxt) -> Option<HistoryAttr> {
    let mut opts = optional_options(opt, "history", owner, cx)?;
    opts.check_names(&attributes::HISTORY);
    if let (Some(_), Some(fields)) = (opts.get("skip"), opts.get("fields")) {
        cx.push(diag::history_fields_and_skip(&fields.tokens, owner));
    }
    let by = opts.get("by");
    let by = by.and_then(|opt| Some((opt, opts.word_of(opt, "by = required")?)));
    if let Some((opt, _)) = by.as_ref().filter(|(_, word)| word != "required") {
        opts.bad(opt, "the word `required`", "by = required");
    }
    Some(HistoryAttr {
        skip: opts.words("skip").unwrap_or_default(),
        fields: opts.words("fields"),
        keep: opts.days("keep"),
        keep_last: opts.number("keep_last"),
        by_required: by.is_some(),
        whole: opts.flag("whole").is_some(),
        site: opts.site,
    })
}

/// The name with which the options in parentheses begin; reports where there is none.
fn take_name(inner: &mut Opts<'_>, opt: &Opt, problem: &str) -> Option<Ident> {
    let name = inner.take_first_flag();
    if name.is_none() {
        let (option, owner) = (inner.attr, inner.owner);
        let bad = diag::bad_shape(&opt.tokens, problem, option, owner, &form(option));
        inner.cx.push(bad);
    }
    name
}

const READ_PREFERENCES: &[&str] = &[
    "primary",
    "primary_preferred",
    "secondary",
    "secondary_preferred",
    "nearest",
];

/// `snapshot` belongs to a session, and no update or delete takes `linearizable` or `available` back.
const READ_CONCERNS: &[&str] = &["local", "available", "majority", "linearizable"];

const WRITE_CONCERNS: &[&str] = &["majority", "1", "2", "3"];

/// `options(read_preference = nearest, read_concern = majority, write_concern = majority, max_time = "500ms")`
fn parse_options(opt: &Opt, owner: &str, cx: &Ctxt) -> Option<OptionsAttr> {
    let mut opts = inner_options(opt, "options", owner, cx)?;
    opts.check_names(&attributes::OPTIONS);
    // The words of MongoDB, as Rust writes them.
    let one_of = |key: &str, known: &[&str]| {
        let opt = opts.get(key)?;
        let OptBody::Value(value) = &opt.body else {
            opts.bad(opt, "a word", &format!("{key} = {}", known[0]));
            return None;
        };
        let word = value.to_string();
        if known.contains(&word.as_str()) {
            return Some(RenameRule::CamelCase.apply_to_field(word));
        }
        cx.push(diag::option_value(value, key, owner, known));
        None
    };
    Some(OptionsAttr {
        read_preference: one_of("read_preference", READ_PREFERENCES),
        read_concern: one_of("read_concern", READ_CONCERNS),
        write_concern: one_of("write_concern", WRITE_CONCERNS),
        max_time: opts.milliseconds("max_time"),
    })
}

/// `view = CustomerView`, `view(CustomerView, skip(deleted), derive(Debug))`
fn parse_subset(opts: &Opts<'_>, opt: &Opt, kind: SubsetKind) -> Option<SubsetAttr> {
    let (owner, cx, option) = (opts.owner, opts.cx, kind.option());
    if !matches!(opt.body, OptBody::List(_)) {
        let form = format!("{option} = {}", kind.usual("Part"));
        let name = opts.word_of(opt, &form)?;
        return Some(SubsetAttr::new(kind, name));
    }
    let mut inner = inner_options(opt, option, owner, cx)?;
    let name = take_name(
        &mut inner,
        opt,
        "does not begin with the name of its struct",
    )?;
    inner.check_names(match kind {
        SubsetKind::New => &attributes::NEW,
        SubsetKind::View => &attributes::VIEW,
        SubsetKind::Patch => &attributes::PATCH,
    });
    Some(SubsetAttr {
        skip: inner.words("skip").unwrap_or_default(),
        only: inner.listed("only"),
        with: inner.extras("with").unwrap_or_default(),
        nested: inner.nested("nested").unwrap_or_default(),
        derives: inner.paths("derive").unwrap_or_default(),
        deserialize: inner.flag("deserialize").is_some(),
        ..SubsetAttr::new(kind, name)
    })
}

/// `bucket(lines)`
fn parse_bucket(opt: &Opt, owner: &str, cx: &Ctxt) -> Option<BucketAttr> {
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
    let before = cx.report_count();
    let mut opts = Opts::split(cx, "bucket", owner, opt.tokens.clone(), list.clone(), 0);
    let Some(items) = opts.take_first_flag() else {
        if cx.report_count() == before {
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
    for more in &opts.items {
        cx.push(diag::bucket_option(&more.tokens, &items, owner));
    }
    Some(BucketAttr {
        site: opt.tokens.clone(),
        items,
    })
}
