//! Filters: their conditions, and whether a declared index serves them.
//!
//! ```no_run
//! # use bson::doc; use mongo_model::{MongoModel, raw_filter}; use mongo_model_guide::shop::*;
//! # async fn example(db: &mongo_model::Database) -> mongo_model::Result<()> {
//! let odd = Product::find(db, |p| {
//!     p.catalog_number.gt(1000).and(raw_filter(doc! { "catalog_number": { "$mod": [2, 1] } }))
//! });
//! let products = odd.await?;
//! # Ok(()) }
//! ```

mod expr;
mod fields;
mod folded;
mod geo;
mod keys;
mod parts;
mod served;
pub(crate) mod whole;

use std::fmt;
use std::marker::PhantomData;

use bson::{Bson, Document, doc};

use self::expr::model_name;
use self::expr::{Expr, compare, join};
pub(crate) use self::expr::{has_strings, join_collations};
pub use self::fields::{ComparedWith, Ordered};
#[doc(hidden)]
pub use self::folded::Conditions;
pub use self::keys::MapValue;
#[doc(hidden)]
pub use self::served::{
    And, AskedOf, AskedOnPurpose, CaseIndexed, CircleIndexed, GeoIndexed, InElement, IndexedField,
    IndexedNull, NearInside, NearOnce, NearOutside, NearTwice, Negated, Or, Orders, Otherwise,
    ServedBy, ServedOperator, TextIndexed, Unless, WithNear,
};
pub use self::served::{Countable, Everything, NotServed, Query, Scanned, Served};
use crate::codec::{CodecError, Encode};
use crate::error::Error;
use crate::schema::field::place::{Path, Within, path, whole_path};
use crate::schema::field::{Field, Handles, IndexKind, Indexed, IntoArg, NotIndexed, encode};
use crate::schema::model::Model;
use crate::schema::value::Value;

/// A filter on `M`; `S` says whether an index serves it.
pub struct Filter<M, S> {
    expr: Result<Expr, Error>,
    kind: PhantomData<fn() -> (M, S)>,
}

impl<M, S> fmt::Debug for Filter<M, S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Filter").field(&self.expr).finish()
    }
}

impl<M, S> Filter<M, S> {
    /// As [`into_conditions`](Filter::into_conditions), for a command that compares strings as the collection does.
    pub(crate) fn into_document(self) -> Result<Document, Error> {
        self.into_conditions()?.without_collation(model_name::<M>())
    }

    /// As [`into_scanned`](Filter::into_scanned), for a command that compares strings as the collection does.
    pub(crate) fn into_scan(self) -> Result<Document, Error> {
        self.into_scanned()?.without_collation(model_name::<M>())
    }
}

impl<M, S> Filter<M, S> {
    /// A condition on a field at `P`: of a variant's field also that the document is of that variant.
    fn at<P: Path>(expr: Result<Expr, Error>) -> Self {
        let Some((tag, value)) = P::SCOPE else {
            return Filter::from_expr(expr);
        };
        let scoped = |asked| doc! { "$and": [{ tag: value }, asked] };
        Filter::from_expr(expr.map(|expr| expr.map(scoped)))
    }

    fn from_expr(expr: Result<Expr, Error>) -> Self {
        Filter {
            expr,
            kind: PhantomData,
        }
    }

    #[doc(hidden)]
    pub fn __served(self) -> Result<Conditions, Error> {
        self.into_conditions()
    }

    #[doc(hidden)]
    pub fn __scanned(self) -> Result<Conditions, Error> {
        self.into_scanned()
    }

    /// The filter as the server gets it where an index is to serve it.
    pub(crate) fn into_conditions(self) -> Result<Conditions, Error> {
        self.expr.map(|expr| Conditions {
            collation: expr.collation(),
            document: expr.into_served(),
        })
    }

    /// The filter as the server gets it where no index need serve it.
    pub(crate) fn into_scanned(self) -> Result<Conditions, Error> {
        self.expr.map(|expr| Conditions {
            collation: expr.collation(),
            document: expr.asked,
        })
    }
}

