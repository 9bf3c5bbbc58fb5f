//! The changes of an update, completed with the copies of the references that it sets.

use bson::{Bson, Document, doc};

use crate::bson_util::operators::merge;
use crate::bson_util::path::{at, overlap};
use crate::error::{Error, Result};
use crate::graph::edges::{Edge, Edges};
use crate::graph::flags;
use crate::graph::links::Link;
use crate::graph::source::Source;
use crate::propagation::fill::{Frozen, Which};
use crate::propagation::sources_by_key::SourcesByKey;
use crate::propagation::{counter, fill};
use crate::schema::model::ModelMeta;
use crate::write::adds::Add;

/// The changes of an update.
#[derive(Debug)]
pub(crate) struct UpdateRequest<'c> {
    /// `{ "$set": { path: value } }`
    pub(crate) operators: &'c mut Document,
    /// The values that are appended to arrays.
    pub(crate) adds: &'c mut [Add],
    /// The filter by `_id`, if the update is of one document.
    pub(crate) one: Option<&'c Document>,
    /// The filter, if the update is of many documents.
    pub(crate) many: Option<&'c Document>,
}

impl UpdateRequest<'_> {
    /// The values that this update stores at or above the reference of an edge, each as a document with that value only: values that
    /// are set, and elements that are added.
    pub(crate) fn stored(&self, edge: &Edge) -> Vec<Document> {
        let reference = edge.place.path();
        let set = self.operators.get_document("$set").into_iter().flatten();
        let set = set.map(|(path, value)| (path.clone(), value.clone()));
        let adds = self.adds.iter();
        let adds = adds.map(|add| (add.path.clone(), Bson::Array(add.values.clone())));
        set.chain(adds)
            .filter(|(path, _)| overlap(path, &reference))
            .map(|(path, value)| wrap(&path, value))
            .collect()
    }

    /// The filter of an `update_many` that sets a reference with frozen copies, and nothing else. It skips the documents that have this
    /// reference already, so that their frozen copies stay.
    pub(crate) fn only_reference_set(&self, meta: &ModelMeta) -> Result<Document> {
        let set = self.operators.get_document("$set").ok();
        let only =
            set.filter(|set| set.len() == 1 && self.operators.len() == 1 && self.adds.is_empty());
        let pair = only.and_then(|set| set.iter().next());
        let reference = pair.filter(|(path, _)| {
            let mut edges = Edges::get().incoming(meta.collection);
            edges.any(|edge| edge.place.is_single() && edge.place.path() == **path)
        });
        let (path, key) = reference.ok_or_else(|| Error::Impossible {
            what: format!(
                "`update_many` that sets references of {} beside which copies are frozen, and more than one of them: set the reference alone, or use `update`",
                meta.name
            ),
        })?;
        Ok(doc! { path: { "$ne": key } })
    }

    /// Refuses operators whose result is not known before the write, on a reference that is checked or has copies: those that neither set
    /// nor remove it.
    pub(crate) fn check_operator_at(&self, path: &str, meta: &ModelMeta) -> Result<()> {
        let with = self.operators.iter().find(|(_, paths)| {
            paths
                .as_document()
                .is_some_and(|paths| paths.contains_key(path))
        });
        match with {
            Some((operator, _))
                if !["$set", "$unset", "$pull", "$pullAll", "$pop"]
                    .contains(&operator.as_str()) =>
            {
                Err(Error::Impossible {
                    what: format!(
                        "{operator} of {}.{path}, which is a reference: `set` it, so that its target is checked and its copies follow",
                        meta.name
                    ),
                })
            }
            _ => Ok(()),
        }
    }

    /// Fills the copies inside the values that are set and added, and sets the copies beside a reference that is set.
    pub(crate) fn fill_copies(&mut self, collection: &str, known: &SourcesByKey, stored: &Frozen) {
        let mut siblings = Document::new();
        if let Ok(set) = self.operators.get_document_mut("$set") {
            for (path, value) in set.iter_mut() {
                let mut document = wrap(path, std::mem::replace(value, Bson::Null));
                fill::fill(collection, &mut document, known, Which::AllBut(stored));
                for edge in Edges::get()
                    .incoming(collection)
                    .filter(|edge| edge.place.is_single() && edge.place.path() == *path)
                {
                    let key = at(&document, path).cloned().unwrap_or(Bson::Null);
                    if let Some(source) = known.get(edge, &key) {
                        siblings.extend(sibling_copies(edge, source, stored.beside(edge, &key)));
                    }
                }
                *value = at(&document, path).cloned().unwrap_or(Bson::Null);
            }
            set.extend(siblings);
        }
        for add in self.adds.iter_mut() {
            let mut document = wrap(&add.path, Bson::Array(std::mem::take(&mut add.values)));
            fill::fill(collection, &mut document, known, Which::All);
            if let Some(Bson::Array(values)) = at(&document, &add.path) {
                add.values.clone_from(values);
            }
        }
    }

    /// Removes the copies beside absent references in the values that are set and added.
    pub(crate) fn clear_copies_of_absent(&mut self, collection: &str) {
        let cleared = |path: &str, value: &mut Bson| {
            // The value of a single field has no siblings in it to clear.
            if !matches!(value, Bson::Document(_) | Bson::Array(_)) {
                return;
            }
            let mut document = wrap(path, value.clone());
            if fill::clear(collection, &mut document) {
                *value = at(&document, path).cloned().unwrap_or(Bson::Null);
            }
        };
        if let Ok(set) = self.operators.get_document_mut("$set") {
            for (path, value) in set.iter_mut() {
                cleared(path, value);
            }
        }
        for add in self.adds.iter_mut() {
            let mut values = Bson::Array(std::mem::take(&mut add.values));
            cleared(&add.path, &mut values);
            if let Bson::Array(values) = values {
                add.values = values;
            }
        }
    }

    /// Removes the revision beside a reference that is set or removed on its own, and the copies that are not set with it.
    pub(crate) fn unset_sibling_copies(&mut self, collection: &str) {
        for edge in Edges::get()
            .incoming(collection)
            .filter(|edge| edge.place.is_single() && edge.copies().next().is_some())
        {
            let reference = edge.place.path();
            if !self.has("$set", &reference) && !self.has("$unset", &reference) {
                continue;
            }
            let mut gone = doc! { edge.place.revision_path(): "" };
            for copied in edge.copies() {
                let path = edge.full(copied);
                if !self.has("$set", &path) {
                    gone.insert(path, "");
                }
            }
            merge(self.operators, "$unset", gone);
        }
    }

    /// True if this operator changes the field at a path.
    fn has(&self, operator: &str, path: &str) -> bool {
        let paths = self.operators.get_document(operator);
        paths.is_ok_and(|paths| paths.contains_key(path))
    }
}

