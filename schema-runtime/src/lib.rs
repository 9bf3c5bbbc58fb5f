//! **The compiler reviews your MongoDB schema.**
//!
//! `#[derive(MongoModel)]` on a domain struct generates tables: its fields, its indexes, its references to other
//! models. From these come
//!
//! * compile errors for a schema that breaks MongoDB's design rules: unbounded arrays, embedded models, copies of fields that
//!   change often, filters that no index serves (the module [`rules`] has a page for each rule, and `cargo mongo-model rule` prints it);
//! * [`plan_indexes`] and [`sync_indexes`], [`plan_validators`] and [`sync_validators`];
//! * typed finding, storing and changing, on the driver's own `Database`: the methods of the trait [`MongoModel`];
//! * copies that follow their sources, two-way references, last-N lists and counts of children, and delete rules, even
//!   if a program stops halfway: the module [`denorm`]; after writes by other programs, with a `Follower`;
//! * application-level joins: `load_<field>`, `load_<field>_many` and `by_<field>` on the model, [`MongoModel::load`] for
//!   references at any depth;
//! * compare and swap, queues, locks and compensating transactions: the modules [`version`], [`queue`], `lock` and `saga`;
//! * many small items of one parent in numbered documents, each item once: the module [`bucket`];
//! * models of several kinds of documents: `#[derive(MongoModel)]` on an enum with a tag; schemas that change: the module
//!   [`migrate`]; advice about the schema: [`report()`];
//! * the queries of an application, as methods that an index serves (`#[model(access(..))]`), and how large a document may become
//!   ([`MongoModel::MAX_BSON_SIZE`]);
//! * reading parts of documents: `find(..).project::<Summary>()` with a `#[derive(MongoProjection)]` struct, `find(..).ids()`.
//!
//! ```
//! use mongo_model::{Id, MongoModel};
//! use serde::{Deserialize, Serialize};
//!
//! #[derive(Debug, Serialize, Deserialize, MongoModel)]
//! #[model(collection = "hosts")]
//! pub struct Host {
//!     #[serde(rename = "_id")]
//!     pub id: Id<Host>,
//!     #[index(unique)]
//!     pub ipaddr: String,
//! }
//!
//! #[derive(Debug, Serialize, Deserialize, MongoModel)]
//! #[model(collection = "logmsg")]
//! pub struct LogMsg {
//!     #[serde(rename = "_id")]
//!     pub id: Id<LogMsg>,
//!     pub time: bson::DateTime,
//!     pub message: String,
//!     #[parent(Host, sort = -time)]
//!     pub host: Id<Host>,
//! }
//!
//! # #[cfg(feature = "driver")]
//! async fn latest(db: &mongo_model::Database) -> mongo_model::Result<Vec<LogMsg>> {
//!     let Some(host) = Host::find_one(db, |h| h.ipaddr.eq("127.66.66.66")).await? else {
//!         return Ok(Vec::new());
//!     };
//!     // Newest first, served by the generated index { host: 1, time: -1, _id: -1 }.
//!     LogMsg::by_host(db, host.id).limit(5000).await
//! }
//! ```
//!
//! Features: `derive` and `driver` are on by default; `chrono`, `time`, `uuid` and `rust_decimal` add the types of
//! these crates, `garde` and `validator` their rules; `tracing` reports the state of a `Follower`.

#![cfg_attr(docsrs, feature(doc_cfg))]
#![deny(unsafe_code)]
#![warn(missing_docs)]
#![cfg_attr(
    not(feature = "driver"),
    allow(
        dead_code,
        unused_imports,
        reason = "what the modules that need the driver use of those below"
    )
)]

pub use bson;
#[cfg(all(feature = "driver", feature = "derive"))]
pub use mongo_model_derive::migration;
#[cfg(feature = "derive")]
pub use mongo_model_derive::{MongoEmbed, MongoModel, MongoProjection};
#[cfg(feature = "driver")]
pub use mongodb::{Client, ClientSession, Database};

/// The time zone of this name, for the periods of a [grouping](crud::InPeriod): `zone!("Europe/Rome")`. A name that the IANA database has not
/// does not compile. [`Zone::named`](crud::Zone::named) takes a name that the program reads.
///
/// ```
/// assert_eq!(mongo_model::zone!("Europe/Rome").name(), "Europe/Rome");
/// ```
#[cfg(all(feature = "driver", feature = "derive"))]
#[macro_export]
macro_rules! zone {
    ($name:literal) => {
        $crate::crud::Zone::checked($crate::__private::zone_name!($name))
    };
}

