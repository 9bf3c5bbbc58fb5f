//! The places where a program stores what is about a person: fields of the person, of documents that refer to it, and their copies.

use std::collections::BTreeSet;

use bson::{Bson, Document};

use super::certificate::{CopiedField, ErasedFields, KeptFields};
use super::registry::{Updates, personal_models};
use super::spots::{Field, Way, spots_of};
use crate::bson_util::path::{join, overlap};
use crate::graph::edges::Edges;
use crate::graph::links::{Keeps, Link};
use crate::schema::model::ModelMeta;
use crate::schema::person::is_person;
use crate::schema::tenant::of_tenant;
use crate::write::change::{ErasedValue, ErasedValues};

/// The personal fields of one model that are about the persons to which one reference leads.
pub(super) struct Place {
    pub(super) updates: Updates,
    pub(super) meta: &'static ModelMeta,
    /// The stored path of the id of the person.
    pub(super) reference: String,
    /// The fields, by the way to them: one update sets those of one way.
    pub(super) groups: Vec<Group>,
}

/// The fields of a place that one update sets.
pub(super) struct Group {
    pub(super) way: Way,
    pub(super) fields: Vec<Field>,
}

impl Group {
    /// The fields that an erase changes.
    pub(super) fn erased(&self) -> impl Iterator<Item = &Field> {
        self.fields
            .iter()
            .filter(|field| read_exception(field).is_none())
    }

    /// The change that erases them.
    pub(super) fn values(&self, id: &Bson, person: &str) -> ErasedValues {
        let erased = self.erased();
        let values = erased.map(|field| ErasedValue {
            below: field.below.clone(),
            path: field.path.clone(),
            row: field.row,
            value: field.personal.erased_value(person),
        });
        ErasedValues {
            arrays: self.way.arrays(id),
            values: values.collect(),
        }
    }
}

impl Place {
    /// True for the fields of the person itself.
    pub(super) fn is_of_person(&self) -> bool {
        self.groups.iter().any(|group| group.way.is_of_person())
    }

    /// The filter for the documents that are about a person.
    pub(super) fn about(&self, id: &Bson, tenant: Option<&Bson>) -> Document {
        let mut filter = self
            .groups
            .first()
            .map_or_else(Document::new, |group| group.way.about(id));
        filter.extend(of_tenant(self.meta, tenant));
        filter
    }

    /// The filter for the documents of a person that hold fields of one of its groups.
    pub(super) fn filter(&self, group: &Group, id: &Bson, tenant: Option<&Bson>) -> Document {
        let mut filter = group.way.filter(id);
        filter.extend(of_tenant(self.meta, tenant));
        filter
    }

    /// The fields of a group that an erase changes; `None` if all stay.
    pub(super) fn erased(&self, group: &Group) -> Option<ErasedFields> {
        let fields: Vec<String> = group.erased().map(|field| field.path.clone()).collect();
        (!fields.is_empty()).then(|| ErasedFields {
            model: self.meta.name,
            collection: self.meta.collection,
            reference: self.reference.clone(),
            fields,
            documents: 0,
        })
    }

    fn fields(&self) -> impl Iterator<Item = &Field> {
        self.groups.iter().flat_map(|group| &group.fields)
    }

    /// The fields that an erase leaves.
    pub(super) fn list_kept(&self) -> impl Iterator<Item = KeptFields> {
        self.fields().filter_map(|field| {
            let (keep_for, reason) = read_exception(field)?;
            Some(KeptFields {
                model: self.meta.name,
                collection: self.meta.collection,
                field: field.path.clone(),
                keep_for,
                reason,
            })
        })
    }
}

/// The time for which a personal field stays, and the reason.
fn read_exception(field: &Field) -> Option<(&'static str, &'static str)> {
    field.personal.kept
}

/// The models whose documents are persons.
pub(super) fn persons() -> impl Iterator<Item = &'static ModelMeta> {
    let all = personal_models().into_iter().map(|(meta, _)| meta);
    all.filter(|meta| is_person(meta))
}

/// The places of what is about the documents of a model, the fields of the documents themselves first.
pub(super) fn places_of(person: &'static ModelMeta) -> Vec<Place> {
    let mut places: Vec<Place> = Vec::new();
    for (meta, updates) in personal_models() {
        for spot in spots_of(meta) {
            let leads_to = match spot.relation {
                Some(relation) => (relation.target)(),
                None => meta,
            };
            if !std::ptr::eq(leads_to, person) {
                continue;
            }
            let reference = spot.way.reference();
            let same =
                |place: &Place| std::ptr::eq(place.meta, meta) && place.reference == reference;
            let known = places.iter().position(same);
            let known = known.unwrap_or_else(|| {
                places.push(Place {
                    updates,
                    meta,
                    reference,
                    groups: Vec::new(),
                });
                places.len() - 1
            });
            let groups = &mut places[known].groups;
            match groups.iter_mut().find(|group| group.way == spot.way) {
                Some(group) => group.fields.push(spot.field),
                None => groups.push(Group {
                    way: spot.way,
                    fields: vec![spot.field],
                }),
            }
        }
    }
    places.sort_by_key(|place| !place.is_of_person());
    places
}

/// The copies, lists and numbers that follow the erased fields, at any number of steps.
pub(super) fn copies_of(places: &[Place]) -> Vec<CopiedField> {
    let mut found = BTreeSet::new();
    for place in places {
        for field in place
            .fields()
            .filter(|field| read_exception(field).is_none())
        {
            follow(place.meta.collection, &field.path, &mut found);
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
