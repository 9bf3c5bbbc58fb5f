//! Follows references through the documents: counts those that lead nowhere, fields that repeat the source's, and references back.

use std::collections::{BTreeSet, HashMap};

use bson::oid::ObjectId;
use bson::{Bson, Document, doc};
use futures::TryStreamExt;
use indicatif::ProgressBar;

use super::{Back, Copy, Reference, split};
use crate::connection::Connection;
use crate::failure::Result;
use crate::interrupt::or_stop;
use crate::pull::profile::{Fields, Key, Kind, Values, share};
use crate::pull::source::{Extent, Source, open};

/// Documents whose references are looked up together.
const BATCH: usize = 500;
/// A copy equals its source in this share of the documents at least.
const EQUAL: f64 = 0.75;

/// A reference and the counts along it.
struct Probe<'a> {
    reference: &'a mut Reference,
    pairs: Vec<Pair>,
    back: Option<String>,
    agree: u64,
    projection: Document,
}

/// Two fields that may be copy and source.
struct Pair {
    field: String,
    source: String,
    looked: u64,
    equal: u64,
    /// Equal to the field of another document than the one that is referred to.
    chance_looked: u64,
    chance: u64,
    ages: [Ages; 2],
}

/// Creation times of documents, as mean and variance.
#[derive(Default)]
struct Ages {
    count: f64,
    mean: f64,
    squares: f64,
}

impl Ages {
    fn add(&mut self, seconds: f64) {
        self.count += 1.0;
        let off = seconds - self.mean;
        self.mean += off / self.count;
        self.squares += off * (seconds - self.mean);
    }
}

/// Reads each collection that refers to others once more, and counts along its references.
pub(crate) async fn measure(
    connection: &Connection,
    sources: &[Source],
    references: &mut [Reference],
    extent: &dyn Fn(&Source) -> Extent,
    bar: &ProgressBar,
) -> Result<()> {
    let all: Vec<Reference> = references.to_vec();
    for (from, source) in sources.iter().enumerate() {
        let mut probes: Vec<Probe<'_>> = references
            .iter_mut()
            .filter(|reference| reference.from == from && !reference.as_text)
            .map(|reference| probe_of(reference, sources, &all))
            .collect();
        if probes.is_empty() {
            continue;
        }
        bar.set_prefix(format!("references of {}", source.name));
        let work = follow(
            connection,
            sources,
            source,
            &mut probes,
            extent(source),
            bar,
        );
        or_stop(work, "the same command").await??;
        probes.into_iter().for_each(finish);
    }
    Ok(())
}

fn probe_of<'a>(reference: &'a mut Reference, sources: &[Source], all: &[Reference]) -> Probe<'a> {
    let target = &sources[reference.to];
    let (group_path, own) = split(&reference.path);
    let mut pairs = Vec::new();
    if !reference.in_array
        && reference.is_indexed
        && let Some(group) = fields_at(&sources[reference.from].root, group_path)
    {
        let mut sources_of = Vec::new();
        scalars(&target.root, "", 2, &mut sources_of);
        for (name, values) in group.in_order() {
            let kind = scalar_kind(values);
            if name == own || (group_path.is_empty() && name == "_id") || kind.is_none() {
                continue;
            }
            let same = sources_of
                .iter()
                .filter(|(path, other)| *other == kind && *path != reference.key && path != "_id");
            pairs.extend(same.map(|(path, _)| Pair {
                field: name.to_owned(),
                source: path.clone(),
                looked: 0,
                equal: 0,
                chance_looked: 0,
                chance: 0,
                ages: [Ages::default(), Ages::default()],
            }));
        }
    }
    // The other side of a two-way reference lies at the top of its documents, as this one.
    let back = all.iter().find(|other| {
        let by_id = other.key == "_id" && reference.key == "_id";
        let top = !other.path.contains('.') && !reference.path.contains('.');
        let other_one = (other.from, &other.path) != (reference.from, &reference.path);
        by_id && top && other_one && other.from == reference.to && other.to == reference.from
    });
    let back = back.map(|other| other.path.clone());
    let mut projection = doc! { &reference.key: 1 };
    pairs.iter().for_each(|pair| {
        projection.insert(pair.source.clone(), 1);
    });
    back.iter().for_each(|path| {
        projection.insert(path.clone(), 1);
    });
    reference.looked = 0;
    reference.found = 0;
    Probe {
        reference,
        pairs,
        back,
        agree: 0,
        projection,
    }
}

/// The fields of the documents at a dotted path.
pub(crate) fn fields_at<'a>(root: &'a Fields, path: &str) -> Option<&'a Fields> {
    path.split('.')
        .filter(|name| !name.is_empty())
        .try_fold(root, |fields, name| {
            let values = fields.get(name)?;
            let inside = values
                .items
                .as_deref()
                .and_then(|items| items.fields.as_deref());
            inside.or(values.fields.as_deref())
        })
}