// The layers, from the bottom up: a module imports only those below it. docs/ARCHITECTURE.md describes each. Here, and in few places
// below, stands what is compiled with the driver alone: the files themselves have no gates.

#[cfg(feature = "driver")]
#[macro_use]
mod driver;

#[cfg(feature = "driver")]
mod acting;
mod api;
mod bson_util;
#[cfg(feature = "driver")]
mod builder;
mod codec;
mod document;
mod error;
#[cfg(feature = "driver")]
mod finisher;
#[cfg(feature = "driver")]
mod graph;
#[cfg(feature = "driver")]
mod index_spec;
#[cfg(feature = "driver")]
mod outbox;
mod outcome;
mod schema;

#[cfg(feature = "driver")]
mod find;
#[cfg(feature = "driver")]
mod maintenance;
#[cfg(feature = "driver")]
mod propagation;
#[cfg(feature = "driver")]
mod report;
#[cfg(feature = "driver")]
mod write;

#[cfg(feature = "driver")]
pub mod bucket;
#[cfg(feature = "rust_decimal")]
pub mod decimal;
#[cfg(feature = "driver")]
pub mod events;
pub mod filter;
#[cfg(feature = "driver")]
pub mod follower;
#[cfg(feature = "driver")]
pub mod history;
#[cfg(feature = "driver")]
pub mod index;
pub mod json;
#[cfg(feature = "driver")]
pub mod load;
#[cfg(feature = "driver")]
pub mod lock;
pub mod migrate;
#[cfg(feature = "driver")]
pub mod migrations;
#[cfg(feature = "driver")]
pub mod personal;
pub mod projection;
#[cfg(feature = "driver")]
pub mod queue;
#[cfg(feature = "driver")]
pub mod saga;
#[cfg(feature = "driver")]
mod service;
#[cfg(feature = "driver")]
pub mod tenant;
#[cfg(feature = "driver")]
pub mod validator;
#[cfg(feature = "driver")]
pub mod version;
#[cfg(feature = "driver")]
pub mod watch;

#[cfg(test)]
mod floors;

// The public paths.

#[cfg(feature = "driver")]
pub mod denorm;
pub mod model;
// A page per rule: documentation alone, so nothing of it is compiled into a program.
#[cfg(all(doc, not(doctest)))]
pub mod rules;

#[cfg(feature = "driver")]
/// Finding, storing and deleting documents: the builders that the methods of [`MongoModel`] return.
///
/// ```no_run
/// # use mongo_model::MongoModel; use mongo_model_guide::shop::*;
/// # async fn example(db: &mongo_model::Database) -> mongo_model::Result<()> {
/// let products = Product::find(db, |p| p.catalog_number.gt(1000)) // a `Find`: nothing is sent yet
///     .sort(|p| p.catalog_number.asc())
///     .limit(10)
///     .await?;
/// # Ok(()) }
/// ```
pub mod crud {
    pub use crate::builder::{Sent, WithDeadline, WithOptions};
    pub use crate::find::access::AccessQuery;
    #[doc(hidden)]
    pub use crate::find::group::{
        Append, Averaged, Counted, Distinct, Documents, Facets, First, Grouped, ItemsOf, Last,
        Least, Most, Multiplied, Numbers, Restricted, RowsOf, SomeTotals, Summed, Times, Totals,
        Unfilled,
    };
    pub use crate::find::group::{
        Facet, FilledPeriods, Group, GroupBy, GroupKey, GroupOrder, GroupRows, InPeriod, OfGroup,
        TotalOf, Zone,
    };
    pub use crate::find::nearby::{AtDistance, Nearby};
    pub use crate::find::nearest::{Nearest, Scored};
    pub use crate::find::page::{Page, PageToken, Paged};
    pub use crate::find::periods::PeriodRange;
    pub use crate::find::rank::NextRank;
    pub use crate::find::ranked::{Ranked, WithWords};
    pub use crate::find::unwind::Items;
    pub use crate::find::variant::{count_variant, find_variant, get_variant};
    #[doc(hidden)]
    pub use crate::find::{ByCollation, ThenBy};
    pub use crate::find::{Count, Exists, Find, FindOne, Ids, IntoSort, OneId, Required, Sort};
    #[doc(hidden)]
    pub use crate::write::cardinality::{Many, One};
    pub use crate::write::delete::{Delete, DeleteMany};
    pub use crate::write::move_to::MoveTo;
    pub use crate::write::restore::{Restore, RestoreMany};
    pub use crate::write::returning::InsertReturning;
    pub use crate::write::store::{Insert, Save};
}

