//! The chunk table of a sharded collection, and the shards that a filter leads to.

use std::collections::BTreeSet;

use bson::{Bson, Document, Uuid, oid::ObjectId};

use crate::value::{compare, compare_all, hash};

/// The documents whose shard keys begin at `min` and end before the next chunk.
#[derive(Clone, Debug)]
pub(crate) struct Chunk {
    pub(crate) min: Vec<Bson>,
    pub(crate) shard: usize,
}

/// A sharded collection.
#[derive(Clone, Debug)]
pub(crate) struct Table {
    pub(crate) key: Document,
    pub(crate) chunks: Vec<Chunk>,
    /// Its name in `config`; none if no command has sharded it.
    pub(crate) uuid: Option<Uuid>,
    /// True if the collection compares texts in its own way.
    pub(crate) is_collated: bool,
}

/// True if a collation compares texts byte by byte.
pub(crate) fn is_simple(collation: &Document) -> bool {
    collation
        .get_str("locale")
        .is_ok_and(|locale| locale == "simple")
}

fn is_hashed(direction: &Bson) -> bool {
    direction.as_str() == Some("hashed")
}

/// The value at a path of embedded documents.
pub(crate) fn value_at<'d>(document: &'d Document, path: &str) -> Option<&'d Bson> {
    match path.split_once('.') {
        None => document.get(path),
        Some((head, rest)) => value_at(document.get_document(head).ok()?, rest),
    }
}

impl Table {
    /// A table whose chunks are spread over all shards in turn. A key that begins with a hash is split into equal parts, any other at
    /// the values of its first field given here, or else at some of the common types.
    pub(crate) fn new(key: Document, shards: usize) -> Self {
        let hashed_first = key.values().next().is_some_and(is_hashed);
        let splits: Vec<Vec<Bson>> = {
            if hashed_first {
                let parts = i64::try_from(shards * 2).unwrap_or(2);
                let width = i64::MAX / parts * 2;
                (1..parts)
                    .map(|n| vec![Bson::Int64(i64::MIN.wrapping_add(width.wrapping_mul(n)))])
                    .collect()
            } else {
                vec![
                    vec![Bson::Int32(0)],
                    vec![Bson::String(String::new())],
                    vec![Bson::String("m".to_owned())],
                    vec![Bson::ObjectId(ObjectId::from_bytes([0x80; 12]))],
                ]
            }
        };
        let width = key.len();
        let mut bounds = vec![vec![Bson::MinKey; width]];
        bounds.extend(splits.into_iter().map(|mut bound| {
            bound.resize(width, Bson::MinKey);
            bound
        }));
        bounds.push(vec![Bson::MaxKey; width]);
        bounds.sort_by(|a, b| compare_all(a.iter(), b.iter()));
        let chunks = bounds.windows(2).enumerate().map(|(n, pair)| Chunk {
            min: pair[0].clone(),
            shard: n % shards,
        });
        Self {
            chunks: chunks.collect(),
            key,
            uuid: None,
            is_collated: false,
        }
    }

    /// Splits a chunk in two at a point, whose hashed parts are hashes.
    pub(crate) fn split_at(&mut self, point: &Document) {
        let parts = self.key.keys();
        let min: Vec<Bson> = parts
            .map(|part| point.get(part).cloned().unwrap_or(Bson::MinKey))
            .collect();
        let chunk = self.chunk_at(&min);
        if compare_all(self.chunks[chunk].min.iter(), min.iter()).is_ne() {
            let shard = self.chunks[chunk].shard;
            self.chunks.insert(chunk + 1, Chunk { min, shard });
        }
    }

    /// A server refuses changes of the `_id` itself; these are the other parts of the key.
    pub(crate) fn changeable_parts(&self) -> Vec<&str> {
        let parts = self.key.keys().map(String::as_str);
        parts.filter(|part| *part != "_id").collect()
    }

    fn hash_parts(&self, values: &[Bson]) -> Vec<Bson> {
        self.key
            .values()
            .zip(values)
            .map(|(direction, value)| match is_hashed(direction) {
                true => Bson::Int64(hash(value)),
                false => value.clone(),
            })
            .collect()
    }

    /// The number of the chunk that a document belongs to.
    pub(crate) fn chunk_of(&self, document: &Document) -> usize {
        let values = self.key.keys();
        let values = values.map(|path| value_at(document, path).cloned().unwrap_or(Bson::Null));
        self.chunk_at(&self.hash_parts(&values.collect::<Vec<_>>()))
    }

    /// The number of the chunk that holds a point, whose hashed parts are hashes.
    pub(crate) fn chunk_at(&self, point: &[Bson]) -> usize {
        let after = self
            .chunks
            .partition_point(|chunk| compare_all(chunk.min.iter(), point.iter()).is_le());
        after.saturating_sub(1)
    }