impl<M, S> Filter<M, S> {
    /// Both conditions hold. An index serves this if it serves one side.
    #[must_use]
    pub fn and<S2>(self, other: Filter<M, S2>) -> Filter<M, <S as And<S2>>::Out>
    where
        S: And<S2>,
    {
        Filter::from_expr(join::<M>("$and", self.expr, other.expr))
    }

    /// At least one of the conditions holds. Indexes serve this if they serve both sides.
    #[must_use]
    pub fn or<S2>(self, other: Filter<M, S2>) -> Filter<M, <S as Or<S2>>::Out>
    where
        S: Or<S2>,
    {
        Filter::from_expr(join::<M>("$or", self.expr, other.expr))
    }
}

/// `!filter`: the condition does not hold. No index serves this.
impl<M, S: Negated> std::ops::Not for Filter<M, S> {
    type Output = Filter<M, S::Out>;

    fn not(self) -> Self::Output {
        let negated = |expr: Expr| expr.without_served().map(|asked| doc! { "$nor": [asked] });
        Filter::from_expr(self.expr.map(negated))
    }
}

/// Makes a filter from BSON, for conditions that the handles cannot express. Its keys and operators are the caller's
/// responsibility. It counts as not served by an index, so use it in a `scan`, or combine it by `and` with a filter
/// that an index serves.
#[must_use]
pub fn raw_filter<M: Model>(filter: Document) -> Filter<M, NotServed> {
    Filter::from_expr(Ok(filter.into()))
}

impl<M> Filter<M, Indexed> {
    /// A filter on fields whose index is generated.
    pub(crate) fn served(filter: Result<Document, Error>) -> Self {
        Filter::from_expr(filter.map(Expr::from))
    }
}

/// Every document of `M`, for `scan`.
#[must_use]
pub fn everything<M>() -> Filter<M, Everything> {
    Filter::from_expr(Ok(Document::new().into()))
}

fn encode_error<P: Path>(source: CodecError) -> Error
where
    P::Root: Model,
{
    Error::Encode {
        model: <P::Root as Model>::model_meta().name,
        field: path::<P>(),
        source: Box::new(source),
    }
}

