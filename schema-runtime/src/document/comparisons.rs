//! Comparisons of the fields of one document: evaluated here, and as an expression that the server evaluates to the same result.

use std::cmp::Ordering;

use bson::{Bson, Document, RawBsonRef, RawDocument, doc};

use crate::bson_util::exact::Exact;
use crate::schema::comparison::{CompareOp, Comparison, Term};
use crate::schema::model::ModelMeta;
use crate::schema::rows::Kind;

/// A value that can be compared.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Operand {
    Int(i64),
    Float(f64),
    Decimal(Exact),
    Date(i64),
}

impl Operand {
    fn of_raw(value: RawBsonRef<'_>) -> Option<Self> {
        match value {
            RawBsonRef::Int32(n) => Some(Operand::Int(n.into())),
            RawBsonRef::Int64(n) => Some(Operand::Int(n)),
            RawBsonRef::Double(n) => Some(Operand::Float(n)),
            RawBsonRef::Decimal128(n) => Some(Operand::Decimal(n.into())),
            RawBsonRef::DateTime(date) => Some(Operand::Date(date.timestamp_millis())),
            _ => None,
        }
    }

    /// `None` for a value of another type.
    #[cfg(feature = "driver")]
    pub(crate) fn of(value: &Bson) -> Option<Self> {
        match *value {
            Bson::Int32(n) => Some(Operand::Int(n.into())),
            Bson::Int64(n) => Some(Operand::Int(n)),
            Bson::Double(n) => Some(Operand::Float(n)),
            Bson::Decimal128(n) => Some(Operand::Decimal(n.into())),
            Bson::DateTime(date) => Some(Operand::Date(date.timestamp_millis())),
            _ => None,
        }
    }

    #[allow(clippy::cast_precision_loss)] // The server calculates so too.
    fn float(self) -> Option<f64> {
        match self {
            Operand::Int(n) => Some(n as f64),
            Operand::Float(n) => Some(n),
            Operand::Decimal(_) | Operand::Date(_) => None,
        }
    }

    /// The decimal that the server makes of a number beside a decimal, of a float with this number of digits.
    fn decimal(self, digits: usize) -> Option<Exact> {
        match self {
            Operand::Int(n) => Some(n.into()),
            Operand::Float(n) => Some(Exact::of_float(n, digits)),
            Operand::Decimal(n) => Some(n),
            Operand::Date(_) => None,
        }
    }

    fn is_nan(self) -> bool {
        match self {
            Operand::Float(n) => n.is_nan(),
            Operand::Decimal(n) => n.is_nan(),
            Operand::Int(_) | Operand::Date(_) => false,
        }
    }

    /// The order of the server: exact between integers and other numbers, and NaN is less than every number.
    fn compare(self, other: Self) -> Option<Ordering> {
        match (self, other) {
            (Operand::Int(a), Operand::Int(b)) | (Operand::Date(a), Operand::Date(b)) => {
                Some(a.cmp(&b))
            }
            (Operand::Date(_), _) | (_, Operand::Date(_)) => None,
            (a, b) if a.is_nan() || b.is_nan() => Some(b.is_nan().cmp(&a.is_nan())),
            (Operand::Float(a), Operand::Float(b)) => a.partial_cmp(&b),
            (Operand::Int(a), Operand::Float(b)) => Some(compare_exactly(a, b)),
            (Operand::Float(a), Operand::Int(b)) => Some(compare_exactly(b, a).reverse()),
            (Operand::Decimal(_), _) | (_, Operand::Decimal(_)) => {
                self.decimal(DIGITS)?.partial_cmp(&other.decimal(DIGITS)?)
            }
        }
    }
}

/// The order of two numbers; `None` where one is NaN, or no number.
#[cfg(feature = "driver")]
#[doc(hidden)]
pub fn compare_numbers(a: &Bson, b: &Bson) -> Option<Ordering> {
    let (a, b) = (Operand::of(a)?, Operand::of(b)?);
    let is_date = |value| matches!(value, Operand::Date(_));
    let has_order = !a.is_nan() && !b.is_nan() && !is_date(a);
    a.compare(b).filter(|_| has_order)
}

/// The digits of a decimal.
const DIGITS: usize = 34;

/// The digits of a float that the server multiplies with a decimal.
const FACTOR_DIGITS: usize = 15;

