//! Collects the indexes of a collection from the tree of tables of its models.

#[cfg(test)]
mod tests;
mod walk;

use bson::{Bson, Document, doc};

use self::walk::Walk;
use crate::document::parts;
use crate::graph::edges::Edges;
use crate::graph::links::{Keeps, Link};
use crate::graph::relations::Relations;
use crate::index_spec::definition::Definition;
use crate::index_spec::signature::Signature;
use crate::schema::bucket::BucketRow;
use crate::schema::field::place::Scope;
use crate::schema::index_row::{ConditionOp, IndexRow, KeyKind};
use crate::schema::model::ModelMeta;
use crate::schema::outbox::Outbox;
use crate::schema::person::is_person;
use crate::schema::queue::QueueRow;
use crate::schema::registry;
use crate::schema::shard_key::shard_key_fields;
use crate::schema::soft_delete::deleted_field;
use crate::schema::stored;
use crate::schema::tenant::tenant_field;

/// The indexes that a model's collection should have, besides `_id`: those declared on the model, those on its fields at any depth,
/// and the ones that its references need, each of them once.
///
/// An index of a reference on `path` is `{path: 1, _id: 1}`, or for a `#[parent(sort = ..)]` `{path: 1, <sort>: ±1, _id: ±1}`. It
/// is left out where a declared index begins with the same keys and leaves no document out. Where the reference has copies, or its
/// delete rule is `pull`, `unset` or `cascade`, `{path: 1, _id: 1}` is always there as such: propagation walks the documents of one
/// reference by `_id`, and with any other key between the two a document whose key moves meanwhile would be missed. If the sort field
/// never changes, its index serves for that instead, unless the copies are `fire_and_forget`. Models that
/// take part in copies, and those whose deletion changes others, also have partial indexes over the flags of propagation, which
/// hold nothing while none is under way. A unique index of a model with `soft_delete` covers live documents alone, and one on its keys
/// and the `#[deleted]` field stands beside it. A list of the last children has `{path: 1, <sort>: -1, _id: -1}` on them, unless an index
/// with these keys can be read in that order from one end. The children of periods have `{path: 1, <date>: 1}`. A sharded collection has one that
/// begins with its shard key. A bucket has `{<parent>: 1, <items>.<id>: 1}`.
#[must_use]
pub fn definitions(meta: &ModelMeta) -> Vec<Definition> {
    let mut walk = Walk {
        meta,
        scope: Scope::default(),
        deleted: deleted_field(meta),
        tenant: tenant_field(meta),
        declared: Vec::new(),
        automatic: Vec::new(),
    };
    for row in meta.indexes {
        walk.declare(row, meta.shape, "", "");
    }
    walk.shape(meta.shape, "");
    if let Some(tenant) = walk.tenant {
        let keys = [tenant, "_id"].map(|key| (key.to_owned(), KeyKind::Asc));
        let of_tenant = |other: &Definition| {
            other.is_plain() && other.keys.first().is_some_and(|(path, _)| path == tenant)
        };
        if !walk.declared.iter().any(of_tenant) {
            walk.declared.push(Definition::automatic(keys.into()));
        }
    }
    let Walk {
        mut declared,
        automatic,
        ..
    } = walk;
    for (definition, exact) in automatic {
        let keys = definition.keys.clone();
        let covered = |other: &Definition| {
            other.is_plain()
                && if exact {
                    other.keys == keys
                } else {
                    other.keys.starts_with(&keys)
                }
        };
        add_unless_served(&mut declared, definition, covered);
    }
    for definition in of_recent(meta) {
        let keys = definition.keys.clone();
        add_unless_served(&mut declared, definition, |other| {
            other.is_plain() && same_order(&other.keys, &keys)
        });
    }
    for definition in of_periods(meta) {
        let keys = definition.keys.clone();
        add_unless_served(&mut declared, definition, |other| {
            other.is_plain() && other.keys.starts_with(&keys)
        });
    }
    if let Some(keys) = shard_key_fields(meta).filter(|keys| keys != &[id_key()]) {
        let same = keys.clone();
        let covered = move |other: &Definition| other.is_plain() && other.keys.starts_with(&same);
        add_unless_served(&mut declared, Definition::automatic(keys), covered);
    }
    declared.extend(of_parts(meta));
    declared.extend(flags(meta));
    if let Some(queue) = meta.queue {
        declared.extend(of_queue(meta, queue));
    }
    declared.extend(meta.bucket.map(|bucket| of_bucket(meta, bucket)));
    distinct(declared)
}

