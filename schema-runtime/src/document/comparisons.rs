//! Comparisons of the fields of one document: evaluated here, and as an expression that the server evaluates to the same result.

use std::cmp::Ordering;

use bson::{Bson, Document, RawBsonRef, RawDocument, doc};

use crate::schema::comparison::{CompareOp, Comparison, Term};
use crate::schema::model::ModelMeta;
use crate::schema::rows::Kind;

/// A value that can be compared.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Operand {
    Int(i64),
    Float(f64),
    Date(i64),
}

impl Operand {
    fn of_raw(value: RawBsonRef<'_>) -> Option<Self> {
        match value {
            RawBsonRef::Int32(n) => Some(Operand::Int(n.into())),
            RawBsonRef::Int64(n) => Some(Operand::Int(n)),
            RawBsonRef::Double(n) => Some(Operand::Float(n)),
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
            Bson::DateTime(date) => Some(Operand::Date(date.timestamp_millis())),
            _ => None,
        }
    }

    #[allow(clippy::cast_precision_loss)] // The server calculates so too.
    fn float(self) -> Option<f64> {
        match self {
            Operand::Int(n) => Some(n as f64),
            Operand::Float(n) => Some(n),
            Operand::Date(_) => None,
        }
    }

    /// The order of the server: exact between integers and floats, and NaN is less than every number.
    fn compare(self, other: Self) -> Option<Ordering> {
        match (self, other) {
            (Operand::Int(a), Operand::Int(b)) | (Operand::Date(a), Operand::Date(b)) => {
                Some(a.cmp(&b))
            }
            (Operand::Float(a), Operand::Float(b)) => Some(
                a.partial_cmp(&b)
                    .unwrap_or_else(|| b.is_nan().cmp(&a.is_nan())),
            ),
            (Operand::Int(a), Operand::Float(b)) => Some(compare_exactly(a, b)),
            (Operand::Float(a), Operand::Int(b)) => Some(compare_exactly(b, a).reverse()),
            _ => None,
        }
    }
}

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

/// True if these values of the fields meet the comparison. A side without a value meets it.
pub(crate) fn is_met(comparison: &Comparison, field: impl Fn(&str) -> Option<Operand>) -> bool {
    let side = |side: &[&[Term]]| sum(side, &field);
    let order = side(comparison.left).zip(side(comparison.right));
    let order = order.and_then(|(left, right)| left.compare(right));
    order.is_none_or(|order| comparison.op.accepts(order))
}

impl Comparison {
    /// True if a document meets the comparison.
    #[must_use]
    #[cfg(feature = "driver")]
    pub fn is_met_by(&self, document: &Document) -> bool {
        is_met(self, |name| document.get(name).and_then(Operand::of))
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
    all.filter(move |comparison| !is_met(comparison, field))
}

fn sum(products: &[&[Term]], field: &impl Fn(&str) -> Option<Operand>) -> Option<Operand> {
    if let [product] = products {
        return multiply(product, field);
    }
    let (mut whole, mut float, mut is_float) = (0_i128, 0.0, false);
    for product in products {
        let product = multiply(product, field)?;
        float += product.float()?;
        match product {
            Operand::Int(n) => whole += i128::from(n),
            _ => is_float = true,
        }
    }
    match i64::try_from(whole) {
        Ok(whole) if !is_float => Some(Operand::Int(whole)),
        _ => Some(Operand::Float(float)),
    }
}

/// The server multiplies integers as such until a product is beyond 64 bits.
fn multiply(terms: &[Term], field: &impl Fn(&str) -> Option<Operand>) -> Option<Operand> {
    let value = |term: &Term| match *term {
        Term::Field(name) => field(name),
        Term::Int(n) => Some(Operand::Int(n)),
        Term::Float(n) => Some(Operand::Float(n)),
    };
    if let [term] = terms {
        return value(term);
    }
    let (mut whole, mut float) = (Some(1_i64), 1.0);
    for term in terms {
        let factor = value(term)?;
        float *= factor.float()?;
        whole = match factor {
            Operand::Int(n) => whole.and_then(|product| product.checked_mul(n)),
            _ => None,
        };
    }
    Some(whole.map_or(Operand::Float(float), Operand::Int))
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
    let comparable = comparison.fields().map(|name| {
        let types = match is_date(name) {
            true => vec!["date"],
            false => vec!["int", "long", "double"],
        };
        Bson::Document(doc! { "$in": [{ "$type": field(name) }, types] })
    });
    let comparable: Vec<Bson> = comparable.collect();
    let term = |term: &Term| match *term {
        Term::Field(name) => field(name),
        Term::Int(n) => n.into(),
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
