//! Saves of models that share their collection with another model: each model writes its own fields and leaves the fields of the other.

use bson::{Bson, Document, doc};

use crate::document::parts;
use crate::schema::model::ModelMeta;
use crate::schema::registry;
use crate::schema::rows::{FieldRow, Kind};
use crate::schema::stamps::Stamps;
use crate::schema::stored;

/// The stored names of the fields at the top of a model that shares its collection. `None` if the model has the collection to itself, or
/// holds every other field in a flattened map: then a save replaces the document.
pub(crate) fn names(meta: &ModelMeta) -> Option<Vec<&'static str>> {
    if !registry::shares(meta.collection) {
        return None;
    }
    let mut names = Vec::new();
    if parts::are_stored(Some(meta.shape)) {
        names.push(stored::PARTS);
    }
    add(meta.shape.fields, &mut names).then_some(names)
}

/// Adds the names of these fields; false where a flattened map hides some.
fn add(rows: &'static [FieldRow], names: &mut Vec<&'static str>) -> bool {
    rows.iter().all(|row| match (row.name, row.shape) {
        ("", Some(inner)) if row.kind != Kind::Map => add(inner.fields, names),
        ("", _) => false,
        (name, _) => {
            names.push(name);
            true
        }
    })
}

/// The fields that the document lacks. A save removes their stored values.
pub(crate) fn absent(names: &[&'static str], document: &Document) -> Vec<&'static str> {
    let absent = names.iter().filter(|name| !document.contains_key(**name));
    absent.copied().collect()
}

/// The pipeline that puts the document in the place of the stored one, with `kept`, which are expressions, and but for the fields that
/// the program does not decide. Where other models share the collection, their fields stay.
pub(crate) fn replacement(
    meta: &ModelMeta,
    stamps: &Stamps,
    mut document: Document,
    mut kept: Document,
) -> Vec<Document> {
    kept.extend(stamps.take(&mut document));
    let Some(names) = names(meta) else {
        let whole = doc! { "$mergeObjects": [{ "$literal": document }, kept] };
        return vec![doc! { "$replaceWith": whole }];
    };
    let absent = absent(&names, &document).into_iter();
    let absent: Vec<&str> = absent.filter(|name| !kept.contains_key(name)).collect();
    let whole = doc! { "$mergeObjects": ["$$ROOT", { "$literal": document }, kept] };
    let mut pipeline = vec![doc! { "$replaceWith": whole }];
    pipeline.extend((!absent.is_empty()).then(|| doc! { "$unset": absent }));
    pipeline
}

/// The update that makes a stored document say what `document` says, in these fields.
pub(crate) fn operators(names: &[&'static str], mut document: Document) -> Document {
    document.remove("_id");
    let absent = absent(names, &document).into_iter();
    let absent = absent.filter(|name| *name != "_id");
    let unset: Document = absent
        .map(|name| (name.to_owned(), Bson::from("")))
        .collect();
    let mut operators = doc! { "$set": document };
    if !unset.is_empty() {
        operators.insert("$unset", unset);
    }
    operators
}
