//! Rules 4 and 6: an index serves every access pattern that the model declares.

mod fit;

use quote::ToTokens;

pub(crate) use self::fit::served_by;
use self::fit::{AccessQuery, Fit, candidates, compare, dotted_path, pattern, resolve_query};
use super::allowed;
use super::index::{declared, is_array};
use crate::ctxt::Ctxt;
use crate::diag;
use crate::ir::{Ir, Row};
use crate::names::unraw;
use crate::rules::{self, Rule};
use crate::syntax::{AccessAttr, ConditionAttr, ConditionOp, KeyKind};

/// Methods of the model trait, which an access pattern of the same name would hide.
const TAKEN: &[&str] = &[
    "by_id",
    "count",
    "delete",
    "delete_many",
    "exists",
    "find",
    "find_one",
    "get",
    "get_many",
    "group_by",
    "id",
    "insert",
    "insert_many",
    "load",
    "meta",
    "page",
    "save",
    "scan",
    "update",
    "update_many",
];

pub(crate) fn check(ir: &Ir<'_>, cx: &Ctxt) {
    cx.set_place(0);
    let owner = ir.name();
    let accesses = &ir.item.attrs.accesses;
    let broken = cx.has_failed();
    for (n, access) in accesses.iter().enumerate() {
        let name = unraw(&access.name);
        if TAKEN.contains(&name.as_str()) {
            cx.push(diag::access_taken(&access.name, &owner));
            continue;
        }
        if accesses[..n].iter().any(|other| other.name == access.name) {
            cx.push(diag::access_twice(&access.name, &owner));
            continue;
        }
        // Another message may be the reason why no index is found.
        if is_well_formed(ir, access, &owner, cx) && !broken {
            check_index(ir, access, &owner, cx);
        }
    }
}

/// Checks that every field exists, and stands in one part of the pattern only.
fn is_well_formed(ir: &Ir<'_>, access: &AccessAttr, owner: &str, cx: &Ctxt) -> bool {
    let before = cx.report_count();
    let sort = access.sort.iter().map(|(path, _)| path);
    let only = access.only.iter().map(|one| &one.path);
    let compared = || access.keys.iter().chain(&access.range);
    let mut unknown = Vec::new();
    for name in compared()
        .chain(sort)
        .chain(only)
        .filter_map(|path| path.first())
    {
        if ir.addressable(name).is_none() && !unknown.contains(&unraw(name)) {
            unknown.push(unraw(name));
            let fields = ir.fields().filter(|row| row.is_addressable());
            let names: Vec<String> = fields.map(Row::rust).collect();
            cx.push(diag::access_field(name, &access.name, owner, &names));
        }
    }
    let all: Vec<String> = compared().map(|path| dotted_path(path)).collect();
    for (n, path) in compared().enumerate() {
        if let (Some(last), true) = (path.last(), all[..n].contains(&all[n])) {
            cx.push(diag::access_key_twice(last, &access.name, owner));
        }
    }
    for (path, _) in &access.sort {
        if let [name] = path.as_slice()
            && ir.addressable(name).is_some_and(is_array)
            && !allowed(ir, None, &rules::IDX_SORT_DIR)
        {
            cx.push(diag::access_sort_array(name, &access.name, owner));
        }
    }
    if access.keys.is_empty()
        && access.range.is_none()
        && access.only.is_empty()
        && access.sort.is_empty()
    {
        cx.push(diag::access_empty(&access.site, owner));
    }
    cx.report_count() == before
}

fn check_index(ir: &Ir<'_>, access: &AccessAttr, owner: &str, cx: &Ctxt) {
    let asked = resolve_query(ir, access);
    let candidates = candidates(ir);
    let best = candidates
        .iter()
        .map(|candidate| (compare(&asked, candidate), candidate))
        .max_by_key(|(fit, _)| *fit);
    let (fit, near, stating) = match best {
        Some((Fit::Serves, _)) => return,
        Some((fit, candidate)) if fit > Fit::No => {
            let partial = candidate.partial.iter();
            let stating = partial.map(|(path, one)| condition(path, one)).collect();
            (fit, keys_text(&candidate.serving.keys), stating)
        }
        _ => (Fit::No, String::new(), Vec::new()),
    };
    let rule: &'static Rule = match fit {
        Fit::Direction => &rules::IDX_SORT_DIR,
        Fit::Order => &rules::IDX_ESR,
        Fit::Partial => &rules::IDX_PARTIAL_QUERY,
        _ => &rules::IDX_ACCESS,
    };
    if !allowed(ir, None, rule) {
        let said = diag::access_index(
            &access.site,
            rule,
            &access.name,
            owner,
            &near,
            &missing_index(ir, access, &asked),
        );
        cx.push(if fit == Fit::Partial && !stating.is_empty() {
            diag::access_stating(said, &stating)
        } else {
            said
        });
    }
}

