//! The places where a program stores what is about a person: fields of the person, of documents that refer to it, and their copies.

use std::collections::BTreeSet;

use bson::{Bson, Document, doc};

use super::certificate::{CopiedField, ErasedFields, KeptFields};
use super::registry::{PersonalModel, personal_models};
use crate::bson_util::path::{join, overlap};
use crate::graph::edges::Edges;
use crate::graph::links::{Keeps, Link};
use crate::schema::model::ModelMeta;
use crate::schema::person::is_person;
use crate::schema::rows::FieldRow;
use crate::schema::tenant::of_tenant;

/// The personal fields of one model that are about the persons to which one reference leads.
pub(super) struct Place {
    pub(super) model: &'static PersonalModel,
    pub(super) meta: &'static ModelMeta,
    /// The Rust name of the reference; `None` for the fields of the person itself.
    pub(super) of: Option<&'static str>,
    /// The stored path of the id of the person.
    pub(super) reference: String,
    pub(super) rows: Vec<&'static FieldRow>,
}

impl Place {
    /// The filter for the documents of a person.
    pub(super) fn filter(&self, id: &Bson, tenant: Option<&Bson>) -> Document {
        let mut filter = doc! { &self.reference: { "$eq": id } };
        filter.extend(of_tenant(self.meta, tenant));
        filter
    }

    /// The fields that an erase changes.
    pub(super) fn erased(&self) -> ErasedFields {
        let erased = self.rows.iter().filter(|row| kept(row).is_none());
        ErasedFields {
            model: self.meta.name,
            collection: self.meta.collection,
            reference: self.reference.clone(),
            fields: erased.map(|row| row.name).collect(),
            documents: 0,
        }
    }

    /// The fields that an erase leaves.
    pub(super) fn kept(&self) -> impl Iterator<Item = KeptFields> {
        self.rows.iter().filter_map(|row| {
            let (keep_for, reason) = kept(row)?;
            Some(KeptFields {
                model: self.meta.name,
                collection: self.meta.collection,
                field: row.name,
                keep_for,
                reason,
            })
        })
    }
}

/// The time for which a personal field stays, and the reason.
fn kept(row: &FieldRow) -> Option<(&'static str, &'static str)> {
    row.personal?.kept
}

/// The models whose documents are persons.
pub(super) fn persons() -> impl Iterator<Item = &'static ModelMeta> {
    let all = personal_models().into_iter().map(|model| (model.meta)());
    all.filter(|meta| is_person(meta))
}

/// The places of what is about the documents of a model, the fields of the documents themselves first.
pub(super) fn places_of(person: &'static ModelMeta) -> Vec<Place> {
    let mut places: Vec<Place> = Vec::new();
    for model in personal_models() {
        let meta = (model.meta)();
        for row in meta.shape.fields {
            let Some(personal) = row.personal else {
                continue;
            };
            let Some(reference) = reference_to(person, meta, personal.of) else {
                continue;
            };
            let same =
                |place: &&mut Place| std::ptr::eq(place.meta, meta) && place.of == personal.of;
            match places.iter_mut().find(same) {
                Some(place) => place.rows.push(row),
                None => places.push(Place {
                    model,
                    meta,
                    of: personal.of,
                    reference,
                    rows: vec![row],
                }),
            }
        }
    }
    places.sort_by_key(|place| place.of.is_some());
    places
}

/// The stored path of the id of a person in the documents of a model; `None` if the reference leads to other persons.
fn reference_to(person: &ModelMeta, meta: &ModelMeta, of: Option<&str>) -> Option<String> {
    let Some(of) = of else {
        return std::ptr::eq(person, meta).then(|| "_id".to_owned());
    };
    let (path, row) = meta.shape.field_at(of)?;
    let relation = row.relation?;
    let is_of_person = std::ptr::eq((relation.target)(), person);
    is_of_person.then(|| match relation.entry {
        true => join(&path, relation.entry_id),
        false => path,
    })
}

/// The copies, lists and numbers that follow the erased fields, at any number of steps.
pub(super) fn copies_of(places: &[Place]) -> Vec<CopiedField> {
    let mut found = BTreeSet::new();
    for place in places {
        for row in place.rows.iter().filter(|row| kept(row).is_none()) {
            follow(place.meta.collection, row.name, &mut found);
        }
    }
    found.into_iter().collect()
}

fn follow(collection: &'static str, field: &str, found: &mut BTreeSet<CopiedField>) {
    let edges = Edges::get();
    let mut reached: Vec<(&'static ModelMeta, String)> = Vec::new();
    for edge in edges.out_of(collection) {
        let live = edge.live.iter();
        let copies = live.filter(|copied| overlap(&copied.from, field));
        reached.extend(copies.map(|copied| (edge.target, edge.full(copied))));
    }
    for link in edges.links_of(collection) {
        reached.extend(derived(link, field).map(|path| (link.host, path)));
    }
    for (meta, path) in reached {
        let copy = CopiedField {
            model: meta.name,
            collection: meta.collection,
            path: path.clone(),
            source: format!("{collection}.{field}"),
        };
        if found.insert(copy) {
            follow(meta.collection, &path, found);
        }
    }
}

/// The paths at which a list or a number of the parents shows a field of the children.
fn derived(link: &'static Link, field: &str) -> impl Iterator<Item = String> {
    let paths: Vec<String> = match &link.keeps {
        Keeps::Ids { .. } => Vec::new(),
        Keeps::Recent(list) => {
            let shown = list.shown.iter();
            let shown = shown.filter(|(from, _)| overlap(from, field));
            let name = |name: &str| match list.extreme {
                Some(extreme) => extreme.to_owned(),
                None => join(link.field, name),
            };
            let by = overlap(list.by.0, field).then(|| name(list.by.1));
            shown.map(|(_, to)| name(to)).chain(by).collect()
        }
        Keeps::Number(addend) => {
            let mut fields = addend.fields();
            let sees = fields.any(|name| overlap(name, field));
            sees.then(|| link.field.to_owned()).into_iter().collect()
        }
    };
    paths.into_iter()
}
