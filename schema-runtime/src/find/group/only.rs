//! Totals of some of a group's documents: a filter as an expression, which says of each document if it counts.

use bson::{Bson, Document, doc};

use super::{GroupBy, Restricted, RowsOf, SomeTotals, selected, totals};
use crate::error::{Error, Result};
use crate::filter::{AskedOf, Filter, has_strings};
use crate::schema::flat::FlatField;
use crate::schema::model::Model;
use crate::schema::rows::Kind;

impl<M: Model, K, V, R: RowsOf<M>> GroupBy<'_, M, K, V, R> {
    /// Restricts the total before it to the documents that meet a filter: `.sum(|o| o.cents).only(|o| o.status.eq(Status::Paid))`. The others
    /// add nothing, and are in the group and in its other totals.
    ///
    /// The filter compares fields outside of arrays and maps, and may join such comparisons by `and`, `or` and `!`.
    ///
    /// # Errors
    /// When awaited: [`Error::Impossible`] for a condition that looks into an array or a map, or is served by a special index.
    pub fn only<F, S, C>(mut self, filter: F) -> Self
    where
        F: FnOnce(R::Handles) -> Filter<C, S>,
        S: AskedOf<M, C>,
        V: SomeTotals<Last: Restricted>,
    {
        let conditions = filter(R::HANDLES).into_scanned();
        let condition = conditions.and_then(|conditions| {
            let exact = conditions.collation.is_none() && has_strings(&conditions.document);
            self.find.collated(conditions.collation, exact);
            all::<M>(&conditions.document, R::array().as_deref())
        });
        match condition {
            Ok(condition) => self.restrict_last(&condition),
            Err(error) => self.find.filter = Err(error),
        }
        self
    }
}

impl<M, K, V, R> GroupBy<'_, M, K, V, R> {
    fn restrict_last(&mut self, condition: &Bson) {
        let last = self.totals.len() - 1;
        let restrict = |accumulator: &mut Bson, other: Bson| {
            let Bson::Document(accumulator) = accumulator else {
                return;
            };
            for (_, value) in accumulator.iter_mut() {
                let restricted =
                    doc! { "$cond": [condition.clone(), value.clone(), other.clone()] };
                *value = restricted.into();
            }
        };
        // No accumulator minds a null.
        if let Some(total) = self.totals.get_mut(selected::name(last)) {
            restrict(total, Bson::Null);
        }
        if let Some(misfits) = self.misfits.get_mut(totals::misfits_name(last)) {
            restrict(misfits, Bson::Int32(0));
        }
    }
}

/// The expression that a document meets a filter, where the array at `items` has one item.
fn all<M: Model>(filter: &Document, items: Option<&str>) -> Result<Bson> {
    let parts = filter.iter().map(|(key, value)| match (&**key, value) {
        ("$and" | "$or" | "$nor", Bson::Array(filters)) => {
            let filters = filters.iter().filter_map(Bson::as_document);
            let filters = filters.map(|filter| all::<M>(filter, items));
            let filters = filters.collect::<Result<Vec<Bson>>>()?;
            Ok(match &**key {
                "$nor" => doc! { "$not": [{ "$or": filters }] }.into(),
                joins => doc! { joins: filters }.into(),
            })
        }
        ("$expr", expression) => Ok(expression.clone()),
        (path, Bson::Document(conditions)) if is_outside_of_arrays::<M>(path, items) => {
            field::<M>(&format!("${path}"), conditions)
        }
        (operator, _) if operator.starts_with('$') => refused::<M>(operator),
        _ => refused::<M>("an array, a map or a value without an operator"),
    });
    let parts: Vec<Bson> = parts.collect::<Result<_>>()?;
    Ok(doc! { "$and": parts }.into())
}

fn is_outside_of_arrays<M: Model>(path: &str, items: Option<&str>) -> bool {
    let fields = &M::model_meta().flat().fields;
    let is_of_many = |field: &FlatField| {
        let inside = path.strip_prefix(&*field.path);
        let holds = match field.kind {
            Kind::Array | Kind::Map => {
                inside.is_some_and(|inside| inside.is_empty() || inside.starts_with('.'))
            }
            Kind::Any => inside == Some("") && path != "_id",
            _ => false,
        };
        holds && items != Some(&*field.path)
    };
    !path.starts_with('$') && !fields.iter().any(is_of_many)
}

fn refused<M: Model>(operator: &str) -> Result<Bson> {
    Err(Error::Impossible {
        what: format!(
            "{}: `only` of a total does not take {operator}; filter the documents of the grouping instead",
            M::model_meta().name
        ),
    })
}

/// The expression that a field meets all of these conditions, as a filter means them: an absent field equals null, and `$lt` and its like
/// compare values of one type only.
fn field<M: Model>(value: &str, conditions: &Document) -> Result<Bson> {
    let or_null = || doc! { "$ifNull": [value, Bson::Null] };
    let parts = conditions.iter().map(|(operator, operand)| {
        let literal = || doc! { "$literal": operand.clone() };
        Ok(match (&**operator, operand) {
            ("$eq" | "$ne", _) => doc! { &**operator: [or_null(), literal()] },
            ("$in", Bson::Array(_)) => doc! { "$in": [or_null(), literal()] },
            ("$nin", Bson::Array(_)) => doc! { "$not": [{ "$in": [or_null(), literal()] }] },
            ("$exists", Bson::Boolean(exists)) => {
                let missing = doc! { "$eq": [{ "$type": value }, "missing"] };
                match exists {
                    true => doc! { "$not": [missing] },
                    false => missing,
                }
            }
            ("$not", Bson::Document(inner)) => doc! { "$not": [field::<M>(value, inner)?] },
            ("$type", Bson::String(name)) => doc! { "$eq": [{ "$type": value }, name] },
            ("$type", Bson::Array(_)) => doc! { "$in": [{ "$type": value }, literal()] },
            ("$lt" | "$lte" | "$gt" | "$gte", _) => compared(value, operator, operand),
            ("$regex", Bson::RegularExpression(_)) => {
                let is_text = doc! { "$eq": [{ "$type": value }, "string"] };
                let text = doc! { "$cond": [is_text.clone(), value, ""] };
                let matches = doc! { "$regexMatch": { "input": text, "regex": literal() } };
                doc! { "$and": [is_text, matches] }
            }
            (operator, _) => return refused::<M>(operator),
        }
        .into())
    });
    let parts: Vec<Bson> = parts.collect::<Result<_>>()?;
    Ok(doc! { "$and": parts }.into())
}

/// A comparison by order, with values of the operand's type only. NaN is in no range, and equals NaN.
fn compared(value: &str, operator: &str, operand: &Bson) -> Document {
    let literal = doc! { "$literal": operand.clone() };
    let is_nan = match operand {
        Bson::Double(number) => number.is_nan(),
        Bson::Decimal128(number) => number.to_string() == "NaN",
        _ => false,
    };
    if is_nan {
        return match operator {
            "$lte" | "$gte" => doc! { "$eq": [value, literal] },
            _ => doc! { "$literal": false },
        };
    }
    let number = || doc! { "$and": [{ "$isNumber": value }, { "$ne": [value, f64::NAN] }] };
    let of_type = match operand {
        Bson::Int32(_) | Bson::Int64(_) | Bson::Double(_) | Bson::Decimal128(_) => number(),
        _ => doc! { "$eq": [{ "$type": value }, { "$type": &literal }] },
    };
    doc! { "$and": [of_type, { operator: [value, literal] }] }
}
