//! Looks for references: some values of each path are looked up among the keys of each collection that has keys of the type.

use std::collections::{BTreeSet, HashSet};
use std::time::Duration;

use bson::oid::ObjectId;
use bson::{Bson, Document, doc};
use futures::TryStreamExt;
use mongodb::error::ErrorKind;

use super::words::{names_itself, names_target};
use super::{Reference, split};
use crate::connection::Connection;
use crate::failure::Result;
use crate::pull::profile::{Fields, Key, Kind, Values, share};
use crate::pull::source::{Class, ModelFile, Source, flag};

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
    /// True if an index makes the key unique; else the data has each value once.
    is_indexed: bool,
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
        if source.file == ModelFile::Outside {
            continue;
        }
        let mut candidates = Vec::new();
        collect(&source.root, "", &mut candidates);
        let mut unsure: Vec<Reference> = Vec::new();
        for candidate in &candidates {
            let search = Search {
                connection,
                sources,
                from,
                candidate,
                targets: &targets,
            };
            match search.best_target(true).await? {
                Some(reference) => found.push(reference),
                None => unsure.extend(search.best_target(false).await?),
            }
        }
        unsure.sort_by_key(|reference| std::cmp::Reverse(reference.found));
        for reference in unsure {
            // Beside a reference to the same documents it is a copy.
            let beside = |other: &Reference| {
                (other.from, other.to) == (from, reference.to)
                    && split(&other.path).0 == split(&reference.path).0
            };
            if !found.iter().any(beside)
                && is_unique(connection, &sources[reference.to].name, &reference.key).await?
            {
                found.push(reference);
            }
        }
    }
    Ok(found)
}

/// True if the server finds no value twice in a minute.
async fn is_unique(connection: &Connection, collection: &str, key: &str) -> Result<bool> {
    const PATIENCE: Duration = Duration::from_secs(60);
    let twice = [
        doc! { "$group": { "_id": format!("${key}"), "n": { "$sum": 1 } } },
        doc! { "$match": { "n": { "$gt": 1 } } },
        doc! { "$limit": 1 },
    ];
    let collection = connection.db.collection::<Document>(collection);
    let twice = collection.aggregate(twice).allow_disk_use(true);
    match twice.max_time(PATIENCE).await {
        Ok(mut twice) => Ok(twice.try_next().await?.is_none()),
        Err(error) if matches!(error.kind.as_ref(), ErrorKind::Command(_)) => Ok(false),
        Err(error) => Err(error.into()),
    }
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
    let mut keys = vec!["_id"];
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
            keys.push(key);
        }
    }
    let target = |(key, is_indexed): (&str, bool)| {
        let kind = key_kind(source.root.get(key)?)?;
        Some(Target {
            source: at,
            key: key.to_owned(),
            kind,
            documents: source.documents,
            is_indexed,
        })
    };
    let others = source.root.in_order().into_iter();
    let others =
        others.filter(|(name, values)| !keys.contains(name) && may_be_key(source, name, values));
    let others = others.map(|(name, _)| (name, false));
    let keys = keys.iter().map(|key| (*key, true));
    keys.chain(others).filter_map(target).collect()
}

/// True if every document has the field, and the sample no value twice.
fn may_be_key(source: &Source, name: &str, values: &Values) -> bool {
    /// In fewer documents many fields have each value once.
    const DOCUMENTS: u64 = 10;
    let some = &values.keys.some;
    let distinct: BTreeSet<&Key> = some.iter().collect();
    source.read >= DOCUMENTS
        && !name.contains('.')
        && !name.starts_with('$')
        && values.present() == source.root.documents
        && values.kinds.values().sum::<u64>() == values.keys.seen
        && distinct.len() == some.len()
}

/// The type that references to such a key have; integers of both widths are one.
fn key_kind(values: &Values) -> Option<Kind> {
    match values.main_kind()? {
        (Kind::Int32 | Kind::Int64, _) => Some(Kind::Int64),
        (kind @ (Kind::ObjectId | Kind::String | Kind::Uuid), _) => Some(kind),
        _ => None,
    }
}

/// The search for the collection that a field refers to.
struct Search<'a> {
    connection: &'a Connection,
    sources: &'a [Source],
    from: usize,
    candidate: &'a Candidate<'a>,
    targets: &'a [Target],
}

impl Search<'_> {
    /// The collection in which most of the values are found, among the keys with a unique index or among the others. A key without an
    /// index has to be named.
    async fn best_target(&self, is_indexed: bool) -> Result<Option<Reference>> {
        let candidate = self.candidate;
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
        // `accounts.account_id` is the key of accounts, whoever else has an `account_id`.
        if !is_indexed && names_itself(field, &self.sources[self.from].name) {
            return Ok(None);
        }
        let mut best: Option<(f64, bool, Reference)> = None;
        for target in self
            .targets
            .iter()
            .filter(|target| target.is_indexed == is_indexed)
        {
            let same_field = target.source == self.from && target.key == candidate.path;
            let as_text = hex && target.kind == Kind::ObjectId;
            if same_field || (target.kind != kind && !as_text) {
                continue;
            }
            let collection = &self.sources[target.source].name;
            let named = names_target(field, collection, &target.key);
            let keys = usable_keys(candidate, kind, as_text);
            if !worth_a_look(&keys, kind, named, target) || !(named || is_indexed) {
                continue;
            }
            let (looked, found) = look_up(self.connection, collection, &target.key, &keys).await?;
            let score = share(found, looked);
            if !is_enough(kind, named, looked, found)
                || best
                    .as_ref()
                    .is_some_and(|(other, other_named, _)| (*other, *other_named) >= (score, named))
            {
                continue;
            }
            let reference = Reference {
                from: self.from,
                path: candidate.path.clone(),
                in_array: candidate.in_array,
                to: target.source,
                key: target.key.clone(),
                is_indexed,
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

/// The number of values that were looked up, and of those that are keys: the first values, or all if more than a few of these are keys.
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
