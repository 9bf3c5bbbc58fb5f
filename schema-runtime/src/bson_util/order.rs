//! The position of a document in an order of several fields, and the condition of the documents behind it.

use bson::{Bson, Document, RawDocument, doc};

/// A field of an order.
pub(crate) struct SortKey {
    pub(crate) path: String,
    pub(crate) descending: bool,
    /// True if documents without the field may exist.
    pub(crate) nullable: bool,
}

impl SortKey {
    /// Documents whose value equals `at`; absent is null, as in the server's order.
    fn equals(&self, at: &Bson) -> Document {
        doc! { &self.path: { "$eq": at.clone() } }
    }

    /// Documents whose value comes after `at` in this key's direction, whatever its BSON type. Operators of a query compare values of
    /// one type only, expressions compare them in the order of a sort, but for one thing: there an absent value comes before null.
    fn after(&self, at: &Bson) -> Document {
        match (self.descending, at) {
            (true, Bson::Null) => doc! { &self.path: { "$type": "minKey" } },
            (true, at) => self.compared("$lt", at),
            (false, at) => self.compared("$gt", at),
        }
    }

    /// Documents whose value equals `at` or comes after it; `None` where all may.
    fn at_or_after(&self, at: &Bson) -> Option<Document> {
        match (self.descending, at) {
            (false, Bson::Null) => None,
            (true, at) => Some(self.compared("$lte", at)),
            (false, at) => Some(self.compared("$gte", at)),
        }
    }

    fn compared(&self, operator: &str, at: &Bson) -> Document {
        let field = format!("${}", self.path);
        doc! { "$expr": { operator: [field, { "$literal": at.clone() }] } }
    }
}

/// Documents that come after `at` in the order of `keys`: greater in the first key, or equal there and greater in the next, ..
///
/// A bound on the first key stands by itself, so that the server starts in the index where the page starts.
pub(crate) fn after(keys: &[SortKey], at: &[Bson]) -> Document {
    let separate = separate_branches(at);
    let any = (0..separate).map(|n| {
        let mut all = equal(&keys[..n], at);
        all.push(keys[n].after(&at[n]));
        all_of(all)
    });
    let mut any: Vec<Document> = any.collect();
    if separate < keys.len() {
        let (rest, at_rest) = (&keys[separate..], &at[separate..]);
        let mut all = equal(&keys[..separate], at);
        all.extend(rest[0].at_or_after(&at_rest[0]));
        all.push(doc! { "$expr": after_as_expression(rest, at_rest) });
        any.push(all_of(all));
    }
    let [first, .., _] = keys else {
        return all_of(any);
    };
    let mut all: Vec<Document> = at
        .first()
        .and_then(|value| first.at_or_after(value))
        .into_iter()
        .collect();
    all.push(doc! { "$or": any });
    all_of(all)
}

/// The number of keys that get a branch each. The keys behind the first null share one branch: the server reads each branch from the
/// index, where absent and null are one value, and merges them by their documents, where absent comes before null. Two branches that
/// both contain such documents would be merged into another order than that of the cursor.
fn separate_branches(at: &[Bson]) -> usize {
    let null = at.iter().position(|value| *value == Bson::Null);
    match null {
        Some(null) if null + 2 < at.len() => null + 1,
        _ => at.len(),
    }
}

/// Documents that are equal to `at` in the order of `keys`.
pub(crate) fn equal(keys: &[SortKey], at: &[Bson]) -> Vec<Document> {
    let equal = keys.iter().zip(at);
    equal.map(|(key, value)| key.equals(value)).collect()
}

/// [`after`] as an expression, which the server cannot divide into branches. An expression sorts an absent value before null: hence
/// `$ifNull`.
fn after_as_expression(keys: &[SortKey], at: &[Bson]) -> Bson {
    let ([key, keys @ ..], [value, at @ ..]) = (keys, at) else {
        return Bson::Boolean(false);
    };
    let operands = || {
        let stored = doc! { "$ifNull": [format!("${}", key.path), Bson::Null] };
        Bson::Array(vec![
            stored.into(),
            doc! { "$literal": value.clone() }.into(),
        ])
    };
    let operator = if key.descending { "$lt" } else { "$gt" };
    let beyond = doc! { operator: operands() };
    if keys.is_empty() {
        return beyond.into();
    }
    let equal = doc! { "$eq": operands() };
    doc! { "$or": [beyond, { "$and": [equal, after_as_expression(keys, at)] }] }.into()
}

/// True if the server may read the documents of this filter in several parts of an index and merge them.
pub(crate) fn may_be_merged(filter: &Document) -> bool {
    filter.iter().any(|(key, value)| match value {
        _ if matches!(&**key, "$or" | "$in") => true,
        Bson::Document(inner) => may_be_merged(inner),
        Bson::Array(parts) => {
            let mut parts = parts.iter().filter_map(Bson::as_document);
            parts.any(may_be_merged)
        }
        _ => false,
    })
}

fn all_of(mut all: Vec<Document>) -> Document {
    if all.len() == 1 {
        all.remove(0)
    } else {
        doc! { "$and": all }
    }
}

/// The values of the keys in a document: null where it has none.
pub(crate) fn position(keys: &[SortKey], document: &RawDocument) -> Vec<Bson> {
    let values = keys.iter().map(|key| value_at(document, &key.path));
    values.collect()
}

/// The value at a dotted path; null where there is none.
fn value_at(document: &RawDocument, path: &str) -> Bson {
    let (step, rest) = path.split_once('.').unwrap_or((path, ""));
    let value = document.get(step).ok().flatten();
    match value {
        Some(bson::RawBsonRef::Document(inner)) if !rest.is_empty() => value_at(inner, rest),
        Some(value) if rest.is_empty() => Bson::try_from(value).unwrap_or(Bson::Null),
        _ => Bson::Null,
    }
}
