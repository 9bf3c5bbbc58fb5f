//! Results of arithmetic that the field can hold: the server calculates with 32 or 64 bits, and stores what does not fit, and what breaks a
//! rule of the field. Bounds of numbers of children, which no change lowers below the number, are limits of the same kind.

use bson::{Bson, Document, doc};

use super::Changes;
use super::results::{Rounded, Stored, integers, rounded};
use super::value::{encoded, owner, row_at};
use crate::bson_util::exact::Exact;
use crate::bson_util::number::integer;
use crate::bson_util::path::join;
use crate::codec::Encode;
use crate::document::guard;
use crate::driver::{self, ClientSession, Database, FindArgs};
use crate::error::violation::{self, Violation};
use crate::error::{Error, Result};
use crate::graph::edges::Edges;
use crate::graph::links::{Link, lowered};
use crate::schema::checks::{CheckRule, Part};
use crate::schema::field::place::{Path, path};
use crate::schema::model::{Model, ModelMeta};
use crate::write::change::Numeric;

/// The range of a number that an update calculates.
#[derive(Debug, Clone)]
pub(crate) struct Range {
    model: &'static str,
    /// The stored path of the field.
    path: String,
    limit: Limit,
    /// The filter of the documents whose result would leave the range.
    overflows: Document,
}

/// The origin of a range.
#[derive(Debug, Clone, Copy)]
pub(super) enum Limit {
    /// The field's type has these bounds.
    Type((i64, i64)),
    /// The field has this rule.
    Check(CheckRule),
    /// The field is the bound of this number of children.
    Number(&'static Link),
}

impl Range {
    pub(super) fn new(
        model: &'static str,
        path: String,
        limit: Limit,
        overflows: Document,
    ) -> Self {
        Range {
            model,
            path,
            limit,
            overflows,
        }
    }

    /// True if the range comes from a comparison of fields.
    pub(super) fn is_comparison(&self) -> bool {
        matches!(self.limit, Limit::Check(CheckRule::Compare(_)))
    }

    /// The condition that the result stays in the range. A document without the field meets the condition of a type's range.
    pub(crate) fn is_kept(&self) -> Document {
        doc! { "$nor": [self.overflows.clone()] }
    }

