//! The values that an update may meet on the way to a changed field, and in it: null, which no operator takes although it counts as absent,
//! and embedded documents without which the changed field alone could not be read.

use bson::{Bson, Document, doc};

use super::value::{owner_of, row_at};
use crate::bson_util::operators::{merge, name_element};
use crate::bson_util::path::{at, join};
use crate::codec::error::type_name;
use crate::error::Error;
use crate::schema::model::ModelMeta;
use crate::schema::rows::{FieldRow, Kind, Shape};
use crate::write::change::elements::prefixed;

/// The values that the operators of one update take.
#[derive(Debug, Default, Clone)]
pub(crate) struct Needs {
    nulls: Vec<Null>,
    holders: Vec<Holder>,
    /// Arrays whose elements are changed, and that a document may be without.
    arrays: Vec<String>,
    operands: Vec<Operand>,
}

/// A field that may be null in a document of the model.
#[derive(Debug, Clone)]
pub(crate) struct Null {
    /// `None` inside the elements of an array.
    path: Option<String>,
    pub(crate) filter: Document,
    /// The operators that remove the field.
    pub(crate) unset: Document,
}

/// An embedded document that a document may be without, and in which a field is stored.
#[derive(Debug, Clone)]
struct Holder {
    path: String,
    shape: &'static Shape,
}

/// A changed field.
#[derive(Debug, Clone)]
struct Operand {
    operator: &'static str,
    /// The array of the elements whose field is changed, and their condition.
    elements: Option<(String, Document)>,
    path: String,
    takes: Takes,
}

/// The values that an operator takes.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Takes {
    Number,
    Array,
    Any,
}

impl Takes {
    fn of(operator: &str) -> Self {
        match operator {
            "$inc" | "$mul" => Takes::Number,
            "$push" | "$addToSet" | "$pull" | "$pullAll" | "$pop" => Takes::Array,
            _ => Takes::Any,
        }
    }

    fn takes(self, value: &Bson) -> bool {
        match self {
            Takes::Number => matches!(
                value,
                Bson::Int32(_) | Bson::Int64(_) | Bson::Double(_) | Bson::Decimal128(_)
            ),
            Takes::Array => matches!(value, Bson::Array(_)),
            Takes::Any => true,
        }
    }

    /// The types as the server names them.
    fn names(self) -> Option<Vec<&'static str>> {
        match self {
            Takes::Number => Some(vec!["missing", "int", "long", "double", "decimal"]),
            Takes::Array => Some(vec!["missing", "array"]),
            Takes::Any => None,
        }
    }
}

/// True if an operator stores its field where there is none.
pub(super) fn creates(operator: &str) -> bool {
    !matches!(operator, "$unset" | "$pull" | "$pullAll" | "$pop")
}

/// True if a document of the model may be without this field: null in it is read as absent, too.
fn may_lack(row: &FieldRow) -> bool {
    row.nullable || row.absent
}

/// The embedded documents on the way to a field that may be absent.
fn holders(shape: &'static Shape, path: &str) -> Vec<Holder> {
    let steps = path.match_indices('.').map(|(end, _)| &path[..end]);
    let rows = steps.filter_map(|step| Some((step, row_at(shape, step)?)));
    let optional = rows.filter(|(_, row)| row.kind == Kind::Document && may_lack(row));
    let held = optional.filter_map(|(step, row)| {
        Some(Holder {
            path: step.to_owned(),
            shape: row.shape?,
        })
    });
    held.collect()
}

/// True if a document with only the `created` fields can be read.
fn is_complete(shape: &'static Shape, prefix: &str, created: &[String]) -> bool {
    shape.fields.iter().all(|row| {
        let path = join(prefix, row.name);
        let inside = format!("{path}.");
        if row.name.is_empty() {
            return row
                .shape
                .is_none_or(|inner| is_complete(inner, prefix, created));
        }
        if created.contains(&path) {
            return true;
        }
        if created.iter().any(|other| other.starts_with(&inside)) {
            return row
                .shape
                .is_some_and(|inner| is_complete(inner, &path, created));
        }
        !row.tag && may_lack(row)
    })
}

impl Null {
    fn field(path: &str) -> Self {
        let kind = doc! { "$type": format!("${path}") };
        Null {
            path: Some(path.to_owned()),
            // `{ path: { "$type": "null" } }` is true of an array that holds a null, too.
            filter: doc! { "$expr": { "$eq": [kind, "null"] } },
            unset: doc! { "$unset": { path: "" } },
        }
    }

