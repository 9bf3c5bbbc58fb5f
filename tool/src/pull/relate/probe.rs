//! Looks for references: some values of each path are looked up among the keys of each collection that has keys of the type.

use std::collections::HashSet;

use bson::oid::ObjectId;
use bson::{Bson, Document, doc};
use futures::TryStreamExt;

use super::words::names_target;
use super::{Reference, split};
use crate::connection::Connection;
use crate::failure::Result;
use crate::pull::profile::{Fields, Key, Kind, Values, share};
use crate::pull::source::{Class, Source, flag};

/// Keys of the first look-up, which rules most collections out.
const FIRST: usize = 20;

/// A path that may hold references.
struct Candidate<'a> {
    path: String,
    in_array: bool,
    values: &'a Values,
}

/// A field with the keys of a collection.
struct Target {
    source: usize,
    key: String,
    kind: Kind,
    /// Number of documents.
    documents: u64,
}

/// Finds the references between the collections.
pub(crate) async fn find_references(
    connection: &Connection,
    sources: &[Source],
) -> Result<Vec<Reference>> {
    let targets: Vec<Target> = sources
        .iter()
        .enumerate()
        .flat_map(|(at, source)| targets_of(at, source))
        .collect();
    let mut found = Vec::new();
    for (from, source) in sources.iter().enumerate() {
        let mut candidates = Vec::new();
        collect(&source.root, "", &mut candidates);
        for candidate in &candidates {
            found.extend(best_target(connection, sources, from, candidate, &targets).await?);
        }
    }
    Ok(found)
}

/// Collects the paths whose values have the types of keys.
fn collect<'a>(fields: &'a Fields, prefix: &str, out: &mut Vec<Candidate<'a>>) {
    for (name, values) in fields.in_order() {
        // A map's keys and names that no field can have are no part of a path.
        if name.is_empty()
            || name.contains('.')
            || name.starts_with('$')
            || (prefix.is_empty() && name == "_id")
        {
            continue;
        }
        let path = if prefix.is_empty() {
            name.to_owned()
        } else {
            format!("{prefix}.{name}")
        };
        let mut add = |values: &'a Values, in_array| {
            if !values.keys.some.is_empty() {
                out.push(Candidate {
                    path: path.clone(),
                    in_array,
                    values,
                });
            }
        };
        add(values, false);
        if let Some(items) = &values.items {
            add(items, true);
            if let Some(fields) = &items.fields {
                collect(fields, &path, out);
            }
        }
        if let Some(fields) = &values.fields {
            collect(fields, &path, out);
        }
    }
}

/// The keys of a collection: its `_id`s, and fields with a unique index of their own.
fn targets_of(at: usize, source: &Source) -> Vec<Target> {
    if source.class == Class::View || source.unread.is_some() || source.documents == 0 {
        return Vec::new();
    }
    let mut keys = vec!["_id".to_owned()];
    for index in &source.indexes {
        let unique = flag(index, "unique") && !index.contains_key("partialFilterExpression");
        let only = index
            .get_document("key")
            .ok()
            .filter(|keys| keys.len() == 1);
        if let (true, Some((key, Bson::Int32(_) | Bson::Int64(_) | Bson::Double(_)))) =
            (unique, only.and_then(|keys| keys.iter().next()))
            && !key.contains('.')
        {
            keys.push(key.clone());
        }
    }
    let target = |key: String| {
        let kind = key_kind(source.root.get(&key)?)?;
        Some(Target {
            source: at,
            key,
            kind,
            documents: source.documents,
        })
    };
    keys.into_iter().filter_map(target).collect()
}

/// The type that references to such a key have; integers of both widths are one.
fn key_kind(values: &Values) -> Option<Kind> {
    match values.main_kind()? {
        (Kind::Int32 | Kind::Int64, _) => Some(Kind::Int64),
        (kind @ (Kind::ObjectId | Kind::String | Kind::Uuid), _) => Some(kind),
        _ => None,
    }
}

