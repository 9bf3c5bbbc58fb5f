//! The changes of an update, collected before it is sent. `arrays` has the elements that it adds and removes, `compare` the comparisons of
//! changed fields, `needs` the values that the operators may meet, `range` the results that fields can hold and `results` what leads to
//! them, `value` encodes and checks single ones.

mod arrays;
mod compare;
mod needs;
mod range;
mod results;
mod value;

use std::fmt;

use bson::{Bson, Document, doc};

use self::needs::Needs;
pub(crate) use self::needs::Null;
pub(crate) use self::range::Range;
pub(crate) use self::value::elements;
use self::value::{check_value, encoded, owner, row_at};
use super::elements as of_elements;
use crate::bson_util::operators::{leave_out_elements, name_element, without_elements};
use crate::bson_util::path::{join, overlap};
use crate::bson_util::redacted::Redacted;
use crate::bson_util::stored_id::id_in_filter;
use crate::codec::{CodecError, Encode};
use crate::document::{parts, self_references};
use crate::error::violation;
use crate::error::{Error, Result};
use crate::schema::field::place::{Holders, Path, path};
use crate::schema::model::{Model, ModelMeta};
use crate::schema::rows::FieldRow;
use crate::schema::stored;
use crate::write::adds::{Add, paths};
use crate::write::send::events::Emission;
use crate::write::send::request::UpdateRequest;

/// A field inside an embedded document: its stored path, and its value.
pub(crate) type PartValue = (String, std::result::Result<Bson, CodecError>);

/// The operators of one update, and the first mistake among them.
#[derive(Default)]
pub(crate) struct Changes {
    /// `{ "$set": { path: value } }`
    operators: Document,
    /// Values to be appended.
    pub(crate) adds: Vec<Add>,
    /// An array was to get no values, or a field no value: nothing to do is no mistake.
    may_be_empty: bool,
    error: Option<Error>,
    /// The variants whose fields are changed: tags, and their values.
    scopes: Vec<(&'static str, &'static str)>,
    /// The variants of embedded enums whose fields are changed.
    holders: Vec<Holders>,
    /// The results that must stay in the range of their type.
    pub(crate) ranges: Vec<Range>,
    /// The results that the server itself refuses if they leave the range.
    pub(crate) beyond_64_bits: Vec<Range>,
    /// True if a bound may become less than the number of children that it bounds.
    lowers_bounds: bool,
    /// The stored values that the operators take.
    pub(crate) needs: Needs,
    /// The events that the update emits.
    pub(crate) events: Emission,
}

impl fmt::Debug for Changes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Changes")
            .field("operators", &Redacted(&self.operators))
            .field("adds", &self.adds.len())
            .field("error", &self.error)
            .finish_non_exhaustive()
    }
}

impl Changes {
    /// A copy of changes that hold no mistake.
    pub(crate) fn again(&self) -> Self {
        Changes {
            operators: self.operators.clone(),
            adds: self.adds.clone(),
            may_be_empty: self.may_be_empty,
            error: None,
            scopes: self.scopes.clone(),
            holders: self.holders.clone(),
            ranges: self.ranges.clone(),
            lowers_bounds: self.lowers_bounds,
            beyond_64_bits: self.beyond_64_bits.clone(),
            needs: self.needs.clone(),
            events: self.events.clone(),
        }
    }
}

impl Changes {
    pub(crate) fn fail(&mut self, error: Error) {
        violation::note(&mut self.error, error);
    }

    /// Every path that is changed.
    pub(crate) fn paths(&self) -> Vec<String> {
        paths(&self.operators, &self.adds)
    }

    /// The value that this update sets the field at `path` to.
    pub(crate) fn value_of(&self, path: &str) -> Option<Bson> {
        self.operators.get_document("$set").ok()?.get(path).cloned()
    }

    /// The update as a request, which the caller completes with the copies of references.
    pub(crate) fn request<'c>(&'c mut self, one: Option<&'c Document>) -> UpdateRequest<'c> {
        UpdateRequest {
            operators: &mut self.operators,
            adds: &mut self.adds,
            one,
            many: None,
        }
    }

    /// The same as [`check`](Self::check), of an update of the one document that a filter by `_id` names.
    pub(crate) fn check_one<M: Model>(&mut self, filter: &Document) -> Result<()> {
        self.check::<M>()?;
        self_references::check_update(M::model_meta(), &self.operators, &id_in_filter(filter))
    }

