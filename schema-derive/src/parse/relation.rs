//! `#[refs(..)]`, `#[parent(..)]`, `#[denorm(..)]`, `#[recent(..)]`, `#[count(..)]`.

use proc_macro2::{Ident, TokenStream, TokenTree};
use syn::ext::IdentExt;

use super::attributes::{self, form};
use super::index::parse_partial;
use super::opts::{OptBody, Opts, path};
use crate::diag;
use crate::syntax::{
    Check, ConditionOp, CountAttr, CountMax, DenormAttr, Level, Number, OnDelete, OnMissing,
    ParentAttr, Per, PeriodAttr, RecentAttr, RefsAttr, TreeAttr,
};

/// `key = word`, of the words that are known; the first of them where it is not given or wrong.
fn parse_word<T: Copy>(opts: &Opts<'_>, key: &str, known: &[(&str, T)]) -> T {
    let (_, default) = known[0];
    let Some(word) = opts.word(key) else {
        return default;
    };
    let name = word.unraw().to_string();
    if let Some((_, value)) = known.iter().find(|(known, _)| *known == name) {
        return *value;
    }
    let words: Vec<&str> = known.iter().map(|(word, _)| *word).collect();
    opts.cx
        .push(diag::bad_word(&word, key, opts.attr, opts.owner, &words));
    default
}

/// `checked` or `unchecked`, where the reference may not dangle.
fn parse_check(opts: &Opts<'_>, on_delete: OnDelete) -> Check {
    let (checked, unchecked) = (opts.flag("checked"), opts.flag("unchecked"));
    let conflict = |site: &TokenStream, one, other, why| {
        opts.cx
            .push(diag::conflict(site, one, other, opts.owner, why));
    };
    if let (Some(_), Some(site)) = (&checked, &unchecked) {
        conflict(
            site,
            "unchecked",
            "checked",
            "a write looks at the target of a reference, or it does not",
        );
        return Check::Default;
    }
    let keeps = on_delete == OnDelete::Keep;
    if let Some(site) = checked {
        if keeps {
            let why = "a reference that stays when its target is deleted may lead nowhere: there is nothing to check";
            conflict(&site, "checked", "on_delete = keep", why);
        }
        return Check::Checked;
    }
    let Some(site) = unchecked else {
        return Check::Default;
    };
    if keeps {
        let why = "a reference that stays when its target is deleted is never checked: remove `unchecked`";
        conflict(&site, "unchecked", "on_delete = keep", why);
    } else if opts.get("inverse").is_some() {
        let why = "a write of a two-way reference reads the other side, which has to hold it as well: remove `unchecked`";
        conflict(&site, "unchecked", "inverse = ..", why);
    }
    Check::Unchecked(site)
}

/// `refs(Part, max = 2000, on_delete = pull, missing = strict)`
pub(super) fn parse_refs(mut opts: Opts<'_>) -> Option<RefsAttr> {
    opts.check_names(&attributes::REFS);
    let on_delete = parse_word(
        &opts,
        "on_delete",
        &[
            ("deny", OnDelete::Deny),
            ("deny_purge", OnDelete::DenyPurge),
            ("pull", OnDelete::Pull),
            ("cascade", OnDelete::Cascade),
            ("keep", OnDelete::Keep),
        ],
    );
    // The list on the other side of a two-way reference follows the reference, so its default is `pull`: it refuses no delete.
    let inverse = opts.word("inverse");
    let on_delete = match opts.get("on_delete") {
        None if inverse.is_some() => OnDelete::Pull,
        _ => on_delete,
    };
    let missing = parse_word(
        &opts,
        "missing",
        &[
            ("drop", OnMissing::Drop),
            ("strict", OnMissing::Strict),
            ("keep_slots", OnMissing::KeepSlots),
        ],
    );
    let check = parse_check(&opts, on_delete);
    if let (Some(site), Some(_)) = (opts.get("checked"), opts.get("inverse")) {
        opts.cx.push(diag::not_yet(
            &site.tokens,
            "`checked` of a two-way reference",
            opts.owner,
        ));
    }
    let max = opts.number("max");
    let target = opts.target(&form("refs"))?;
    Some(RefsAttr {
        target,
        max,
        key: opts.word("key"),
        inverse,
        via: opts.word("via"),
        on_delete,
        missing,
        check,
        site: opts.site,
    })
}

