//! Keys of a grouping: a field, the period of the calendar that a date is in, and tuples of these.

use std::fmt;
use std::marker::PhantomData;
use std::ops::Range;

use bson::{Bson, DateTime, Document, doc};

use super::totals::unreadable;
use super::zone::Zone;
use super::{decode, value};
use crate::bson_util::calendar::{Calendar, is_date};
use crate::codec::Decode;
use crate::error::Result;
use crate::find::Types;
use crate::schema::field::Field;
use crate::schema::field::place::{OnePlace, Path, path};
use crate::schema::model::Model;

/// A key by which documents of `M` are grouped: a field, a period that a date is in (`o.at.day_in(zone)`), or a tuple of two or three of
/// these.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no key of a grouping of `{M}`",
    label = "not a key",
    note = "a key is a field, a period of a date (`o.at.day_in(zone!(\"Europe/Rome\"))`), or a tuple of two or three of these"
)]
pub trait GroupKey<M>: Send + Sync {
    /// The type of a group's key.
    type Value: Send;
    #[doc(hidden)]
    fn expression(&self) -> Bson;
    /// Appends the conditions under which a document has the fields.
    #[doc(hidden)]
    fn add_scopes(&self, out: &mut Vec<Document>);
    #[doc(hidden)]
    fn read(&self, value: &Bson, model: &'static str) -> Result<Self::Value>;
    /// The field by whose index all documents are grouped.
    #[doc(hidden)]
    fn leading_path(&self) -> Option<String> {
        None
    }
    /// The pipeline that makes a document `{ start }` for each period which has a group even if no document is in it.
    #[doc(hidden)]
    fn fill(&self) -> Option<Vec<Document>> {
        None
    }
}

/// A key without groups that have no documents: it can be part of a tuple, and its groups can be selected.
#[diagnostic::on_unimplemented(
    message = "a grouping with `fill` has a group for each period, and nothing else",
    label = "not with `fill`",
    note = "remove `fill(..)`, or do this with the rows"
)]
pub trait Unfilled {}

fn decode_key<P: Path, T>(value: &Bson, model: &'static str) -> Result<T>
where
    P::Codec: Decode<T>,
{
    decode::<P, T>(value).map_err(|error| unreadable(model, error))
}

#[diagnostic::do_not_recommend]
impl<M: Model, P, T: Send, I, W> GroupKey<M> for Field<P, T, I, W>
where
    P: OnePlace + Path<Root = M>,
    P::Codec: Decode<T>,
{
    type Value = T;
    fn expression(&self) -> Bson {
        value::<P>().into()
    }
    fn add_scopes(&self, out: &mut Vec<Document>) {
        out.extend(P::SCOPE.map(|(tag, value)| doc! { tag: value }));
    }
    fn read(&self, value: &Bson, model: &'static str) -> Result<T> {
        decode_key::<P, T>(value, model)
    }
    fn leading_path(&self) -> Option<String> {
        Some(path::<P>())
    }
}

#[diagnostic::do_not_recommend]
impl<P, T, I, W> Unfilled for Field<P, T, I, W> {}

/// The types of fields that hold a date.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no date",
    label = "in no day",
    note = "`bson::DateTime`, or an `Option` of it; with the features, `chrono::DateTime<Utc>` and `time::OffsetDateTime`"
)]
pub trait Date {}
impl Date for DateTime {}
#[cfg(feature = "chrono")]
impl Date for chrono::DateTime<chrono::Utc> {}
#[cfg(feature = "time")]
impl Date for time::OffsetDateTime {}
#[diagnostic::do_not_recommend]
impl<T: Date> Date for Option<T> {}

/// The period of the calendar that the date at `P` is in. The key is the beginning of the period, as a value of the field's type.
#[must_use = "it is a key of a grouping"]
pub struct InPeriod<P, T> {
    unit: &'static str,
    zone: Zone,
    types: Types<(P, T)>,
}

impl<P, T> fmt::Debug for InPeriod<P, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("InPeriod")
            .field("unit", &self.unit)
            .field("zone", &self.zone)
            .finish()
    }
}

macro_rules! periods {
    ($($name:ident $unit:literal $doc:literal)*) => {
        impl<P: Path, T, I, W> Field<P, T, I, W> {$(
            #[doc = concat!("The ", $doc, " that the date is in, by the clocks of a zone, as the key of a grouping: its beginning.")]
            /// Needs MongoDB 5.0.
            pub fn $name(self, zone: Zone) -> InPeriod<P, T>
            where
                T: Date,
            {
                InPeriod { unit: $unit, zone, types: PhantomData }
            }
        )*}
    };
}

