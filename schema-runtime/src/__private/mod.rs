//! The items that the derives' expansions name. Not for users: they change with every release.

pub mod check;
mod probe;
pub(crate) mod text;

pub use bson::{DateTime, Decimal128, RawDocument};
pub use inventory;
#[cfg(feature = "derive")]
pub use mongo_model_derive::zone_name;
pub use serde;
pub use std::string::String;
pub use std::sync::OnceLock;
pub use std::vec::Vec;

#[cfg(feature = "driver")]
pub use super::__impl_json_schema as impl_json_schema;
pub use crate::api::{Given, View};
pub use crate::codec::{
    Ask, AskBorrowed, Beside, Borrows, Checked, Codec, CodecError, Decode, Element, Encode, Form,
    Lent, Plain, Read, ReadBorrowed, Reader, Refused, Slot, Writer, decode_part, done,
    encode_value, put, put_by,
};
pub use crate::document::{
    append_document, decode_document, decodes, encode_document, judge_by_garde, judge_by_validator,
    judge_document, judge_value,
};
#[cfg(feature = "failpoints")]
pub use crate::driver::fault::hanging;
pub use crate::error::{Error, is_duplicate_of};
pub use crate::filter::{
    AskedOf, Countable, Everything, Filter, IndexedField, Orders, ServedBy, everything,
};
pub use crate::model::MongoModel;
pub use crate::projection::{
    Borrowed, FallsBack, Projectable, Projected, Projection, ProjectionOf, ProjectionRow,
};
pub use crate::schema::access::AccessRow;
pub use crate::schema::average::{Average, DecimalAverage};
pub use crate::schema::blank::{Blank, BlankFallback, LeftOut};
pub use crate::schema::bucket::{BucketRow, Bucketed, InNewBucket, Insertable, Replaceable};
pub use crate::schema::checks::{Check, CheckRule, DocumentJudge, Judge, Limit, Part};
pub use crate::schema::comparison::{CompareOp, Comparison, Term};
pub use crate::schema::events::{Emits, EventsRow};
pub use crate::schema::field::place::{
    At, Nowhere, Path, Required, Scope, Segment, Through, Top, Within,
};
pub use crate::schema::field::{
    AlsoCollated, ById, ByKey, Collated, Collates, Conditions, CopyOf, Field, FromChildren, Geo,
    Handles, Hashed, Immutable, Indexed, Key, Memberships, NoFields, NotIndexed, OfBucket, OfTree,
    OneField, OtherSide, Overflowing, Own, Partial, Reference, ReferenceWithCopies, Scalar, Sparse,
    StampOf, TenantOf, Text as TextIndexed, TextBehind, VersionOf, WithParts, WithVectors,
};
pub use crate::schema::history::{HistoryRow, KeepsHistory};
pub use crate::schema::index_row::{
    CollationRow, ConditionOp, ConditionRow, IndexRow, KeyKind, KeyRow, Literal, Similarity,
    TextRow, VectorRow,
};
pub use crate::schema::lookup::{
    CopyFields, CopyRef, CopyValue, HIDDEN, HasField, HasSeg, ID, Inner, Lookup, MISSING, Names,
    Nested, NoField, Origin, RefTo, Referring, id_of, inside, no_id, slot,
};
pub use crate::schema::migration::{Migrates, SchemaRow};
pub use crate::schema::model::{Model, ModelMeta, OptionsRow, ShardKeyRow};
pub use crate::schema::period::{Period, Periodic};
pub use crate::schema::person::{
    Is, MayBePerson, Person, are_persons, hold_personal, is_personal_at,
};
pub use crate::schema::personal::{PersonalRow, erased_text, erased_value};
pub use crate::schema::queue::{QueueRow, Queued};
pub use crate::schema::registry::Registered;
pub use crate::schema::relation::{
    Derived, DerivedRow, Holds, Level, Most, OnDelete, OnMissing, Per, PeriodRow, RelationRow,
};
pub use crate::schema::rows::{Advice, CopyRow, FieldRow, Fixed, Kind, Shape};
pub use crate::schema::soft_delete::SoftDeleted;
pub use crate::schema::tree::Tree;
pub use crate::schema::unique::UniqueKey;
pub use crate::schema::value::{
    Cardinality, Missing, SerdePitfall, Size, UNBOUNDED, Value, row, row_unknown, text_bytes,
};
pub use crate::schema::variants;
pub use crate::schema::version::{Unversioned, Versioned, put_version, version_of};
#[cfg(all(feature = "driver", feature = "schemars"))]
pub use crate::validator::schemars::schemars_schema;
#[cfg(feature = "driver")]
pub use crate::{
    acting::Acting,
    find::access::AccessQuery,
    find::variant::{count_variant, find_variant, get_variant},
    migrate::registry::Migratable,
    migrations::needs::{NeededIndex, stored_field},
    migrations::step::Step as MigrationStep,
    personal::registry::PersonalModel,
    tenant::{Reach, Tenant, TenantId},
    validator::{ApiByValue, ApiFields, ApiOpaque, ApiStruct, ApiValue},
    write::change::{EmbedPatch, PartChanges, Patch, PatchChanges},
};
#[cfg(feature = "driver")]
pub use mongodb::Database;
pub use probe::{Fallback, Probe, ProbeBucket, ProbeIds, ProbeKey, ProbeSame, ProbeWall, Stored};
#[cfg(feature = "schemars")]
pub use schemars;

