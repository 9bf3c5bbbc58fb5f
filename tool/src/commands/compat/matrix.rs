//! The matrix: the changes between two locks, each with its kind.

use std::collections::{BTreeMap, BTreeSet};

use super::fields::{has_alias, may_be_absent, of_added, of_field, variants};
use super::kinds::{self as kind, Kind, Reads, Save};
use crate::commands::lock::facts::{Fact, Facts};

/// The facts of one model.
pub(super) type ModelFacts = BTreeMap<String, Fact>;

/// A change of one fact.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Row {
    /// `collection.Model`
    pub(super) model: String,
    /// The name of the fact; empty for the model itself.
    pub(super) fact: String,
    pub(super) kind: &'static Kind,
    /// True if `migrate` makes of an older document what new programs read.
    pub(super) is_migrated: bool,
    /// True if a flattened map of old programs takes what they do not know.
    pub(super) is_kept: bool,
}

/// Kinds of which a `save` by an old program loses the value of a field that it does not know.
pub(super) const LOSING: [&Kind; 3] = [
    kind::field_added,
    kind::field_added_required,
    kind::field_renamed_optional,
];

impl Row {
    fn new(model: &str, fact: &str, kind: &'static Kind) -> Self {
        Row {
            model: model.to_owned(),
            fact: fact.to_owned(),
            kind,
            is_migrated: false,
            is_kept: false,
        }
    }

    pub(super) fn new_reads_old(&self) -> Reads {
        if self.is_migrated {
            Reads::Yes
        } else {
            self.kind.new_reads_old
        }
    }

    pub(super) fn old_save(&self) -> Save {
        if self.is_kept {
            Save::Keeps
        } else {
            self.kind.old_save
        }
    }

    /// True if old and new programs can run side by side.
    pub(super) fn is_compatible(&self) -> bool {
        self.kind.old_reads_new == Reads::Yes && self.new_reads_old() == Reads::Yes
    }
}

/// The changes between the facts of a release and those of now.
pub(super) fn matrix(old: &Facts, new: &Facts) -> Vec<Row> {
    let mut out = Vec::new();
    let mut moved = BTreeSet::new();
    for (name, facts) in new {
        let mut add = |fact: &str, kind| out.push(Row::new(name, fact, kind));
        let before = match old.get(name) {
            Some(before) => before,
            None => match renamed(name, old, new) {
                Some((before, kind)) => {
                    add("", kind);
                    moved.insert(before);
                    &old[before]
                }
                None => {
                    add("", kind::model_added);
                    continue;
                }
            },
        };
        let changes = of_model(
            &spread_common_fields(before, facts),
            &spread_common_fields(facts, before),
        );
        let migrates = changes.iter().any(|(_, kind)| *kind == kind::schema_raised);
        out.extend(changes.into_iter().map(|(fact, kind)| Row {
            is_migrated: migrates && !fact.starts_with('$'),
            is_kept: LOSING.contains(&kind) && has_rest(before, &fact),
            ..Row::new(name, &fact, kind)
        }));
    }
    let gone = old
        .keys()
        .filter(|name| !new.contains_key(*name) && !moved.contains(name.as_str()));
    out.extend(gone.map(|name| Row::new(name, "", kind::model_removed)));
    out
}

/// True if a flattened map lies beside this field.
fn has_rest(facts: &ModelFacts, field: &str) -> bool {
    let above = field.rfind('.').map_or("", |at| &field[..=at]);
    facts.contains_key(&format!("{above}*"))
}

/// The facts with a line for each variant where the other side has such lines: what is common to all variants stands in one.
pub(super) fn spread_common_fields(facts: &ModelFacts, other: &ModelFacts) -> ModelFacts {
    let tag = facts.get("$model").and_then(|fact| {
        let mut parts = fact.0.iter();
        parts.find_map(|part| part.strip_prefix("enum by "))
    });
    let Some((tag, values)) = tag.and_then(|tag| Some((tag, variants(facts.get(tag)?)))) else {
        return facts.clone();
    };
    let in_variants = |name: &str| {
        let begins = format!("({tag}=");
        let mut others = other.keys().filter_map(|other| other.strip_prefix(&begins));
        others.any(|rest| {
            rest.split_once(").")
                .is_some_and(|(_, field)| field == name)
        })
    };
    let mut out = ModelFacts::new();
    for (name, fact) in facts {
        if name.starts_with('(') || !in_variants(name) {
            out.insert(name.clone(), fact.clone());
            continue;
        }
        for value in &values {
            out.insert(format!("({tag}={value}).{name}"), fact.clone());
        }
    }
    out
}