    /// The error that the results would leave these ranges in a document that meets the filter: of all violations of rules, or of the first
    /// range. One `find` per range.
    pub(crate) async fn left_in(
        (db, meta): (&Database, &'static ModelMeta),
        filter: &Document,
        ranges: &[Range],
        mut session: Option<&mut ClientSession>,
    ) -> Result<Option<Error>> {
        let mut left = None;
        for range in ranges {
            let filter = doc! { "$and": [filter, &range.overflows] };
            let args = FindArgs {
                projection: Some(doc! { "_id": 1 }),
                ..FindArgs::default()
            };
            let session = session.as_deref_mut();
            let found = driver::first(db, meta.collection, filter, args, session, |_| Ok(()));
            if found.await?.is_some() {
                violation::note(&mut left, range.error());
            }
        }
        Ok(left)
    }

    fn error(&self) -> Error {
        match self.limit {
            Limit::Type((min, max)) => Error::Overflow {
                field: format!("{}.{}", self.model, self.path),
                min,
                max,
            },
            Limit::Check(rule) => {
                let violation = Violation::new(self.path.clone(), rule);
                Error::invalid(self.model, vec![violation])
            }
            Limit::Number(link) => link.below_count(),
        }
    }

    /// The error that an update of many documents would pass over documents whose result breaks a rule.
    pub(crate) fn refused_for_many(&self) -> Option<Error> {
        let rule = match self.limit {
            Limit::Type(_) => return None,
            Limit::Check(rule) => rule,
            Limit::Number(link) => {
                return Some(Error::Impossible {
                    what: format!(
                        "an `update_many` that may lower {} below {}: it would pass over documents; update them one by one, or say `.allow_over_bound()`",
                        link.shown_bound(),
                        link.shown()
                    ),
                });
            }
        };
        Some(Error::Impossible {
            what: format!(
                "an `update_many` that changes {}.{}, which {rule}: it would pass over the documents whose result does not; update them one by one, or set the value",
                self.model, self.path
            ),
        })
    }
}

/// Checks that an operator cannot leave fewer elements than the array has to have: no filter says how many elements it removes.
pub(super) fn may_shrink<M: Model>(operator: &str, path: &str) -> Result<()> {
    if !matches!(operator, "$pull" | "$pullAll" | "$pop") {
        return Ok(());
    }
    let rule = rules_at::<M>(path).find(|rule| rule.least() > 0);
    rule.map_or(Ok(()), |rule| {
        Err(Error::Impossible {
            what: format!(
                "`{operator}` of {}, which {rule}: it may leave fewer elements; set the whole array",
                owner::<M>(path)
            ),
        })
    })
}

/// The rules about the value at a path.
fn rules_at<M: Model>(path: &str) -> impl Iterator<Item = &'static CheckRule> {
    let meta = M::model_meta();
    let row = row_at(meta.shape, path).into_iter();
    row.flat_map(|row| row.rules(Part::Whole, meta.rules(true)))
}

/// The filter of the documents whose value at `path` has no result that a rule allows; `None` if every result is allowed.
fn broken<T: Numeric>(
    path: &str,
    operator: &str,
    operand: &Bson,
    rule: &CheckRule,
) -> Option<Document> {
    let whole = integer(Some(operand));
    let (stored, absent_is) = match (whole, operand) {
        (Some(by), _) => {
            let (min, max) = rule.integers()?;
            let absent = if operator == "$inc" { by } else { 0 };
            (
                outside(path, integers(operator, by, min, max)),
                Bson::Int64(absent),
            )
        }
        (None, Bson::Double(by)) => {
            let (min, max, exclusive) = rule.floats()?;
            let exclusive = exclusive && max <= T::GREATEST_FLOAT;
            let ends = (min.max(-T::GREATEST_FLOAT), max.min(T::GREATEST_FLOAT));
            outside_rounded(path, operator, *by, ends, exclusive)
        }
        (None, Bson::Decimal128(by)) => {
            let (min, max, exclusive) = rule.decimals()?;
            outside_rounded(path, operator, Exact::from(*by), (min, max), exclusive)
        }
        _ => return None,
    };
    let mut filters = stored;
    if !guard::is_met(rule, &absent_is) {
        // An absent value counts as 0, and so does a null, which is made absent.
        filters.push(doc! { path: Bson::Null });
    }
    (!filters.is_empty()).then(|| doc! { "$or": filters })
}

/// The filters of the values at `path` whose result is out of a range, and the result of no value.
fn outside_rounded<N: Rounded + Into<Bson>>(
    path: &str,
    operator: &str,
    by: N,
    ends: (N, N),
    exclusive: bool,
) -> (Vec<Document>, Bson) {
    let mut filters = outside(path, rounded(operator, by, ends, exclusive));
    filters.push(doc! { path: f64::NAN });
    let absent = if operator == "$inc" { by } else { N::ZERO };
    (filters, absent.into())
}

/// The filters of the values at `path` that are not among these.
fn outside<T: Into<Bson>>(path: &str, stored: Stored<T>) -> Vec<Document> {
    match stored {
        Stored::All => Vec::new(),
        Stored::None => vec![
            doc! { path: { "$exists": true } },
            doc! { path: Bson::Null },
        ],
        Stored::Between(least, greatest) => {
            let below = least.map(|least| doc! { path: { "$lt": least } });
            let above = greatest.map(|greatest| doc! { path: { "$gt": greatest } });
            below.into_iter().chain(above).collect()
        }
    }
}

/// The filters of the documents in which the field at `path` would leave its range, with what the ranges are from.
fn ranges<T: Numeric>(
    rules: impl Iterator<Item = &'static CheckRule>,
    path: &str,
    operator: &str,
    operand: &Bson,
) -> Vec<(Limit, Document)> {
    let mut out = Vec::new();
    let mut is_narrow = false;
    for rule in rules {
        is_narrow |= match (rule.integers(), T::RANGE) {
            (Some((Some(min), Some(max))), Some((least, greatest))) => {
                least <= min && max <= greatest
            }
            _ => false,
        };
        if let Some(broken) = broken::<T>(path, operator, operand, rule) {
            out.push((Limit::Check(*rule), broken));
        }
    }
    // A range inside that of the type says enough.
    if let (Some(by), Some((min, max)), false) = (integer(Some(operand)), T::RANGE, is_narrow) {
        let outside = outside(path, integers(operator, by, Some(min), Some(max)));
        if !outside.is_empty() {
            out.push((Limit::Type((min, max)), doc! { "$or": outside }));
        }
    }
    out
}

impl Changes {
    /// `$inc` or `$mul`, as far as the field can hold the result.
    pub(crate) fn calculate<M: Model, P: Path, T: Numeric>(
        &mut self,
        operator: &'static str,
        operand: &T,
    ) where
        P::Codec: Encode<T>,
    {
        let (path, operand) = (path::<P>(), encoded::<M, P, T>(operand));
        if let Ok(operand) = &operand {
            self.check_calculated::<M>("arithmetic on", &path);
            for (limit, overflows) in ranges::<T>(rules_at::<M>(&path), &path, operator, operand) {
                self.keep_range::<M>(&path, limit, overflows);
            }
        }
        self.put_result::<M, P>(operator, operand);
    }

