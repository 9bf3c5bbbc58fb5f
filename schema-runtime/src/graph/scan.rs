//! The index that the scans of a reference use.

use bson::{Document, doc};

use super::edges::{Edge, Edges};
use crate::bson_util::path::join;
use crate::schema::model::ModelMeta;
use crate::schema::registry;
use crate::schema::rows::{FieldRow, Fixed, Kind};

impl Edge {
    /// The key pattern of the index that every scan of this reference uses: `{<reference>: 1, _id: 1}`, or the index with its sort field if
    /// [`fixed_order`] gives one. A scan can miss a document whose key changes during the scan (PROTOCOL 15.A1).
    pub(crate) fn hint(&self) -> Document {
        let find = || {
            let sorted = || fixed_order(self.target, &self.place.path());
            let found = self.is_corrected().then(sorted).flatten();
            found.unwrap_or_else(|| self.place.hint())
        };
        self.scan.get_or_init(find).clone()
    }

    /// True if a mark corrects each new copy. Without marks, only the scan can correct a document that another program inserts meanwhile
    /// with old values, and a scan by `_id` meets most new documents at its end.
    fn is_corrected(&self) -> bool {
        self.live.is_empty() || self.marks()
    }
}

/// The keys of the index of a sorted reference at `path`, if scans can use it: no write through the library changes the sort field. All
/// models of the collection have to agree, because they write the same documents.
pub(crate) fn fixed_order(target: &ModelMeta, path: &str) -> Option<Document> {
    if !may_walk_sorted(target, path) {
        return None;
    }
    let mut models: Vec<&ModelMeta> = registry::models();
    models.retain(|model| model.collection == target.collection);
    if !models.iter().any(|model| std::ptr::eq(*model, target)) {
        models.push(target);
    }
    let fixes = |model: &&ModelMeta, name: &str| {
        let mut rows = model.shape.fields.iter();
        rows.any(|row| row.name == name && is_fixed(row))
    };
    let mut orders = models.iter().filter_map(|model| order(model, path));
    let (field, direction) =
        orders.find(|(field, _)| models.iter().all(|model| fixes(model, field)))?;
    let mut keys = doc! { path: 1 };
    keys.insert(field, direction);
    keys.insert("_id", direction);
    Some(keys)
}

/// True if a mark corrects the new copies of the reference at `path`, so that scans need not find new documents.
pub(crate) fn may_walk_sorted(target: &ModelMeta, path: &str) -> bool {
    let mut edges = Edges::get().incoming(target.collection);
    edges.all(|edge| edge.is_corrected() || edge.place.path() != path)
}

/// The stored name of the sort field of a model's reference at `path`, and its direction.
fn order(model: &ModelMeta, path: &str) -> Option<(&'static str, i32)> {
    let rows = model.shape.fields;
    let (field, descending) = rows.iter().find_map(|row| {
        let relation = row.relation.filter(|_| row.kind != Kind::Map)?;
        let below = if relation.entry {
            relation.entry_id
        } else {
            ""
        };
        (join(row.name, below) == path)
            .then_some(relation.sort)
            .flatten()
    })?;
    let row = rows.iter().find(|row| row.rust == field)?;
    Some((row.name, if descending { -1 } else { 1 }))
}

/// True if the field keeps the value of the first store of its document.
fn is_fixed(row: &FieldRow) -> bool {
    let once = matches!(row.fixed, Some(Fixed::Created | Fixed::Immutable));
    row.name == "_id" || once && row.variant.is_none()
}

/// True if the field could be declared `#[immutable]`.
pub(crate) fn could_be_fixed(row: &FieldRow) -> bool {
    let derived = row.copy.is_some() || row.derived.is_some() || row.version.is_some();
    row.fixed.is_none() && row.relation.is_none() && row.variant.is_none() && !derived && !row.tag
}