/// The facts that the model of this name had.
pub(super) fn before<'f>(name: &str, old: &'f Facts, new: &Facts) -> Option<&'f ModelFacts> {
    let name = match old.get_key_value(name) {
        Some((name, _)) => name,
        None => renamed(name, old, new)?.0,
    };
    old.get(name)
}

/// The model that had another name, or lay in another collection: one that is gone, with the same name or the same fields.
fn renamed<'f>(name: &str, old: &'f Facts, new: &Facts) -> Option<(&'f str, &'static Kind)> {
    let parts = |name: &str| {
        let (collection, model) = name.rsplit_once('.').unwrap_or(("", name));
        (collection.to_owned(), model.to_owned())
    };
    let (collection, model) = parts(name);
    let mut gone = old.keys().filter(|before| !new.contains_key(*before));
    gone.find_map(|before| {
        let (from, was) = parts(before);
        if was == model {
            Some((before.as_str(), kind::collection_renamed))
        } else if from == collection && old[before] == new[name] {
            Some((before.as_str(), kind::model_renamed))
        } else {
            None
        }
    })
}

fn of_model(old: &ModelFacts, new: &ModelFacts) -> Vec<(String, &'static Kind)> {
    let mut out: Vec<(String, &'static Kind)> = Vec::new();
    let said = |facts: &ModelFacts, name: &str| {
        facts.get(name).map_or_else(Vec::new, |fact| fact.0.clone())
    };
    let (before, after) = (said(old, "$model"), said(new, "$model"));
    let kinds = of_kinds(&before, &after);
    out.extend(kinds.into_iter().map(|kind| ("$model".to_owned(), kind)));
    let schema = of_schema(&said(old, "$schema"), &said(new, "$schema"));
    out.extend(schema.map(|kind| ("$schema".to_owned(), kind)));
    add_checks(old, new, &mut out);
    add_indexes(old, new, &mut out);
    add_fields(old, new, &mut out);
    out
}

fn of_kinds(old: &[String], new: &[String]) -> Vec<&'static Kind> {
    let mut out = Vec::new();
    let of = |parts: &[String], starts: &[&str]| -> Vec<String> {
        let begins = |part: &&String| starts.iter().any(|start| part.starts_with(start));
        parts.iter().filter(begins).cloned().collect()
    };
    let tags = ["enum by "];
    let (before, after) = (of(old, &tags), of(new, &tags));
    let forms = ["plain", "queue", "bucket", "period"];
    if before.len() == 1 && after.len() == 1 {
        out.extend((before != after).then_some(kind::tag_renamed));
    } else if before != after {
        out.push(kind::model_kind_changed);
    }
    if out.is_empty() && of(old, &forms) != of(new, &forms) {
        out.push(kind::model_kind_changed);
    }
    if of(old, &["tenant "]) != of(new, &["tenant "]) {
        out.push(kind::tenant_changed);
    }
    let shard_key = ["shard key "];
    match (of(old, &shard_key).pop(), of(new, &shard_key).pop()) {
        (before, after) if before == after => {}
        (None, _) => out.push(kind::shard_key_added),
        (_, None) => out.push(kind::shard_key_removed),
        _ => out.push(kind::shard_key_changed),
    }
    if of(old, &["shares with "]) != of(new, &["shares with "]) {
        out.push(kind::sharing_changed);
    }
    let is = |parts: &[String], word: &str| parts.iter().any(|part| part == word);
    for (word, added, removed) in [
        (
            "soft delete",
            kind::soft_delete_added,
            kind::soft_delete_removed,
        ),
        ("strict", kind::strict_added, kind::strict_removed),
        ("history", kind::history_added, kind::history_removed),
        ("events", kind::events_added, kind::events_removed),
    ] {
        match (is(old, word), is(new, word)) {
            (false, true) => out.push(added),
            (true, false) => out.push(removed),
            _ => {}
        }
    }
    // With the first and the last reader the events come and go.
    if is(old, "events") && is(new, "events") {
        let (before, after) = (of(old, &["reader "]), of(new, &["reader "]));
        let lacks = |some: &[String], all: &[String]| all.iter().any(|one| !some.contains(one));
        out.extend(lacks(&before, &after).then_some(kind::reader_added));
        out.extend(lacks(&after, &before).then_some(kind::reader_removed));
    }
    out
}