/// The traits whose methods a generated codec calls, without names that could hide the user's; and short names of the items that an
/// expansion names once per field: a path of one segment costs the compiler a fourth of the tokens.
pub mod codec {
    pub use crate::codec::{Answer as _, ByNobody as _, BySerde as _, NoAnswer as _};
    pub use crate::codec::{Plain as __Plain, Slot as __Slot, put as __put, put_by as __put_by};
    pub use crate::codec::{PutByNobody as _, PutBySerde as _, PutChecked as _, PutUnchecked as _};
    pub use crate::codec::{RestNone as _, UnderNone as _};
    pub use crate::schema::field::Field as __Field;
    pub use crate::schema::field::NotIndexed as __NotIndexed;
    pub use crate::schema::field::Own as __Own;
    pub use crate::schema::field::place::{
        Optional as __Optional, Required as __Required, Segment as __Segment, Top as __Top,
    };
    pub use crate::schema::lookup::HasField as __HasField;

    /// A name.
    pub type __Str = &'static str;
    /// A field of a model that no index leads with and that anyone may write.
    pub type __Free<M, S, T> = super::Field<super::Top<M, S>, T, super::NotIndexed<S>, super::Own>;
}

/// Implements `schemars::JsonSchema` for a struct of a web API.
#[cfg(all(feature = "driver", feature = "schemars"))]
#[doc(hidden)]
#[macro_export]
macro_rules! __impl_json_schema {
    ($name:ident) => {
        #[automatically_derived]
        impl $crate::__private::schemars::JsonSchema for $name {
            fn schema_name() -> ::std::borrow::Cow<'static, ::core::primitive::str> {
                ::std::borrow::Cow::Borrowed(<$name as $crate::__private::ApiStruct>::NAME)
            }

            fn schema_id() -> ::std::borrow::Cow<'static, ::core::primitive::str> {
                ::std::borrow::Cow::Borrowed(::core::concat!(
                    ::core::module_path!(),
                    "::",
                    ::core::stringify!($name)
                ))
            }

            fn json_schema(
                _: &mut $crate::__private::schemars::SchemaGenerator,
            ) -> $crate::__private::schemars::Schema {
                $crate::__private::schemars_schema::<$name>()
            }
        }
    };
}

/// Implements nothing: the feature `schemars` is off.
#[cfg(all(feature = "driver", not(feature = "schemars")))]
#[doc(hidden)]
#[macro_export]
macro_rules! __impl_json_schema {
    ($name:ident) => {};
}