impl<P: Path, T, I: IndexKind, W> Field<P, T, I, W>
where
    P::Root: Model,
{
    fn encoded(value: &T) -> Result<Bson, Error>
    where
        P::Codec: Encode<T>,
    {
        encode::<P, T>(value).map_err(encode_error::<P>)
    }

    /// The encoded value for a condition that the field's index serves.
    fn indexed(value: &T) -> Result<Bson, Error>
    where
        P::Codec: Encode<T>,
    {
        match Self::encoded(value) {
            Ok(Bson::Null) if I::NO_NULLS => {
                let field = format!("{}.{}", <P::Root as Model>::model_meta().name, path::<P>());
                Err(Error::NullNotIndexed { field })
            }
            encoded => encoded,
        }
    }

    fn op<S>(op: &str, value: &T) -> Filter<P::Root, S>
    where
        P::Codec: Encode<T>,
    {
        Filter::at::<P>(Self::indexed(value).and_then(|value| whole::one::<P, I>(op, value)))
    }

    /// The field equals `value`. Embedded documents are equal if their fields are, in whatever order another program has stored them
    /// and whatever other keys it has added: also in arrays, and for `ne`, `is_in`, `not_in` and `contains`. Maps, embedded documents
    /// with a flattened map, and those with an index on the whole (`IDX_WHOLE_DOC`) are compared as they
    /// are stored, with the order of their keys.
    pub fn eq(self, value: impl IntoArg<T>) -> Filter<P::Root, I::Eq>
    where
        P::Codec: Encode<T>,
    {
        Self::op("$eq", &value.into_arg())
    }

    /// The field equals one of `values`.
    pub fn is_in<V: IntoArg<T>>(self, values: impl IntoIterator<Item = V>) -> Filter<P::Root, I::Eq>
    where
        P::Codec: Encode<T>,
    {
        let values = values
            .into_iter()
            .map(|value| Self::indexed(&value.into_arg()))
            .collect::<Result<_, _>>();
        Filter::at::<P>(values.and_then(|values| whole::many::<P, I>("$in", values)))
    }

    /// The field differs from `value`, or is absent. No index serves it.
    pub fn ne(self, value: impl IntoArg<T>) -> Filter<P::Root, NotServed>
    where
        P::Codec: Encode<T>,
    {
        let value = Self::encoded(&value.into_arg());
        Filter::at::<P>(value.and_then(|value| whole::one::<P, NotIndexed<()>>("$ne", value)))
    }

    /// The field equals none of `values`. No index serves it.
    pub fn not_in<V: IntoArg<T>>(
        self,
        values: impl IntoIterator<Item = V>,
    ) -> Filter<P::Root, NotServed>
    where
        P::Codec: Encode<T>,
    {
        let values = values
            .into_iter()
            .map(|value| Self::encoded(&value.into_arg()))
            .collect::<Result<_, _>>();
        Filter::at::<P>(values.and_then(|values| whole::many::<P, NotIndexed<()>>("$nin", values)))
    }

    /// The field is greater than `value`, in BSON's order, among values of the same BSON type.
    pub fn gt(self, value: impl IntoArg<T>) -> Filter<P::Root, I::Range>
    where
        P::Codec: Encode<T>,
    {
        Self::op("$gt", &value.into_arg())
    }

    /// The field is `value` or greater.
    pub fn gte(self, value: impl IntoArg<T>) -> Filter<P::Root, I::Range>
    where
        P::Codec: Encode<T>,
    {
        Self::op("$gte", &value.into_arg())
    }

    /// The field is less than `value`.
    pub fn lt(self, value: impl IntoArg<T>) -> Filter<P::Root, I::Range>
    where
        P::Codec: Encode<T>,
    {
        Self::op("$lt", &value.into_arg())
    }

    /// The field is `value` or less.
    pub fn lte(self, value: impl IntoArg<T>) -> Filter<P::Root, I::Range>
    where
        P::Codec: Encode<T>,
    {
        Self::op("$lte", &value.into_arg())
    }

    /// The field is in the document (`true`) or not (`false`). No index serves it.
    pub fn exists(self, yes: bool) -> Filter<P::Root, NotServed> {
        Filter::at::<P>(Ok(compare::<P, NotIndexed<()>>(
            "$exists",
            Bson::Boolean(yes),
        )))
    }
}

impl<P: Path, T, I: IndexKind, W> Field<P, Option<T>, I, W>
where
    P::Root: Model,
{
    /// The field is null or absent.
    pub fn is_none(self) -> Filter<P::Root, I::Null> {
        Filter::at::<P>(Ok(compare::<P, NotIndexed<()>>("$eq", Bson::Null)))
    }

    /// The field is there and not null. No index serves it.
    pub fn is_some(self) -> Filter<P::Root, NotServed> {
        Filter::at::<P>(Ok(compare::<P, NotIndexed<()>>("$ne", Bson::Null)))
    }
}

/// The longest pattern in bytes. The server compiles it, and a little beyond this the result is too large (error 51091).
const PATTERN_MAX: usize = 32_000;

/// The pattern of strings that start so, or why there is none.
fn prefix_pattern(prefix: &str) -> Result<bson::raw::CString, String> {
    // Everything but letters and digits is escaped; the server takes such a prefix as index bounds.
    let mut pattern = String::from("^");
    for c in prefix.chars() {
        if c.is_ascii_punctuation() {
            pattern.push('\\');
        }
        pattern.push(c);
    }
    let bytes = pattern.len();
    if bytes > PATTERN_MAX {
        return Err(format!(
            "a prefix whose pattern has {bytes} bytes; the server takes {PATTERN_MAX}"
        ));
    }
    bson::raw::CString::try_from(pattern)
        .map_err(|_| "a prefix with a NUL, which no pattern of the server contains".to_owned())
}

