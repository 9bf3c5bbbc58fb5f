//! Values that an update appends to an array, with the conditions under which they fit into it.

use bson::{Bson, Document, doc};

use crate::filter::whole;
use crate::schema::rows::FieldRow;

/// Values to be appended to one array.
#[derive(Debug, Clone)]
pub(crate) struct Add {
    pub(crate) path: String,
    /// The field that identifies an element that is a reference with copies: `id` of an entry.
    pub(crate) identity: Option<&'static str>,
    /// The array, if a table knows it.
    pub(crate) row: Option<&'static FieldRow>,
    /// `Person.addresses`
    pub(crate) owner: String,
    /// The declared bound; 0 for none.
    pub(crate) max: u64,
    /// True if values that the array holds already are not added again.
    pub(crate) distinct: bool,
    pub(crate) values: Vec<Bson>,
}

impl Add {
    /// The identity of an element: the element itself, or its reference if it has copies.
    pub(crate) fn key<'v>(&self, element: &'v Bson) -> Option<&'v Bson> {
        match self.identity {
            Some(reference) => element.as_document()?.get(reference),
            None => Some(element),
        }
    }

    /// True if the elements are references with copies.
    pub(crate) fn of_entries(&self) -> bool {
        self.identity.is_some()
    }

    /// The conditions on the fields of an element that equals this one, whatever the order of its keys; `None` where elements are compared
    /// as a whole, or by their reference.
    pub(crate) fn by_fields(&self, element: &Bson) -> Option<Document> {
        let row = self.row.filter(|_| self.identity.is_none())?;
        whole::by_fields(row, element)
    }

    /// True if the server's own `$addToSet` would not find an equal element.
    pub(crate) fn are_compared_here(&self) -> bool {
        self.of_entries()
            || self
                .values
                .iter()
                .any(|value| self.by_fields(value).is_some())
    }

    /// The stored path of an element's identity.
    fn identity_path(&self) -> String {
        match self.identity {
            Some(reference) => format!("{}.{reference}", self.path),
            None => self.path.clone(),
        }
    }

    /// Adds the conditions that the document has to meet to the filter.
    pub(crate) fn guard(&self, filter: &mut Document, parts: &mut Vec<Bson>) {
        let adds = self.values.len() as u64;
        if self.max > 0 {
            let last_free = self.max - adds.min(self.max);
            filter.insert(
                format!("{}.{last_free}", self.path),
                doc! { "$exists": false },
            );
        }
        if self.distinct {
            // A separate part, because the filter may hold a condition on the length of the same path already.
            parts.push(self.holds_none().into());
        }
    }

    /// The condition that the array holds no element that equals one of the values.
    fn holds_none(&self) -> Document {
        let path = self.identity_path();
        let keys = self.values.iter().filter_map(|value| self.key(value));
        let is_plain = |key: &Bson| {
            whole::is_compared_in_lists(key)
                && !matches!(key, Bson::Array(_))
                && self.by_fields(key).is_none()
        };
        if keys.clone().all(is_plain) {
            return doc! { path: { "$nin": keys.cloned().collect::<Vec<_>>() } };
        }
        let equal = keys.map(|key| match (self.by_fields(key), key) {
            (Some(fields), _) => doc! { &path: { "$elemMatch": fields } },
            // `$eq` would compare an array with the whole field, too.
            (None, Bson::Array(_)) => doc! { &path: { "$elemMatch": { "$eq": key } } },
            (None, key) => doc! { &path: { "$eq": key } },
        });
        doc! { "$nor": equal.collect::<Vec<_>>() }
    }

    /// The condition that the values which a document does not hold yet fit into its array.
    pub(crate) fn fits(&self) -> Option<Bson> {
        if self.max == 0 {
            return None;
        }
        let field = format!("${}", self.path);
        let held = doc! { "$cond": [{ "$isArray": &field }, &field, []] };
        let new = doc! { "$setDifference": [{ "$literal": self.values.clone() }, held.clone()] };
        let len = doc! { "$add": [{ "$size": held }, { "$size": new }] };
        let max = i64::try_from(self.max).unwrap_or(i64::MAX);
        Some(Bson::Document(doc! { "$expr": { "$lte": [len, max] } }))
    }
}

/// Every path that an update changes.
pub(crate) fn paths(operators: &Document, adds: &[Add]) -> Vec<String> {
    let operators = operators.values().filter_map(Bson::as_document);
    let paths = operators.flat_map(Document::keys).cloned();
    paths
        .chain(adds.iter().map(|add| add.path.clone()))
        .collect()
}