/// The key of the index that every collection has.
fn id_key() -> (String, KeyKind) {
    ("_id".to_owned(), KeyKind::Asc)
}

/// The indexes of the parts of texts.
fn of_parts(meta: &ModelMeta) -> impl Iterator<Item = Definition> {
    let tenant = tenant_field(meta).map(str::to_owned);
    parts::fields(meta.shape).map(move |row| {
        let keys = tenant.iter().cloned().chain([stored::parts_of(row.name)]);
        Definition::automatic(keys.map(|key| (key, KeyKind::Asc)).collect())
    })
}

/// True if the tenant is put in front of these declared keys. Not for an index across tenants; not for an expiring index, which can only
/// have one key on the server; and not for a wildcard index, which finds documents without the tenant.
fn takes_tenant(row: &IndexRow, keys: &[(String, KeyKind)], tenant: &str) -> bool {
    let has_own = |(path, kind): &(String, KeyKind)| path == tenant || *kind == KeyKind::Wildcard;
    row.expire_after.is_none() && !row.across_tenants && !keys.iter().any(has_own)
}

/// The keys of an index by which a call of a model finds documents: all but the tenant, which every call gives.
pub(crate) fn asked_keys<'d>(
    meta: &ModelMeta,
    definition: &'d Definition,
) -> impl Iterator<Item = &'d (String, KeyKind)> + use<'d> {
    let tenant = tenant_field(meta);
    let keys = definition.keys.iter();
    keys.skip_while(move |(path, _)| Some(path.as_str()) == tenant)
}

/// Adds an automatic index, unless a declared one serves in its place.
fn add_unless_served(
    declared: &mut Vec<Definition>,
    definition: Definition,
    serves: impl Fn(&Definition) -> bool,
) {
    match declared.iter_mut().find(|other| serves(other)) {
        Some(other) => other.binary = true,
        None => declared.push(definition),
    }
}

/// The index of a queue: first the ready jobs in the order in which they are taken, and apart from them the waiting jobs by the end of
/// their wait. If jobs belong to tenants, also an index that begins with the tenant: workers take the jobs of all tenants, or of one.
fn of_queue(meta: &ModelMeta, queue: QueueRow) -> Vec<Definition> {
    let order = queue.order(meta).into_iter();
    let mut keys = vec![(stored::JOB_AT.to_owned(), KeyKind::Asc)];
    keys.extend(order.map(|(path, descending)| {
        let kind = if descending {
            KeyKind::Desc
        } else {
            KeyKind::Asc
        };
        (path.to_owned(), kind)
    }));
    let of_tenant = tenant_field(meta).map(|tenant| {
        let mut keys = keys.clone();
        keys.insert(0, (tenant.to_owned(), KeyKind::Asc));
        keys
    });
    let all = of_tenant.into_iter().chain([keys]);
    all.map(Definition::automatic).collect()
}

/// The index of a bucket: which of a parent's buckets holds an item.
fn of_bucket(meta: &ModelMeta, bucket: BucketRow) -> Definition {
    let stored = bucket.stored(meta);
    let keys = [stored.parent.to_owned(), stored.item_id()];
    Definition::automatic(keys.into_iter().map(|key| (key, KeyKind::Asc)).collect())
}

