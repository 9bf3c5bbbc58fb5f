//! The bound of a number of children, `#[count(.., max = ..)]`, and changes of the field that holds the bound.

use bson::{Bson, Document, doc};

use super::Link;
use crate::bson_util::number::integer;
use crate::error::Error;
use crate::schema::two_way::top;

/// The largest number of children that a parent can have.
#[derive(Debug)]
pub(crate) enum Bound {
    /// The bound is the same for all parents.
    Constant(i64),
    /// The stored name of the field of the parent that holds the bound. A parent where the field is absent or null has no bound.
    Field(&'static str),
}

impl Bound {
    /// The field of the parent that holds the bound.
    pub(crate) fn field(&self) -> Option<&'static str> {
        match self {
            Bound::Constant(_) => None,
            Bound::Field(field) => Some(field),
        }
    }

    /// The bound of this parent.
    pub(crate) fn of(&self, parent: &Document) -> Option<i64> {
        match self {
            Bound::Constant(max) => Some(*max),
            Bound::Field(field) => integer(parent.get(field)),
        }
    }

    /// An expression about the stored parent that is true if the number at `field` may grow by `gain`.
    pub(crate) fn admits(&self, field: &str, gain: i64) -> Document {
        let next = doc! { "$add": [{ "$ifNull": [format!("${field}"), 0_i64] }, gain] };
        match self {
            Bound::Constant(max) => doc! { "$lte": [next, *max] },
            Bound::Field(of) => {
                let max = doc! { "$ifNull": [format!("${of}"), Bson::Null] };
                doc! { "$or": [{ "$eq": [&max, Bson::Null] }, { "$lte": [next, &max] }] }
            }
        }
    }
}

impl Link {
    /// The bound of a parent whose number is greater; `None` for a parent within its bound.
    pub(crate) fn exceeded(&self, parent: &Document) -> Option<i64> {
        let max = self.bound.as_ref()?.of(parent)?;
        (integer(parent.get(self.field))? > max).then_some(max)
    }

    /// The field of the parents that holds the bound, as the model names it: `Event.seats`.
    pub(crate) fn shown_bound(&self) -> String {
        let name = self.bound.as_ref().and_then(Bound::field);
        let name = name.unwrap_or(self.field);
        let row = top(self.host).into_iter().find(|row| row.name == name);
        format!("{}.{}", self.host.name, row.map_or(name, |row| row.rust))
    }

    /// The error for a bound that would be less than the number.
    pub(crate) fn below_count(&self) -> Error {
        Error::BelowCount {
            field: self.shown_bound(),
            count: self.shown(),
        }
    }

    /// The filter of the parents whose bound an operator on the field at `path` lowers below their number; `None` if the operator lowers no
    /// bound.
    pub(crate) fn lowered(&self, operator: &str, path: &str, operand: &Bson) -> Option<Document> {
        let bound = self.bound.as_ref().and_then(Bound::field)?;
        if bound != path || matches!(operand, Bson::Null) {
            return None;
        }
        let name = format!("${bound}");
        let next = match operator {
            "$set" | "$min" => {
                let more = doc! { "$gt": operand };
                return Some(doc! { self.field: more, "$nor": [{ bound: { "$lte": operand } }] });
            }
            "$inc" if integer(Some(operand)).is_some_and(|by| by < 0) => {
                doc! { "$add": [&name, operand] }
            }
            "$mul" => doc! { "$multiply": [&name, operand] },
            _ => return None,
        };
        Some(doc! {
            bound: { "$type": "number" },
            "$expr": { "$and": [
                { "$lt": [&next, &name] },
                { "$lt": [next, format!("${}", self.field)] },
            ] },
        })
    }
}

/// The filters of the parents whose bounds an operator on the field at `path` lowers below their numbers.
pub(crate) fn lowered(
    links: &'static [Link],
    collection: &str,
    operator: &str,
    path: &str,
    operand: &Bson,
) -> Vec<(&'static Link, Document)> {
    let bounded = links.iter().filter(|link| link.bound.is_some());
    let here = bounded.filter(|link| link.host.collection == collection);
    here.filter_map(|link| Some((link, link.lowered(operator, path, operand)?)))
        .collect()
}
