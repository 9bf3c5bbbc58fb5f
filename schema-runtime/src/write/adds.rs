//! Values that an update appends to an array, with the conditions under which they fit into it.

use bson::{Bson, Document, doc};

use crate::filter::whole;

/// Values to be appended to one array.
#[derive(Debug, Clone)]
pub(crate) struct Add {
    pub(crate) path: String,
    /// The field that identifies an element that is a reference with copies: `id` of an entry.
    pub(crate) identity: Option<&'static str>,
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
        Add::identity_of(element, self.identity)
    }

    /// True if the elements are references with copies.
    pub(crate) fn of_entries(&self) -> bool {
        self.identity.is_some()
    }

    pub(crate) fn identity_of<'v>(
        element: &'v Bson,
        identity: Option<&'static str>,
    ) -> Option<&'v Bson> {
        match identity {
            Some(reference) => element.as_document()?.get(reference),
            None => Some(element),
        }
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
            let keys: Vec<Bson> = self
                .values
                .iter()
                .filter_map(|value| self.key(value).cloned())
                .collect();
            // A separate part, because the filter may hold a condition on the length of the same path already.
            let path = self.identity_path();
            let plain =
                |key: &Bson| whole::is_compared_in_lists(key) && !matches!(key, Bson::Array(_));
            parts.push(Bson::Document(if keys.iter().all(plain) {
                doc! { path: { "$nin": keys } }
            } else {
                let equal = keys.into_iter().map(|key| match key {
                    // `$eq` would compare an array with the whole field, too.
                    Bson::Array(_) => doc! { &path: { "$elemMatch": { "$eq": key } } },
                    key => doc! { &path: { "$eq": key } },
                });
                doc! { "$nor": equal.collect::<Vec<_>>() }
            }));
        }
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