/// Strings, optional ones too.
#[diagnostic::on_unimplemented(
    message = "this field holds `{Self}`, which is not a string",
    label = "not a string"
)]
pub trait StringValue {
    /// The index that serves a comparison by its collation. It depends on the value's type, so that a value of a wrong type is one error,
    /// and not also the error of a missing index.
    type Folded<I: IndexKind>;
}
#[diagnostic::do_not_recommend]
impl StringValue for String {
    type Folded<I: IndexKind> = I::Folded;
}
#[diagnostic::do_not_recommend]
impl StringValue for Option<String> {
    type Folded<I: IndexKind> = I::Folded;
}

impl<P: Path, T, I: IndexKind, W> Field<P, T, I, W>
where
    P::Root: Model,
{
    /// The string starts with `prefix`, letter for letter. An index serves it as a range.
    ///
    /// # Errors
    /// The call that takes the filter returns [`Error::Impossible`] for a prefix with a NUL, and for one of more than
    /// 31,999 bytes, where each ASCII punctuation character counts as two.
    pub fn starts_with(self, prefix: &str) -> Filter<P::Root, I::Range>
    where
        T: StringValue,
    {
        let pattern = prefix_pattern(prefix).map_err(|reason| Error::Impossible {
            what: format!(
                "{}.{} starts with {reason}",
                <P::Root as Model>::model_meta().name,
                whole_path::<P>()
            ),
        });
        Filter::at::<P>(pattern.map(|pattern| {
            let options = bson::raw::cstr!("").to_owned();
            let regex = bson::Regex { pattern, options };
            compare::<P, I>("$regex", Bson::RegularExpression(regex))
        }))
    }

    /// The text index that this field belongs to finds `words` (the index searches all its fields).
    pub fn text(self, words: &str) -> Filter<P::Root, I::Text>
    where
        T: StringValue,
    {
        Filter::at::<P>(Ok(doc! { "$text": { "$search": words } }.into()))
    }
}

/// Arrays and sets, for the operators on their elements.
#[diagnostic::on_unimplemented(
    message = "this field holds `{Self}`, which is not an array or set",
    label = "not an array"
)]
pub trait ArrayValue: Value {}
#[diagnostic::do_not_recommend]
impl<T: Value> ArrayValue for Vec<T> {}
#[diagnostic::do_not_recommend]
impl<T: Value> ArrayValue for std::collections::VecDeque<T> {}
#[diagnostic::do_not_recommend]
impl<T: Value> ArrayValue for std::collections::BTreeSet<T> {}
#[diagnostic::do_not_recommend]
impl<T: Value, S> ArrayValue for std::collections::HashSet<T, S> {}

impl<P: Path, T, I: IndexKind, W> Field<P, T, I, W>
where
    P::Root: Model,
{
    /// An element equals `value`.
    pub fn contains(self, value: impl IntoArg<T::Elem>) -> Filter<P::Root, I::Eq>
    where
        T: ArrayValue,
        P::Codec: Encode<T::Elem>,
        T::Elem: Sized,
    {
        let encoded = encode::<P, T::Elem>(&value.into_arg()).map_err(encode_error::<P>);
        Filter::at::<P>(encoded.and_then(whole::element_of::<P, I>))
    }

    /// An element meets all conditions of `filter` at once (`$elemMatch`). An index serves this condition if it serves the filter.
    pub fn any<S>(
        self,
        filter: impl FnOnce(<T::Elem as Value>::Sub<Within<P>>) -> Filter<P::Root, S>,
    ) -> Filter<P::Root, S::Out>
    where
        T: ArrayValue,
        S: InElement,
    {
        let inner = filter(<<T::Elem as Value>::Sub<Within<P>> as Handles>::VALUE).expr;
        let matched =
            |inner| compare::<P, NotIndexed<()>>("$elemMatch", Bson::Document(inner)).asked;
        Filter::at::<P>(inner.map(|inner| inner.map(matched)))
    }

    /// The array has exactly `len` elements. No index serves it.
    pub fn len_is(self, len: u32) -> Filter<P::Root, NotServed>
    where
        T: ArrayValue,
    {
        Filter::at::<P>(Ok(compare::<P, NotIndexed<()>>(
            "$size",
            Bson::Int64(i64::from(len)),
        )))
    }
}
