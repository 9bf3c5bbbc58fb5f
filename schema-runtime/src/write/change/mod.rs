//! Changing stored documents: operators on field handles; the write itself enforces the bound of every array.

mod by_key;
mod elements;
pub(crate) mod emit;
mod erase;
mod moving;
pub(crate) mod only_if;
pub(crate) mod ops;
mod patch;
mod results;
mod returning;
pub(crate) mod send;
mod send_many;
mod statement;
mod update;
mod upsert;

use std::fmt;
use std::marker::PhantomData;

use bson::{Bson, Document};

pub(crate) use self::erase::{ErasedValue, ErasedValues};
pub use self::only_if::UpdateIf;
#[doc(hidden)]
pub use self::only_if::WithCondition;
use self::ops::Changes;
pub use self::patch::{EmbedPatch, Patch};
#[doc(hidden)]
pub use self::patch::{PartChanges, PatchChanges};
pub use self::results::{Returned, ReturnedIf, Swapped};
pub use self::returning::{Returning, ReturningIf};
#[doc(hidden)]
pub use self::update::OrInsert;
pub use self::update::{Update, UpdateMany};
pub use self::upsert::Upsert;
use crate::bson_util::redacted::Redacted;
use crate::builder::CallOptions;
use crate::driver::{ClientSession, Database};
use crate::error::Result;
use crate::schema::model::Model;
use crate::schema::soft_delete::DocumentScope;
use crate::schema::value::Value;
use crate::tenant::{Confined, Wall, confine, own_tenant};

/// Numbers, for `inc` and `mul`.
#[diagnostic::on_unimplemented(
    message = "this field holds `{Self}`, which is not a number",
    label = "not a number"
)]
pub trait Numeric {
    /// The values that the type can hold, of integers.
    #[doc(hidden)]
    const RANGE: Option<(i64, i64)>;
    /// The greatest float that the type can hold: the server calculates with 64 bits.
    #[doc(hidden)]
    const GREATEST_FLOAT: f64;
}
macro_rules! numeric {
    ($greatest:expr; $($ty:ty)*) => {$(
        #[diagnostic::do_not_recommend]
        impl Numeric for $ty {
            const RANGE: Option<(i64, i64)> = <$ty as Value>::RANGE;
            const GREATEST_FLOAT: f64 = $greatest;
        }
        #[diagnostic::do_not_recommend]
        impl Numeric for Option<$ty> {
            const RANGE: Option<(i64, i64)> = <$ty as Value>::RANGE;
            const GREATEST_FLOAT: f64 = $greatest;
        }
    )*};
}
numeric!(f64::MAX; i8 i16 i32 i64 isize u8 u16 u32 u64 usize f64 bson::Decimal128);
numeric!(f32::MAX as f64; f32);

/// Dates, for `current_date`.
#[diagnostic::on_unimplemented(
    message = "this field holds `{Self}`, which is not a BSON date",
    label = "not a date"
)]
pub trait DateValue {}
#[diagnostic::do_not_recommend]
impl DateValue for bson::DateTime {}
#[diagnostic::do_not_recommend]
impl DateValue for Option<bson::DateTime> {}

/// The ways of storing a field that `current_date` accepts: as it is, and not through custom functions.
#[diagnostic::on_unimplemented(
    message = "this field is stored through `#[serde(with = ..)]`, which would not read the server's date back",
    label = "not stored as a BSON date",
    note = "use `set` with a date of this program"
)]
pub trait StoredAsDate {}
#[diagnostic::do_not_recommend]
impl StoredAsDate for crate::codec::Plain {}

/// Values that may be absent, for `unset`.
#[diagnostic::on_unimplemented(
    message = "this field holds `{Self}` and cannot be unset: a document without it could not be read",
    label = "not an `Option`"
)]
pub trait MayBeAbsent {}
#[diagnostic::do_not_recommend]
impl<T> MayBeAbsent for Option<T> {}

impl<'a, M: Model, K> Update<'a, M, K> {
    /// An update of live documents.
    pub(crate) fn live(db: &'a Database, filter: Result<Document>) -> Self {
        let live = |filter| DocumentScope::Live.restrict(M::model_meta(), filter);
        Update::filtered(db, filter.map(live))
    }

    pub(crate) fn filtered(db: &'a Database, filter: Result<Document>) -> Self {
        Update {
            db,
            filter,
            changes: Changes::default(),
            conditions: Vec::new(),
            level: None,
            new: None,
            key: None,
            session: None,
            notes: None,
            call: CallOptions::default(),
            model: PhantomData,
        }
    }

    /// Turns the update into an update of another kind.
    fn into_kind<L>(self) -> Update<'a, M, L> {
        let Update {
            db,
            filter,
            changes,
            conditions,
            level,
            new,
            key,
            session,
            notes,
            call,
            model: _,
        } = self;
        Update {
            db,
            filter,
            changes,
            conditions,
            level,
            new,
            key,
            session,
            notes,
            call,
            model: PhantomData,
        }
    }
}

impl<M: Model, K> Confined for Update<'_, M, K> {
    fn confined(mut self, wall: &Wall) -> Self {
        wall.set_options(&mut self.call);
        self.filter = match self.new.as_ref().and_then(|new| new.iter().next()) {
            Some(new) => self.filter.and_then(|mut filter| {
                filter.extend(own_tenant(wall, M::model_meta(), new)?);
                Ok(filter)
            }),
            None => confine::<M>(wall, self.filter),
        };
        self
    }
}

impl<'a, M: Model> Update<'a, M> {
    /// An update that the library itself makes of the document with this stored `_id`; the library chooses the paths.
    pub(crate) fn by_id(
        db: &'a Database,
        id: Bson,
        session: Option<&'a mut ClientSession>,
    ) -> Self {
        Update {
            session,
            ..Update::filtered(db, Ok(bson::doc! { "_id": { "$eq": id } }))
        }
    }

    /// Adds a condition that the document has to meet.
    pub(crate) fn holding(&mut self, condition: Document) {
        self.conditions.push(Bson::Document(condition));
    }

    /// Adds one operator on one stored path.
    pub(crate) fn with(&mut self, operator: &'static str, path: &str, value: Bson) {
        self.changes.insert(operator, path.to_owned(), value);
    }
}

impl<M, K> fmt::Debug for Update<'_, M, K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Update")
            .field("filter", &Redacted(&self.filter))
            .field("changes", &self.changes)
            .field("conditions", &Redacted(&self.conditions))
            .finish_non_exhaustive()
    }
}