/// An integer compared with a float.
#[allow(clippy::cast_possible_truncation, clippy::cast_precision_loss)]
fn compare_exactly(whole: i64, float: f64) -> Ordering {
    if float.is_nan() {
        return Ordering::Greater;
    }
    // A float beyond 64 bits is cut to the nearest `i128` that is beyond them, too.
    let floor = float.floor() as i128;
    match i128::from(whole).cmp(&floor) {
        Ordering::Equal if float > float.floor() => Ordering::Less,
        order => order,
    }
}

impl CompareOp {
    fn accepts(self, order: Ordering) -> bool {
        match self {
            CompareOp::Less => order.is_lt(),
            CompareOp::AtMost => order.is_le(),
            CompareOp::Greater => order.is_gt(),
            CompareOp::AtLeast => order.is_ge(),
            CompareOp::Equal => order.is_eq(),
            CompareOp::Unequal => order.is_ne(),
        }
    }

    fn operator(self) -> &'static str {
        match self {
            CompareOp::Less => "$lt",
            CompareOp::AtMost => "$lte",
            CompareOp::Greater => "$gt",
            CompareOp::AtLeast => "$gte",
            CompareOp::Equal => "$eq",
            CompareOp::Unequal => "$ne",
        }
    }
}

/// True if one of the fields is a decimal: floats are compared with none.
fn has_decimals(meta: &ModelMeta, comparison: &Comparison) -> bool {
    comparison.fields().any(|name| {
        let row = meta.shape.fields.iter().find(|row| row.name == name);
        row.is_some_and(|row| row.kind == Kind::Decimal)
    })
}

/// True if these values of the fields meet a comparison of the model. A side without a value meets it.
pub(crate) fn is_met(
    meta: &ModelMeta,
    comparison: &Comparison,
    field: impl Fn(&str) -> Option<Operand>,
) -> bool {
    let has_decimals = has_decimals(meta, comparison);
    // A value that the server does not compare meets the comparison.
    let is_compared = |value: &Operand| match value {
        Operand::Float(_) => !has_decimals,
        Operand::Decimal(_) => has_decimals,
        Operand::Int(_) | Operand::Date(_) => true,
    };
    let value = |term: &Term| match *term {
        Term::Field(name) => field(name).filter(is_compared),
        Term::Int(n) => Some(Operand::Int(n)),
        Term::Float(n) if has_decimals => Some(Operand::Decimal(Exact::shortest(n))),
        Term::Float(n) => Some(Operand::Float(n)),
    };
    let side = |side: &[&[Term]]| sum(side, &value);
    let order = side(comparison.left).zip(side(comparison.right));
    let order = order.and_then(|(left, right)| left.compare(right));
    order.is_none_or(|order| comparison.op.accepts(order))
}

impl Comparison {
    /// True if a document of the model meets the comparison.
    #[must_use]
    #[cfg(feature = "driver")]
    pub fn is_met_by(&self, meta: &ModelMeta, document: &Document) -> bool {
        is_met(meta, self, |name| document.get(name).and_then(Operand::of))
    }
}

/// The comparisons that a document does not meet, of all or of those about stored documents.
pub(super) fn unmet(
    meta: &'static ModelMeta,
    raw: &RawDocument,
    is_write: bool,
) -> impl Iterator<Item = &'static Comparison> {
    let field = |name: &str| raw.get(name).ok().flatten().and_then(Operand::of_raw);
    let all = meta.comparisons.iter();
    let all = all.filter(move |comparison| is_write || !comparison.on_write);
    all.filter(move |comparison| !is_met(meta, comparison, field))
}

/// The server adds the decimals, and the exact sum of the other numbers to them.
fn sum(products: &[&[Term]], value: &impl Fn(&Term) -> Option<Operand>) -> Option<Operand> {
    if let [product] = products {
        return multiply(product, value);
    }
    let (mut whole, mut float, mut is_float) = (0_i128, 0.0, false);
    let mut decimal: Option<Exact> = None;
    for product in products {
        match multiply(product, value)? {
            Operand::Decimal(n) => decimal = Some(decimal.unwrap_or(Exact::ZERO) + n),
            Operand::Int(n) => {
                whole += i128::from(n);
                float += Operand::Int(n).float()?;
            }
            product => {
                float += product.float()?;
                is_float = true;
            }
        }
    }
    let others = match i64::try_from(whole) {
        Ok(whole) if !is_float => Operand::Int(whole),
        _ => Operand::Float(float),
    };
    let Some(decimal) = decimal else {
        return Some(others);
    };
    Some(Operand::Decimal(decimal + others.decimal(DIGITS)?))
}

