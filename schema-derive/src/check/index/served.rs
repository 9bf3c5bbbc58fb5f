//! The queries that the indexes serve, and the advice about the indexes.

use proc_macro2::Ident;

use super::stored::{Stored, element_storage, field_storage};
use super::{Index, Key, automatic, declared};
use crate::ir::{Ir, Role, Row};
use crate::names::unraw;
use crate::rules::{self, Rule};
use crate::syntax::{CollationAttr, ConditionAttr, KeyKind};
use crate::types;

/// The largest number of entries of one document in an index: beyond it, every push rewrites many.
const FAN_MAX: u64 = 1_000;

/// The queries that an index serves by its first field.
#[derive(Clone, Copy)]
pub(crate) enum Served<'a> {
    /// Equality, ranges, null.
    Btree,
    /// As `Btree` without null.
    Sparse,
    /// As `Sparse`, where the filter states these conditions too; all are about the field itself.
    PartialOwn(&'a [ConditionAttr]),
    /// Equality only.
    Hashed,
    /// Comparisons by the collation of the index alone; `Some` if the index holds every string of the field.
    Collated(Option<&'a CollationAttr>),
    /// Text search only.
    Text,
    /// Text search only, beside an equality with each key before the text.
    TextBehind,
    /// Nearness only.
    Geo,
}

/// The fields that lead a declared index, by Rust names, with what it serves. A field can be there several times; `_id` and
/// references, whose indexes nobody declares, are not there.
pub(crate) fn leading<'i>(ir: &'i Ir<'_>) -> Vec<(Vec<Ident>, Served<'i>)> {
    let mut found = Vec::new();
    for index in declared(ir) {
        if index.has(KeyKind::Text) {
            // The server refuses a text search that does not fix the keys before the text (error 291).
            let behind = index.keys[0].kind != KeyKind::Text;
            let served = if behind {
                Served::TextBehind
            } else {
                Served::Text
            };
            let text = index
                .keys
                .iter()
                .filter(|key| key.kind == KeyKind::Text && !key.path.is_empty());
            found.extend(text.map(|key| (key.path.clone(), served)));
        } else if let Some(first) = index.keys.first().filter(|first| !first.path.is_empty())
            && let Some(served) = by_first(&index)
        {
            found.push((first.path.clone(), served));
        }
    }
    found
}

/// The fields whose values no two documents share: the `_id`, and the field of each unique index with one key. A `!` in front
/// says that the index leaves out documents without the field.
pub(crate) fn unique(ir: &Ir<'_>) -> Vec<String> {
    let mut found: Vec<String> = ir.id().map(Row::rust).into_iter().collect();
    for index in declared(ir) {
        let (true, [key]) = (index.attr.unique.is_some(), index.keys.as_slice()) else {
            continue;
        };
        match (key.single_field().map(Row::rust), by_first(&index)) {
            (Some(name), Some(Served::Btree)) => found.push(name),
            (Some(name), Some(Served::Sparse)) => found.push(format!("!{name}")),
            _ => {}
        }
    }
    found
}

/// The keys of each unique index that holds every document and compares its values as they are: fields of the model itself, at most four,
/// none of them an array.
pub(crate) fn unique_keys<'i>(ir: &'i Ir<'_>) -> Vec<Vec<&'i Row<'i>>> {
    let names_one = |index: &Index<'_>| {
        let attr = index.attr;
        attr.unique.is_some()
            && attr.collation.is_none()
            && matches!(by_first(index), Some(Served::Btree))
    };
    let is_one = |row: &&Row<'_>| row.embed().is_none() && !matches!(row.role, Role::Refs { .. });
    let keys = declared(ir).into_iter().filter(names_one);
    let keys = keys.filter_map(|index| {
        let keys = index
            .keys
            .iter()
            .map(|key| key.single_field().filter(is_one));
        keys.collect::<Option<Vec<_>>>()
    });
    keys.filter(|keys| keys.len() <= 4).collect()
}

/// The queries that an index serves by its first key; `None` if a filter alone cannot use it.
fn by_first<'a>(index: &Index<'a>) -> Option<Served<'a>> {
    let first = index.keys.first()?;
    let attr = index.attr;
    let strings = !first
        .single_field()
        .is_some_and(|row| field_storage(row).is_scalar() && field_storage(row) != Stored::String);
    if attr
        .collation
        .as_ref()
        .is_some_and(|collation| collation.locale != "simple")
        && strings
    {
        // Strings in another order are compared only by a query with the same collation.
        let of_strings = first.is_btree() && !index.has(KeyKind::Geo);
        let whole = attr.collation.as_ref().filter(|_| attr.partial.is_none());
        return of_strings.then_some(Served::Collated(whole));
    }
    match first.kind {
        KeyKind::Geo if attr.partial.is_none() => Some(Served::Geo),
        // Documents without the place are not in the index.
        _ if index.has(KeyKind::Geo) => None,
        KeyKind::Hashed if attr.partial.is_none() && attr.sparse.is_none() => Some(Served::Hashed),
        KeyKind::Asc | KeyKind::Desc => match &attr.partial {
            None if attr.sparse.is_some() => Some(Served::Sparse),
            None => Some(Served::Btree),
            Some(partial) => {
                let own = |condition: &ConditionAttr| match condition.path.as_slice() {
                    [] => true,
                    path => path.iter().map(unraw).eq(first.path.iter().map(unraw)),
                };
                partial
                    .conditions
                    .iter()
                    .all(own)
                    .then_some(Served::PartialOwn(&partial.conditions))
            }
        },
        _ => None,
    }
}