/// `parent(Host, sort = -time, on_delete = cascade, missing = strict)`
pub(super) fn parse_parent(mut opts: Opts<'_>) -> Option<ParentAttr> {
    opts.check_names(&attributes::PARENT);
    let on_delete = parse_word(
        &opts,
        "on_delete",
        &[
            ("deny", OnDelete::Deny),
            ("deny_purge", OnDelete::DenyPurge),
            ("cascade", OnDelete::Cascade),
            ("unset", OnDelete::Unset),
            ("pull", OnDelete::Pull),
            ("keep", OnDelete::Keep),
        ],
    );
    // A single reference has no other slots, so `keep_slots` does not apply.
    let missing = parse_word(
        &opts,
        "missing",
        &[("drop", OnMissing::Drop), ("strict", OnMissing::Strict)],
    );
    let check = parse_check(&opts, on_delete);
    let sort = opts.sort("sort");
    let tree = parse_tree(&opts);
    let target = opts.target(&form("parent"))?;
    Some(ParentAttr {
        target,
        sort,
        key: opts.word("key"),
        inverse: opts.word("inverse"),
        on_delete,
        missing,
        check,
        tree,
        site: opts.site,
    })
}

/// `tree(depth = 12)`
fn parse_tree(opts: &Opts<'_>) -> Option<TreeAttr> {
    let option = opts.get("tree")?;
    let OptBody::List(list) = &option.body else {
        opts.bad(option, "the depth of the tree", "tree(depth = 12)");
        return Some(TreeAttr { depth: None });
    };
    let site = option.tokens.clone();
    let mut inner = Opts::split(opts.cx, "tree", opts.owner, site, list.clone(), 0);
    inner.check_names(&attributes::TREE);
    if inner.get("depth").is_none() {
        inner.missing("depth", &form("tree"));
    }
    Some(TreeAttr {
        depth: inner.number("depth"),
    })
}

/// `recent(LogMsg, max = 1000, sort = time, fields(time, message), via = host)`
pub(super) fn parse_recent(mut opts: Opts<'_>) -> Option<RecentAttr> {
    opts.check_names(&attributes::RECENT);
    // The form that the message shows has all of them.
    let lacks = |option: &&&str| opts.get(option).is_none();
    if let Some(option) = ["max", "sort", "fields"].iter().find(lacks) {
        opts.missing(option, &form("recent"));
    }
    let derives = opts
        .get("derive")
        .is_some()
        .then(|| opts.paths("derive"))
        .flatten();
    let (max, sort) = (opts.number("max"), opts.sort("sort"));
    let fields = opts.get("fields").and_then(|_| opts.words("fields"));
    let (via, only) = (opts.word("via"), parse_only(&opts));
    let child = opts.target(&form("recent"))?;
    Some(RecentAttr {
        child,
        max,
        sort,
        fields: fields.unwrap_or_default(),
        only,
        via,
        derives,
        site: opts.site,
    })
}

/// `count(LogMsg, via = host, only(read = false))`, `sum(Line, field = price)`, `avg(Review, field = stars)` and `max(Bid, field = amount)`
pub(super) fn parse_number(mut opts: Opts<'_>, number: Number) -> Option<CountAttr> {
    let has_field = number != Number::Count;
    let (name, known) = match has_field {
        true => (number.attribute(), &attributes::SUM),
        false => (number.attribute(), &attributes::COUNT),
    };
    opts.check_names(known);
    if has_field && opts.get("field").is_none() {
        opts.missing("field", &form(name));
    }
    let via = opts.word("via");
    let (added, times) = match number {
        Number::Sum | Number::Average => parse_added(&opts).unzip(),
        Number::Count => (None, None),
        Number::Least | Number::Greatest => (opts.dotted("field"), None),
    };
    let only = parse_only(&opts);
    let max = parse_count_max(&opts);
    let child = opts.target(&form(name))?;
    if has_field && added.is_none() {
        return None;
    }
    Some(CountAttr {
        number,
        child,
        added,
        times: times.flatten(),
        only,
        max,
        via,
        at: opts.word("at"),
        site: opts.site,
    })
}

/// `period(per = day, zone = "Europe/Rome")`
pub(super) fn parse_period(mut opts: Opts<'_>) -> PeriodAttr {
    opts.check_names(&attributes::PERIOD);
    for option in ["per", "zone"] {
        if opts.get(option).is_none() {
            opts.missing(option, &form("period"));
        }
    }
    let per = opts.get("per").and_then(|option| {
        let is = |word: &str| match &option.body {
            OptBody::Value(value) => value.to_string() == word,
            OptBody::Flag | OptBody::List(_) => false,
        };
        let per = match () {
            () if is("hour") => Per::Hour,
            () if is("day") => Per::Day,
            () if is("week") => Per::Week,
            () if is("month") => Per::Month,
            () => {
                opts.bad(option, "`hour`, `day`, `week` or `month`", "per = day");
                return None;
            }
        };
        Some(per)
    });
    PeriodAttr {
        per,
        zone: opts.string("zone"),
        site: opts.site,
    }
}