/// The server multiplies integers as such until a product is beyond 64 bits, or a factor is a decimal.
fn multiply(terms: &[Term], value: &impl Fn(&Term) -> Option<Operand>) -> Option<Operand> {
    if let [term] = terms {
        return value(term);
    }
    let (mut whole, mut float, mut decimal) = (Some(1_i64), 1.0, None);
    for term in terms {
        let factor = value(term)?;
        if let (None, Operand::Decimal(_)) = (decimal, factor) {
            let product = whole.map_or(Operand::Float(float), Operand::Int);
            decimal = product.decimal(FACTOR_DIGITS);
        }
        if let Some(product) = decimal {
            decimal = Some(product * factor.decimal(FACTOR_DIGITS)?);
            continue;
        }
        float *= factor.float()?;
        whole = match factor {
            Operand::Int(n) => whole.and_then(|product| product.checked_mul(n)),
            _ => None,
        };
    }
    let product = whole.map_or(Operand::Float(float), Operand::Int);
    Some(decimal.map_or(product, Operand::Decimal))
}

/// The expression that is true of the documents that meet a comparison of the model, where `field` gives the value of a field.
pub(crate) fn expression(
    meta: &ModelMeta,
    comparison: &Comparison,
    field: impl Fn(&str) -> Bson,
) -> Document {
    let is_date = |name: &str| {
        let row = meta.shape.fields.iter().find(|row| row.name == name);
        row.is_some_and(|row| row.kind == Kind::Date)
    };
    let has_decimals = has_decimals(meta, comparison);
    let comparable = comparison.fields().map(|name| {
        let types = match is_date(name) {
            true => vec!["date"],
            false if has_decimals => vec!["int", "long", "decimal"],
            false => vec!["int", "long", "double"],
        };
        Bson::Document(doc! { "$in": [{ "$type": field(name) }, types] })
    });
    let comparable: Vec<Bson> = comparable.collect();
    let term = |term: &Term| match *term {
        Term::Field(name) => field(name),
        Term::Int(n) => n.into(),
        Term::Float(n) if has_decimals => Exact::shortest(n).into(),
        Term::Float(n) => n.into(),
    };
    let product = |terms: &&[Term]| match terms {
        [one] => term(one),
        terms => doc! { "$multiply": terms.iter().map(term).collect::<Vec<_>>() }.into(),
    };
    let side = |products: &[&[Term]]| match products {
        [one] => product(one),
        all => Bson::Document(doc! { "$add": all.iter().map(product).collect::<Vec<_>>() }),
    };
    let (left, right) = (side(comparison.left), side(comparison.right));
    let compared = doc! { comparison.op.operator(): [left, right] };
    doc! { "$cond": [{ "$and": comparable }, compared, true] }
}

/// The comparisons of a model about stored documents, as one expression; `None` if it has none.
#[cfg(feature = "driver")]
pub(crate) fn of_model(meta: &ModelMeta) -> Option<Document> {
    let stored = |name: &str| Bson::String(format!("${name}"));
    let all: Vec<Bson> = meta
        .stored_comparisons()
        .map(|comparison| expression(meta, comparison, stored).into())
        .collect();
    (!all.is_empty()).then(|| doc! { "$and": all })
}

#[cfg(test)]
mod tests {
    use std::cmp::Ordering;

    use super::{Operand, compare_exactly};

    #[test]
    fn integers_and_floats_are_compared_exactly() {
        let large = 9_007_199_254_740_993;
        assert_eq!(
            compare_exactly(large, 9_007_199_254_740_992.0),
            Ordering::Greater
        );
        assert_eq!(
            compare_exactly(i64::MAX, 9_223_372_036_854_775_808.0),
            Ordering::Less
        );
        assert_eq!(compare_exactly(-1, -0.5), Ordering::Less);
        assert_eq!(compare_exactly(0, -0.5), Ordering::Greater);
        assert_eq!(compare_exactly(0, -0.0), Ordering::Equal);
        assert_eq!(
            compare_exactly(i64::MIN, f64::NEG_INFINITY),
            Ordering::Greater
        );
        let nan = Operand::Float(f64::NAN);
        assert_eq!(nan.compare(nan), Some(Ordering::Equal));
        assert_eq!(
            nan.compare(Operand::Float(f64::NEG_INFINITY)),
            Some(Ordering::Less)
        );
        assert_eq!(nan.compare(Operand::Int(i64::MIN)), Some(Ordering::Less));
        assert_eq!(nan.compare(Operand::Date(0)), None);
    }
}
