//! Results of arithmetic that the type of a field can hold: the server calculates with 32 or 64 bits, and stores what does not fit.

use bson::{Document, doc};

use super::Changes;
use super::value::{encoded, owner};
use crate::bson_util::number::integer;
use crate::bson_util::path::join;
use crate::codec::Encode;
use crate::error::{Error, Result};
use crate::schema::field::place::{Path, path};
use crate::schema::model::Model;
use crate::write::change::Numeric;

/// The range of an integer that an update calculates.
#[derive(Debug, Clone)]
pub(crate) struct Range {
    /// `Person.age`
    owner: String,
    bounds: (i64, i64),
    /// The filter of the documents whose result would leave the range.
    overflows: Document,
}

impl Range {
    /// The condition that the result stays in the range. A document without the field meets it.
    pub(crate) fn is_kept(&self) -> Document {
        doc! { "$nor": [self.overflows.clone()] }
    }

    /// The condition that it does not.
    pub(crate) fn is_left(&self) -> &Document {
        &self.overflows
    }

    /// The error that the result would leave the range.
    pub(crate) fn error(&self) -> Error {
        let (min, max) = self.bounds;
        Error::Overflow {
            field: self.owner.clone(),
            min,
            max,
        }
    }
}

/// The least and the greatest stored integer whose result is within bounds; `None` if every result is.
fn limits_of(operator: &str, operand: i64, (min, max): (i64, i64)) -> Option<(i64, i64)> {
    // A limit beyond 64 bits is none. Divisions round towards zero, which is inside the range.
    match (operator, operand) {
        (_, 0) => None,
        ("$inc", by) => Some((min.saturating_sub(by), max.saturating_sub(by))),
        (_, by) if by > 0 => Some((min / by, max / by)),
        (_, by) => Some((max / by, min.saturating_div(by))),
    }
}

/// The filter of the values at `path` outside of a range.
fn outside(path: &str, (least, greatest): (i64, i64)) -> Document {
    doc! { "$or": [{ path: { "$lt": least } }, { path: { "$gt": greatest } }] }
}

impl Changes {
    /// `$inc` or `$mul`, as far as the field's type can hold the result.
    pub(crate) fn calculate<M: Model, P: Path, T: Numeric>(
        &mut self,
        operator: &'static str,
        operand: &T,
    ) where
        P::Codec: Encode<T>,
    {
        self.set::<M, P, T>(operator, operand);
        let path = path::<P>();
        let limits = limits::<M, P, T>(operator, operand);
        self.keep_range::<M, T>(&path, limits.map(|limits| outside(&path, limits)));
    }

    /// `$inc` of a field of those elements of an array that meet a condition, as far as its type can hold the results.
    pub(crate) fn inc_element<M: Model, P: Path, Q: Path, T: Numeric>(
        &mut self,
        element: Result<Document>,
        by: &T,
    ) where
        Q::Codec: Encode<T>,
    {
        let (array, field) = (path::<P>(), path::<Q>());
        let limits = limits::<M, Q, T>("$inc", by);
        let overflows = match (&element, limits) {
            (Ok(element), Some(limits)) => {
                let both = [element.clone(), outside(&field, limits)];
                Some(doc! { &array: { "$elemMatch": { "$and": both.to_vec() } } })
            }
            _ => None,
        };
        self.set_element::<M, P, Q, T>("$inc", element, by);
        self.keep_range::<M, T>(&join(&array, &field), overflows);
    }

    fn keep_range<M: Model, T: Numeric>(&mut self, path: &str, overflows: Option<Document>) {
        if let (Some(bounds), Some(overflows)) = (T::RANGE, overflows) {
            // The server itself refuses a result beyond 64 bits, and an update of many then stops in the middle.
            if bounds.1 == i64::MAX {
                return self.beyond_64_bits.push(overflows);
            }
            self.ranges.push(Range {
                owner: owner::<M>(path),
                bounds,
                overflows,
            });
        }
    }

    /// The condition that all integers stay in the range of their type; empty where nothing is calculated.
    pub(crate) fn fits(&self) -> Document {
        let overflows = self.ranges.iter().map(|range| range.overflows.clone());
        let overflows: Vec<Document> = overflows.collect();
        match overflows.is_empty() {
            true => Document::new(),
            false => doc! { "$nor": overflows },
        }
    }
}

/// The stored values of a field whose result its type can hold.
fn limits<M: Model, P: Path, T: Numeric>(operator: &str, operand: &T) -> Option<(i64, i64)>
where
    P::Codec: Encode<T>,
{
    let operand = encoded::<M, P, T>(operand).ok()?;
    limits_of(operator, integer(Some(&operand))?, T::RANGE?)
}
