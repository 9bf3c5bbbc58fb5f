//! The part of a document that a save writes: its own fields. Copies come from their sources, lists and numbers from the children.

use std::collections::HashSet;

use bson::{Bson, Document, RawDocumentBuf, doc};

use crate::bson_util::id_key::IdKey;
use crate::bson_util::path::at;
use crate::document::shared;
use crate::driver::{self, ClientSession, Database};
use crate::error::{Error, Result};
use crate::graph::edges::{Edge, Edges};
use crate::graph::links;
use crate::schema::model::ModelMeta;
use crate::schema::relation::RelationRow;
use crate::schema::rows::Shape;
use crate::schema::stamps::Stamps;

/// Refuses a document that has new ids in a derived array (the array of a two-way reference that follows the other array), because
/// the ids would be lost silently. The array may be empty, or hold the stored ids.
pub(crate) async fn not_derived(
    db: &Database,
    meta: &'static ModelMeta,
    id: &Bson,
    document: &Document,
    session: Option<&mut ClientSession>,
) -> Result<()> {
    let links = Edges::get().links().iter();
    let said: Vec<(&'static str, &[Bson])> = links
        .filter(|link| link.host.collection == meta.collection && link.is_two_way() && link.many)
        .filter_map(|link| Some((link.field, document.get_array(link.field).ok()?.as_slice())))
        .filter(|(_, said)| !said.is_empty())
        .collect();
    if said.is_empty() {
        return Ok(());
    }
    let fields = said.iter();
    let mut fields: Document = fields
        .map(|(field, _)| ((*field).to_owned(), Bson::from(1)))
        .collect();
    fields.insert("_id", 1);
    let id = std::slice::from_ref(id);
    let stored = driver::read_by(db, meta.collection, "_id", id, &fields, session).await?;
    let stored = stored.into_iter().next().unwrap_or_default();
    let keys = |ids: &[Bson]| ids.iter().map(IdKey::new).collect::<HashSet<_>>();
    for (field, said) in said {
        let stored = stored.get_array(field).map_or(&[][..], Vec::as_slice);
        if keys(said) != keys(stored) {
            return Err(Error::DerivedField {
                model: meta.name,
                field: field.to_owned(),
            });
        }
    }
    Ok(())
}

/// A document's own fields (those that are no copies), and its references.
pub(crate) struct OwnFields {
    pub(crate) set: Document,
    pub(crate) unset: Vec<String>,
    /// The conditions that the stored document has the same references.
    pub(crate) same: Vec<Bson>,
}

impl OwnFields {
    /// `None` if embedded documents hold own fields beside copies: then the whole document is replaced. `None` also without copies,
    /// because then there are none to spare.
    pub(crate) fn split(
        meta: &ModelMeta,
        document: &Document,
        shared: Option<&[&'static str]>,
        stamps: Option<&Stamps>,
    ) -> Option<OwnFields> {
        let mut own = OwnFields {
            set: document.clone(),
            unset: Vec::new(),
            same: Vec::new(),
        };
        own.set.remove("_id");
        if let Some(stamps) = stamps {
            stamps.strip(&mut own.set);
        }
        let mut any = false;
        for edge in Edges::get().incoming(meta.collection) {
            // The references of another model stay unchanged.
            if shared.is_some_and(|names| !names.contains(&edge.place.root().as_str())) {
                continue;
            }
            any = true;
            own.leave_out_copies(meta, document, edge)?;
        }
        own.leave_out_derived(meta, document, stamps);
        any.then_some(own)
    }

    /// Takes the copies along one edge out of the fields that are set, and adds the condition that the reference is the stored one. `None`
    /// if own fields stand beside these copies.
    fn leave_out_copies(
        &mut self,
        meta: &ModelMeta,
        document: &Document,
        edge: &Edge,
    ) -> Option<()> {
        let (path, root) = (edge.place.path(), edge.place.root());
        if path == "_id" {
            return None;
        }
        let inside = path != root;
        // The fields around a reference without copies are the document's own. A tag may change without the reference.
        let plain = inside && edge.copies().next().is_none() && !edge.place.has_tag();
        if inside && !plain && !only_copies(meta.shape, &root) {
            return None;
        }
        let stored = |path: &str, none: Bson| doc! { "$ifNull": [format!("${path}"), none] };
        let (now, none) = if edge.place.is_single() {
            let now = at(document, &path).cloned();
            (now.unwrap_or(Bson::Null), Bson::Null)
        } else {
            let raw = RawDocumentBuf::try_from(document).ok()?;
            (Bson::Array(edge.place.keys(&raw)), Bson::Array(Vec::new()))
        };
        let same = doc! { "$eq": [stored(&path, none), { "$literal": now }] };
        self.same.push(Bson::Document(same));
        if plain {
            return Some(());
        }
        self.set.remove(&root);
        let absent = edge.place.is_single() && at(document, &path).is_none_or(is_null);
        for copied in edge.copies() {
            let full = edge.full(copied);
            self.set.remove(&full);
            // Remove copies that another program has left beside an absent reference.
            if absent && !inside && !edge.in_variant && !self.unset.contains(&full) {
                self.unset.push(full);
            }
        }
        Some(())
    }

    /// Takes derived fields out of those that are set, and removes own fields that the document has no value for.
    fn leave_out_derived(
        &mut self,
        meta: &ModelMeta,
        document: &Document,
        stamps: Option<&Stamps>,
    ) {
        let edges = Edges::get();
        let derived = links::derived_fields(edges.links(), meta.collection);
        for (field, _) in &derived {
            self.set.remove(field);
        }
        for row in meta.shape.fields {
            if derived.contains_key(row.name) {
                continue;
            }
            let kept = row.copy.is_some() || row.name.is_empty() || row.name == "_id";
            if stamps.is_some_and(|stamps| stamps.has(row.name)) {
                continue;
            }
            let holds = edges.incoming(meta.collection).any(|edge| {
                let top = edge.place.is_top() || edge.copies().next().is_some();
                top && edge.place.root() == row.name
            });
            if !kept && !holds && !document.contains_key(row.name) {
                self.unset.push(row.name.to_owned());
            }
        }
    }

    /// True if the top-level field with this stored name is written.
    pub(crate) fn has(&self, name: &str) -> bool {
        self.set.contains_key(name) || self.unset.iter().any(|unset| unset == name)
    }
}

/// The condition that a stored document refers to the same documents as this one; `None` if it cannot be said of the model. Nothing is
/// copied in its documents.
pub(crate) fn same_references(meta: &ModelMeta, document: &Document) -> Option<Document> {
    let names = shared::names(meta);
    let own = OwnFields::split(meta, document, names.as_deref(), None)?;
    Some(doc! { "$expr": { "$and": own.same } })
}

fn is_null(value: &Bson) -> bool {
    *value == Bson::Null
}

/// True if the top-level field with this stored name is an entry or an array of entries: it holds no field of the document itself.
fn only_copies(shape: &Shape, root: &str) -> bool {
    let row = shape.fields.iter().find(|row| row.name == root);
    let generated = |relation: &RelationRow| relation.entry && !relation.members;
    row.is_some_and(|row| row.relation.is_some_and(generated))
}
