//! Rules 4 and 6: whether an index serves what the model says it is asked.

use std::collections::BTreeSet;

use proc_macro2::Ident;
use quote::ToTokens;

use super::index::{Index, automatic, declared, is_array, is_id};
use super::{allowed, named_field};
use crate::ctxt::Ctxt;
use crate::diag;
use crate::names::unraw;
use crate::rules::{self, Rule};
use crate::syntax::{AccessAttr, ConditionAttr, ConditionOp, Field, Item, KeyKind, Kind};

/// What the trait of models has already, and what an access pattern of that name would hide.
const TAKEN: &[&str] = &[
    "by_id",
    "count",
    "delete",
    "delete_many",
    "find",
    "find_fresh",
    "find_one",
    "get",
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

/// The index that serves a pattern.
pub(crate) struct Serving {
    /// Rust names joined by dots, and whether descending.
    pub(crate) keys: Vec<(String, KeyKind)>,
    /// Which of the declared indexes it is; none for one that nobody declares.
    declared: Option<usize>,
}

/// An index as far as it may serve a pattern.
struct Candidate<'a> {
    serving: Serving,
    partial: Vec<(String, &'a ConditionAttr)>,
    sparse: bool,
}

/// How well an index fits, the best last.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Fit {
    No,
    /// A condition of its own that the pattern does not state.
    Partial,
    /// All fields are there, in an order that does not help.
    Order,
    /// Only the directions differ.
    Direction,
    Serves,
}

/// A pattern with its fields as an index names them.
struct Asked<'a> {
    equal: BTreeSet<String>,
    /// Conditions that are always the same, with their paths.
    only: Vec<(String, &'a ConditionAttr)>,
    sort: Vec<(String, bool)>,
    range: Option<String>,
}

pub(crate) fn check(item: &Item, cx: &Ctxt) {
    cx.at(0);
    let owner = unraw(&item.ident);
    let accesses = &item.attrs.accesses;
    let broken = cx.failed();
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
        if well_formed(item, access, &owner, cx) && !broken {
            fits(item, access, &owner, cx);
        }
    }
}

/// Whether every field is there, and in one part of the pattern.
fn well_formed(item: &Item, access: &AccessAttr, owner: &str, cx: &Ctxt) -> bool {
    let before = cx.reported();
    let sort = access.sort.iter().map(|key| &key.field);
    let only = access.only.iter().filter_map(|one| one.path.first());
    let all = access
        .keys
        .iter()
        .chain(&access.range)
        .chain(sort)
        .chain(only);
    let mut unknown = Vec::new();
    for name in all {
        if named_field(item, name).is_none() && !unknown.contains(&unraw(name)) {
            unknown.push(unraw(name));
            let fields = item.body.fields().into_iter();
            let names: Vec<String> = fields
                .map(Field::rust)
                .filter(|name| known(item, name))
                .collect();
            cx.push(diag::access_field(name, &access.name, owner, &names));
        }
    }
    for (n, key) in access.keys.iter().chain(&access.range).enumerate() {
        if access.keys[..n.min(access.keys.len())]
            .iter()
            .any(|other| unraw(other) == unraw(key))
        {
            cx.push(diag::access_key_twice(key, &access.name, owner));
        }
    }
    for key in &access.sort {
        if named_field(item, &key.field).is_some_and(is_array) {
            cx.push(diag::access_sort_array(&key.field, &access.name, owner));
        }
    }
    if access.keys.is_empty()
        && access.range.is_none()
        && access.only.is_empty()
        && access.sort.is_empty()
    {
        cx.push(diag::access_empty(&access.site, owner));
    }
    cx.reported() == before
}

fn known(item: &Item, name: &str) -> bool {
    syn::parse_str::<Ident>(name).is_ok_and(|ident| named_field(item, &ident).is_some())
}