/// Advice on the indexes: the rule and the Rust name of the field, empty for the whole item.
pub(crate) fn advice(ir: &Ir<'_>) -> Vec<(&'static Rule, String)> {
    let indexes = declared(ir);
    let mut found = advise_redundant(ir, &indexes);
    for index in &indexes {
        found.extend(index.keys.iter().filter_map(|key| advise_fan_out(key.row?)));
        found.extend(index.keys.iter().filter_map(advise_whole_document));
        let [key] = index.keys.as_slice() else {
            continue;
        };
        let Some(row) = key.single_field() else {
            continue;
        };
        let name = row.rust();
        if index.attr.expire_after.is_some() {
            if field_storage(row) == Stored::Array {
                found.push((&rules::IDX_TTL_ARRAY, name.clone()));
            }
            if types::option_inner(&row.field.ty).is_some() {
                found.push((&rules::IDX_TTL_OPTION, name.clone()));
            }
        }
        if key.is_btree() && field_storage(row) == Stored::Bool && index.attr.partial.is_none() {
            found.push((&rules::IDX_LOW_CARD, name));
        }
    }
    found
}

fn advise_whole_document(key: &Key<'_>) -> Option<(&'static Rule, String)> {
    let row = key.single_field().filter(|_| key.is_btree())?;
    let documents = row.is_reference() && !row.copies().is_empty()
        || matches!(row.role, Role::Recent { .. })
        || row.embed().is_some() && element_storage(row) == Stored::Unknown
        || field_storage(row) == Stored::Map;
    documents.then(|| (&rules::IDX_WHOLE_DOC, row.rust()))
}

fn advise_fan_out(row: &Row<'_>) -> Option<(&'static Rule, String)> {
    let declared = match &row.role {
        Role::Refs { attr, .. } => attr.max.as_ref(),
        Role::Recent { attr, .. } => attr.and_then(|attr| attr.max.as_ref()),
        _ => row.embed().and_then(|embed| embed.max.as_ref()),
    };
    let wide = declared.is_some_and(|max| max.value > FAN_MAX);
    wide.then(|| (&rules::IDX_MULTIKEY_FAN, row.rust()))
}

/// The advice on plain indexes whose keys are the beginning of another index's.
fn advise_redundant(ir: &Ir<'_>, indexes: &[Index<'_>]) -> Vec<(&'static Rule, String)> {
    let brought = automatic(ir).into_iter().map(|keys| {
        keys.into_iter()
            .map(|(path, kind)| (dotted(&path), kind))
            .collect()
    });
    let plain: Vec<&Index<'_>> = indexes.iter().filter(|index| is_plain(index)).collect();
    let patterns: Vec<Vec<(String, KeyKind)>> = plain
        .iter()
        .map(|index| index.pattern())
        .chain(brought)
        .collect();
    let mut found = Vec::new();
    for (n, index) in plain.iter().enumerate() {
        let own = index.pattern();
        let covered = patterns.iter().enumerate().any(|(m, other)| {
            // If two are the same when read from either end, the later one is redundant.
            m != n
                && is_prefix(other, &own)
                && (other.len() > own.len() || m < n || m >= plain.len())
        });
        if covered {
            found.push((
                &rules::IDX_REDUNDANT,
                index.row.map(Row::rust).unwrap_or_default(),
            ));
        }
    }
    found
}

fn dotted(path: &[Ident]) -> String {
    path.iter().map(unraw).collect::<Vec<_>>().join(".")
}

fn is_plain(index: &Index<'_>) -> bool {
    let attr = index.attr;
    let options = attr.unique.is_some()
        || attr.sparse.is_some()
        || attr.expire_after.is_some()
        || attr.partial.is_some()
        || attr.collation.is_some();
    !options && index.keys.iter().all(|key| key.is_btree())
}

/// True if an index with the keys `long`, read from one end or the other, is ordered by `short` too.
fn is_prefix(long: &[(String, KeyKind)], short: &[(String, KeyKind)]) -> bool {
    let fields = long.len() >= short.len() && long.iter().zip(short).all(|(a, b)| a.0 == b.0);
    let turned = long.iter().zip(short).filter(|(a, b)| a.1 != b.1).count();
    fields && (turned == 0 || turned == short.len())
}