    /// Returns the first error of the builder's calls, or an error if the update is empty.
    pub(crate) fn check<M: Model>(&mut self) -> Result<()> {
        if let Some(error) = self.error.take() {
            return Err(error);
        }
        if self.is_without_changes() && !self.may_be_empty {
            return Err(Error::EmptyUpdate {
                model: M::model_meta().name,
            });
        }
        self.compare(M::model_meta())
    }

    /// True if no change was requested.
    pub(crate) fn is_empty(&self) -> bool {
        self.error.is_none() && self.is_without_changes()
    }

    fn is_without_changes(&self) -> bool {
        self.operators.is_empty() && self.adds.is_empty() && self.events.is_empty()
    }

    /// True if the update has nothing to do any more, because the document holds everything already.
    pub(crate) fn nothing_left(&self) -> bool {
        let adds = self.adds.iter().any(|add| !add.values.is_empty());
        self.operators.is_empty() && self.events.is_empty() && !adds
    }

    /// The update, and the filter with the conditions that the bounds need.
    pub(crate) fn command(&self, filter: &Document) -> (Document, Document) {
        let (mut filter, mut operators) = (filter.clone(), self.operators.clone());
        let mut parts = self.conditions();
        let mut push = Document::new();
        for add in self.adds.iter().filter(|add| !add.values.is_empty()) {
            add.guard(&mut filter, &mut parts);
            push.insert(add.path.clone(), doc! { "$each": add.values.clone() });
        }
        if !push.is_empty() {
            operators.insert("$push", push);
        }
        self.events.push(&mut operators);
        if !parts.is_empty() {
            parts.insert(0, Bson::Document(filter));
            filter = doc! { "$and": parts };
        }
        (filter, operators)
    }

    /// Refuses an update of many documents that would pass over those whose result is out of range.
    pub(crate) fn check_for_many(&self) -> Result<()> {
        let mut refused = self.ranges.iter().filter_map(Range::refused_for_many);
        refused.next().map_or(Ok(()), Err)
    }

    /// The filter and the operators of the command for many documents. Each document gets the elements that it does not hold yet: the
    /// server compares, because reading all documents first is not possible.
    pub(crate) fn command_for_many(&self, mut filter: Document) -> Result<(Document, Document)> {
        let mut operators = self.operators.clone();
        let mut parts = self.conditions();
        parts.extend(self.needs.conditions_for_many());
        parts.extend(
            self.beyond_64_bits
                .iter()
                .map(|range| range.is_kept().into()),
        );
        let (mut push, mut to_set) = (Document::new(), Document::new());
        for add in &self.adds {
            let each = doc! { "$each": add.values.clone() };
            if !add.distinct {
                add.guard(&mut filter, &mut parts);
                push.insert(add.path.clone(), each);
            } else if !add.are_compared_here() {
                parts.extend(add.fits());
                to_set.insert(add.path.clone(), each);
            } else if operators.is_empty() && self.adds.len() == 1 && add.values.len() == 1 {
                // Passing over the documents that hold it already leaves nothing undone.
                add.guard(&mut filter, &mut parts);
                push.insert(add.path.clone(), each);
            } else {
                return Err(Error::Impossible {
                    what: format!(
                        "`update_many` adds one entry to {} at a time, and changes nothing else: a document that holds one of several already would get none",
                        add.owner
                    ),
                });
            }
        }
        for (operator, paths) in [("$push", push), ("$addToSet", to_set)] {
            if !paths.is_empty() {
                operators.insert(operator, paths);
            }
        }
        self.events.push(&mut operators);
        if !parts.is_empty() {
            parts.insert(0, Bson::Document(filter));
            filter = doc! { "$and": parts };
        }
        Ok((filter, operators))
    }

    /// The conditions under which the document can be read after the update.
    fn conditions(&self) -> Vec<Bson> {
        let mut parts = self.of_variants();
        parts.extend(self.ranges.iter().map(|range| range.is_kept().into()));
        parts.extend(self.needs.conditions(&self.created()));
        parts
    }

    /// The paths at which the update stores a field where there is none.
    pub(crate) fn created(&self) -> Vec<String> {
        let operators = self.operators.iter();
        let operators = operators.filter(|(operator, _)| needs::creates(operator));
        let paths = operators.filter_map(|(_, paths)| paths.as_document());
        let paths = paths.flat_map(Document::keys).cloned();
        let adds = self.adds.iter().map(|add| add.path.clone());
        paths.chain(adds).collect()
    }

    /// True if a value in the stored document may be in the way of the update, and the update then be sent in another form.
    pub(crate) fn are_guarded(&self) -> bool {
        !self.adds.is_empty() || !self.needs.is_empty()
    }