fn fits(item: &Item, access: &AccessAttr, owner: &str, cx: &Ctxt) {
    let asked = asked(item, access);
    let candidates = candidates(item);
    let best = candidates
        .iter()
        .map(|candidate| (fit(&asked, candidate), candidate))
        .max_by_key(|(fit, _)| *fit);
    let (fit, near) = match best {
        Some((Fit::Serves, _)) => return,
        Some((fit, candidate)) if fit > Fit::No => (fit, shown(&candidate.serving.keys)),
        _ => (Fit::No, String::new()),
    };
    let rule: &'static Rule = match fit {
        Fit::Direction => &rules::IDX_SORT_DIR,
        Fit::Order => &rules::IDX_ESR,
        Fit::Partial => &rules::IDX_PARTIAL_QUERY,
        _ => &rules::IDX_ACCESS,
    };
    if !allowed(item, None, rule) {
        cx.push(diag::access_index(
            &access.site,
            rule,
            &access.name,
            owner,
            &near,
            &missing(&asked),
        ));
    }
}

/// The attribute that declares the index which is missing.
fn missing(asked: &Asked<'_>) -> String {
    let mut keys: Vec<(String, KeyKind)> = Vec::new();
    let mut add = |path: &str, kind: KeyKind| {
        if keys.iter().all(|(earlier, _)| earlier != path) {
            keys.push((path.to_owned(), kind));
        }
    };
    for path in &asked.equal {
        add(path, KeyKind::Asc);
    }
    for (path, descending) in &asked.sort {
        add(
            path,
            if *descending {
                KeyKind::Desc
            } else {
                KeyKind::Asc
            },
        );
    }
    if let Some(path) = &asked.range {
        add(path, KeyKind::Asc);
    }
    if keys.is_empty() {
        keys.extend(
            asked
                .only
                .iter()
                .map(|(path, _)| (path.clone(), KeyKind::Asc)),
        );
        keys.dedup();
        return format!("#[model(index(keys({})))]", shown(&keys));
    }
    let only: Vec<String> = asked.only.iter().map(|(_, one)| written(one)).collect();
    if only.is_empty() {
        format!("#[model(index(keys({})))]", shown(&keys))
    } else {
        format!(
            "#[model(index(keys({}), partial({})))]",
            shown(&keys),
            only.join(", ")
        )
    }
}

/// The condition as it stands in `partial(..)`.
fn written(one: &ConditionAttr) -> String {
    let path = one.path.iter().map(unraw).collect::<Vec<_>>().join(".");
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

fn shown(keys: &[(String, KeyKind)]) -> String {
    let key = |(path, kind): &(String, KeyKind)| match kind {
        KeyKind::Desc => format!("-{path}"),
        KeyKind::Hashed => format!("hashed({path})"),
        _ => path.clone(),
    };
    keys.iter().map(key).collect::<Vec<_>>().join(", ")
}

/// What an index calls the field: of a reference with copies it is the id in it.
fn indexed(item: &Item, name: &Ident) -> String {
    let field = named_field(item, name);
    let entry = field.is_some_and(|field| {
        (field.attrs.refs.is_some() || field.attrs.parent.is_some())
            && !field.attrs.denorm.is_empty()
    });
    let name = unraw(name);
    if entry { format!("{name}.id") } else { name }
}

fn asked<'a>(item: &Item, access: &'a AccessAttr) -> Asked<'a> {
    let dotted = |path: &[Ident]| path.iter().map(unraw).collect::<Vec<_>>().join(".");
    Asked {
        equal: access.keys.iter().map(|key| indexed(item, key)).collect(),
        only: access
            .only
            .iter()
            .map(|one| (dotted(&one.path), one))
            .collect(),
        sort: access
            .sort
            .iter()
            .map(|key| (indexed(item, &key.field), key.descending))
            .collect(),
        range: access.range.as_ref().map(|key| indexed(item, key)),
    }
}