/// The copies beside a reference as its source is, frozen ones as they are stored if they are (`frozen`): each with its path.
fn sibling_copies<'s>(
    edge: &'s Edge,
    source: &'s Source,
    frozen: Option<&'s [Option<Bson>]>,
) -> impl Iterator<Item = (String, Bson)> + use<'s> {
    let live = edge.live.iter();
    let live = live.map(|copied| (copied, source.value(copied)));
    let frozen = edge.frozen.iter().enumerate().map(move |(n, copied)| {
        let now = || source.value(copied);
        (copied, frozen.map_or_else(now, |stored| stored[n].as_ref()))
    });
    live.chain(frozen)
        .filter_map(|(copied, value)| Some((edge.full(copied), value?.clone())))
}

/// `{a: {b: value}}`
fn wrap(path: &str, value: Bson) -> Document {
    match path.split_once('.') {
        None => doc! { path: value },
        Some((step, rest)) => doc! { step: wrap(rest, value) },
    }
}

/// True if an update only sets and removes top-level fields, and fields inside embedded documents that other documents copy or whose model
/// has parents with derived data, and computes fields that numbers of parents depend on, so that a pipeline has the same effect.
pub(crate) fn fits_pipeline(collection: &str, operators: &Document, adds: &[Add]) -> bool {
    let is_field = |path: &String| !path.contains('.') || is_inside(collection, path);
    adds.is_empty()
        && operators.iter().all(|(operator, paths)| {
            let mut paths = paths.as_document().into_iter().flat_map(Document::keys);
            match operator.as_str() {
                "$set" | "$unset" => paths.all(is_field),
                computed if counter::COMPUTED.contains(&computed) => {
                    paths.all(|path| is_weighed(collection, path))
                }
                _ => false,
            }
        })
}

/// True if a number of a parent depends on this field of its children: then the field holds one integer, text, date or `bool`.
fn is_weighed(collection: &str, path: &str) -> bool {
    let links = Edges::get().links_of(collection);
    let mut fields = links.flat_map(Link::weighs);
    fields.any(|name| name == path)
}

/// True if the path leads through embedded documents alone, to a field that other documents copy, or in a child of parents with derived data.
/// The server sets no field inside a null, but a pipeline does: the filter of an update leaves out documents with a null on the way.
fn is_inside(collection: &str, path: &str) -> bool {
    let mut copying = Edges::get().out_of(collection);
    let is_copied = copying.any(|edge| {
        let mut sources = edge.live.iter().map(|copied| copied.from.as_str());
        sources.any(|from| from.len() >= path.len() && overlap(from, path))
            && edge.source.shape.is_in_documents(path)
    });
    let mut links = Edges::get().links_of(collection);
    is_copied || links.any(|link| link.child.shape.is_in_documents(path))
}

/// Expressions that are true if setting the field at `path` to a value, or removing it, changes a copied field at, inside or above it.
pub(super) fn change_conditions(copied: &[&str], path: &str, value: Option<&Bson>) -> Vec<Bson> {
    let concerned = copied.iter().filter(|from| overlap(from, path));
    let mut changed: Vec<&str> = concerned
        .map(|from| if from.len() > path.len() { *from } else { path })
        .collect();
    changed.sort_unstable();
    changed.dedup();
    let inside = |changed: &str| match changed.strip_prefix(path)?.strip_prefix('.') {
        Some(rest) => at(value?.as_document()?, rest),
        None => value,
    };
    let changed = changed.into_iter();
    changed
        .map(|changed| flags::differs(changed, inside(changed)))
        .collect()
}