periods! {
    hour_in "hour" "hour"
    day_in "day" "day"
    week_in "week" "week, from Monday,"
    month_in "month" "month"
    year_in "year" "year"
}

impl<P, T> InPeriod<P, T> {
    fn calendar(&self) -> Calendar<'_> {
        Calendar {
            unit: self.unit,
            zone: self.zone.name(),
        }
    }

    /// Adds a group for each period that has a part of this time and no document: its sums and counts are zero. Documents outside of
    /// the time keep their groups, so the filter of the read names the same time.
    ///
    /// One more command asks the server for the periods, as only it knows the zones; needs MongoDB 5.1.
    pub fn fill(self, time: Range<DateTime>) -> FilledPeriods<P, T> {
        FilledPeriods {
            periods: self,
            time,
        }
    }
}

#[diagnostic::do_not_recommend]
impl<M: Model, P, T: Send> GroupKey<M> for InPeriod<P, T>
where
    P: OnePlace + Path<Root = M>,
    P::Codec: Decode<T>,
{
    type Value = T;
    fn expression(&self) -> Bson {
        let date = Bson::from(value::<P>());
        // The field's codec reads a value that is no date, and refuses it with the name of the field, unless it may be null.
        doc! { "$cond": [is_date(&date), self.calendar().start(date.clone()), date] }.into()
    }
    fn add_scopes(&self, out: &mut Vec<Document>) {
        out.extend(P::SCOPE.map(|(tag, value)| doc! { tag: value }));
    }
    fn read(&self, value: &Bson, model: &'static str) -> Result<T> {
        decode_key::<P, T>(value, model)
    }
}

#[diagnostic::do_not_recommend]
impl<P, T> Unfilled for InPeriod<P, T> {}

/// The periods that a date is in, and those of a time without documents. See [`InPeriod::fill`].
#[derive(Debug)]
#[must_use = "it is a key of a grouping"]
pub struct FilledPeriods<P, T> {
    periods: InPeriod<P, T>,
    time: Range<DateTime>,
}

#[diagnostic::do_not_recommend]
impl<M, P, T> GroupKey<M> for FilledPeriods<P, T>
where
    InPeriod<P, T>: GroupKey<M>,
{
    type Value = <InPeriod<P, T> as GroupKey<M>>::Value;
    fn expression(&self) -> Bson {
        self.periods.expression()
    }
    fn add_scopes(&self, out: &mut Vec<Document>) {
        self.periods.add_scopes(out);
    }
    fn read(&self, value: &Bson, model: &'static str) -> Result<Self::Value> {
        self.periods.read(value, model)
    }
    fn fill(&self) -> Option<Vec<Document>> {
        let is_time = !self.time.is_empty();
        is_time.then(|| self.periods.calendar().periods_of(&self.time))
    }
}

/// The names of the parts of a key.
const PARTS: [&str; 3] = ["a", "b", "c"];

macro_rules! tuples {
    ($($($name:ident $n:tt)*;)*) => {$(
        #[diagnostic::do_not_recommend]
        impl<M, $($name: GroupKey<M> + Unfilled),*> GroupKey<M> for ($($name,)*) {
            type Value = ($($name::Value,)*);
            fn expression(&self) -> Bson {
                // A document leaves out what is absent: it would be another key than null.
                let part = |value: Bson| doc! { "$ifNull": [value, Bson::Null] };
                doc! { $(PARTS[$n]: part(self.$n.expression()),)* }.into()
            }
            fn add_scopes(&self, out: &mut Vec<Document>) {
                $(self.$n.add_scopes(out);)*
            }
            fn read(&self, value: &Bson, model: &'static str) -> Result<Self::Value> {
                let part = |n: usize| {
                    let parts = value.as_document();
                    parts.and_then(|parts| parts.get(PARTS[n])).unwrap_or(&Bson::Null)
                };
                Ok(($(self.$n.read(part($n), model)?,)*))
            }
        }
        #[diagnostic::do_not_recommend]
        impl<$($name: Unfilled),*> Unfilled for ($($name,)*) {}
    )*};
}

tuples! {
    A 0 B 1;
    A 0 B 1 C 2;
}