    /// The fields that may be null, and have to be absent before the operators are applied.
    pub(crate) fn nulls(&self) -> Vec<Null> {
        self.needs.nulls(&self.created())
    }

    /// Leaves out the changes of elements of an array that the document does not have: no element meets their conditions.
    pub(crate) fn leave_out_elements(&mut self, array: &str) {
        leave_out_elements(&mut self.operators, array);
        self.needs.forget_elements(array);
    }

    /// Conditions that the document, and each enum inside it, is of the variants whose fields are changed: in another variant no reader
    /// expects the field.
    pub(crate) fn of_variants(&self) -> Vec<Bson> {
        let mut scopes = self.scopes.clone();
        scopes.dedup();
        let parts = scopes.into_iter().map(|(tag, value)| doc! { tag: value });
        let holders = self.holders.iter();
        let inside = holders.map(|(tag, values)| doc! { tag: { "$in": values.to_vec() } });
        parts.chain(inside).map(Bson::Document).collect()
    }

    /// Notes that the field at `P` is one of these variants.
    fn scope<P: Path>(&mut self) {
        self.scopes.extend(P::SCOPE);
        let mut holders = Vec::new();
        P::holders(&mut holders);
        for one in holders {
            if !self.holders.contains(&one) {
                self.holders.push(one);
            }
        }
    }

    /// The tags of the embedded enums whose fields are changed, and the values that they need.
    pub(crate) fn holders(&self) -> &[Holders] {
        &self.holders
    }

    /// Adds an operator on the path of `P`.
    pub(crate) fn put<M: Model, P: Path>(&mut self, operator: &'static str, value: Bson) {
        self.put_at::<M, P>(operator, path::<P>(), value);
    }

    /// The same at a path at `P` or inside it.
    fn put_at<M: Model, P: Path>(&mut self, operator: &'static str, path: String, value: Bson) {
        let allowed = self.may_change::<M>(&path);
        if let Err(error) = allowed.and_then(|()| range::may_shrink::<M>(operator, &path)) {
            return self.fail(error);
        }
        self.scope::<P>();
        self.needs.change(M::model_meta(), operator, &path);
        self.keep_bounds::<M>(operator, &path, &value);
        self.keep_parts(M::model_meta(), operator, &path, &value);
        self.insert(operator, path, value);
    }

    /// Changes the parts of a text with the text.
    fn keep_parts(&mut self, meta: &ModelMeta, operator: &'static str, path: &str, value: &Bson) {
        let Some(row) = parts::fields(meta.shape).find(|row| row.name == path) else {
            return;
        };
        let parts = stored::parts_of(path);
        match parts::of_value(row, value) {
            Some(value) if operator != "$unset" => self.insert(operator, parts, value),
            _ => self.insert("$unset", parts, Bson::String(String::new())),
        }
    }

    /// Adds an operator at a path that no other operator of this update changes.
    pub(crate) fn insert(&mut self, operator: &'static str, path: String, value: Bson) {
        if !self.operators.contains_key(operator) {
            self.operators.insert(operator, Document::new());
        }
        if let Ok(paths) = self.operators.get_document_mut(operator) {
            paths.insert(path, value);
        }
    }

    pub(crate) fn put_result<M: Model, P: Path>(
        &mut self,
        operator: &'static str,
        value: Result<Bson>,
    ) {
        match value {
            Ok(value) => self.put::<M, P>(operator, value),
            Err(error) => self.fail(error),
        }
    }

