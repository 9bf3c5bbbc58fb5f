//! Values compared as a whole. A value is data: an operator that would read it as a pattern or as operators is replaced by one that
//! compares. The server compares documents by their keys and by the order of the keys, so an embedded document is compared by its
//! fields instead: in whatever order another program has stored them, and beside the fields that the library keeps in a document with
//! copies (`_r`). An index on the embedded document as a whole serves its comparison as it is stored alone.

use bson::{Bson, Document, doc};

use super::expr::{Expr, compare, condition, served_by};
use crate::bson_util::id_key::IdKey;
use crate::bson_util::number::integer;
use crate::bson_util::path::join;
use crate::error::Error;
use crate::schema::field::IndexKind;
use crate::schema::field::place::{Path, path, whole_path};
use crate::schema::model::Model;
use crate::schema::rows::{FieldRow, Kind, Shape};

/// `{path: {op: value}}` in the form in which it is sent.
pub(super) fn one<P: Path, I: IndexKind>(op: &str, value: Bson) -> Result<Expr, Error>
where
    P::Root: Model,
{
    check_comparable::<P>(op, &value)?;
    let fields = match op {
        "$eq" | "$ne" => field_by_field::<P, I>(&value, false)?,
        _ => None,
    };
    match fields {
        None if op == "$ne" && !is_compared_in_lists(&value) => {
            Ok(compare::<P, I>("$not", doc! { "$eq": value }.into()))
        }
        None => Ok(compare::<P, I>(op, value)),
        Some(fields) if op == "$ne" => Ok(doc! { "$nor": [fields] }.into()),
        Some(fields) => Ok(served_by::<P, I>(fields)),
    }
}

/// The condition that an element of the array equals the value. A value that is an array is compared with the elements only: `$eq`
/// would compare it with the whole field, too.
pub(super) fn element_of<P: Path, I: IndexKind>(value: Bson) -> Result<Expr, Error>
where
    P::Root: Model,
{
    if !matches!(value, Bson::Array(_)) {
        return one::<P, I>("$eq", value);
    }
    match field_by_field::<P, I>(&value, true)? {
        Some(fields) => Ok(served_by::<P, I>(fields)),
        None => Ok(compare::<P, I>("$elemMatch", doc! { "$eq": value }.into())),
    }
}

/// `$in` or `$nin` of values.
pub(super) fn many<P: Path, I: IndexKind>(op: &str, values: Vec<Bson>) -> Result<Expr, Error>
where
    P::Root: Model,
{
    let forms = values
        .iter()
        .map(|value| field_by_field::<P, I>(value, false))
        .collect::<Result<Vec<_>, _>>()?;
    let name = path::<P>();
    let mut read_as_operators = false;
    for value in &values {
        check_comparable::<P>("$eq", value)?;
        read_as_operators |= !is_compared_in_lists(value);
    }
    if forms.iter().all(Option::is_none) && !read_as_operators {
        return Ok(compare::<P, I>(op, Bson::Array(values)));
    }
    let each: Vec<Document> = values
        .into_iter()
        .zip(forms)
        .map(|(value, form)| form.unwrap_or_else(|| condition(&name, "$eq", value)))
        .collect();
    Ok(if op == "$nin" {
        doc! { "$nor": each }.into()
    } else {
        served_by::<P, I>(doc! { "$or": each })
    })
}

/// False for a value that `$in` and `$nin` do not compare: they match by a pattern, and take a document for operators.
pub(crate) fn is_compared_in_lists(value: &Bson) -> bool {
    match value {
        Bson::RegularExpression(_) => false,
        Bson::Document(value) => value.keys().next().is_none_or(|key| !key.starts_with('$')),
        _ => true,
    }
}