fn of_schema(old: &[String], new: &[String]) -> Option<&'static Kind> {
    let number = |parts: &[String], start: &str| -> Option<i32> {
        parts
            .iter()
            .find_map(|part| part.strip_prefix(start))?
            .parse()
            .ok()
    };
    let version = |parts| number(parts, "version ");
    let migrates = |parts: &[String]| parts.iter().any(|part| part == "migrates");
    let (is_raised_by, is_lowered_for) = (migrates(new), migrates(old));
    match (version(old), version(new)) {
        (None, None) => None,
        (None, Some(1)) => Some(kind::schema_added),
        (None, Some(version)) => Some(match number(new, "unversioned ") {
            Some(known) if known == version || is_raised_by => kind::schema_added,
            _ => kind::schema_added_without_unversioned,
        }),
        (Some(_), None) => Some(kind::schema_removed),
        (Some(old), Some(new)) if new > old && is_raised_by => Some(kind::schema_raised),
        (Some(old), Some(new)) if new > old => Some(kind::schema_raised_without_migrate),
        (Some(old), Some(new)) if new < old && is_lowered_for => Some(kind::schema_lowered),
        (Some(old), Some(new)) if new < old => Some(kind::schema_lowered_without_migrate),
        _ => (old != new).then_some(kind::migrate_changed),
    }
}

fn add_checks(old: &ModelFacts, new: &ModelFacts, out: &mut Vec<(String, &'static Kind)>) {
    let checks = |facts: &ModelFacts| -> Vec<(String, Fact)> {
        let checks = facts.iter().filter(|(name, _)| name.starts_with("$check "));
        checks
            .map(|(name, fact)| (name.clone(), fact.clone()))
            .collect()
    };
    let (before, after) = (checks(old), checks(new));
    for check in after.iter().filter(|check| !before.contains(check)) {
        out.push((check.0.clone(), kind::check_added));
    }
    // A check that holds for other writes now counts as added.
    for (name, _) in before.iter().filter(|(name, _)| !new.contains_key(name)) {
        out.push((name.clone(), kind::check_removed));
    }
}

/// Indexes on the same keys are one that has changed, whatever their names.
fn add_indexes(old: &ModelFacts, new: &ModelFacts, out: &mut Vec<(String, &'static Kind)>) {
    let only = |facts: &ModelFacts, others: &ModelFacts| -> Vec<(String, Vec<String>)> {
        let indexes = facts.iter().filter(|(name, _)| name.starts_with("$index "));
        let all = indexes.filter(|(_, fact)| !others.values().any(|other| other == *fact));
        all.map(|(name, fact)| (name.clone(), fact.0.clone()))
            .collect()
    };
    let (mut gone, added) = (only(old, new), only(new, old));
    for (name, parts) in added {
        let same = gone
            .iter()
            .position(|(_, other)| other.first() == parts.first());
        let kind = match same {
            Some(at) => of_index(&gone.remove(at).1, &parts),
            None if is_unique(&parts) => kind::unique_added,
            None if has_option(&parts, TTL).is_some() => kind::ttl_added,
            None => kind::index_added,
        };
        out.push((name, kind));
    }
    out.extend(
        gone.into_iter()
            .map(|(name, _)| (name, kind::index_removed)),
    );
}

const TTL: &str = "expireAfterSeconds ";

fn is_unique(parts: &[String]) -> bool {
    parts.iter().any(|part| part == "unique")
}

fn has_option<'p>(parts: &'p [String], option: &str) -> Option<&'p str> {
    parts.iter().find_map(|part| part.strip_prefix(option))
}