/// The indexes in whose order the last children of a parent are, for a list of them that has to be filled up. The children of a period have
/// an index by their date.
fn of_recent(meta: &ModelMeta) -> Vec<Definition> {
    let links = Edges::get().links_of(meta.collection);
    let order = links.filter_map(|link| match &link.keeps {
        Keeps::Recent(list) if link.periods.is_none() => Some((link, list)),
        Keeps::Ids { .. } | Keeps::Recent(_) | Keeps::Number(_) => None,
    });
    order
        .map(|(link, list)| {
            let mut keys = vec![(link.reference.clone(), KeyKind::Asc)];
            let only = list.only.iter();
            keys.extend(only.map(|(name, _)| ((*name).to_owned(), KeyKind::Asc)));
            for key in [list.by.0, "_id"] {
                if keys.iter().all(|(earlier, _)| earlier != key) {
                    keys.push((key.to_owned(), KeyKind::Desc));
                }
            }
            Definition::automatic(keys)
        })
        .collect()
}

/// The indexes that find the children of one period, for a number or an extreme of it that has to be made again.
fn of_periods(meta: &ModelMeta) -> Vec<Definition> {
    let links = Edges::get().links_of(meta.collection);
    let keys = links.filter_map(|link| Some([link.reference.clone(), link.periods?.at.to_owned()]));
    keys.map(|keys| Definition::automatic(keys.map(|key| (key, KeyKind::Asc)).into()))
        .collect()
}

/// True if both indexes give the documents of one value of the first key in the same order, from either end.
fn same_order(a: &[(String, KeyKind)], b: &[(String, KeyKind)]) -> bool {
    let names = |keys: &[(String, KeyKind)]| -> Vec<String> {
        keys.iter().map(|(name, _)| name.clone()).collect()
    };
    let one_way = |keys: &[(String, KeyKind)]| {
        keys.windows(2).skip(1).all(|pair| pair[0].1 == pair[1].1)
            && keys
                .iter()
                .all(|(_, kind)| matches!(kind, KeyKind::Asc | KeyKind::Desc))
    };
    names(a) == names(b) && one_way(a) && one_way(b)
}

/// The indexes of the flags that propagation leaves: on sources whose copies have to follow, and on documents whose copies have to be
/// compared. They are empty while nothing is under way. The name of the first index says which copies the program knows.
///
/// There is one per flag: the flags are arrays, which one compound index cannot hold together, and a copy of all of them in one array would
/// be as many index keys in larger documents (docs/STORED.md). No write marks copies that are `fire_and_forget`, but `repair` and
/// `backfill` do, and if they are interrupted, the index finds the marks that they leave.
fn flags(meta: &ModelMeta) -> Vec<Definition> {
    let edges = Edges::get();
    let index = |field: &str| {
        let mut definition = Definition::automatic(vec![(field.to_owned(), KeyKind::Asc)]);
        definition.partial = Some(doc! { field: { "$exists": true } });
        definition
    };
    let mut out = Vec::new();
    if edges.tracks_changes(meta.collection) {
        out.push(Definition {
            name: Some(super::edges::name(edges, meta.collection)),
            ..index(stored::PENDING)
        });
    } else if Relations::get().entombs(meta.collection) {
        out.push(index(stored::PENDING));
    }
    if edges
        .incoming(meta.collection)
        .any(|edge| edge.checked || !edge.live.is_empty())
    {
        out.push(index(stored::UNVERIFIED_TOKEN));
    }
    if is_person(meta) {
        out.push(index(stored::ERASE));
    }
    let kept = || {
        let links = edges.links().iter();
        links.filter(|link| link.host.collection == meta.collection)
    };
    if kept().next().is_some() {
        out.push(index(stored::UNCONFIRMED_TOKEN));
    }
    if edges.links_of(meta.collection).any(Link::counts) {
        out.push(index(stored::UNCOUNTED_TOKEN));
    }
    if kept().any(Link::counts) {
        out.push(index(stored::COUNTED_TOKEN));
    }
    if kept().any(|link| link.bound.is_some()) {
        out.push(index(stored::RESERVED_TOKEN));
    }
    out.extend(Outbox::find_all(meta.collection).map(|outbox| index(outbox.token())));
    out
}

/// The indexes of a log of events: a reader finds what waits for it in a part, in order, and the oldest of it; and its dead letters.
pub(crate) fn of_log() -> Vec<Definition> {
    let keys = |names: &[&str]| {
        names
            .iter()
            .map(|name| ((*name).to_owned(), KeyKind::Asc))
            .collect()
    };
    let mut dead = Definition::automatic(keys(&["dead"]));
    dead.partial = Some(doc! { "dead": { "$exists": true } });
    let waiting = Definition::automatic(keys(&["to", "p", "_id"]));
    vec![waiting, Definition::automatic(keys(&["to", "at"])), dead]
}