    /// An operator with a value of the field, whose bounds are checked. Null is not stored where the field may be absent.
    pub(crate) fn set<M: Model, P: Path, T>(&mut self, operator: &'static str, value: &T)
    where
        P::Codec: Encode<T>,
    {
        self.set_at::<M, P>(operator, path::<P>(), encoded::<M, P, T>(value));
    }

    /// The same at a path at `P` or inside it.
    fn set_at<M: Model, P: Path>(
        &mut self,
        operator: &'static str,
        path: String,
        value: Result<Bson>,
    ) {
        let row = row_at(M::model_meta().shape, &path);
        let value = value.and_then(|value| {
            if let Some(row) = row {
                check_value::<M>(row, &value, &path)?;
            }
            Ok(value)
        });
        match value {
            Ok(Bson::Null) if operator == "$set" && row.is_some_and(FieldRow::is_left_out) => {
                self.put_at::<M, P>("$unset", path, Bson::String(String::new()));
            }
            Ok(value) => self.put_at::<M, P>(operator, path, value),
            Err(error) => self.fail(error),
        }
    }

    /// `$set` of fields inside the embedded document at `P`, by their stored paths.
    pub(crate) fn set_inside<M: Model, P: Path>(&mut self, fields: Vec<PartValue>) {
        self.may_be_empty |= fields.is_empty();
        for (path, value) in fields {
            let value = value.map_err(|source| Error::Encode {
                model: M::model_meta().name,
                field: path.clone(),
                source: Box::new(source),
            });
            self.set_at::<M, P>("$set", path, value);
        }
    }

    /// `$set` if there is a value.
    pub(crate) fn set_some<M: Model, P: Path, T>(&mut self, value: Option<T>)
    where
        P::Codec: Encode<T>,
    {
        match value {
            Some(value) => self.set::<M, P, T>("$set", &value),
            None => self.may_be_empty = true,
        }
    }

    /// An operator with a value of a field of those elements of an array that meet a condition.
    pub(crate) fn set_element<M: Model, P: Path, Q: Path, T>(
        &mut self,
        operator: &'static str,
        element: Result<Document>,
        value: &T,
    ) where
        Q::Codec: Encode<T>,
    {
        let full = join(&path::<P>(), &path::<Q>());
        let row = row_at(M::model_meta().shape, &full);
        let value = encoded::<M, Q, T>(value).and_then(|value| {
            if let Some(row) = row {
                check_value::<M>(row, &value, &full)?;
            }
            Ok(value)
        });
        match value {
            Ok(Bson::Null) if operator == "$set" && row.is_some_and(FieldRow::is_left_out) => {
                let nothing = Ok(Bson::String(String::new()));
                self.put_element::<M, P, Q>("$unset", element, nothing);
            }
            value => self.put_element::<M, P, Q>(operator, element, value),
        }
    }

    /// An operator with a value as it is sent, for a field of those elements of an array that meet a condition.
    pub(crate) fn put_element<M: Model, P: Path, Q: Path>(
        &mut self,
        operator: &'static str,
        element: Result<Document>,
        value: Result<Bson>,
    ) {
        let (array, field) = (path::<P>(), path::<Q>());
        let full = join(&array, &field);
        let row = row_at(M::model_meta().shape, &full);
        let named = element.and_then(|element| {
            if row.is_some_and(of_elements::hold_relations) {
                return Err(of_elements::refers(&owner::<M>(&full)));
            }
            self.may_change::<M>(&full)?;
            of_elements::check_condition(&owner::<M>(&array), &element)?;
            Ok((element, value?))
        });
        match named {
            Ok((element, value)) => {
                self.scope::<P>();
                let both = (array.as_str(), field.as_str());
                let needs = &mut self.needs;
                let element = needs.change_elements(M::model_meta(), operator, both, element);
                let name = name_element(&mut self.operators, |name| {
                    of_elements::prefixed(element, name)
                });
                self.insert(operator, format!("{array}.$[{name}].{field}"), value);
            }
            Err(error) => self.fail(error),
        }
    }

    /// Names the elements of an array that meet a condition, for the paths of fields in them.
    pub(super) fn name_element(&mut self, condition: impl FnOnce(&str) -> Document) -> String {
        name_element(&mut self.operators, condition)
    }

    /// Sets the field of a row at a stored path, whose bounds are checked. The caller's filter chooses documents that can store it.
    pub(super) fn set_stored<M: Model>(
        &mut self,
        row: &FieldRow,
        (path, shown): (String, &str),
        value: std::result::Result<Bson, CodecError>,
    ) {
        let value = value.map_err(|source| Error::Encode {
            model: M::model_meta().name,
            field: shown.to_owned(),
            source: Box::new(source),
        });
        let value = value.and_then(|value| {
            check_value::<M>(row, &value, shown)?;
            self.may_change::<M>(shown)?;
            Ok(value)
        });
        match value {
            Ok(Bson::Null) if row.is_left_out() => {
                self.keep_parts(M::model_meta(), "$unset", &path, &Bson::Null);
                self.insert("$unset", path, Bson::String(String::new()));
            }
            Ok(value) => {
                self.keep_bounds::<M>("$set", &path, &value);
                self.keep_parts(M::model_meta(), "$set", &path, &value);
                self.insert("$set", path, value);
            }
            Err(error) => self.fail(error),
        }
    }

    /// Checks that this update does not change the path, or an overlapping one, already.
    fn may_change<M: Model>(&self, path: &str) -> Result<()> {
        let changed = paths(&self.operators, &self.adds);
        let mut changed = changed.iter().map(|other| without_elements(other));
        if changed.any(|other| overlap(&other, path)) {
            return Err(Error::ChangedTwice {
                field: owner::<M>(path),
            });
        }
        Ok(())
    }
}
