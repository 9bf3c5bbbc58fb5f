//! Comparisons of two fields of one document.

use bson::{Bson, doc};

use super::Filter;
use super::expr::Expr;
use super::served::NotServed;
use crate::schema::field::place::{Segment, Top};
use crate::schema::field::{Field, IndexKind};
use crate::schema::model::Model;
use crate::schema::rows::Kind;
use crate::schema::value::Value;

/// Types with an order that the server and Rust share, for comparisons of two fields.
#[diagnostic::on_unimplemented(
    message = "a field that holds `{Self}` is not compared with another field",
    label = "not a number, text, a date, a bool or an id",
    note = "an array or an embedded document has parts that the library keeps, so that two of them are hardly ever equal"
)]
pub trait Ordered: Value {}

macro_rules! ordered {
    ($($ty:ty),*) => {$(
        #[diagnostic::do_not_recommend]
        impl Ordered for $ty {}
    )*};
}

ordered!(
    bool,
    i8,
    i16,
    i32,
    i64,
    u8,
    u16,
    u32,
    u64,
    f32,
    f64,
    String,
    bson::DateTime,
    bson::Decimal128,
    bson::oid::ObjectId
);

#[cfg(feature = "chrono")]
#[diagnostic::do_not_recommend]
impl<Z: chrono::TimeZone> Ordered for chrono::DateTime<Z> {}

#[diagnostic::do_not_recommend]
impl<M: ?Sized, R: Ordered> Ordered for crate::Id<M, R> {}

/// Types of two fields that can be compared: the same type, of which each may be in an `Option`.
#[diagnostic::on_unimplemented(
    message = "a field that holds `{Self}` is not compared with this field",
    label = "compared with a field that holds `{Self}`",
    note = "both hold the same number, text, date, bool or id, each of them in an `Option` or not"
)]
pub trait ComparedWith<Other> {}

#[diagnostic::do_not_recommend]
impl<T: Ordered> ComparedWith<T> for T {}
#[diagnostic::do_not_recommend]
impl<T: Ordered> ComparedWith<Option<T>> for T {}
#[diagnostic::do_not_recommend]
impl<T: Ordered> ComparedWith<T> for Option<T> {}
#[diagnostic::do_not_recommend]
impl<T: Ordered> ComparedWith<Option<T>> for Option<T> {}

/// A field at the top of the document.
type TopField<M, S, T, I, W> = Field<Top<M, S>, T, I, W>;

#[expect(unused_variables, reason = "the types say which fields they are")]
impl<M: Model, S: Segment, T: Value, I: IndexKind, W> TopField<M, S, T, I, W> {
    /// The field equals `other`, a field of the same document: `|e| e.paid.eq_field(e.price)`. A document that lacks one of them, or has
    /// null there, does not meet the condition. Both are fields at the top of the document. No index serves the condition.
    pub fn eq_field<R, U, J, V>(self, other: TopField<M, R, U, J, V>) -> Filter<M, NotServed>
    where
        T: ComparedWith<U>,
        R: Segment<Codec = S::Codec>,
    {
        compare::<M, S, R>("$eq", T::KIND)
    }

    /// The field and `other` are there and differ: `|e| e.paid.ne_field(e.price)`. A document that lacks one of them does not meet it; with
    /// `!e.paid.eq_field(e.price)` it does. As [`eq_field`](Self::eq_field) otherwise.
    pub fn ne_field<R, U, J, V>(self, other: TopField<M, R, U, J, V>) -> Filter<M, NotServed>
    where
        T: ComparedWith<U>,
        R: Segment<Codec = S::Codec>,
    {
        compare::<M, S, R>("$ne", T::KIND)
    }

    /// The field is less than `other`, a field of the same document: `Event::update(&db, id).inc(|e| e.sold, 1).only_if(|e|
    /// e.sold.lt_field(e.capacity))` sells a seat if there is one, in one atomic write. As [`eq_field`](Self::eq_field) otherwise.
    pub fn lt_field<R, U, J, V>(self, other: TopField<M, R, U, J, V>) -> Filter<M, NotServed>
    where
        T: ComparedWith<U>,
        R: Segment<Codec = S::Codec>,
    {
        compare::<M, S, R>("$lt", T::KIND)
    }

    /// The field is `other` or less. As [`eq_field`](Self::eq_field) otherwise.
    pub fn lte_field<R, U, J, V>(self, other: TopField<M, R, U, J, V>) -> Filter<M, NotServed>
    where
        T: ComparedWith<U>,
        R: Segment<Codec = S::Codec>,
    {
        compare::<M, S, R>("$lte", T::KIND)
    }

    /// The field is greater than `other`. As [`eq_field`](Self::eq_field) otherwise.
    pub fn gt_field<R, U, J, V>(self, other: TopField<M, R, U, J, V>) -> Filter<M, NotServed>
    where
        T: ComparedWith<U>,
        R: Segment<Codec = S::Codec>,
    {
        compare::<M, S, R>("$gt", T::KIND)
    }

    /// The field is `other` or greater. As [`eq_field`](Self::eq_field) otherwise.
    pub fn gte_field<R, U, J, V>(self, other: TopField<M, R, U, J, V>) -> Filter<M, NotServed>
    where
        T: ComparedWith<U>,
        R: Segment<Codec = S::Codec>,
    {
        compare::<M, S, R>("$gte", T::KIND)
    }
}

/// The condition on the two fields. In the server's order of all values, absence and null are the least, NaN comes next and equals itself:
/// as in Rust, only `ne` is met by NaN, and nothing by absence and null.
fn compare<M: Model, S: Segment, R: Segment>(operator: &str, kind: Kind) -> Filter<M, NotServed> {
    let (one, other) = (format!("${}", S::NAME), format!("${}", R::NAME));
    let has_nan = matches!(kind, Kind::Double | Kind::Decimal);
    let mut compared = doc! { operator: [&one, &other] };
    let least = match has_nan && operator != "$ne" {
        true => Bson::Double(f64::NAN),
        false => Bson::Null,
    };
    if has_nan && operator == "$ne" {
        compared = doc! { "$or": [compared, { "$eq": [&one, f64::NAN] }] };
    }
    let there = |field: &str| doc! { "$gt": [field, &least] };
    let mut all = vec![doc! { "$expr": { "$and": [there(&one), there(&other), compared] } }];
    let scopes = [S::SCOPE, R::SCOPE].into_iter().flatten();
    all.extend(scopes.map(|(tag, value)| doc! { tag: value }));
    let asked = match all.len() {
        1 => all.swap_remove(0),
        _ => doc! { "$and": all },
    };
    Filter::from_expr(Ok(Expr::of_kind(asked, kind)))
}