/// `field = price`, `field = money.amount`, or the product of two: `field = price * quantity`
fn parse_added(opts: &Opts<'_>) -> Option<(Vec<Ident>, Option<Vec<Ident>>)> {
    let option = opts.get("field")?;
    let tokens: Vec<TokenTree> = match &option.body {
        OptBody::Value(value) => value.clone().into_iter().collect(),
        OptBody::Flag | OptBody::List(_) => Vec::new(),
    };
    let parsed = path(&tokens).and_then(|(field, rest)| match rest {
        [] => Some((field, None)),
        [TokenTree::Punct(sign), times @ ..] if sign.as_char() == '*' => {
            let (times, rest) = path(times)?;
            rest.is_empty().then_some((field, Some(times)))
        }
        _ => None,
    });
    if parsed.is_none() {
        opts.bad(
            option,
            "a field, or the product of two",
            "field = price * quantity",
        );
    }
    parsed
}

/// `max = 300`, or `max = seats`: a field of the parent.
fn parse_count_max(opts: &Opts<'_>) -> Option<CountMax> {
    let option = opts.get("max")?;
    let is_word = match &option.body {
        OptBody::Value(value) => syn::parse2::<Ident>(value.clone()).is_ok(),
        OptBody::Flag | OptBody::List(_) => false,
    };
    match is_word {
        true => opts.word("max").map(CountMax::Field),
        false => opts.number("max").map(CountMax::Number),
    }
}

/// `only(open = true, kind = "gold")`: constants of fields.
fn parse_only(opts: &Opts<'_>) -> Vec<(Vec<Ident>, syn::Lit)> {
    let form = "only(open = true)";
    let conditions = parse_partial(opts, "only", false).map_or_else(Vec::new, |all| all.conditions);
    let mut only = Vec::new();
    for one in conditions {
        match one.op {
            ConditionOp::Eq(value) if !matches!(value, syn::Lit::Float(_)) => {
                only.push((one.path, value));
            }
            _ => opts.cx.push(diag::bad_value(
                &one.tokens,
                "only",
                opts.attr,
                opts.owner,
                "a field and the text, integer or bool that it has to have",
                form,
            )),
        }
    }
    only
}

/// `denorm(from = Part, field = name)`
pub(super) fn parse_denorm(mut opts: Opts<'_>) -> Option<DenormAttr> {
    opts.check_names(&attributes::DENORM);
    let level = parse_word(
        &opts,
        "level",
        &[
            ("eventual", Level::Eventual),
            ("transactional", Level::Transactional),
            ("fire_and_forget", Level::FireAndForget),
        ],
    );
    if let (Some(level), Some(_)) = (opts.get("level"), opts.get("snapshot")) {
        opts.cx.push(diag::conflict(
            &level.tokens,
            "level = ..",
            "snapshot",
            opts.owner,
            "a snapshot is never brought up to date: how surely it would be has no meaning",
        ));
    }
    if opts.get("from").is_none() {
        opts.missing("from", &form("denorm"));
    }
    let from = opts.path("from");
    let fields = parse_copied_fields(&opts);
    let into = opts.word("into");
    if let (Some(fields), Some(into)) = (&fields, &into)
        && fields.len() > 1
    {
        opts.cx.push(diag::conflict(
            into,
            "into = ..",
            "fields(..)",
            opts.owner,
            "`into` renames one copy: write one `#[denorm]` per renamed field",
        ));
    }
    let derives = opts
        .get("derive")
        .is_some()
        .then(|| opts.paths("derive"))
        .flatten();
    let (default, snapshot) = (
        opts.flag("default").is_some(),
        opts.flag("snapshot").is_some(),
    );
    let (id, via) = (opts.string("id"), opts.word("via"));
    Some(DenormAttr {
        from: from?,
        fields: fields?,
        into,
        id,
        via,
        derives,
        default,
        snapshot,
        level,
        site: opts.site,
    })
}

/// `field = name`, `field = address.city`, `fields(name, address.city)`
fn parse_copied_fields(opts: &Opts<'_>) -> Option<Vec<Vec<Ident>>> {
    match (opts.get("field"), opts.get("fields")) {
        (Some(_), Some(both)) => {
            opts.cx.push(diag::conflict(
                &both.tokens,
                "fields(..)",
                "field = ..",
                opts.owner,
                "name the copied fields in one place",
            ));
            None
        }
        (Some(one), None) => match &one.body {
            OptBody::List(_) => {
                opts.cx.push(diag::bad_value(
                    &one.tokens,
                    "field",
                    opts.attr,
                    opts.owner,
                    "one name",
                    "field = name",
                ));
                None
            }
            OptBody::Flag | OptBody::Value(_) => opts.dotted("field").map(|path| vec![path]),
        },
        (None, Some(_)) => opts.dotted_list("fields"),
        (None, None) => {
            opts.missing("field", &form("denorm"));
            None
        }
    }
}