/// The indexes that there are: declared ones, those of references, and that of the `_id`.
fn candidates(item: &Item) -> Vec<Candidate<'_>> {
    let plain = |keys: Vec<(String, KeyKind)>| Candidate {
        serving: Serving {
            keys,
            declared: None,
        },
        partial: Vec::new(),
        sparse: false,
    };
    let id = item
        .body
        .fields()
        .into_iter()
        .find(|field| is_id(item, field))
        .map(Field::rust);
    let indexes = declared(item);
    let mut found: Vec<Candidate<'_>> = indexes
        .iter()
        .enumerate()
        .filter(|(_, index)| !ordered_otherwise(index))
        .map(|(n, index)| candidate(index, n))
        .collect();
    for keys in automatic(item) {
        let mut keys: Vec<(String, KeyKind)> = keys
            .into_iter()
            .map(|(path, kind)| (path.iter().map(unraw).collect::<Vec<_>>().join("."), kind))
            .collect();
        if let (Some(id), Some((_, kind))) = (&id, keys.get(1).or(keys.first()).cloned())
            && keys.iter().all(|(path, _)| path != id)
        {
            keys.push((id.clone(), kind));
        }
        found.push(plain(keys));
    }
    found.extend(id.map(|id| plain(vec![(id, KeyKind::Asc)])));
    found
}

/// Whether strings stand in it in another order than a query without collation asks for.
fn ordered_otherwise(index: &Index<'_>) -> bool {
    index
        .attr
        .collation
        .as_ref()
        .is_some_and(|collation| collation.locale != "simple")
}

fn candidate<'a>(index: &Index<'a>, n: usize) -> Candidate<'a> {
    let keys: Vec<(String, KeyKind)> = index
        .keys
        .iter()
        .map(|key| (key.rust(), key.kind))
        .collect();
    let conditions = index
        .attr
        .partial
        .iter()
        .flat_map(|partial| &partial.conditions);
    let own = keys
        .first()
        .map(|(path, _)| path.clone())
        .unwrap_or_default();
    let partial = conditions
        .map(|one| match one.path.as_slice() {
            [] => (own.clone(), one),
            path => (path.iter().map(unraw).collect::<Vec<_>>().join("."), one),
        })
        .collect();
    Candidate {
        serving: Serving {
            keys,
            declared: Some(n),
        },
        partial,
        sparse: index.attr.sparse.is_some(),
    }
}

fn fit(asked: &Asked<'_>, candidate: &Candidate<'_>) -> Fit {
    let fit = keys_fit(asked, candidate);
    let implied = candidate.partial.iter().all(|one| implied(asked, one));
    // A sparse index holds every document that has one of its keys.
    let left_out = candidate.sparse && asked.equal.is_empty();
    if fit == Fit::Serves && (!implied || left_out) {
        return Fit::Partial;
    }
    fit
}

/// Whether every document that the pattern asks for meets the condition of a partial index.
fn implied(asked: &Asked<'_>, (path, condition): &(String, &ConditionAttr)) -> bool {
    let stated = asked.only.iter().any(|(other, one)| {
        other == path && (same(one, condition) || matches!(condition.op, ConditionOp::Exists))
    });
    // A range may have no ends, and then states nothing.
    let compared = asked.equal.contains(path);
    stated || compared && matches!(condition.op, ConditionOp::Exists)
}

fn same(a: &ConditionAttr, b: &ConditionAttr) -> bool {
    let text = |lit: &syn::Lit| lit.to_token_stream().to_string();
    match (&a.op, &b.op) {
        (ConditionOp::Exists, ConditionOp::Exists) => true,
        (ConditionOp::Type(a), ConditionOp::Type(b)) => a == b,
        (ConditionOp::Eq(a), ConditionOp::Eq(b))
        | (ConditionOp::Gt(a), ConditionOp::Gt(b))
        | (ConditionOp::Gte(a), ConditionOp::Gte(b))
        | (ConditionOp::Lt(a), ConditionOp::Lt(b))
        | (ConditionOp::Lte(a), ConditionOp::Lte(b)) => text(a) == text(b),
        _ => false,
    }
}