/// The paths of single values, also in embedded documents.
fn scalars(fields: &Fields, prefix: &str, levels: usize, out: &mut Vec<(String, Option<Kind>)>) {
    for (name, values) in fields.in_order() {
        if name.contains('.') || name.starts_with('$') || name.is_empty() {
            continue;
        }
        let path = if prefix.is_empty() {
            name.to_owned()
        } else {
            format!("{prefix}.{name}")
        };
        match scalar_kind(values) {
            None => {}
            kind => out.push((path.clone(), kind)),
        }
        if let (Some(fields), true) = (&values.fields, levels > 1) {
            scalars(fields, &path, levels - 1, out);
        }
    }
}

/// The type of values that may be copied: a bool says too little, and an array is no single value.
fn scalar_kind(values: &Values) -> Option<Kind> {
    match values.main_kind()? {
        (Kind::Int32 | Kind::Int64, _) => Some(Kind::Int64),
        (kind @ (Kind::String | Kind::Double | Kind::Decimal | Kind::Date), _) => Some(kind),
        _ => None,
    }
}

/// Reads the fields that the probes need.
async fn follow(
    connection: &Connection,
    sources: &[Source],
    source: &Source,
    probes: &mut [Probe<'_>],
    extent: Extent,
    bar: &ProgressBar,
) -> Result<()> {
    let mut documents = open(connection, source, extent).await?;
    let mut batch = Vec::with_capacity(BATCH);
    let heads: BTreeSet<String> = probes.iter().flat_map(heads_of).collect();
    loop {
        let next = documents.try_next().await?;
        let ended = next.is_none();
        if let Some(raw) = next {
            let mut document = Document::new();
            for element in raw.iter().flatten() {
                let (name, value) = element;
                let name: &str = name.as_ref();
                if (name == "_id" || heads.contains(name))
                    && let Ok(value) = Bson::try_from(value)
                {
                    document.insert(name, value);
                }
            }
            batch.push(document);
        }
        if batch.len() == BATCH || ended {
            for probe in probes.iter_mut() {
                let target = &sources[probe.reference.to].name;
                look_up(connection, target, probe, &batch).await?;
            }
            bar.inc(batch.len() as u64);
            batch.clear();
        }
        if ended {
            return Ok(());
        }
    }
}

/// The top fields that a probe reads.
fn heads_of(probe: &Probe<'_>) -> Vec<String> {
    let head = |path: &str| path.split('.').next().unwrap_or(path).to_owned();
    let mut heads = vec![head(&probe.reference.path)];
    if !probe.reference.path.contains('.') {
        heads.extend(probe.pairs.iter().map(|pair| pair.field.clone()));
    }
    heads
}

async fn look_up(
    connection: &Connection,
    target: &str,
    probe: &mut Probe<'_>,
    batch: &[Document],
) -> Result<()> {
    let (group, own) = split(&probe.reference.path);
    let (group, own) = (group.to_owned(), own.to_owned());
    let mut places: Vec<(&Document, &Document, Key)> = Vec::new();
    for document in batch {
        let mut groups = Vec::new();
        documents_at(document, &group, &mut groups);
        for inner in groups {
            match inner.get(&own) {
                Some(Bson::Array(keys)) if probe.reference.in_array => {
                    places.extend(
                        keys.iter()
                            .filter_map(Key::of)
                            .map(|key| (document, inner, key)),
                    );
                }
                Some(key) if !probe.reference.in_array => {
                    places.extend(Key::of(key).map(|key| (document, inner, key)))
                }
                _ => {}
            }
        }
    }
    let keys: BTreeSet<&Key> = places.iter().map(|(_, _, key)| key).collect();
    if keys.is_empty() {
        return Ok(());
    }
    let keys: Vec<Bson> = keys.into_iter().map(Key::to_bson).collect();
    let key_field = probe.reference.key.clone();
    let collection = connection.db.collection::<Document>(target);
    let found = collection
        .find(doc! { &key_field: { "$in": keys } })
        .projection(probe.projection.clone());
    let found: Vec<Document> = found.await?.try_collect().await?;
    let by_key: HashMap<Key, &Document> = found
        .iter()
        .filter_map(|one| Some((Key::of(one.get(&key_field)?)?, one)))
        .collect();
    let mut previous: Option<&Document> = None;
    for (root, inner, key) in places {
        probe.reference.looked += 1;
        let Some(parent) = by_key.get(&key).copied() else {
            continue;
        };
        probe.reference.found += 1;
        let id = root.get("_id");
        if let (Some(back), Some(id)) = (&probe.back, id) {
            let agrees = match parent.get(back) {
                Some(Bson::Array(ids)) => ids.contains(id),
                other => other == Some(id),
            };
            probe.agree += u64::from(agrees);
        }
        let created = id.and_then(Bson::as_object_id);
        let other = previous.filter(|other| !std::ptr::eq(*other, parent));
        for pair in &mut probe.pairs {
            compare(pair, inner, parent, other, created);
        }
        previous = Some(parent);
    }
    Ok(())
}

#[expect(clippy::cast_precision_loss, reason = "seconds for a mean")]
fn compare(
    pair: &mut Pair,
    inner: &Document,
    parent: &Document,
    other: Option<&Document>,
    created: Option<ObjectId>,
) {
    let (Some(copy), Some(source)) = (inner.get(&pair.field), at(parent, &pair.source)) else {
        return;
    };
    if matches!((copy, source), (Bson::Null, Bson::Null)) {
        return;
    }
    let equal = same(copy, source);
    pair.looked += 1;
    pair.equal += u64::from(equal);
    if let Some(created) = created {
        let seconds = created.timestamp().timestamp_millis() as f64 / 1000.0;
        pair.ages[usize::from(equal)].add(seconds);
    }
    if let Some(other) = other.and_then(|other| at(other, &pair.source)) {
        pair.chance_looked += 1;
        pair.chance += u64::from(same(copy, other));
    }
}

/// True if the values are equal; integers of both widths may be.
pub(super) fn same(a: &Bson, b: &Bson) -> bool {
    match (a, b) {
        (Bson::Int32(a), Bson::Int64(b)) | (Bson::Int64(b), Bson::Int32(a)) => i64::from(*a) == *b,
        (a, b) => a == b,
    }
}

/// The value at a dotted path that crosses no array.
fn at<'a>(document: &'a Document, path: &str) -> Option<&'a Bson> {
    match path.split_once('.') {
        None => document.get(path),
        Some((head, rest)) => at(document.get(head)?.as_document()?, rest),
    }
}

