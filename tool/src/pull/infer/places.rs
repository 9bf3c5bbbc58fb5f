//! The content at a dotted path: values, kinds of documents, absent fields.

use std::collections::BTreeSet;

use super::maps::is_map;
use super::{Place, is_wide};
use crate::pull::profile::{Fields, Kind, Values, Variants};
use crate::pull::relate::{fields_at, split};
use crate::pull::source::Source;

/// The values at a place; of arrays their elements.
pub(super) fn values_at<'a>(sources: &'a [Source], place: &Place) -> Option<&'a Values> {
    let (group, name) = split(&place.path);
    group_at(&sources[place.source].root, group)?.get(name)
}

/// The fields of the documents at a path.
pub(super) fn group_at<'a>(root: &'a Fields, path: &str) -> Option<&'a Fields> {
    fields_at(root, path)
}

/// True if every document above the field becomes a struct; with `or_enum`, the innermost may be one of several kinds.
pub(super) fn is_reachable(root: &Fields, path: &str, or_enum: bool) -> bool {
    let names: Vec<&str> = path.split('.').collect();
    let mut fields = root;
    for (at, name) in names.iter().enumerate() {
        if is_wide(fields) || (at > 0 && is_map(fields)) || names[..at].contains(name) {
            return false;
        }
        let Some(values) = fields.get(name) else {
            return false;
        };
        if at + 1 == names.len() {
            return true;
        }
        let inner = match values.only_kind() {
            Some(Kind::Document) => values.fields.as_deref(),
            Some(Kind::Array) => values
                .items
                .as_deref()
                .filter(|items| items.only_kind() == Some(Kind::Document))
                .and_then(|items| items.fields.as_deref()),
            _ => None,
        };
        let allowed = |inner: &&Fields| {
            inner.variants.is_none() || (or_enum && at + 2 == names.len() && at == 0)
        };
        match inner.filter(allowed) {
            Some(inner) => fields = inner,
            None => return false,
        }
    }
    false
}

/// The documents by kind, if a tag in each of them tells it: they become an enum.
pub(super) fn kinds_of(fields: &Fields) -> Option<&Variants> {
    let variants = fields.variants.as_ref()?;
    (variants.untagged == 0 && !variants.by_tag.is_empty()).then_some(variants)
}

/// The kinds of documents that have a field of the path's first name; `None` if there are no kinds.
pub(super) fn kinds_with<'a>(fields: &'a Fields, path: &str) -> Option<BTreeSet<&'a str>> {
    let first = path.split('.').next().unwrap_or(path);
    let with = kinds_of(fields)?.by_tag.iter();
    Some(
        with.filter(|(_, fields)| fields.get(first).is_some())
            .map(|(tag, _)| &**tag)
            .collect(),
    )
}

/// True if the fields at two paths of one document are in the same kinds of documents: in all, or in one.
pub(super) fn stand_together(root: &Fields, a: &str, b: &str) -> bool {
    let (group, own) = split(a);
    let Some(fields) = group_at(root, group) else {
        return false;
    };
    let (with_a, with_b) = (kinds_with(fields, own), kinds_with(fields, split(b).1));
    let all = kinds_of(fields).map_or(0, |kinds| kinds.by_tag.len());
    match &with_a {
        None => true,
        Some(with) => with_a == with_b && (with.len() == 1 || with.len() == all),
    }
}

/// The number of documents that should have the field at a path, and in which it is null or not there.
pub(super) fn lacking_at(root: &Fields, path: &str) -> u64 {
    let (group, own) = split(path);
    let Some(fields) = group_at(root, group) else {
        return 0;
    };
    let Some(values) = fields.get(own) else {
        return 0;
    };
    let absent = match kinds_of(fields) {
        None => fields.absent(values),
        Some(kinds) => {
            let with = kinds.by_tag.values();
            with.filter_map(|kind| Some(kind.absent(kind.get(own)?)))
                .sum()
        }
    };
    absent + values.nulls
}