/// The index of the entries of a history, by which the server deletes them after this time.
pub(crate) fn of_history(seconds: u64) -> Vec<Definition> {
    let mut at = Definition::automatic(vec![("at".to_owned(), KeyKind::Asc)]);
    at.expire_after = Some(u32::try_from(seconds).unwrap_or(i32::MAX.unsigned_abs()));
    vec![at]
}

/// The keys of an index of this collection that finds documents by the first of these keys: of an index with exactly these keys, else
/// of an index that begins with the first one; these keys if no such index is declared.
pub(crate) fn serving(collection: &str, keys: &Document) -> Document {
    let models = registry::models();
    let all: Vec<Definition> = models
        .iter()
        .filter(|model| model.collection == collection)
        .flat_map(|model| definitions(model))
        .filter(Definition::is_plain)
        .collect();
    let keys_of = |definition: &Definition| definition.spec().get_document("key").cloned().ok();
    let exact = |definition: &&Definition| keys_of(definition).as_ref() == Some(keys);
    let first = keys.keys().next();
    let begins = |definition: &&Definition| definition.keys.first().map(|(path, _)| path) == first;
    let found = all.iter().find(exact).or_else(|| all.iter().find(begins));
    found.and_then(keys_of).unwrap_or_else(|| keys.clone())
}

/// The keys of a collection by which references find its documents. Their unique indexes are as they are declared; in a
/// collection with a collation that is not the order in which references are compared.
pub(super) fn key_indexes(collection: &str) -> Vec<Definition> {
    let relations = Relations::get().all().iter();
    let referred = relations.filter(|relation| relation.parent() == collection);
    let keys = referred.map(|relation| relation.edge.key);
    keys.filter(|key| *key != "_id")
        .map(|key| Definition::automatic(vec![(key.to_owned(), KeyKind::Asc)]))
        .collect()
}

/// The first of each, whatever its name: variants of an enum may declare the same field, and models the same collection.
pub(crate) fn distinct(definitions: impl IntoIterator<Item = Definition>) -> Vec<Definition> {
    let mut seen: Vec<Signature> = Vec::new();
    let mut kept: Vec<Definition> = Vec::new();
    for definition in definitions {
        let signature = Signature::of_spec(&definition.spec(), None);
        match seen.iter().position(|other| *other == signature) {
            Some(place) => kept[place].binary |= definition.binary,
            None => {
                seen.push(signature);
                kept.push(definition);
            }
        }
    }
    kept
}

/// The conjunction of conditions `(path, operator, value)`. Conditions on one path share one document, unless it has the operator already.
pub(crate) fn all_of(
    conditions: impl IntoIterator<Item = (String, &'static str, Bson)>,
) -> Document {
    let mut filter = Document::new();
    let mut further = Vec::new();
    for (path, operator, value) in conditions {
        match filter.get_document_mut(&path) {
            Ok(operators) if !operators.contains_key(operator) => {
                operators.insert(operator, value);
            }
            // A document has one place for an operator on a path.
            Ok(_) => further.push(Bson::Document(doc! { path: { operator: value } })),
            Err(_) => {
                filter.insert(path, doc! { operator: value });
            }
        }
    }
    if !further.is_empty() {
        filter.insert("$and", further);
    }
    filter
}

pub(crate) fn condition(op: ConditionOp) -> (&'static str, Bson) {
    match op {
        ConditionOp::Exists => ("$exists", Bson::Boolean(true)),
        ConditionOp::Type(name) => ("$type", Bson::from(name)),
        ConditionOp::Eq(value) => ("$eq", value.to_bson()),
        ConditionOp::Gt(value) => ("$gt", value.to_bson()),
        ConditionOp::Gte(value) => ("$gte", value.to_bson()),
        ConditionOp::Lt(value) => ("$lt", value.to_bson()),
        ConditionOp::Lte(value) => ("$lte", value.to_bson()),
    }
}
