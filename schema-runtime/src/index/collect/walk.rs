//! The indexes that the fields of a model declare and need, at any depth.

use bson::{Bson, Document, doc};

use super::{all_of, condition, takes_tenant};
use crate::bson_util::path::join;
use crate::graph::scan;
use crate::index_spec::definition::{Definition, Source, TextOptions};
use crate::schema::field::place::Scope;
use crate::schema::flat::stored_path;
use crate::schema::index_row::{ConditionRow, IndexRow, KeyKind};
use crate::schema::model::ModelMeta;
use crate::schema::relation::{OnDelete, RelationRow};
use crate::schema::rows::{Kind, Shape};
use crate::schema::soft_delete::is_live;

/// A walk over the fields of a model.
pub(super) struct Walk<'m> {
    pub(super) meta: &'m ModelMeta,
    /// The variant that is walked through: its tag, and the value of that.
    pub(super) scope: Scope,
    /// The field that holds the time of a soft delete.
    pub(super) deleted: Option<&'static str>,
    /// The field that holds the tenant.
    pub(super) tenant: Option<&'static str>,
    pub(super) declared: Vec<Definition>,
    /// The library's own indexes. The flag of each is true if it must exist exactly so.
    pub(super) automatic: Vec<(Definition, bool)>,
}

impl Walk<'_> {
    /// The fields of the document at `prefix`, and what is inside them.
    pub(super) fn shape(&mut self, shape: &Shape, prefix: &str) {
        for field in shape.fields {
            let path = join(prefix, field.name);
            for row in field.indexes {
                self.declare(row, shape, prefix, &path);
            }
            // Behind a map's keys, which are data, nothing has a path that an index could name.
            if field.kind == Kind::Map {
                continue;
            }
            if let Some(relation) = field.relation {
                self.reference(relation, shape, prefix, &path);
            }
            // Skip the fields inside a last-N list: queries on them go to the children.
            if field.derived.is_some() {
                continue;
            }
            if let Some(inner) = field.shape {
                let outer = self.scope;
                self.scope = outer.or(field.variant);
                self.shape(inner, &path);
                self.scope = outer;
            }
        }
    }

    /// Adds a declared index of `shape`, the document at `prefix`. The declaration stands on the field at `own` or on the document itself.
    pub(super) fn declare(&mut self, row: &IndexRow, shape: &Shape, prefix: &str, own: &str) {
        let resolve = |path: &str| {
            if path.is_empty() {
                own.to_owned()
            } else {
                stored_path(shape, prefix, path)
            }
        };
        let mut keys: Vec<(String, KeyKind)> = row
            .keys
            .iter()
            .map(|key| match key.kind {
                KeyKind::Wildcard => (join(&resolve(key.path), "$**"), key.kind),
                kind => (resolve(key.path), kind),
            })
            .collect();
        if keys.is_empty() {
            keys.push((own.to_owned(), KeyKind::Asc));
        }
        if let Some(tenant) = self
            .tenant
            .filter(|tenant| takes_tenant(row, &keys, tenant))
        {
            keys.insert(0, (tenant.to_owned(), KeyKind::Asc));
        }
        let text = row
            .text
            .map_or_else(TextOptions::default, |text| TextOptions {
                weights: text
                    .weights
                    .iter()
                    .map(|(path, weight)| (resolve(path), *weight))
                    .collect(),
                default_language: text.default_language,
                language_override: text.language_override,
            });
        let mut definition = Definition {
            keys,
            unique: row.unique,
            sparse: row.sparse,
            expire_after: row.expire_after,
            partial: self.scoped(partial(row.partial, resolve)),
            collation: row.collation.copied(),
            text,
            name: row.name.map(str::to_owned),
            source: Source::Declared,
            binary: false,
        };
        if let (Some(deleted), true) = (self.deleted, row.unique) {
            self.automatic_for_deleted(&definition, deleted);
            restrict_to_live(&mut definition, deleted);
        }
        self.declared.push(definition);
    }

    /// The index beside a unique one of live documents: it serves the same filters on documents that are marked as deleted.
    fn automatic_for_deleted(&mut self, unique: &Definition, deleted: &str) {
        let mut keys = unique.keys.clone();
        if keys.iter().all(|(path, _)| path != deleted) {
            keys.push((deleted.to_owned(), KeyKind::Asc));
        }
        self.declared.push(Definition {
            sparse: unique.sparse,
            partial: unique.partial.clone(),
            collation: unique.collation,
            binary: unique.binary,
            ..Definition::automatic(keys)
        });
    }

    /// An index on a field of one variant holds the documents of that variant alone.
    fn scoped(&self, partial: Option<Document>) -> Option<Document> {
        let Some((tag, value)) = self.scope else {
            return partial;
        };
        let mut filter = doc! { tag: { "$eq": value } };
        filter.extend(partial.unwrap_or_default());
        Some(filter)
    }

    /// The indexes of the reference at `path`.
    fn reference(&mut self, relation: &RelationRow, shape: &Shape, prefix: &str, path: &str) {
        let path = if relation.entry {
            join(path, relation.entry_id)
        } else {
            path.to_owned()
        };
        if path == "_id" {
            // Every collection has an index of `_id`.
            return;
        }
        if let Some((field, descending)) = relation.sort {
            let kind = if descending {
                KeyKind::Desc
            } else {
                KeyKind::Asc
            };
            let mut keys = vec![(path.clone(), KeyKind::Asc)];
            for key in [stored_path(shape, prefix, field), "_id".to_owned()] {
                // The children may be sorted by `_id` itself.
                if keys.iter().all(|(earlier, _)| *earlier != key) {
                    keys.push((key, kind));
                }
            }
            self.automatic.push((Definition::automatic(keys), false));
        }
        let walked =
            relation.copied || !matches!(relation.on_delete, OnDelete::Deny | OnDelete::Keep);
        let sorted = walked.then(|| scan::fixed_order(self.meta, &path));
        let by_id = walked && sorted == Some(None);
        if let Some(keys) = sorted.flatten() {
            let keys = keys.into_iter().map(|(path, order)| {
                let kind = match order {
                    Bson::Int32(-1) => KeyKind::Desc,
                    _ => KeyKind::Asc,
                };
                (path, kind)
            });
            let keys = Definition::automatic(keys.collect());
            self.automatic.push((keys, true));
        }
        if relation.sort.is_none() || by_id {
            let keys = vec![(path, KeyKind::Asc), ("_id".to_owned(), KeyKind::Asc)];
            self.automatic.push((Definition::automatic(keys), by_id));
        }
    }
}

/// Restricts a unique index to live documents. The server has no index that is both partial and sparse.
fn restrict_to_live(unique: &mut Definition, deleted: &str) {
    let mut filter = unique.partial.take().unwrap_or_default();
    if let ([(path, _)], true) = (&*unique.keys, unique.sparse) {
        unique.sparse = false;
        filter.insert(path.clone(), doc! { "$exists": true });
    }
    let live = is_live(deleted);
    unique.partial = Some(match filter.contains_key(deleted) {
        true => doc! { "$and": [filter, live] },
        false => filter.into_iter().chain(live).collect(),
    });
}

fn partial(rows: &[ConditionRow], resolve: impl Fn(&str) -> String) -> Option<Document> {
    let conditions = rows.iter().map(|row| {
        let (operator, value) = condition(row.op);
        (resolve(row.path), operator, value)
    });
    Some(all_of(conditions)).filter(|filter| !filter.is_empty())
}