/// Refuses a value that the server does not compare by `op`.
fn check_comparable<P: Path>(op: &str, value: &Bson) -> Result<(), Error>
where
    P::Root: Model,
{
    match (op, value) {
        (_, Bson::Undefined) => Err(not_compared::<P>(
            "the server compares nothing with `undefined`",
        )),
        ("$gt" | "$gte" | "$lt" | "$lte", Bson::RegularExpression(_)) => Err(not_compared::<P>(
            "a regular expression has no order as a value",
        )),
        ("$gt" | "$gte" | "$lt" | "$lte", Bson::Document(_) | Bson::Array(_))
            if holds_copies::<P>() =>
        {
            Err(not_compared::<P>(
                "documents that hold copies have no order, the library keeps fields of its own in them; compare one of their fields",
            ))
        }
        _ => Ok(()),
    }
}

fn holds_copies<P: Path>() -> bool
where
    P::Root: Model,
{
    let shape = <P::Root as Model>::model_meta().shape;
    find(shape, &whole_path::<P>(), 0, None).is_some_and(|found| found.row.facts.size.copies)
}

fn not_compared<P: Path>(why: &str) -> Error
where
    P::Root: Model,
{
    let (model, field) = (<P::Root as Model>::model_meta().name, whole_path::<P>());
    Error::Impossible {
        what: format!("a filter on {model}.{field}: {why}"),
    }
}

/// The conditions on the fields of `value`; `None` for a value that is compared as it is: one without fields, a map, and a document
/// without copies if an index on the whole field serves the condition.
fn field_by_field<P: Path, I: IndexKind>(
    value: &Bson,
    of_element: bool,
) -> Result<Option<Document>, Error>
where
    P::Root: Model,
{
    // Values without fields: nothing is looked up for them.
    let held = match value {
        Bson::Document(_) => true,
        Bson::Array(elements) => !elements.is_empty() && !of_element,
        _ => false,
    };
    if !held {
        return Ok(None);
    }
    let meta = <P::Root as Model>::model_meta();
    let (whole, asked) = (whole_path::<P>(), path::<P>());
    let Some(found) = find(meta.shape, &whole, 0, None)
        .filter(|found| found.row.facts.size.copies || has_fields(found.row))
    else {
        return Ok(None);
    };
    let copies = found.row.facts.size.copies;
    let Some(shape) = found.row.shape.filter(|_| copies || !I::OF_WHOLE) else {
        return Ok(None);
    };
    // The innermost array on the way, if the filter does not stand inside it: all conditions are on one of its elements. For an
    // element of the field itself they always are.
    let array = match value {
        Bson::Document(_) if found.row.kind == Kind::Array => Some(whole.len()),
        _ => found.array,
    };
    let stands = whole.len() - asked.len();
    let (array, inside) = match array.filter(|end| *end > stands.max(P::unwound())) {
        Some(end) => (
            Some(&whole[stands..end]),
            whole.get(end + 1..).unwrap_or_default(),
        ),
        None => (None, asked.as_str()),
    };
    let mut fields = Fields::new(meta.name);
    match value {
        Bson::Document(value) if copies || !is_open(shape) => {
            fields.add(shape, value, inside, &whole)?;
        }
        Bson::Array(elements) => fields.add_elements(shape, elements, inside, &whole)?,
        _ => return Ok(None),
    }
    if !fields.certain && !inside.is_empty() {
        // Nulls alone: a document that is not there at all has them too.
        fields.out.insert(inside, doc! { "$type": "object" });
    }
    Ok(Some(match array {
        Some(array) => doc! { array: { "$elemMatch": fields.out } },
        None => fields.out,
    }))
}

/// True if values of the field, or its elements, are documents with fields that a table knows.
fn has_fields(row: &FieldRow) -> bool {
    match row.kind {
        Kind::Map => false,
        Kind::Array => row.facts.elem_kind == Kind::Document,
        kind => kind == Kind::Document,
    }
}

/// True if the documents have keys that no table knows: those of a flattened map.
fn is_open(shape: &Shape) -> bool {
    let mut flattened = shape.fields.iter().filter(|row| row.name.is_empty());
    flattened.any(|row| row.kind != Kind::Document || row.shape.is_none_or(is_open))
}