    fn of_elements(array: &str, field: &str, element: &Document) -> Self {
        let is_null =
            doc! { "$and": [Bson::Document(element.clone()), { field: { "$type": "null" } }] };
        let mut unset = Document::new();
        let name = name_element(&mut unset, |name| prefixed(is_null.clone(), name));
        let path = format!("{array}.$[{name}].{field}");
        merge(&mut unset, "$unset", doc! { path: "" });
        Null {
            path: None,
            filter: doc! { array: { "$elemMatch": is_null } },
            unset,
        }
    }

    /// True if the field may be null in this document, as far as that can be seen in it.
    pub(crate) fn may_be_in(&self, stored: &Document) -> bool {
        let path = self.path.as_ref();
        path.is_none_or(|path| at(stored, path) == Some(&Bson::Null))
    }
}

impl Needs {
    /// Notes a change of the field at `path`.
    pub(super) fn change(&mut self, meta: &ModelMeta, operator: &'static str, path: &str) {
        if creates(operator) {
            self.holders.extend(holders(meta.shape, path));
        }
        let takes = Takes::of(operator);
        if takes != Takes::Any && row_at(meta.shape, path).is_some_and(may_lack) {
            self.nulls.push(Null::field(path));
        }
        self.operands.push(Operand {
            operator,
            elements: None,
            path: path.to_owned(),
            takes,
        });
    }

    /// Notes a change of a field of the elements that meet a condition. Returns the condition of the elements that can store the field.
    pub(super) fn change_elements(
        &mut self,
        meta: &ModelMeta,
        operator: &'static str,
        (array, field): (&str, &str),
        element: Document,
    ) -> Document {
        let row = row_at(meta.shape, array);
        if row.is_some_and(may_lack) || !holders(meta.shape, array).is_empty() {
            self.arrays.push(array.to_owned());
        }
        let takes = Takes::of(operator);
        self.operands.push(Operand {
            operator,
            elements: Some((array.to_owned(), element.clone())),
            path: field.to_owned(),
            takes,
        });
        let Some(shape) = row.and_then(|row| row.shape) else {
            return element;
        };
        if takes != Takes::Any && row_at(shape, field).is_some_and(may_lack) {
            self.nulls.push(Null::of_elements(array, field, &element));
        }
        let created = [field.to_owned()];
        let mut parts = Vec::new();
        for holder in holders(shape, field)
            .into_iter()
            .filter(|_| creates(operator))
        {
            if is_complete(holder.shape, &holder.path, &created) {
                let null = Null::of_elements(array, &holder.path, &element);
                self.nulls.push(null);
            } else {
                parts.push(doc! { holder.path: { "$type": "object" } });
            }
        }
        if parts.is_empty() {
            return element;
        }
        parts.push(element);
        doc! { "$and": parts }
    }

    /// The nulls that no operator takes.
    pub(crate) fn nulls(&self, created: &[String]) -> Vec<Null> {
        let holders = self.holders.iter();
        let complete = holders.filter(|holder| holder.is_complete(created));
        let nulls = complete.map(|holder| Null::field(&holder.path));
        nulls.chain(self.nulls.iter().cloned()).collect()
    }

    /// The conditions under which the server applies the operators, and the document can be read after them: they are about the fields that
    /// may be null or absent in a document of the model.
    pub(super) fn conditions(&self, created: &[String]) -> Vec<Bson> {
        let nulls = self.nulls(created);
        let nulls = nulls
            .into_iter()
            .map(|null| doc! { "$nor": [Bson::Document(null.filter)] });
        let partial = self.partial(created);
        let partial = partial.map(|holder| doc! { &holder.path: { "$type": "object" } });
        let arrays = self.arrays.iter();
        let arrays = arrays.map(|path| doc! { path: { "$type": "array" } });
        let all = nulls.chain(partial).chain(arrays);
        all.map(Bson::Document).collect()
    }

    /// The conditions that exclude values which no program with this model stores: an update of many documents would stop at such a value.
    pub(super) fn conditions_for_many(&self) -> impl Iterator<Item = Bson> {
        self.operands.iter().filter_map(|operand| {
            let names = operand.takes.names()?;
            Some(Bson::Document(match &operand.elements {
                None => {
                    let kind = doc! { "$type": format!("${}", operand.path) };
                    doc! { "$expr": { "$in": [kind, names] } }
                }
                Some((array, element)) => {
                    let other = doc! { "$exists": true, "$not": { "$type": "number" } };
                    let both = doc! { "$and": [Bson::Document(element.clone()), { &operand.path: other }] };
                    doc! { "$nor": [{ array: { "$elemMatch": both } }] }
                }
            }))
        })
    }