/// Equality, sort, range: whether the keys stand in this order.
fn keys_fit(asked: &Asked<'_>, candidate: &Candidate<'_>) -> Fit {
    let keys = &candidate.serving.keys;
    if let [(path, KeyKind::Hashed)] = keys.as_slice() {
        let only_equal = asked.sort.is_empty() && asked.range.is_none() && asked.only.is_empty();
        let serves = only_equal && asked.equal.len() == 1 && asked.equal.contains(path);
        return if serves { Fit::Serves } else { Fit::No };
    }
    if keys
        .iter()
        .any(|(_, kind)| !matches!(kind, KeyKind::Asc | KeyKind::Desc))
    {
        return Fit::No;
    }
    let has = |path: &String| keys.iter().any(|(key, _)| key == path);
    let fixed = |path: &String| {
        asked
            .only
            .iter()
            .any(|(other, one)| other == path && matches!(one.op, ConditionOp::Eq(_)))
    };
    let stated = |(path, one): &(String, &ConditionAttr)| {
        has(path)
            || candidate
                .partial
                .iter()
                .any(|(other, condition)| other == path && same(one, condition))
    };
    let constant = |path: &String| asked.equal.contains(path) || fixed(path);
    let sort: Vec<&(String, bool)> = asked
        .sort
        .iter()
        .filter(|(path, _)| !constant(path))
        .collect();
    let all = asked
        .equal
        .iter()
        .chain(sort.iter().map(|(path, _)| path))
        .chain(&asked.range);
    if !all.into_iter().all(has) || !asked.only.iter().all(stated) {
        return Fit::No;
    }
    let equal = keys.iter().take_while(|(path, _)| constant(path)).count();
    if asked
        .equal
        .iter()
        .any(|path| keys[..equal].iter().all(|(key, _)| key != path))
    {
        return Fit::Order;
    }
    let ordered = &keys[equal..];
    if ordered.len() < sort.len()
        || ordered
            .iter()
            .zip(&sort)
            .any(|((key, _), (path, _))| key != path)
    {
        return Fit::Order;
    }
    let turned = ordered
        .iter()
        .zip(&sort)
        .filter(|((_, kind), (_, descending))| (*kind == KeyKind::Desc) != *descending)
        .count();
    if turned != 0 && turned != sort.len() {
        return Fit::Direction;
    }
    let after = ordered.get(sort.len()).map(|(key, _)| key);
    let in_sort = |path: &String| sort.iter().any(|(key, _)| key == path);
    if asked
        .range
        .as_ref()
        .is_some_and(|path| !in_sort(path) && after != Some(path))
    {
        return Fit::Order;
    }
    // What neither begins with something that is asked for nor orders anything is not read by an index.
    if equal == 0 && sort.is_empty() && asked.range.is_none() {
        return Fit::No;
    }
    Fit::Serves
}

/// The index that serves a pattern; none where that was allowed, or a field was refused.
pub(crate) fn served_by(item: &Item, access: &AccessAttr) -> Option<Serving> {
    let asked = asked(item, access);
    let mut candidates = candidates(item).into_iter();
    let serving = candidates.find(|candidate| fit(&asked, candidate) == Fit::Serves)?;
    Some(serving.serving)
}

impl Serving {
    /// Whether the index holds every stored field of the document, so that nothing else has to be read.
    pub(crate) fn covers(&self, item: &Item) -> bool {
        let mut fields = item
            .body
            .fields()
            .into_iter()
            .filter(|field| field.serde.skip.is_none());
        fields.all(|field| {
            self.keys
                .iter()
                .any(|(path, kind)| *path == field.rust() && *kind != KeyKind::Hashed)
                && !is_array(field)
        })
    }
}

/// Indexes that no pattern of the model uses, where it declares patterns at all.
pub(crate) fn advice(item: &Item) -> Vec<(&'static Rule, String)> {
    if item.attrs.accesses.is_empty() || item.kind != Kind::Model {
        return Vec::new();
    }
    let asked: Vec<Asked<'_>> = item
        .attrs
        .accesses
        .iter()
        .map(|access| asked(item, access))
        .collect();
    let candidates = candidates(item);
    let indexes = declared(item);
    let unused = candidates.iter().filter_map(|candidate| {
        let index = &indexes[candidate.serving.declared?];
        // These are there for something else than to be asked.
        let otherwise = index.attr.unique.is_some() || index.attr.expire_after.is_some();
        let used = asked
            .iter()
            .any(|asked| fit(asked, candidate) == Fit::Serves);
        let of = index.field.map(Field::rust).unwrap_or_default();
        let btree = index
            .keys
            .iter()
            .all(|key| key.btree() || key.kind == KeyKind::Hashed);
        (!otherwise && !used && btree).then_some((&rules::IDX_UNUSED, of))
    });
    unused.collect()
}

#[cfg(test)]
mod tests;
