//! The path of a reference and its copies inside a document: the commands that reach them, and the walks that find them.

use bson::{Bson, Document, RawBsonRef, RawDocument, doc};

use super::hidden::{Container, HiddenPath};
use crate::bson_util::number::integer;
use crate::bson_util::path::{at, at_mut, first_step, join, raw_at, remove};

/// A reference inside a document. Paths below the innermost array are relative to its elements.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct ReferencePath {
    /// The arrays on the way, each relative to the elements of the array before it.
    arrays: Vec<String>,
    /// The path of the reference, below the innermost array.
    reference: String,
    /// The path of the revision of the copies, below the innermost array.
    revision: String,
    /// The tag that a reference to one of several models must have: the stored field and its value, below the innermost array.
    tag: Option<(String, &'static str)>,
}

impl ReferencePath {
    /// The path to the elements of one more array.
    pub(crate) fn array(&self, path: &str) -> ReferencePath {
        let mut place = self.clone();
        place.arrays.push(path.to_owned());
        place
    }

    /// The path of the reference in the document at `holder`.
    pub(crate) fn reference(&self, holder: &str, reference: &str, revision: &str) -> ReferencePath {
        ReferencePath {
            arrays: self.arrays.clone(),
            reference: join(holder, reference),
            revision: join(holder, revision),
            tag: None,
        }
    }

    /// The path of a reference that counts only if the tag of the document at `holder` has this value.
    pub(crate) fn tagged(
        mut self,
        holder: &str,
        tag: Option<(&str, &'static str)>,
    ) -> ReferencePath {
        self.tag = tag.map(|(name, value)| (join(holder, name), value));
        self
    }

    /// True if a tag beside the reference names the model that it refers to.
    pub(crate) fn has_tag(&self) -> bool {
        self.tag.is_some()
    }

    /// The value that the tag must have.
    pub(crate) fn tag(&self) -> Option<&'static str> {
        self.tag.as_ref().map(|(_, value)| *value)
    }

    /// True if the tag in a document names this reference's model, or if the reference has no tag.
    fn is_tagged(&self, document: &RawDocument) -> bool {
        self.tag
            .as_ref()
            .is_none_or(|(path, value)| raw_at(document, path) == Some(RawBsonRef::String(value)))
    }

    /// The stored path from the top of the document, for a path below the innermost array.
    pub(crate) fn full(&self, below: &str) -> String {
        self.arrays
            .iter()
            .rev()
            .fold(below.to_owned(), |path, array| join(array, &path))
    }

    /// The stored path of the reference from the top of the document.
    pub(crate) fn path(&self) -> String {
        self.full(&self.reference)
    }

    /// The stored path of the revision from the top of the document.
    pub(crate) fn revision_path(&self) -> String {
        self.full(&self.revision)
    }

    /// The top-level field that holds the reference and its copies; the reference itself if it is a top-level field.
    pub(crate) fn root(&self) -> String {
        first_step(&self.path()).to_owned()
    }

    /// True if a document has this reference at most once.
    pub(crate) fn is_single(&self) -> bool {
        self.arrays.is_empty()
    }

    /// True if the reference, or the array of references, is a field of the model itself.
    pub(crate) fn is_top(&self) -> bool {
        !self.path().contains('.') || self.arrays.len() == 1 && !self.arrays[0].contains('.')
    }

    /// The path as expressions follow it.
    pub(crate) fn expression(&self) -> HiddenPath {
        let arrays = self.arrays.iter();
        let elements = arrays.fold(HiddenPath::default(), |path, array| {
            path.inside(Container::Array, array)
        });
        let tag = self.tag.as_ref().map(|(path, value)| (&**path, *value));
        elements.reference(self.reference.clone(), "", tag)
    }

    /// The key pattern of the index of this reference, in the order of the `_id`, which never changes.
    pub(super) fn hint(&self) -> Document {
        match self.path() {
            id if id == "_id" => doc! { "_id": 1 },
            path => doc! { path: 1, "_id": 1 },
        }
    }

    /// The conditions of a reference to `key` whose copies are older than revision `r`; without `r`, of any reference to `key`.
    fn older(&self, key: &Bson, r: Option<i64>) -> Document {
        let mut out = doc! { &self.reference: { "$eq": key } };
        if let Some(r) = r {
            out.insert(&self.revision, doc! { "$not": { "$gte": r } });
        }
        out
    }