/// The documents at a dotted path, through arrays.
fn documents_at<'a>(document: &'a Document, path: &str, out: &mut Vec<&'a Document>) {
    if path.is_empty() {
        out.push(document);
        return;
    }
    let (head, rest) = path.split_once('.').unwrap_or((path, ""));
    match document.get(head) {
        Some(Bson::Document(inner)) => documents_at(inner, rest, out),
        Some(Bson::Array(items)) => items
            .iter()
            .filter_map(Bson::as_document)
            .for_each(|inner| documents_at(inner, rest, out)),
        _ => {}
    }
}

/// Keeps what the counts speak for.
fn finish(probe: Probe<'_>) {
    let Probe {
        reference,
        pairs,
        back,
        agree,
        ..
    } = probe;
    let found = reference.found;
    reference.back = back
        .filter(|_| share(agree, found) >= EQUAL)
        .map(|path| Back {
            path,
            looked: found,
            agree,
        });
    let mut pairs: Vec<Pair> = pairs.into_iter().filter(is_copy).collect();
    // Each field is a copy of the source that it equals most, of those with its own name first.
    let rank = |pair: &Pair| (pair.equal, split(&pair.source).1 == pair.field);
    pairs.sort_by_key(|pair| std::cmp::Reverse(rank(pair)));
    for pair in pairs {
        let taken = |copy: &Copy| copy.field == pair.field || copy.source == pair.source;
        if !reference.copies.iter().any(taken) {
            let frozen = is_frozen(&pair);
            let Pair {
                field,
                source,
                looked,
                equal,
                ..
            } = pair;
            reference.copies.push(Copy {
                field,
                source,
                looked,
                equal,
                frozen,
                decided: None,
            });
        }
    }
}

/// True if the fields are equal in most documents, and far more often than by chance.
fn is_copy(pair: &Pair) -> bool {
    let (equal, chance) = (
        share(pair.equal, pair.looked),
        share(pair.chance, pair.chance_looked),
    );
    let enough = pair.looked >= 5 && pair.chance_looked >= 3;
    enough && equal >= EQUAL && (equal - chance) / (1.0 - chance).max(0.01) >= 0.6
}

/// True if the documents that differ are far older than those that do not: the source changed and the copies did not follow.
fn is_frozen(pair: &Pair) -> bool {
    let [stale, equal] = &pair.ages;
    if stale.count < 5.0 || equal.count < 5.0 {
        return false;
    }
    let spread = ((stale.squares + equal.squares) / (stale.count + equal.count - 2.0)).sqrt();
    spread > 0.0 && (equal.mean - stale.mean) / spread > 1.0
}