/// The conditions that the fields of an element of the array at `whole` meet if it equals `value`.
pub(crate) fn element(
    model: &'static str,
    shape: &'static Shape,
    value: &Document,
    whole: &str,
) -> Result<Document, Error> {
    let mut fields = Fields::new(model);
    fields.add(shape, value, "", whole)?;
    Ok(fields.out)
}

/// The conditions that the elements of an array meet whose fields equal those of `value`, in whatever order another program has stored
/// them; `None` for a value that is no struct, or holds keys that no table knows.
pub(crate) fn by_fields(row: &FieldRow, value: &Bson) -> Option<Document> {
    let shape = row
        .shape
        .filter(|_| row.facts.elem_kind == Kind::Document)?;
    let mut fields = Fields::new("");
    fields.add(shape, value.as_document()?, "", "").ok()?;
    (!fields.out.is_empty()).then_some(fields.out)
}

/// True if an element meets conditions on its fields, as the server judges them.
pub(crate) fn meets(element: &Bson, conditions: &Document) -> bool {
    let equals = |value: &Bson, other: &Bson| IdKey::new(value) == IdKey::new(other);
    conditions.iter().all(|(path, condition)| {
        let value = path
            .split('.')
            .try_fold(element, |value, step| match value {
                Bson::Document(inner) => inner.get(step),
                Bson::Array(elements) => elements.get(step.parse::<usize>().ok()?),
                _ => None,
            });
        let condition = condition.as_document().and_then(|one| one.iter().next());
        let Some((operator, operand)) = condition else {
            return false;
        };
        match (operator.as_str(), value) {
            ("$exists", value) => value.is_none(),
            ("$not", value) => value.is_none_or(|value| *value == Bson::Null),
            ("$type", value) => value.is_some_and(|value| value.as_document().is_some()),
            ("$size", Some(Bson::Array(elements))) => {
                integer(Some(operand)).is_some_and(|size| elements.len() as i64 == size)
            }
            ("$size", _) => false,
            (_, Some(Bson::Array(elements))) if elements.iter().any(|one| equals(one, operand)) => {
                true
            }
            (_, value) => equals(value.unwrap_or(&Bson::Null), operand),
        }
    })
}

/// A field in the tables.
struct Found {
    row: &'static FieldRow,
    /// The position in the field's path at which the innermost array above the field ends.
    array: Option<usize>,
}

/// The field at the rest of `whole` from `at`. If there are several (in the variants of an enum), one that holds copies.
fn find(shape: &'static Shape, whole: &str, at: usize, array: Option<usize>) -> Option<Found> {
    let rest = &whole[at..];
    let mut found = None;
    for row in shape.fields {
        let here = if row.name.is_empty() {
            row.shape.and_then(|inner| find(inner, whole, at, array))
        } else {
            match rest.strip_prefix(row.name) {
                Some("") => Some(Found { row, array }),
                Some(more) if more.starts_with('.') => {
                    let end = at + row.name.len();
                    let array = if row.kind == Kind::Array {
                        Some(end)
                    } else {
                        array
                    };
                    row.shape
                        .and_then(|inner| find(inner, whole, end + 1, array))
                }
                _ => None,
            }
        };
        if here.as_ref().is_some_and(|here| here.row.facts.size.copies) {
            return here;
        }
        found = found.or(here);
    }
    found
}

/// The conditions on one document's fields.
struct Fields {
    model: &'static str,
    out: Document,
    /// True if one of the conditions fails where the document is absent.
    certain: bool,
    /// True for the fields of an element that is named by its position.
    by_position: bool,
}

/// The types of values that are not null.
const NOT_NULL: [&str; 20] = [
    "double",
    "string",
    "object",
    "array",
    "binData",
    "undefined",
    "objectId",
    "bool",
    "date",
    "regex",
    "dbPointer",
    "javascript",
    "javascriptWithScope",
    "symbol",
    "int",
    "timestamp",
    "long",
    "decimal",
    "minKey",
    "maxKey",
];

