//! The personal fields of a model, in embedded documents too, and the way to each: the arrays that hold it, and what must be there.

use bson::{Bson, Document, doc};

use crate::bson_util::id_key::IdKey;
use crate::bson_util::path::{at, join};
use crate::schema::model::ModelMeta;
use crate::schema::person::follows_others;
use crate::schema::personal::PersonalRow;
use crate::schema::relation::RelationRow;
use crate::schema::rows::{FieldRow, Kind, Shape};

/// A personal field.
#[derive(Debug, Clone)]
pub(super) struct Field {
    /// The path below the innermost array.
    pub(super) below: String,
    /// The whole path, without what names the elements of arrays.
    pub(super) path: String,
    pub(super) row: &'static FieldRow,
    pub(super) personal: &'static PersonalRow,
}

/// A personal field, the way to it, and the reference that says whose it is.
pub(super) struct Spot {
    pub(super) way: Way,
    pub(super) field: Field,
    /// `None` for a field of the person itself.
    pub(super) relation: Option<&'static RelationRow>,
}

/// The way to fields: the document, and in it the elements of arrays.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Way {
    /// The document, and the elements of each array.
    levels: Vec<Level>,
    /// The path of the reference to the person, below the innermost array; `None` for the fields of the person itself.
    reference: Option<String>,
}

/// The document, or the elements of an array.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
struct Level {
    /// The path of the array below the level before it; nothing for the document.
    array: String,
    guards: Vec<Guard>,
}