/// The attribute that declares the index which is missing. An order without a limit is followed by the `_id`, which pages need.
fn missing_index(ir: &Ir<'_>, access: &AccessAttr, asked: &AccessQuery<'_>) -> String {
    let mut keys: Vec<(String, KeyKind)> = Vec::new();
    let mut add = |path: &String, kind: KeyKind| {
        if keys.iter().all(|(earlier, _)| earlier != path) {
            keys.push((path.clone(), kind));
        }
    };
    asked.equal.iter().for_each(|path| add(path, KeyKind::Asc));
    for (path, descending) in &asked.sort {
        add(path, direction(*descending));
    }
    let in_order = |path: &String| asked.sort.iter().any(|(key, _)| key == path);
    match (asked.sort.last(), &asked.range) {
        (Some((_, descending)), range) if access.limit.is_none() && range.iter().all(in_order) => {
            let id = ir.stored().find(|row| row.is_stored_as_id());
            id.iter()
                .for_each(|row| add(&row.rust(), direction(*descending)));
        }
        _ => asked.range.iter().for_each(|path| add(path, KeyKind::Asc)),
    }
    let mut options = String::new();
    if keys.is_empty() {
        for (path, _) in &asked.only {
            if keys.iter().all(|(earlier, _)| earlier != path) {
                keys.push((path.clone(), KeyKind::Asc));
            }
        }
    } else if !asked.only.is_empty() {
        let only: Vec<String> = asked
            .only
            .iter()
            .map(|(_, one)| condition_text(one))
            .collect();
        options = format!(", partial({})", only.join(", "));
    }
    // Two indexes of the same keys would have one name.
    if declared(ir)
        .iter()
        .any(|index| index.attr.name.is_none() && pattern(index) == keys)
    {
        let names: Vec<String> = keys
            .iter()
            .map(|(path, _)| path.replace('.', "_"))
            .collect();
        let which = if asked.only.is_empty() { "all" } else { "only" };
        options.push_str(&format!(", name = \"{}_{which}\"", names.join("_")));
    }
    format!("#[model(index(keys({}){options}))]", keys_text(&keys))
}

fn direction(descending: bool) -> KeyKind {
    if descending {
        KeyKind::Desc
    } else {
        KeyKind::Asc
    }
}

/// The condition as it stands in `partial(..)`.
fn condition_text(one: &ConditionAttr) -> String {
    condition(&dotted_path(&one.path), one)
}

/// The condition on `path` as it stands in `partial(..)`.
fn condition(path: &str, one: &ConditionAttr) -> String {
    let value = |word: &str, lit: &syn::Lit| format!("{path}({word} = {})", lit.to_token_stream());
    match &one.op {
        ConditionOp::Eq(lit) => format!("{path} = {}", lit.to_token_stream()),
        ConditionOp::Exists => format!("{path}(exists)"),
        ConditionOp::Type(name) => format!("{path}(type = \"{name}\")"),
        ConditionOp::Gt(lit) => value("gt", lit),
        ConditionOp::Gte(lit) => value("gte", lit),
        ConditionOp::Lt(lit) => value("lt", lit),
        ConditionOp::Lte(lit) => value("lte", lit),
    }
}

fn keys_text(keys: &[(String, KeyKind)]) -> String {
    let key = |(path, kind): &(String, KeyKind)| match kind {
        KeyKind::Desc => format!("-{path}"),
        KeyKind::Hashed => format!("hashed({path})"),
        _ => path.clone(),
    };
    keys.iter().map(key).collect::<Vec<_>>().join(", ")
}

/// Indexes that no pattern of the model uses, where it declares patterns at all.
pub(crate) fn advice(ir: &Ir<'_>) -> Vec<(&'static Rule, String)> {
    let accesses = &ir.item.attrs.accesses;
    if accesses.is_empty() || !ir.is_model() {
        return Vec::new();
    }
    let asked: Vec<AccessQuery<'_>> = accesses
        .iter()
        .map(|access| resolve_query(ir, access))
        .collect();
    let candidates = candidates(ir);
    let indexes = declared(ir);
    let unused = candidates.iter().filter_map(|candidate| {
        let index = &indexes[candidate.serving.declared?];
        // Unique and expiring indexes have another purpose than queries.
        let otherwise = index.attr.unique.is_some() || index.attr.expire_after.is_some();
        let used = asked
            .iter()
            .any(|asked| compare(asked, candidate) == Fit::Serves);
        let of = index.row.map(Row::rust).unwrap_or_default();
        let btree = index
            .keys
            .iter()
            .all(|key| key.is_btree() || key.kind == KeyKind::Hashed);
        (!otherwise && !used && btree).then_some((&rules::IDX_UNUSED, of))
    });
    unused.collect()
}

#[cfg(test)]
mod tests;