    /// The filter of the documents with a reference to `key` whose copies are older than revision `r`; without `r`, with any reference to
    /// `key`.
    pub(crate) fn holding(&self, key: &Bson, r: Option<i64>) -> Document {
        self.nested(0, self.older(key, r))
    }

    /// The filter of the documents with a reference to `key` by the index of the reference alone: no other value in the document is
    /// compared.
    pub(crate) fn referring_to(&self, key: &Bson) -> Document {
        doc! { self.path(): { "$eq": key } }
    }

    /// The filter of the documents with a reference whose copies have no revision, or that lack one of the copies.
    pub(crate) fn lacking<'c>(&self, copies: impl Iterator<Item = &'c str>) -> Document {
        let absent = |path: &str| doc! { path: { "$exists": false } };
        let mut any = vec![absent(&self.revision)];
        any.extend(copies.map(absent));
        let one = doc! { &self.reference: { "$exists": true, "$ne": Bson::Null }, "$or": any };
        self.nested(0, one)
    }

    /// The filter for `conditions` of one element, from the array at `level` on. `$elemMatch` demands that one element meets all of them.
    fn nested(&self, level: usize, conditions: Document) -> Document {
        self.arrays[level..]
            .iter()
            .rev()
            .fold(conditions, |inner, array| {
                doc! { array: { "$elemMatch": inner } }
            })
    }

    /// The filter of the documents with a reference to one of several keys.
    pub(crate) fn holding_any(&self, keys: &[&Bson]) -> Document {
        self.nested(0, doc! { &self.reference: { "$in": keys.to_vec() } })
    }

    /// The stages that group the copies of references to these keys: by the key, as `_id`, the highest revision, as `r`. A stored revision
    /// that is no integer counts as 0.
    pub(crate) fn newest_revisions(&self, keys: &[&Bson]) -> Vec<Document> {
        let mut stages = vec![doc! { "$match": self.holding_any(keys) }];
        let mut elements = String::new();
        for array in &self.arrays {
            elements = join(&elements, array);
            stages.push(doc! { "$unwind": format!("${elements}") });
        }
        if !self.is_single() {
            // The other elements of these arrays refer to other sources.
            stages.push(doc! { "$match": { self.path(): { "$in": keys.to_vec() } } });
        }
        let r = format!("${}", self.revision_path());
        let is_integer = doc! { "$in": [{ "$type": &r }, ["int", "long"]] };
        let newest = doc! { "$max": { "$cond": [is_integer, r, 0] } };
        stages.push(doc! { "$group": { "_id": format!("${}", self.path()), "r": newest } });
        stages
    }

    /// The path of `below` in an update, for the `n`th reference of the update: `parts.$[a].name`.
    pub(crate) fn filtered(&self, n: usize, below: &str) -> String {
        let mut path = String::new();
        for (level, array) in self.arrays.iter().enumerate() {
            path.push_str(&format!("{array}.$[{}].", identifier(level, n)));
        }
        path.push_str(below);
        path
    }

    /// The array filters for [`filtered`](Self::filtered): they match exactly the elements that [`holding`](Self::holding) matches.
    pub(crate) fn array_filters(&self, n: usize, key: &Bson, r: Option<i64>) -> Vec<Document> {
        let older = self.older(key, r);
        let levels = self.arrays.len();
        (0..levels)
            .map(|level| {
                let conditions = self.nested(level + 1, older.clone());
                conditions
                    .into_iter()
                    .map(|(path, condition)| {
                        (format!("{}.{path}", identifier(level, n)), condition)
                    })
                    .collect()
            })
            .collect()
    }

    /// The path of the revision in an update, for its `n`th reference.
    pub(crate) fn filtered_revision(&self, n: usize) -> String {
        self.filtered(n, &self.revision)
    }

    /// True if the references are the elements of an array themselves: an array of ids.
    fn is_element(&self) -> bool {
        self.reference.is_empty()
    }

    /// The conditions of an element of the array at `level - 1`, or of the document, that refers to one of several keys.
    fn referring_from(&self, level: usize, keys: &[Bson]) -> Document {
        let any = doc! { "$in": keys.to_vec() };
        match self.arrays.get(level) {
            None => {
                let mut one = doc! { &self.reference: any };
                one.extend(
                    self.tag
                        .iter()
                        .map(|(path, value)| (path.clone(), Bson::from(*value))),
                );
                one
            }
            Some(array) if self.is_element() && level + 1 == self.arrays.len() => {
                doc! { array: any }
            }
            Some(array) => {
                doc! { array: { "$elemMatch": self.referring_from(level + 1, keys) } }
            }
        }
    }

    /// The filter of the documents that refer to one of several keys.
    pub(crate) fn referring(&self, keys: &[Bson]) -> Document {
        self.referring_from(0, keys)
    }

    /// The array filters for the first `levels` arrays: they match exactly the elements that [`referring`](Self::referring) matches.
    fn referring_filters(&self, levels: usize, keys: &[Bson]) -> Vec<Document> {
        (0..levels)
            .map(|level| {
                let conditions = self.referring_from(level + 1, keys).into_iter();
                let named = |(path, condition): (String, Bson)| match path {
                    path if path.is_empty() => (identifier(level, 0), condition),
                    path => (format!("{}.{path}", identifier(level, 0)), condition),
                };
                conditions.map(named).collect()
            })
            .collect()
    }

    /// The update that removes references to these keys from the innermost array, as whole elements, and its array filters; `None` if the
    /// reference is in no array.
    pub(crate) fn pull_any(&self, keys: &[Bson]) -> Option<(Document, Vec<Document>)> {
        let (last, before) = self.arrays.split_last()?;
        let path: String = before
            .iter()
            .enumerate()
            .map(|(level, array)| format!("{array}.$[{}].", identifier(level, 0)))
            .collect();
        let element = if self.is_element() {
            doc! { "$in": keys.to_vec() }
        } else {
            self.referring_from(self.arrays.len(), keys)
        };
        let pull = doc! { "$pull": { format!("{path}{last}"): element } };
        Some((pull, self.referring_filters(before.len(), keys)))
    }

    /// The array filters of an update of the fields beside references to these keys.
    pub(crate) fn beside_any(&self, keys: &[Bson]) -> Vec<Document> {
        self.referring_filters(self.arrays.len(), keys)
    }

    /// The update that removes an element with this reference from its array; `None` if the reference is in no array, or if the elements
    /// hold more than the reference.
    pub(crate) fn pull(&self, key: &Bson) -> Option<Document> {
        let [array] = self.arrays.as_slice() else {
            return None;
        };
        let one = doc! { "$eq": key };
        let element = if self.is_element() {
            one
        } else {
            doc! { &self.reference: one }
        };
        Some(doc! { "$pull": { array: element } })
    }

    /// The keys of this reference in a document, in stored order, without absent and null references.
    pub(crate) fn keys(&self, document: &RawDocument) -> Vec<Bson> {
        let mut out = Vec::new();
        self.collect(0, document, &mut out);
        out
    }

    /// True if the elements of the array at this level are the references.
    fn is_last_of_ids(&self, level: usize) -> bool {
        self.is_element() && level + 1 == self.arrays.len()
    }

    fn collect(&self, level: usize, document: &RawDocument, out: &mut Vec<Bson>) {
        let Some(array) = self.arrays.get(level) else {
            let key = raw_at(document, &self.reference).filter(|_| self.is_tagged(document));
            let key = key.and_then(|key| Bson::try_from(key).ok());
            out.extend(key.filter(|key| *key != Bson::Null));
            return;
        };
        let Some(RawBsonRef::Array(elements)) = raw_at(document, array) else {
            return;
        };
        for element in elements.into_iter().filter_map(Result::ok) {
            match element {
                RawBsonRef::Document(element) if !self.is_last_of_ids(level) => {
                    self.collect(level + 1, element, out);
                }
                RawBsonRef::Null => {}
                id if self.is_last_of_ids(level) => out.extend(Bson::try_from(id)),
                _ => {}
            }
        }
    }

    /// Calls `change` for every key of this reference, except absent and null ones. For a reference that no tag belongs to.
    pub(crate) fn change_keys(&self, document: &mut Document, change: &mut dyn FnMut(&mut Bson)) {
        self.change_from(0, document, change);
    }

    fn change_from(
        &self,
        level: usize,
        document: &mut Document,
        change: &mut dyn FnMut(&mut Bson),
    ) {
        let Some(array) = self.arrays.get(level) else {
            let key = at_mut(document, &self.reference).filter(|key| **key != Bson::Null);
            return key.into_iter().for_each(change);
        };
        let elements = at_mut(document, array).and_then(Bson::as_array_mut);
        for element in elements.into_iter().flatten() {
            match element {
                Bson::Document(element) if !self.is_last_of_ids(level) => {
                    self.change_from(level + 1, element, change);
                }
                Bson::Null => {}
                id if self.is_last_of_ids(level) => change(id),
                _ => {}
            }
        }
    }

    /// Calls `visit` for every place of the reference, with the document that `below` paths start from and the key of the reference.
    pub(crate) fn visit(
        &self,
        document: &mut Document,
        visit: &mut dyn FnMut(&mut Document, Option<Bson>),
    ) {
        self.visit_from(0, document, visit);
    }

    fn visit_from(
        &self,
        level: usize,
        document: &mut Document,
        visit: &mut dyn FnMut(&mut Document, Option<Bson>),
    ) {
        let Some(array) = self.arrays.get(level) else {
            let key = at(document, &self.reference).filter(|key| **key != Bson::Null);
            let key = key.cloned();
            visit(document, key);
            return;
        };
        let Some(Bson::Array(elements)) = at_mut(document, array) else {
            return;
        };
        for element in elements {
            if let Bson::Document(element) = element {
                self.visit_from(level + 1, element, visit);
            }
        }
    }

    /// Calls `look` for every reference as it is stored, with the document that `below` paths start from, the key, and the indexes in the
    /// arrays on the way. Skips absent and null references.
    pub(crate) fn visit_references(
        &self,
        document: &RawDocument,
        look: &mut dyn FnMut(&RawDocument, RawBsonRef<'_>, &[usize]),
    ) {
        self.visit_references_from(document, &mut Vec::new(), &mut |holder, key, at| {
            if let Some(key) = key {
                look(holder, key, at);
            }
        });
    }

    /// Calls `look` for every place without a reference, with the document that `below` paths start from and the indexes in the arrays.
    pub(crate) fn look_without(
        &self,
        document: &RawDocument,
        look: &mut dyn FnMut(&RawDocument, &[usize]),
    ) {
        self.visit_references_from(document, &mut Vec::new(), &mut |holder, key, at| {
            if key.is_none() {
                look(holder, at);
            }
        });
    }

    fn visit_references_from(
        &self,
        document: &RawDocument,
        at: &mut Vec<usize>,
        look: &mut Look<'_>,
    ) {
        let Some(array) = self.arrays.get(at.len()) else {
            if self.is_tagged(document) {
                let key = raw_at(document, &self.reference);
                look(document, key.filter(|key| *key != RawBsonRef::Null), at);
            }
            return;
        };
        let Some(RawBsonRef::Array(elements)) = raw_at(document, array) else {
            return;
        };
        let of_ids = self.is_last_of_ids(at.len());
        for (n, element) in elements.into_iter().filter_map(Result::ok).enumerate() {
            at.push(n);
            match element {
                RawBsonRef::Document(element) if !of_ids => {
                    self.visit_references_from(element, at, look)
                }
                RawBsonRef::Null => {}
                id if of_ids => look(document, Some(id), at),
                _ => {}
            }
            at.pop();
        }
    }

    /// The stored path of `below` in the element at these array indexes: `parts.3.name`.
    pub(crate) fn shown(&self, at: &[usize], below: &str) -> String {
        let mut path = String::new();
        for (array, n) in self.arrays.iter().zip(at) {
            path.push_str(&format!("{array}.{n}."));
        }
        path.push_str(below);
        path.trim_end_matches('.').to_owned()
    }

    /// The path of the reference below the innermost array.
    pub(crate) fn reference_below(&self) -> &str {
        &self.reference
    }

    /// The path of the revision below the innermost array.
    pub(crate) fn revision_below(&self) -> &str {
        &self.revision
    }

    /// The revision of the copies in a document that [`visit_references`](Self::visit_references) passes to its callback.
    pub(crate) fn revision_in(&self, holder: &RawDocument) -> Option<i64> {
        let r = Bson::try_from(raw_at(holder, &self.revision)?).ok()?;
        integer(Some(&r))
    }

    /// Removes the revision from a document that [`visit`](Self::visit) passes to its callback.
    pub(crate) fn forget_revision(&self, document: &mut Document) {
        remove(document, &self.revision);
    }
}

/// A function that gets the document that `below` paths start from, the reference if there is one, and the indexes in the arrays on the
/// way.
type Look<'l> = dyn FnMut(&RawDocument, Option<RawBsonRef<'_>>, &[usize]) + 'l;

/// The identifier of an array filter: `a` and `b` for the levels of the first reference, `a1` and `b1` for those of the second.
fn identifier(level: usize, n: usize) -> String {
    let level = char::from(b'a' + u8::try_from(level).unwrap_or(25).min(25));
    match n {
        0 => level.to_string(),
        n => format!("{level}{n}"),
    }
}