/// The condition under which a field at a path can be set.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Guard {
    path: String,
    is: Is,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Is {
    /// An embedded document.
    Document,
    /// The tag of a variant.
    Tag(&'static str),
    /// Any value.
    There,
}

impl Guard {
    fn condition(&self) -> Bson {
        match self.is {
            Is::Document => doc! { "$type": "object" }.into(),
            Is::Tag(value) => doc! { "$eq": value }.into(),
            Is::There => doc! { "$exists": true }.into(),
        }
    }

    fn is_met(&self, document: &Document) -> bool {
        match (at(document, &self.path), self.is) {
            (None, _) => false,
            (Some(value), Is::Document) => value.as_document().is_some(),
            (Some(value), Is::Tag(tag)) => value.as_str() == Some(tag),
            (Some(_), Is::There) => true,
        }
    }
}

impl Way {
    /// The path of the reference to the person; `_id` for the person itself.
    pub(super) fn reference(&self) -> String {
        let arrays = self.levels.iter().map(|level| level.array.as_str());
        match &self.reference {
            None => "_id".to_owned(),
            Some(reference) => arrays
                .chain([reference.as_str()])
                .fold(String::new(), |path, step| join(&path, step)),
        }
    }

    pub(super) fn is_of_person(&self) -> bool {
        self.reference.is_none()
    }

    /// The filter of the documents with fields of this person.
    pub(super) fn filter(&self, id: &Bson) -> Document {
        let mut filter = Document::new();
        if self.reference.is_none() {
            filter.insert("_id", doc! { "$eq": id });
        }
        filter.extend(self.conditions(0, id));
        filter
    }

    /// The filter of the documents that are about this person, whether or not they have the fields.
    pub(super) fn about(&self, id: &Bson) -> Document {
        let mut about = self.clone();
        for level in &mut about.levels {
            level.guards.clear();
        }
        if about.reference.is_none() {
            about.levels.truncate(1);
        }
        about.filter(id)
    }

    /// The conditions on the document, or on an element of an array.
    fn conditions(&self, level: usize, id: &Bson) -> Document {
        let guards = self.levels[level].guards.iter();
        let mut all: Document = guards
            .map(|guard| (guard.path.clone(), guard.condition()))
            .collect();
        match (self.levels.get(level + 1), &self.reference) {
            (Some(next), _) => {
                let inside = doc! { "$elemMatch": self.conditions(level + 1, id) };
                all.insert(next.array.clone(), inside);
            }
            (None, Some(reference)) => {
                all.insert(reference.clone(), doc! { "$eq": id });
            }
            (None, None) => {}
        }
        if level > 0 && all.is_empty() {
            return doc! { "$type": "object" };
        }
        all
    }

    /// The arrays on the way, each by its path below the one before, and the conditions of their elements.
    pub(super) fn arrays(&self, id: &Bson) -> Vec<(String, Document)> {
        let arrays = self.levels.iter().enumerate().skip(1);
        arrays
            .map(|(n, level)| (level.array.clone(), self.conditions(n, id)))
            .collect()
    }

    /// The fields at the top of the document that decide what is about a person.
    pub(super) fn tops(&self) -> impl Iterator<Item = String> {
        let document = self.levels.first();
        let guards = document.into_iter().flat_map(|document| &document.guards);
        let guards = guards.map(|guard| guard.path.clone());
        let next = self.levels.get(1).map(|level| level.array.clone());
        let reference = self.reference.clone().filter(|_| next.is_none());
        guards.chain(next).chain(reference)
    }

    /// Adds the places of fields that a document has, with the indexes in arrays, where they are about a person.
    pub(super) fn collect(
        &self,
        id: &Bson,
        fields: &[Field],
        document: &Document,
        found: &mut Vec<Vec<String>>,
    ) {
        self.collect_from((0, &[]), (id, fields), document, found);
    }

    fn collect_from(
        &self,
        (level, before): (usize, &[String]),
        (id, fields): (&Bson, &[Field]),
        document: &Document,
        found: &mut Vec<Vec<String>>,
    ) {
        let mut guards = self.levels[level].guards.iter();
        if !guards.all(|guard| guard.is_met(document)) {
            return;
        }
        let place = |path: &str| -> Vec<String> {
            let steps = path.split('.').map(str::to_owned);
            before.iter().cloned().chain(steps).collect()
        };
        let Some(next) = self.levels.get(level + 1) else {
            let is_same = |key: &Bson| IdKey::new(key) == IdKey::new(id);
            let is_about = match &self.reference {
                Some(reference) => at(document, reference).is_some_and(is_same),
                None => true,
            };
            let there = fields
                .iter()
                .filter(|field| at(document, &field.below).is_some());
            found.extend(there.filter(|_| is_about).map(|field| place(&field.below)));
            return;
        };
        let elements = at(document, &next.array).and_then(Bson::as_array);
        for (n, element) in elements.into_iter().flatten().enumerate() {
            if let Bson::Document(element) = element {
                let mut before = place(&next.array);
                before.push(n.to_string());
                self.collect_from((level + 1, &before), (id, fields), element, found);
            }
        }
    }
}

/// The document with the values at some places only. Arrays keep the elements with such a place.
pub(super) fn retain(document: Document, places: &[&[String]]) -> Document {
    let fields = document.into_iter();
    fields
        .filter_map(|(key, value)| {
            let value = retain_value(&key, value, places)?;
            Some((key, value))
        })
        .collect()
}

fn retain_value(key: &str, value: Bson, places: &[&[String]]) -> Option<Bson> {
    let inside: Vec<&[String]> = places
        .iter()
        .filter_map(|place| place.split_first())
        .filter(|(step, _)| *step == key)
        .map(|(_, rest)| rest)
        .collect();
    if inside.is_empty() || inside.iter().any(|place| place.is_empty()) {
        return (!inside.is_empty()).then_some(value);
    }
    Some(match value {
        Bson::Document(inner) => retain(inner, &inside).into(),
        Bson::Array(elements) => {
            let elements = elements.into_iter().enumerate();
            let kept =
                elements.filter_map(|(n, value)| retain_value(&n.to_string(), value, &inside));
            Bson::Array(kept.collect())
        }
        other => other,
    })
}

/// The personal fields of a model.
pub(super) fn spots_of(meta: &'static ModelMeta) -> Vec<Spot> {
    let mut walk = Walk { spots: Vec::new() };
    let place = At {
        levels: vec![Level::default()],
        ..At::default()
    };
    walk.shape(meta.shape, &place);
    walk.spots
}

/// A place in a model.
#[derive(Default, Clone)]
struct At {
    levels: Vec<Level>,
    /// The path of the document below the innermost array.
    below: String,
    /// The path without what names the elements of arrays.
    path: String,
    /// The document around the fields of a variant: they stand in it.
    around: Option<&'static Shape>,
    /// True if a field around it is personal.
    covered: bool,
    /// True if the fields stand in their parent, or not at all.
    optional: bool,
}

struct Walk {
    spots: Vec<Spot>,
}

impl Walk {
    fn shape(&mut self, shape: &'static Shape, place: &At) {
        for row in shape.fields {
            let below = join(&place.below, row.name);
            if let Some(personal) = row.personal
                && !(place.covered && personal.of.is_none())
            {
                self.field((row, personal), shape, place);
            }
            let Some(inner) = row.shape.filter(|_| !follows_others(row)) else {
                continue;
            };
            let mut inside = At {
                below,
                path: join(&place.path, row.name),
                covered: place.covered || row.personal.is_some(),
                around: None,
                ..place.clone()
            };
            let guards = match inside.levels.last_mut() {
                Some(level) => &mut level.guards,
                None => continue,
            };
            match row.kind {
                Kind::Document if row.name.is_empty() => {
                    guards.extend(row.variant.map(|(tag, value)| Guard {
                        path: join(&place.below, tag),
                        is: Is::Tag(value),
                    }));
                    inside.around = row.variant.map(|_| shape);
                    inside.optional |= row.nullable || row.absent;
                }
                Kind::Document if row.nullable || row.absent => guards.push(Guard {
                    path: inside.below.clone(),
                    is: Is::Document,
                }),
                Kind::Document => {}
                Kind::Array if !row.is_nested() => inside.levels.push(Level {
                    array: std::mem::take(&mut inside.below),
                    guards: Vec::new(),
                }),
                _ => continue,
            }
            inside.optional &= row.name.is_empty();
            self.shape(inner, &inside);
        }
    }

    fn field(
        &mut self,
        (row, personal): (&'static FieldRow, &'static PersonalRow),
        shape: &'static Shape,
        place: &At,
    ) {
        let below = join(&place.below, row.name);
        let mut levels = place.levels.clone();
        if let Some(level) = levels.last_mut().filter(|_| place.optional) {
            level.guards.push(Guard {
                path: below.clone(),
                is: Is::There,
            });
        }
        let referring = match personal.of {
            None => None,
            Some(of) => {
                let rows = shape.fields.iter();
                let around = place.around.iter().flat_map(|shape| shape.fields);
                let mut rows = rows.chain(around).filter(|row| row.rust == of);
                let found = rows.find_map(|row| Some((row, row.relation?)));
                let Some((row, relation)) = found else {
                    return;
                };
                let path = join(&place.below, row.name);
                let path = match relation.entry {
                    true => join(&path, relation.entry_id),
                    false => path,
                };
                Some((path, relation))
            }
        };
        self.spots.push(Spot {
            way: Way {
                levels,
                reference: referring.as_ref().map(|(path, _)| path.clone()),
            },
            field: Field {
                below,
                path: join(&place.path, row.name),
                row,
                personal,
            },
            relation: referring.map(|(_, relation)| relation),
        });
    }
}