/// Field handles: the values of `|p| p.name`.
///
/// The parameters of a [`Field`](crate::field::Field) say where the field is, what it holds, which index serves it, and how it may be
/// written. The compiler shows their types in its messages; code does not name them.
///
/// ```no_run
/// # use mongo_model::MongoModel; use mongo_model_guide::people::*;
/// # async fn example(db: &mongo_model::Database) -> mongo_model::Result<()> {
/// let neighbours = Person::find(db, |p| p.addresses.city.eq("Cold Water")).await?;
/// let same = Person::find(db, |p| p.addresses.any(|a| a.city.eq("Cold Water").and(a.street.eq("1 Oak Street"))));
/// # Ok(()) }
/// ```
pub mod field {
    #[doc(hidden)]
    pub use crate::schema::field::place::{
        Anchored, At, Holders, Nowhere, OnePlace, Path, Scope, Segment, Through, Top, Unwound,
        Within,
    };
    #[doc(hidden)]
    pub use crate::schema::field::{
        AlsoCollated, ByDistance, ById, ByKey, Collated, CollatedKind, Collates, Conditions,
        CopyOf, ElementField, FromChildren, Geo, Growable, Handles, Hashed, Immutable, InDocument,
        IndexKind, Inside, Key, KeysBeforeText, Memberships, NoCircleIndex, NoCollatedIndex,
        NoFields, NoGeoIndex, NoTextIndex, NullsNotIndexed, OfBucket, OfTree, OneField, OtherOrder,
        OtherSide, Overflowing, Own, Partial, Reference, ReferenceWithCopies, Refers, Scalar,
        SetCopyOf, SetFromChildren, SetImmutable, SetKey, SetMemberships, SetOfBucket, SetOfTree,
        SetOtherSide, SetOverflowing, SetStampOf, SetTenantOf, SetVersionOf, Settable, Sparse,
        StampOf, TenantOf, Text, TextBehind, VersionOf, WithElements,
    };
    pub use crate::schema::field::{Field, Indexed, IntoArg, NotIndexed};
    #[doc(hidden)]
    pub use crate::schema::field::{FoundByVectors, WithVectors};
}

#[cfg(feature = "driver")]
/// Changing stored documents: operators on field handles; the write itself enforces the bound of every array.
///
/// ```no_run
/// # use mongo_model::MongoModel; use mongo_model::update::Swapped; use mongo_model_guide::work::*;
/// # async fn example(db: &mongo_model::Database, id: mongo_model::Id<Account>) -> mongo_model::Result<()> {
/// let buy = Account::update(db, id).only_if(|a| a.balance.gte(50)).inc(|a| a.balance, -50);
/// match buy.await? {
///     Swapped::Done(_) => println!("bought"),
///     Swapped::Not(account) => println!("{} is not enough", account.balance),
/// }
/// # Ok(()) }
/// ```
pub mod update {
    pub use crate::write::change::*;
}

/// The names that the library stores: fields of documents, and collections.
///
/// ```
/// assert!(mongo_model::stored::is_own_field("_dn.r"));
/// assert!(mongo_model::stored::is_own_collection("_dn.locks"));
/// assert!(!mongo_model::stored::is_own_collection("locks"));
/// ```
pub mod stored {
    pub use crate::schema::stored::{is_own_collection, is_own_field};
}

/// Points and areas on the map, as GeoJSON: for fields with `#[index(geo)]`, and for filters.
///
/// ```
/// # use mongo_model::geo::{Point, Polygon};
/// let corners = [(12.4, 41.8), (12.6, 41.8), (12.5, 42.0)];
/// let area = Polygon::<3>::new(corners.map(|(lng, lat)| Point { lng, lat }))?;
/// assert_eq!(area.rings()[0].len(), 4);
/// # Ok::<(), mongo_model::geo::InvalidShape>(())
/// ```
pub mod geo {
    pub use crate::schema::geo::{GeoShape, InvalidShape, Point, PointValue, Polygon};
}

