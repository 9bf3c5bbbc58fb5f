//! The choice of the index that serves a pattern, and a measure of how well the others fit.

use proc_macro2::Ident;
use quote::ToTokens;

use crate::check::index::{Index, automatic, declared, is_array};
use crate::ir::{Ir, Row};
use crate::names::unraw;
use crate::syntax::{AccessAttr, ConditionAttr, ConditionOp, KeyKind};

/// The index that serves a pattern.
pub(crate) struct Serving {
    /// The paths of the keys, as Rust names joined by dots, with their kinds.
    pub(crate) keys: Vec<(String, KeyKind)>,
    /// The number of the declared index; `None` for an automatic one.
    pub(super) declared: Option<usize>,
}

/// An index that may serve a pattern.
pub(super) struct Candidate<'a> {
    pub(super) serving: Serving,
    pub(super) partial: Vec<(String, &'a ConditionAttr)>,
    pub(super) sparse: bool,
}

/// The degree to which an index fits a pattern, the best last.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Fit {
    No,
    /// The index has a condition that the pattern does not state.
    Partial,
    /// The index has all fields, in an order that does not help.
    Order,
    /// Only the directions differ.
    Direction,
    Serves,
}

/// A pattern with its fields as an index names them.
pub(super) struct AccessQuery<'a> {
    pub(super) equal: Vec<String>,
    /// Conditions that are always the same, with their paths.
    pub(super) only: Vec<(String, &'a ConditionAttr)>,
    pub(super) sort: Vec<(String, bool)>,
    pub(super) range: Option<String>,
}

impl AccessQuery<'_> {
    /// True if all documents that the pattern finds have the same value there.
    fn is_constant(&self, path: &String) -> bool {
        let is_fixed = |(other, one): &(String, &ConditionAttr)| {
            other == path && matches!(one.op, ConditionOp::Eq(_))
        };
        self.equal.contains(path) || self.only.iter().any(is_fixed)
    }
}

/// `address.city`
pub(super) fn dotted_path(path: &[Ident]) -> String {
    path.iter().map(unraw).collect::<Vec<_>>().join(".")
}

/// The field's path in an index: for a reference with copies, the id in it.
fn indexed_path(ir: &Ir<'_>, path: &[Ident]) -> String {
    let row = match path {
        [name] => ir.addressable(name),
        _ => None,
    };
    let entry = row.is_some_and(|row| row.is_reference() && !row.copies().is_empty());
    let name = dotted_path(path);
    if entry { format!("{name}.id") } else { name }
}

pub(super) fn resolve_query<'a>(ir: &Ir<'_>, access: &'a AccessAttr) -> AccessQuery<'a> {
    let sort = access.sort.iter();
    let range = access.range.as_ref();
    AccessQuery {
        equal: access
            .keys
            .iter()
            .map(|path| indexed_path(ir, path))
            .collect(),
        only: access
            .only
            .iter()
            .map(|one| (dotted_path(&one.path), one))
            .collect(),
        sort: sort
            .map(|(path, descending)| (indexed_path(ir, path), *descending))
            .collect(),
        range: range.map(|path| indexed_path(ir, path)),
    }
}