/// The collection in which most of the values are found.
async fn best_target(
    connection: &Connection,
    sources: &[Source],
    from: usize,
    candidate: &Candidate<'_>,
    targets: &[Target],
) -> Result<Option<Reference>> {
    let Some(kind) = key_kind(candidate.values) else {
        return Ok(None);
    };
    let text = &candidate.values.text;
    let hex = kind == Kind::String && share(text.object_ids, text.count) > 0.5;
    // `author.id` names authors by what holds the id.
    let field = match split(&candidate.path) {
        (above, "id" | "_id") if !above.is_empty() => split(above).1,
        (_, own) => own,
    };
    let mut best: Option<(f64, bool, Reference)> = None;
    for target in targets {
        let same_field = target.source == from && target.key == candidate.path;
        let as_text = hex && target.kind == Kind::ObjectId;
        if same_field || (target.kind != kind && !as_text) {
            continue;
        }
        let named = names_target(field, &sources[target.source].name, &target.key);
        let keys = usable_keys(candidate, kind, as_text);
        if !worth_a_look(&keys, kind, named, target) {
            continue;
        }
        let collection = &sources[target.source].name;
        let (looked, found) = look_up(connection, collection, &target.key, &keys).await?;
        let score = share(found, looked);
        if !is_enough(kind, named, looked, found)
            || best
                .as_ref()
                .is_some_and(|(other, other_named, _)| (*other, *other_named) >= (score, named))
        {
            continue;
        }
        let reference = Reference {
            from,
            path: candidate.path.clone(),
            in_array: candidate.in_array,
            to: target.source,
            key: target.key.clone(),
            looked,
            found,
            as_text,
            copies: Vec::new(),
            back: None,
        };
        best = Some((score, named, reference));
    }
    Ok(best.map(|(_, _, reference)| reference))
}

/// Values that are unique in the world are not found by chance: few are enough, others may lead nowhere.
fn is_enough(kind: Kind, named: bool, looked: u64, found: u64) -> bool {
    match (kind, named) {
        (Kind::ObjectId | Kind::Uuid, true) => found > 0,
        (Kind::ObjectId | Kind::Uuid, false) => found > 1 && share(found, looked) >= 0.1,
        (_, true) => share(found, looked) >= 0.5,
        (_, false) => share(found, looked) >= 0.8,
    }
}

/// The sampled keys of the candidate's main type.
fn usable_keys(candidate: &Candidate<'_>, kind: Kind, as_text: bool) -> Vec<Bson> {
    let fits = |key: &&Key| {
        matches!(
            (key, kind),
            (Key::ObjectId(_), Kind::ObjectId)
                | (Key::Int(_), Kind::Int64)
                | (Key::Text(_), Kind::String)
                | (Key::Uuid(_), Kind::Uuid)
        )
    };
    let keys = candidate.values.keys.some.iter().filter(fits);
    keys.filter_map(|key| match key {
        Key::Text(text) if as_text => ObjectId::parse_str(text).ok().map(Bson::ObjectId),
        key => Some(key.to_bson()),
    })
    .collect()
}

/// Small numbers and common words are found everywhere: they are references only where the name says so.
fn worth_a_look(keys: &[Bson], kind: Kind, named: bool, target: &Target) -> bool {
    let distinct: HashSet<String> = keys.iter().map(ToString::to_string).collect();
    match kind {
        _ if distinct.is_empty() => false,
        Kind::ObjectId | Kind::Uuid => true,
        _ if named => true,
        Kind::String => {
            distinct.len() >= 10 && target.documents >= 10 && target.key == "_id"
                || distinct.len() >= 20
        }
        _ => false,
    }
}

/// How many of the values are keys: of the first ones, and of all if it is more than a few.
async fn look_up(
    connection: &Connection,
    collection: &str,
    key: &str,
    keys: &[Bson],
) -> Result<(u64, u64)> {
    let unique = matches!(keys.first(), Some(Bson::ObjectId(_) | Bson::Binary(_)));
    let first = &keys[..keys.len().min(if unique { keys.len() } else { FIRST })];
    let found = count_found(connection, collection, key, first).await?;
    if first.len() == keys.len() || share(found, first.len() as u64) < 0.3 {
        return Ok((first.len() as u64, found));
    }
    Ok((
        keys.len() as u64,
        count_found(connection, collection, key, keys).await?,
    ))
}

async fn count_found(
    connection: &Connection,
    collection: &str,
    key: &str,
    keys: &[Bson],
) -> Result<u64> {
    let collection = connection.db.collection::<Document>(collection);
    let documents = collection
        .find(doc! { key: { "$in": keys } })
        .projection(doc! { key: 1 });
    let documents: Vec<Document> = documents.await?.try_collect().await?;
    let found: HashSet<Key> = documents
        .iter()
        .filter_map(|found| Key::of(found.get(key)?))
        .collect();
    let is_found = |key: &&Bson| Key::of(key).is_some_and(|key| found.contains(&key));
    Ok(keys.iter().filter(is_found).count() as u64)
}