/// Vectors of numbers: for fields with `#[index(vector(1536, cosine))]`, and for searches.
///
/// ```
/// # use mongo_model::vector::Vector;
/// let vector = Vector::<2>::try_from(vec![0.5, 1.0])?;
/// assert_eq!(vector.as_slice(), [0.5, 1.0]);
/// # Ok::<(), mongo_model::vector::InvalidVector>(())
/// ```
pub mod vector {
    pub use crate::schema::index_row::Similarity;
    pub use crate::schema::vector::{InvalidVector, Vector, VectorValue};
}

/// The storage facts of a field's type: one value or many, its kind, its size, its fields.
///
/// ```
/// # use mongo_model::value::Value; use mongo_model_guide::shop::Part;
/// assert_eq!(<Part as Value>::KIND, <Box<Part> as Value>::KIND);
/// ```
pub mod value {
    pub use crate::schema::value::{Cardinality, Size, Value};
    #[doc(hidden)]
    pub use crate::schema::value::{
        Facts, Missing, SerdePitfall, UNBOUNDED, array_bytes, row, row_unknown, text_bytes,
    };
}

pub use crate::bson_util::id::Id;
#[cfg(feature = "driver")]
pub use crate::builder::{Deadline, deadline};
pub use crate::codec::CodecError;
pub use crate::document::documents::as_stored;
#[cfg(feature = "driver")]
pub use crate::error::DriverError;
pub use crate::error::conflict::Conflict;
pub use crate::error::defects::{ServerDefect, ServerVersion};
pub use crate::error::server::{Deployment, Feature, Server};
pub use crate::error::unread::SkippedDocument;
pub use crate::error::violation::Violation;
pub use crate::error::{Error, HiddenValue, Result};
pub use crate::filter::{Filter, raw_filter};
#[cfg(feature = "driver")]
#[doc(hidden)]
pub use crate::migrate::registry::migrate_model;
#[doc(inline)]
pub use crate::model::MongoModel;
pub use crate::outcome::deleted::{Blocker, Deleted, Progress};
pub use crate::outcome::{Outcome, Pending};
pub use crate::projection::{Borrowed, FallsBack, Projected};
pub use crate::schema::average::{Average, DecimalAverage};
pub use crate::schema::bucket::id::BucketId;
pub use crate::schema::bucket::{Bucketed, Insertable, Replaceable};
pub use crate::schema::events::Emits;
pub use crate::schema::history::KeepsHistory;
pub use crate::schema::period::Period;
pub use crate::schema::queue::Queued;
pub use crate::schema::rank::{InvalidRank, Rank};
pub use crate::schema::registry::models;
#[doc(hidden)]
pub use crate::schema::registry::stored_again;
pub use crate::schema::relation::Level;
pub use crate::schema::soft_delete::SoftDeleted;
pub use crate::schema::tree::Tree;
#[doc(hidden)]
pub use crate::schema::unique::{KeyFields, UniqueKey};
pub use crate::schema::version::{Unversioned, Versioned};
#[cfg(feature = "driver")]
pub use crate::{
    bucket::{Placed, Pushed, PushedMany, Removed},
    driver::{
        call::set_comments, capabilities::capabilities, connect::connect, transaction::Transaction,
    },
    finisher::{Finishing, finishing, settle, settle_in_calls},
    follower::Follower,
    index::{plan_indexes, shard_keys, sync_indexes},
    load::{Joined, Loaded, LoadedOne, Matching, Slots},
    lock::{Lock, LockLease},
    maintenance::{
        after::after_commit, backfill::backfill, commit::transaction, commit::transaction_boxed,
        copy_tenant::copy_tenant, repair::repair, sweep::Sweeper, sweeping::Sweeping,
        sweeping::sweeping, verify::verify, whole_tenant::export_tenant,
        whole_tenant::purge_tenant,
    },
    migrations::{Migration, list_migrations, migrate_all, undo_migration},
    queue::{Leased, Queue},
    report::{Finding, ModelReport, Report, report},
    saga::{Saga, SagaOutcome, resume},
    service::{Running, recover, start},
    tenant::{Tenant, Tenants},
    validator::{plan_validators, sync_validators},
};

#[doc(hidden)]
pub mod __private;

/// The example of the package's README compiles.
#[cfg(all(doctest, feature = "driver"))]
#[doc = include_str!("../README.md")]
pub struct Readme;
