//! The models that are linked into the program: which of them a command looks at, and how their fields are stored.

use std::collections::BTreeMap;

use bson::{Bson, Document};
use mongo_model::model::{Holds, ModelMeta, RelationRow};

use crate::failure::{Failure, Result};

/// The models of a command, by collection and name.
#[derive(Debug)]
pub(crate) struct Models {
    all: Vec<&'static ModelMeta>,
    selected: Vec<&'static ModelMeta>,
    filtered: bool,
}

impl Models {
    /// The models linked into the program; of these the ones that `names` choose, all where there are none.
    pub(crate) fn select(names: &[String]) -> Result<Self> {
        let all = mongo_model::models();
        if all.is_empty() {
            return Err(Failure::new("the program links no model").help(
                "pass the package that has the models: `cargo mongo-model check -p my-models`; in a program of your own write `use my_models as _;`",
            ));
        }
        let matches =
            |model: &ModelMeta, name: &str| model.name == name || model.collection == name;
        for name in names {
            if !all.iter().any(|model| matches(model, name)) {
                let known: Vec<&str> = all.iter().map(|model| model.name).collect();
                return Err(Failure::new(format!("no model is called `{name}`"))
                    .help(format!("the models are {}", known.join(", "))));
            }
        }
        let chosen =
            |model: &&ModelMeta| names.is_empty() || names.iter().any(|name| matches(model, name));
        let selected = all.iter().copied().filter(|model| chosen(model)).collect();
        Ok(Models {
            all,
            selected,
            filtered: !names.is_empty(),
        })
    }

    /// Every model of the program.
    pub(crate) fn all(&self) -> &[&'static ModelMeta] {
        &self.all
    }

    /// The models that the command looks at.
    pub(crate) fn selected(&self) -> &[&'static ModelMeta] {
        &self.selected
    }

    /// True if `--model` chose some of them.
    pub(crate) fn is_filtered(&self) -> bool {
        self.filtered
    }

    /// The collections that the command looks at, each with all of its models: these share indexes and validator.
    pub(crate) fn collections(&self) -> BTreeMap<&'static str, Vec<&'static ModelMeta>> {
        let mut out: BTreeMap<_, Vec<_>> = BTreeMap::new();
        for model in &self.all {
            if self
                .selected
                .iter()
                .any(|one| one.collection == model.collection)
            {
                out.entry(model.collection).or_default().push(*model);
            }
        }
        out
    }

    /// All models of the collections that the command looks at.
    pub(crate) fn with_neighbours(&self) -> Vec<&'static ModelMeta> {
        self.collections().into_values().flatten().collect()
    }

    /// The collection that an edge belongs to: the name of an edge is the collection and the path of the reference.
    pub(crate) fn collection_of(&self, edge: &str) -> &'static str {
        let of = |model: &&&ModelMeta| {
            edge.strip_prefix(model.collection)
                .is_some_and(|rest| rest.starts_with('.'))
        };
        let found = self
            .all
            .iter()
            .filter(of)
            .max_by_key(|model| model.collection.len());
        found.map_or("", |model| model.collection)
    }
}

/// True if documents of the model refer to others.
pub(crate) fn has_references(model: &ModelMeta) -> bool {
    model
        .flat()
        .fields
        .iter()
        .any(|field| field.relation.is_some())
}

/// True if documents of the model hold arrays, lists or numbers that follow from other documents.
pub(crate) fn has_derived(model: &ModelMeta) -> bool {
    let two_way = model
        .flat()
        .fields
        .iter()
        .any(|field| field.relation.is_some_and(|row| row.inverse.is_some()));
    two_way || model.shape.fields.iter().any(|row| row.derived.is_some())
}

/// A reference, where it is stored.
#[derive(Debug)]
pub(crate) struct Reference {
    /// The Rust path: `cart.product`.
    pub(crate) rust: String,
    /// The stored path of the ids.
    pub(crate) path: String,
    /// The declaration of the reference.
    pub(crate) row: &'static RelationRow,
    /// True if an array lies on its path, or is the reference.
    pub(crate) many: bool,
    /// True if a document may lack it.
    pub(crate) optional: bool,
    /// True if a parent of the field is a map, or the field is one itself: no index finds it.
    pub(crate) in_map: bool,
}

/// The references in documents of a model, at any depth.
pub(crate) fn references(model: &ModelMeta) -> Vec<Reference> {
    let fields = &model.flat().fields;
    let found = fields
        .iter()
        .filter_map(|field| Some((field, field.relation?)));
    found
        .map(|(field, row)| Reference {
            rust: field.rust.clone(),
            path: if row.entry {
                format!("{}.id", field.path)
            } else {
                field.path.clone()
            },
            row,
            many: row.many || field.through_array,
            optional: field.nullable,
            in_map: row.holds != Holds::Ids,
        })
        .collect()
}

/// The stored path of a Rust path.
pub(crate) fn stored_path(model: &ModelMeta, rust: &str) -> String {
    let mut shape = Some(model.shape);
    let mut stored: Vec<&str> = Vec::new();
    let mut entry = false;
    for segment in rust.split('.') {
        let row = shape.and_then(|shape| shape.fields.iter().find(|row| row.rust == segment));
        stored.push(row.map_or(segment, |row| row.name));
        entry = row.is_some_and(|row| row.relation.is_some_and(|relation| relation.entry));
        shape = row.and_then(|row| row.shape);
    }
    stored.retain(|segment| !segment.is_empty());
    if entry {
        stored.push("id");
    }
    stored.join(".")
}

/// The first value at a dotted path; arrays on the way are entered.
pub(crate) fn value_at(document: &Document, path: &str) -> Option<Bson> {
    let (first, rest) = match path.split_once('.') {
        Some((first, rest)) => (first, Some(rest)),
        None => (path, None),
    };
    let value = document.get(first)?;
    first_inside(value, rest)
}

fn first_inside(value: &Bson, rest: Option<&str>) -> Option<Bson> {
    match (value, rest) {
        (Bson::Array(items), rest) => items.iter().find_map(|item| first_inside(item, rest)),
        (Bson::Document(inner), Some(rest)) => value_at(inner, rest),
        (value, None) => Some(value.clone()),
        _ => None,
    }
}