    /// The shard that a document belongs to.
    pub(crate) fn shard_of(&self, document: &Document) -> usize {
        self.chunks[self.chunk_of(document)].shard
    }

    /// All shards that own chunks.
    pub(crate) fn shards(&self) -> BTreeSet<usize> {
        self.chunks.iter().map(|chunk| chunk.shard).collect()
    }

    /// True if a command compares texts byte by byte, as chunks do.
    pub(crate) fn is_exact(&self, command: &Document) -> bool {
        match command.get_document("collation") {
            Ok(collation) => is_simple(collation),
            Err(_) => !self.is_collated,
        }
    }

    /// The shards that can hold documents which match a filter, and whether the filter has one value for each part of the key.
    pub(crate) fn target(&self, filter: &Document, texts_compare_exactly: bool) -> Target {
        let mut rows: Vec<Vec<Bson>> = vec![Vec::new()];
        let mut parts = 0;
        for path in self.key.keys() {
            let values = equal_values(filter, path);
            let values =
                values.filter(|values| texts_compare_exactly || !values.iter().any(contains_text));
            let Some(values) = values else { break };
            parts += 1;
            rows = rows
                .iter()
                .flat_map(|row| {
                    let extend = |value: &Bson| [&row[..], std::slice::from_ref(value)].concat();
                    values.iter().map(extend)
                })
                .collect();
        }
        if parts == 0 {
            return Target {
                shards: self.shards(),
                is_point: false,
            };
        }
        let mut shards = BTreeSet::new();
        for row in &rows {
            let prefix = self.hash_parts(row);
            let end = |filler: Bson| {
                let mut end = prefix.clone();
                end.resize(self.key.len(), filler);
                end
            };
            let (first, last) = (
                self.chunk_at(&end(Bson::MinKey)),
                self.chunk_at(&end(Bson::MaxKey)),
            );
            shards.extend(self.chunks[first..=last].iter().map(|chunk| chunk.shard));
        }
        Target {
            // An empty list of values matches nothing, and any shard says so.
            shards: if shards.is_empty() {
                [0].into()
            } else {
                shards
            },
            is_point: parts == self.key.len() && rows.len() == 1,
        }
    }

    /// True if an index with this key can be unique: each shard sees all documents that are equal in it.
    pub(crate) fn allows_unique(&self, index: &Document) -> bool {
        let starts_with_id = index.keys().next().is_some_and(|first| first == "_id");
        let mut fields = index.keys();
        starts_with_id || self.key.keys().all(|part| fields.next() == Some(part))
    }
}

/// The shards for a filter.
pub(crate) struct Target {
    pub(crate) shards: BTreeSet<usize>,
    /// True if the filter names one value for each part of the key.
    pub(crate) is_point: bool,
}

impl Target {
    /// The first of them.
    pub(crate) fn shard(&self) -> usize {
        self.shards.first().copied().unwrap_or(0)
    }
}

/// The values of which a document that matches has one at this path; none if the filter does not say.
pub(crate) fn equal_values(filter: &Document, path: &str) -> Option<Vec<Bson>> {
    for (key, value) in filter {
        if key == path {
            let values = match value {
                Bson::Document(operators) if is_operators(operators) => {
                    match (operators.get("$eq"), operators.get("$in")) {
                        (Some(value), _) => Some(vec![value.clone()]),
                        (None, Some(Bson::Array(values))) => Some(values.clone()),
                        _ => None,
                    }
                }
                value => Some(vec![value.clone()]),
            };
            let is_exact =
                |value: &Bson| !matches!(value, Bson::RegularExpression(_) | Bson::Array(_));
            if let Some(mut values) = values.filter(|values| values.iter().all(is_exact)) {
                values.sort_by(compare);
                values.dedup_by(|a, b| compare(a, b).is_eq());
                return Some(values);
            }
        } else if key == "$and"
            && let Bson::Array(parts) = value
        {
            let mut parts = parts.iter().filter_map(Bson::as_document);
            if let Some(values) = parts.find_map(|part| equal_values(part, path)) {
                return Some(values);
            }
        }
    }
    None
}

pub(crate) fn is_operators(document: &Document) -> bool {
    document
        .keys()
        .next()
        .is_some_and(|key| key.starts_with('$'))
}

fn contains_text(value: &Bson) -> bool {
    match value {
        Bson::String(_) | Bson::Symbol(_) => true,
        Bson::Document(document) => document.values().any(contains_text),
        Bson::Array(values) => values.iter().any(contains_text),
        _ => false,
    }
}