    /// The embedded documents that could not be read with the `created` fields alone.
    fn partial<'n>(&'n self, created: &'n [String]) -> impl Iterator<Item = &'n Holder> {
        let holders = self.holders.iter();
        holders.filter(|holder| !holder.is_complete(created))
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.nulls.is_empty() && self.holders.is_empty() && self.arrays.is_empty()
    }

    /// The paths that decide if a document meets the conditions.
    pub(crate) fn paths(&self) -> impl Iterator<Item = String> {
        let nulls = self.nulls.iter().filter_map(|null| null.path.clone());
        let holders = self.holders.iter().map(|holder| holder.path.clone());
        nulls.chain(holders).chain(self.arrays.iter().cloned())
    }

    /// The paths of the values that the operators meet.
    pub(crate) fn operand_paths(&self) -> impl Iterator<Item = &String> {
        self.operands.iter().map(|operand| match &operand.elements {
            Some((array, _)) => array,
            None => &operand.path,
        })
    }

    /// The error that the document lacks an embedded document of which the update would store a part.
    pub(crate) fn absent_holder(
        &self,
        meta: &ModelMeta,
        id: &Bson,
        (stored, created): (&Document, &[String]),
    ) -> Option<Error> {
        let mut partial = self.partial(created);
        let absent =
            partial.find(|holder| !matches!(at(stored, &holder.path), Some(Bson::Document(_))))?;
        Some(Error::AbsentDocument {
            field: owner_of(meta, &absent.path),
            id: Box::new(id.clone()),
        })
    }

    /// The arrays whose elements are changed and that the document does not have.
    pub(crate) fn absent_arrays(&self, stored: &Document) -> Vec<String> {
        let absent = |path: &&String| matches!(at(stored, path), None | Some(Bson::Null));
        self.arrays.iter().filter(absent).cloned().collect()
    }

    /// Forgets the changes of elements of an array that the document does not have.
    pub(super) fn forget_elements(&mut self, array: &str) {
        self.arrays.retain(|path| path != array);
        let is_of = |operand: &Operand| {
            operand
                .elements
                .as_ref()
                .is_some_and(|(path, _)| path == array)
        };
        self.operands.retain(|operand| !is_of(operand));
    }

    /// The error that an operator does not take a stored value, with the field that holds it; true if that value is null.
    pub(crate) fn other_type(
        &self,
        meta: &ModelMeta,
        id: &Bson,
        stored: &Document,
    ) -> Option<(Error, bool)> {
        self.operands.iter().find_map(|operand| {
            let (path, found) = operand.refused(stored)?;
            let error = Error::OtherType {
                field: owner_of(meta, &path),
                id: Box::new(id.clone()),
                operator: operand.operator,
                found: type_name(found.element_type()),
            };
            Some((error, *found == Bson::Null))
        })
    }
}

impl Holder {
    fn is_complete(&self, created: &[String]) -> bool {
        is_complete(self.shape, &self.path, created)
    }
}

impl Operand {
    /// The stored value that the operator does not take, and its path.
    fn refused<'d>(&self, stored: &'d Document) -> Option<(String, &'d Bson)> {
        let Some((array, _)) = &self.elements else {
            return refused_at(stored, &self.path, self.takes);
        };
        let elements = match at(stored, array)? {
            Bson::Array(elements) => elements,
            other => return Some((array.clone(), other)),
        };
        let documents = elements.iter().filter_map(Bson::as_document);
        let mut refused =
            documents.filter_map(|element| refused_at(element, &self.path, self.takes));
        refused
            .next()
            .map(|(path, value)| (join(array, &path), value))
    }
}

/// The value at a path, or on the way to the path, that an operator does not take.
fn refused_at<'d>(stored: &'d Document, path: &str, takes: Takes) -> Option<(String, &'d Bson)> {
    let steps = path.match_indices('.').map(|(end, _)| &path[..end]);
    for step in steps {
        match at(stored, step)? {
            Bson::Document(_) => {}
            other => return Some((step.to_owned(), other)),
        }
    }
    let value = at(stored, path)?;
    (!takes.takes(value)).then(|| (path.to_owned(), value))
}