fn of_index(old: &[String], new: &[String]) -> &'static Kind {
    match (is_unique(old), is_unique(new)) {
        (false, true) => return kind::unique_added,
        (true, false) => return kind::unique_removed,
        _ => {}
    }
    match (has_option(old, TTL), has_option(new, TTL)) {
        (None, Some(_)) => kind::ttl_added,
        (before, after) if before != after => kind::ttl_changed,
        _ if has_option(old, "collation ") != has_option(new, "collation ") => {
            kind::collation_changed
        }
        _ => kind::index_changed,
    }
}

fn add_fields(old: &ModelFacts, new: &ModelFacts, out: &mut Vec<(String, &'static Kind)>) {
    let fields = |facts: &'_ ModelFacts, others: &ModelFacts| -> BTreeSet<String> {
        let fields = facts.keys().filter(|name| !name.starts_with('$'));
        let only = fields.filter(|name| !others.contains_key(*name));
        only.cloned().collect()
    };
    let (mut gone, added) = (fields(old, new), fields(new, old));
    for name in &added {
        if is_inside(name, &added) || is_of_variant(name, old, new) {
            continue;
        }
        let fact = &new[name];
        let before = gone.iter().find(|before| {
            let same = above(before) == above(name) && has_alias(fact, last(before));
            same && old[*before].0.first() == fact.0.first()
        });
        if let Some(before) = before.cloned() {
            out.push((
                name.clone(),
                match has_alias(&old[&before], last(name)) {
                    true => kind::field_renamed_prepared,
                    false if may_be_absent(&old[&before]) => kind::field_renamed_optional,
                    false => kind::field_renamed,
                },
            ));
            // Fields inside have moved with it.
            gone.retain(|one| *one != before && !is_below(one, &before));
            continue;
        }
        out.push((
            name.clone(),
            match may_be_absent(fact) {
                true => kind::field_added,
                false => kind::field_added_required,
            },
        ));
        out.extend(of_added(fact).into_iter().map(|kind| (name.clone(), kind)));
    }
    for name in gone
        .iter()
        .filter(|name| !is_inside(name, &gone) && !is_of_variant(name, new, old))
    {
        out.push((
            name.clone(),
            match may_be_absent(&old[name]) {
                true => kind::field_removed,
                false => kind::field_removed_required,
            },
        ));
    }
    for (name, before) in old.iter().filter(|(name, _)| !name.starts_with('$')) {
        if let Some(after) = new.get(name) {
            let kinds = of_field(before, after);
            out.extend(kinds.into_iter().map(|kind| (name.clone(), kind)));
        }
    }
}

/// True if the field lies in another of these.
fn is_inside(name: &str, fields: &BTreeSet<String>) -> bool {
    fields.iter().any(|other| is_below(name, other))
}

pub(super) fn is_below(name: &str, field: &str) -> bool {
    let rest = name.strip_prefix(field);
    rest.is_some_and(|rest| {
        ["[].", "{}.", "."]
            .iter()
            .any(|step| rest.starts_with(step))
    })
}

/// True for a field of a variant that only these facts have: the change is that of the tag.
fn is_of_variant(name: &str, without: &ModelFacts, with: &ModelFacts) -> bool {
    let Some((tag, value)) = name.strip_prefix('(').and_then(|rest| rest.split_once('=')) else {
        return false;
    };
    let Some((value, _)) = value.split_once(").") else {
        return false;
    };
    let known = |facts: &ModelFacts| {
        facts
            .get(tag)
            .is_some_and(|fact| variants(fact).contains(&value))
    };
    known(with) && !known(without)
}

/// The path of the document that the field stands in.
pub(super) fn above(name: &str) -> &str {
    name.rsplit_once('.').map_or("", |(above, _)| above)
}

pub(super) fn last(name: &str) -> &str {
    name.rsplit_once('.').map_or(name, |(_, last)| last)
}

#[cfg(test)]
mod tests;