    /// `$inc` of a field of those elements of an array that meet a condition, as far as the field can hold the results.
    pub(crate) fn inc_element<M: Model, P: Path, Q: Path, T: Numeric>(
        &mut self,
        element: Result<Document>,
        by: &T,
    ) where
        Q::Codec: Encode<T>,
    {
        let (array, field) = (path::<P>(), path::<Q>());
        let full = join(&array, &field);
        let by = encoded::<M, Q, T>(by);
        if let (Ok(element), Ok(by)) = (&element, &by) {
            self.check_calculated::<M>("arithmetic on", &full);
            for (limit, overflows) in ranges::<T>(rules_at::<M>(&full), &field, "$inc", by) {
                let both = vec![element.clone(), overflows];
                let overflows = doc! { &array: { "$elemMatch": { "$and": both } } };
                self.keep_range::<M>(&full, limit, overflows);
            }
        }
        self.put_element::<M, P, Q>("$inc", element, by);
    }

    /// Refuses a value that only the server knows where a rule says that it is one of several, or where a function judges it.
    pub(crate) fn check_calculated<M: Model>(&mut self, change: &str, path: &str) {
        let is_in_the_way =
            |rule: &&CheckRule| matches!(rule, CheckRule::OneOfInt(_) | CheckRule::With(_));
        if let Some(rule) = rules_at::<M>(path).find(is_in_the_way) {
            let owner = owner::<M>(path);
            self.fail(Error::Impossible {
                what: format!("{change} {owner}, which {rule}: set the value"),
            });
        }
    }

    /// Bounds may become less than the numbers that they bound.
    pub(crate) fn allow_over_bound(&mut self) {
        self.lowers_bounds = true;
        self.ranges
            .retain(|range| !matches!(range.limit, Limit::Number(_)));
    }

    /// Adds the condition that a change of a bound does not lower it below the number of children.
    pub(super) fn keep_bounds<M: Model>(&mut self, operator: &str, path: &str, operand: &Bson) {
        if self.lowers_bounds {
            return;
        }
        let (links, meta) = (Edges::get().links(), M::model_meta());
        let lowered = lowered(links, meta.collection, operator, path, operand);
        self.ranges
            .extend(lowered.into_iter().map(|(link, overflows)| Range {
                model: meta.name,
                path: path.to_owned(),
                limit: Limit::Number(link),
                overflows,
            }));
    }

    fn keep_range<M: Model>(&mut self, path: &str, limit: Limit, overflows: Document) {
        let is_widest = matches!(limit, Limit::Type((_, i64::MAX)));
        let model = M::model_meta().name;
        let range = Range::new(model, path.to_owned(), limit, overflows);
        // The server itself refuses a result beyond 64 bits, and an update of many then stops in the middle.
        match is_widest {
            true => self.beyond_64_bits.push(range),
            false => self.ranges.push(range),
        }
    }

    /// The condition that all numbers stay in their ranges; empty where nothing is calculated.
    pub(crate) fn fits(&self) -> Document {
        let overflows = self.ranges.iter().map(|range| range.overflows.clone());
        let overflows: Vec<Document> = overflows.collect();
        match overflows.is_empty() {
            true => Document::new(),
            false => doc! { "$nor": overflows },
        }
    }
}