impl Fields {
    fn new(model: &'static str) -> Self {
        Fields {
            model,
            out: Document::new(),
            certain: false,
            by_position: false,
        }
    }

    /// Adds the conditions on `value`, which is at `at` in the filter and at `whole` in the model.
    fn add(
        &mut self,
        shape: &'static Shape,
        value: &Document,
        at: &str,
        whole: &str,
    ) -> Result<(), Error> {
        let mut rows = Vec::new();
        self.level(shape, whole, &mut rows)?;
        for (key, value) in value {
            let (at, whole) = (join(at, key), join(whole, key));
            let inner = rows
                .iter()
                .find(|row| row.name == key && (row.facts.size.copies || has_fields(row)))
                .and_then(|row| Some((row.shape?, row.facts.size.copies)))
                .filter(|(shape, copies)| *copies || !is_open(shape));
            match (inner, value) {
                (Some((inner, _)), Bson::Document(value)) => {
                    // Nulls alone: a document that is not there at all has them too.
                    self.out.insert(&at, doc! { "$type": "object" });
                    self.certain = true;
                    self.add(inner, value, &at, &whole)?;
                }
                (Some((inner, _)), Bson::Array(elements)) if !elements.is_empty() => {
                    self.add_elements(inner, elements, &at, &whole)?;
                }
                (_, Bson::Null) => drop(self.out.insert(at, self.null())),
                _ => {
                    self.certain = true;
                    self.out.insert(at, doc! { "$eq": value });
                }
            }
        }
        for row in rows {
            let at = join(at, row.name);
            if value.contains_key(row.name) || self.out.contains_key(&at) {
                continue;
            }
            // A field that `value` lacks may still be stored as null, if it is nullable.
            let absent = match row.nullable {
                true => self.null(),
                false => doc! { "$exists": false },
            };
            self.out.insert(at, absent);
        }
        Ok(())
    }

    /// The condition that a field is null or absent.
    fn null(&self) -> Document {
        match self.by_position {
            // For the server `a.0.b` is also the field `0` of each element, which is absent: it would find that for null.
            true => doc! { "$not": { "$type": NOT_NULL.to_vec() } },
            false => doc! { "$eq": Bson::Null },
        }
    }

    /// Adds the conditions on an array of documents: its length, and the fields of each element.
    fn add_elements(
        &mut self,
        shape: &'static Shape,
        elements: &[Bson],
        at: &str,
        whole: &str,
    ) -> Result<(), Error> {
        let size = i64::try_from(elements.len()).unwrap_or(i64::MAX);
        self.out.insert(at, doc! { "$size": size });
        self.certain = true;
        let outside = std::mem::replace(&mut self.by_position, true);
        for (n, element) in elements.iter().enumerate() {
            let at = join(at, &n.to_string());
            match element {
                Bson::Document(element) => {
                    self.out.insert(&at, doc! { "$type": "object" });
                    self.add(shape, element, &at, whole)?;
                }
                Bson::Null => drop(self.out.insert(at, self.null())),
                element => drop(self.out.insert(at, doc! { "$eq": element })),
            }
        }
        self.by_position = outside;
        Ok(())
    }

    /// The fields of one level, with the fields of flattened structs.
    fn level(
        &self,
        shape: &'static Shape,
        whole: &str,
        rows: &mut Vec<&'static FieldRow>,
    ) -> Result<(), Error> {
        for row in shape.fields {
            match row.shape {
                _ if !row.name.is_empty() => rows.push(row),
                Some(inner) if row.kind == Kind::Document => self.level(inner, whole, rows)?,
                _ => {
                    return Err(Error::Impossible {
                        what: format!(
                            "{}.{whole}: a document that holds copies and a flattened map cannot be compared as a whole; compare its fields",
                            self.model
                        ),
                    });
                }
            }
        }
        Ok(())
    }
}