/// All indexes of the model: the declared ones, those of its references, and that of the `_id`.
pub(super) fn candidates<'i>(ir: &'i Ir<'_>) -> Vec<Candidate<'i>> {
    let plain = |keys: Vec<(String, KeyKind)>| Candidate {
        serving: Serving {
            keys,
            declared: None,
        },
        partial: Vec::new(),
        sparse: false,
    };
    let id = ir.id().map(Row::rust);
    let indexes = declared(ir);
    let mut found: Vec<Candidate<'_>> = indexes
        .iter()
        .enumerate()
        .filter(|(_, index)| !has_own_order(index))
        .map(|(n, index)| candidate(index, n))
        .collect();
    for keys in automatic(ir) {
        let mut keys: Vec<(String, KeyKind)> = keys
            .into_iter()
            .map(|(path, kind)| (dotted_path(&path), kind))
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

/// True if the index orders strings differently from a query without collation.
fn has_own_order(index: &Index<'_>) -> bool {
    index
        .attr
        .collation
        .as_ref()
        .is_some_and(|collation| collation.locale != "simple")
}

/// The keys of an index, with their kinds.
pub(super) fn pattern(index: &Index<'_>) -> Vec<(String, KeyKind)> {
    let keys = index.keys.iter();
    keys.map(|key| (key.rust(), key.kind)).collect()
}

fn candidate<'a>(index: &Index<'a>, n: usize) -> Candidate<'a> {
    let keys = pattern(index);
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
            path => (dotted_path(path), one),
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

pub(super) fn compare(asked: &AccessQuery<'_>, candidate: &Candidate<'_>) -> Fit {
    let fit = keys_fit(asked, candidate);
    let implied = candidate.partial.iter().all(|one| implied(asked, one));
    // A sparse index holds every document that has one of its keys.
    let left_out = candidate.sparse && asked.equal.is_empty();
    if fit == Fit::Serves && (!implied || left_out) {
        return Fit::Partial;
    }
    fit
}

/// True if every document that the pattern selects meets the condition of a partial index.
fn implied(asked: &AccessQuery<'_>, (path, condition): &(String, &ConditionAttr)) -> bool {
    let stated = asked.only.iter().any(|(other, one)| {
        other == path
            && (is_same_condition(one, condition) || matches!(condition.op, ConditionOp::Exists))
    });
    // A range may have no ends, and then states nothing.
    let compared = asked.equal.contains(path);
    stated || compared && matches!(condition.op, ConditionOp::Exists)
}

fn is_same_condition(a: &ConditionAttr, b: &ConditionAttr) -> bool {
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

fn keys_fit(query: &AccessQuery<'_>, candidate: &Candidate<'_>) -> Fit {
    let keys = candidate.serving.keys.as_slice();
    if let [(path, KeyKind::Hashed)] = keys {
        let only_equal = query.sort.is_empty() && query.range.is_none() && query.only.is_empty();
        let serves = only_equal && query.equal.len() == 1 && query.equal.contains(path);
        return if serves { Fit::Serves } else { Fit::No };
    }
    let is_ordered = |kind: &KeyKind| matches!(kind, KeyKind::Asc | KeyKind::Desc);
    if !keys.iter().all(|(_, kind)| is_ordered(kind)) || !has_fields(query, candidate) {
        return Fit::No;
    }
    order_fits(query, keys)
}

/// True if every field of the pattern is a key, but for a condition that the index states itself.
fn has_fields(query: &AccessQuery<'_>, candidate: &Candidate<'_>) -> bool {
    let keys = &candidate.serving.keys;
    let has = |path: &String| keys.iter().any(|(key, _)| key == path);
    let states = |(path, one): &(String, &ConditionAttr)| {
        let mut partial = candidate.partial.iter();
        partial.any(|(other, condition)| other == path && is_same_condition(one, condition))
    };
    let sort = query.sort.iter().map(|(path, _)| path);
    let sort = sort.filter(|path| !query.is_constant(path));
    let mut all = query.equal.iter().chain(sort).chain(&query.range);
    all.all(has) && query.only.iter().all(|one| has(&one.0) || states(one))
}

/// Compares the order of the keys with equality, sort, range.
fn order_fits(query: &AccessQuery<'_>, keys: &[(String, KeyKind)]) -> Fit {
    let sort: Vec<&(String, bool)> = query
        .sort
        .iter()
        .filter(|(path, _)| !query.is_constant(path))
        .collect();
    let equal = keys.iter().take_while(|(path, _)| query.is_constant(path));
    let (equal, ordered) = keys.split_at(equal.count());
    let leads = |path: &String| equal.iter().any(|(key, _)| key == path);
    let pairs = || ordered.iter().zip(&sort);
    if !query.equal.iter().all(leads)
        || ordered.len() < sort.len()
        || pairs().any(|((key, _), (path, _))| key != path)
    {
        return Fit::Order;
    }
    let turned = pairs()
        .filter(|((_, kind), (_, descending))| (*kind == KeyKind::Desc) != *descending)
        .count();
    if turned != 0 && turned != sort.len() {
        return Fit::Direction;
    }
    let after = ordered.get(sort.len()).map(|(key, _)| key);
    let in_sort = |path: &String| sort.iter().any(|(key, _)| key == path);
    let range = query.range.as_ref();
    if range.is_some_and(|path| !in_sort(path) && after != Some(path)) {
        return Fit::Order;
    }
    // A pattern without equality on the first key, sort and range does not read this index.
    if equal.is_empty() && sort.is_empty() && query.range.is_none() {
        return Fit::No;
    }
    Fit::Serves
}

/// The index that serves a pattern; none where that was allowed, or a field was refused.
pub(crate) fn served_by(ir: &Ir<'_>, access: &AccessAttr) -> Option<Serving> {
    let asked = resolve_query(ir, access);
    let mut candidates = candidates(ir).into_iter();
    let serving = candidates.find(|candidate| compare(&asked, candidate) == Fit::Serves)?;
    Some(serving.serving)
}

impl Serving {
    /// True if the index holds every stored field of the document, so that nothing else has to be read.
    pub(crate) fn covers(&self, ir: &Ir<'_>) -> bool {
        ir.stored().all(|row| {
            let name = row.rust();
            let mut keys = self.keys.iter();
            keys.any(|(path, kind)| *path == name && *kind != KeyKind::Hashed) && !is_array(row)
        })
    }
}
