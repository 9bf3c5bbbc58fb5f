//! Everything that can go wrong at run time.

// The enum is one item, so it is in one file: per variant the message and its fields. What the messages are made of, and what else is known of
// an error, is in the modules.

mod aborted;
pub(crate) mod conflict;
pub(crate) mod defects;
#[cfg(feature = "driver")]
pub(crate) mod driver;
mod duplicate;
mod hidden;
pub(crate) mod order;
pub(crate) mod server;
mod status;
mod text;
pub(crate) mod unread;
pub(crate) mod violation;
pub(crate) mod without_model;

use bson::Bson;

pub use self::duplicate::is_duplicate_of;
#[cfg(feature = "driver")]
pub use self::hidden::DriverError;
pub use self::hidden::HiddenValue;
use self::text::{at_position, list, list_ambiguous, list_key, list_violations};
use self::violation::Violation;
use crate::codec::CodecError;
use crate::error::conflict::Conflict;
use crate::error::order::OrderError;
use crate::error::server::{Feature, Server};
#[cfg(feature = "driver")]
use crate::index_spec::error::IndexErrors;
use crate::outcome::deleted::Blocker;

/// An error, with the model and the field that it is about.
///
/// Texts and `Debug` output name models, fields, `_id`s, keys of references and tags of variants. They do not show other values of documents,
/// also not those that a server's refusal repeats: [`HiddenValue`], [`DriverError`].
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The server, the network or the driver. A command that the server refused has changed nothing; after a lost reply it may have been
    /// applied. The HTTP status is 503 if the error is transient, 422 if a validator refused a document, otherwise 500.
    #[cfg(feature = "driver")]
    #[error("{0}")]
    Driver(DriverError),

    /// A unique index already has this key: the write that the server refused changed nothing. If it was an
    /// [`insert_many`](crate::MongoModel::insert_many), the documents before `position` are stored.
    ///
    /// For every unique index a function such as `User::is_duplicate_email(&error)` is generated, which tests for that
    /// index.
    #[error("{model}: {}another document has {} (unique index `{index}`)", at_position(*position), list_key(fields, value))]
    Duplicate {
        /// The model.
        model: &'static str,
        /// The name of the index in the database; `_id_` for the `_id`.
        index: String,
        /// The stored paths of the index's keys, in order.
        fields: Vec<String>,
        /// The value of the key; of several fields a document. The error does not show it.
        value: HiddenValue,
        /// The position of the document among those of an `insert_many`, from 0.
        position: Option<usize>,
    },

    /// A document to be stored names another tenant than the call is of; nothing was sent.
    #[error("a {model} of another tenant than the call is of")]
    OtherTenant {
        /// The model.
        model: &'static str,
    },

    /// A value could not be encoded; nothing was sent.
    #[error("{model}: {field} cannot be encoded: {source}")]
    Encode {
        /// The model.
        model: &'static str,
        /// The stored path, or `document` for a whole document.
        field: String,
        /// The encoder's error.
        source: Box<CodecError>,
    },

    /// A stored document does not match the model. It stays as it is: read it with the driver, or `cargo mongo-model check` finds all of them.
    #[error("{model} {id}: cannot be decoded: {source}")]
    Decode {
        /// The model.
        model: &'static str,
        /// The document's `_id`, as far as it could be read.
        id: String,
        /// The decoder's error.
        source: Box<CodecError>,
    },

    /// A document was stored by a newer program: its schema version is later than the one that this program knows. It stays as it is.
    #[error("{model} {id}: schema version {found} is newer than this program, which knows {known}")]
    NewerSchema {
        /// The model.
        model: &'static str,
        /// The document's `_id`, as far as it could be read.
        id: String,
        /// The version that the document says.
        found: i64,
        /// The version of the model's `schema_version`.
        known: i32,
    },

    /// A document has no `schema_version`, and the model does not say which version such documents have: it may be older than the
    /// versions, or another program may have stored it without one. It is neither read nor migrated.
    #[error(
        "{model} {id}: has no schema version, and the model, at {known}, does not say what that means: `unversioned = 1` for documents older than schema versions, `unversioned = {known}` for present ones"
    )]
    Unversioned {
        /// The model.
        model: &'static str,
        /// The document's `_id`, as far as it could be read.
        id: String,
        /// The version of the model's `schema_version`.
        known: i32,
    },

    /// A document is of an older version, and the model declares no `migrate`. It stays as it is.
    #[error(
        "{model} {id}: schema version {found} is older than {known}, and the model has no `migrate`"
    )]
    OlderSchema {
        /// The model.
        model: &'static str,
        /// The document's `_id`, as far as it could be read.
        id: String,
        /// The version that the document says; 1 where it says none.
        found: i64,
        /// The version of the model's `schema_version`.
        known: i32,
    },

    /// The model's `migrate` could not turn a document into the next version. It stays as it is.
    #[error("{model} {id}: cannot be migrated from schema version {from}: {reason}")]
    Migration {
        /// The model.
        model: &'static str,
        /// The document's `_id`, as far as it could be read.
        id: String,
        /// The version that it was to be migrated from.
        from: i32,
        /// The reason.
        reason: String,
    },

    /// A push did not fit, or a parent has no place for a child; nothing was changed.
    #[error("{field} is full ({max})")]
    Full {
        /// The field: `Person.addresses`, or the count: `Event.sold`.
        field: String,
        /// Its declared bound.
        max: u64,
    },

    /// A change would lower the bound of `#[count(.., max = field)]` below the number of children; nothing was changed.
    /// [`allow_over_bound`](crate::update::Update::allow_over_bound) lets an update do so.
    #[error("{field} would be less than {count}, the number that it bounds")]
    BelowCount {
        /// The field: `Event.seats`.
        field: String,
        /// The count: `Event.sold`.
        count: String,
    },

    /// `inc` or `mul` would make an integer that the field's type cannot hold, so that no program could read the document; nothing was
    /// changed.
    #[error("{field} would leave the range of its type, {min} to {max}")]
    Overflow {
        /// The field: `Person.age`.
        field: String,
        /// The least value of its type.
        min: i64,
        /// The greatest value of its type.
        max: i64,
    },

    /// The array of a two-way reference would hold two entries with this id. Either it has one already, whose other fields have other
    /// values: `add_<element>` does not change them, but `set_where` and `replace_<field>` do. Or a document to be stored has two. Nothing
    /// was changed.
    #[error(
        "{field} would have two entries of {id}: change the one that is there with `set_where`"
    )]
    OtherEntry {
        /// The field: `Team.members`.
        field: String,
        /// The id that both entries hold.
        id: Box<Bson>,
    },

    /// Values to be stored, pushed or set break a rule of their fields, `#[check(..)]`, are over a bound (`max`, `max_len`), or an optional
    /// reference of a document leads to itself, and no command was sent. Or `inc` or `mul` would make a number that breaks a rule: nothing was
    /// changed. All violations of a document are named; of an `insert_many` those of the first wrong document.
    #[error("{model}: {}{}", at_position(*position), list_violations(violations))]
    Invalid {
        /// The model.
        model: &'static str,
        /// The position of the document among those of an `insert_many`, from 0.
        position: Option<usize>,
        /// The violations, in the order of the fields.
        violations: Vec<Violation>,
    },

    /// A document is larger than the server accepts; no command was sent.
    #[error("{model}: a document of {bytes} bytes is over MongoDB's limit of {limit}")]
    DocTooLarge {
        /// The model.
        model: &'static str,
        /// Its encoded size.
        bytes: usize,
        /// The limit.
        limit: usize,
    },

    /// A change would make a stored document larger than the server accepts. The server has refused it: the document
    /// stays as it was.
    #[error("{model}: the change would make a document over MongoDB's limit of {limit} bytes")]
    Outgrown {
        /// The model.
        model: &'static str,
        /// The limit.
        limit: usize,
    },

    /// No document has this `_id`; nothing was changed.
    #[error("no {model} has the _id {id}")]
    NotFound {
        /// The model.
        model: &'static str,
        /// The requested `_id`.
        id: Box<Bson>,
    },

    /// The document with this `_id` exists, but an enum inside it has a variant without the field to be changed;
    /// nothing was changed.
    #[error("{model} {id}: {tag} is {}, and the field to be changed is one of {}", .found.as_ref().map_or_else(|| "absent".to_owned(), ToString::to_string), .variants.join(", "))]
    OtherVariant {
        /// The model.
        model: &'static str,
        /// The document's `_id`.
        id: Box<Bson>,
        /// The stored path of the enum's tag.
        tag: String,
        /// The tag as it is stored; `None` where there is none.
        found: Option<Box<Bson>>,
        /// The tags of the variants that have the field.
        variants: &'static [&'static str],
    },

    /// The document stands below another parent in its tree than the one to be saved says; nothing was changed.
    /// [`move_to`](crate::MongoModel::move_to) moves it.
    #[error("{model} {id} stands below another parent in its tree, and a save does not move it")]
    OtherParent {
        /// The model.
        model: &'static str,
        /// The document's `_id`.
        id: Box<Bson>,
    },

    /// A document of a tree was to be moved below itself, or below a document that is below it; nothing was changed.
    #[error("{model} {id} cannot be moved to {to}, which is the document itself or below it")]
    BelowItself {
        /// The model.
        model: &'static str,
        /// The document's `_id`.
        id: Box<Bson>,
        /// The `_id` of the new parent.
        to: Box<Bson>,
    },

    /// The document lacks an embedded document in which a field was to be changed, and a new one with the changed fields alone could not be
    /// read: set it as a whole. Nothing was changed.
    #[error("{field} is absent in {id}, and could not be read with the changed fields alone")]
    AbsentDocument {
        /// The embedded document: `Person.address`.
        field: String,
        /// The document's `_id`.
        id: Box<Bson>,
    },

    /// The field, or the embedded document in which it lies, holds a value that the operator does not take: another program has stored it.
    /// Nothing was changed.
    #[error("{field} is {found} in {id}, which `{operator}` does not change")]
    OtherType {
        /// The field: `Person.age`.
        field: String,
        /// The document's `_id`.
        id: Box<Bson>,
        /// The operator, as the server names it.
        operator: &'static str,
        /// The type of the stored value.
        found: &'static str,
    },

    /// Another writer has changed a document with a `#[version]` since it was read; nothing was changed.
    #[error("{0}")]
    Conflict(Box<Conflict>),

    /// A document with a `#[version]` was to replace the one that was read, which no longer exists; nothing was changed.
    #[error("{model} {id} has been deleted since it was read")]
    Gone {
        /// The model.
        model: &'static str,
        /// The document's `_id`.
        id: Box<Bson>,
    },

    /// The lease belongs to another holder by now, or was given back: nothing was changed.
    #[error(
        "the lease {token} of {of} is lost: it was given back, or has ended and belongs to another holder"
    )]
    LeaseLost {
        /// The resource that was leased.
        of: String,
        /// The token of the lease.
        token: i64,
    },

    /// The caller's own error, by which the closure of a transaction has aborted it: see [`Error::aborted`].
    #[error(transparent)]
    Aborted(Box<dyn std::error::Error + Send + Sync>),

    /// A saga was stopped by an error after its journal was stored. [`resume`](crate::resume) makes its remaining steps, or undoes it: a saga
    /// that is run again would be a second one. [`Resumed`](crate::saga::Resumed) names the journal.
    #[error("the saga `{name}` has stopped, and `resume` ends it (journal {journal}): {source}")]
    SagaStopped {
        /// The saga.
        name: String,
        /// The `_id` of its journal.
        journal: bson::oid::ObjectId,
        /// The error that stopped it.
        source: Box<Error>,
    },

    /// References that lead nowhere: a strict load found them and returned nothing, or a write that stores them was not applied
    /// or taken back. An update or a save that replaced another reference while its new target was deleted cannot be taken back: the
    /// reference has followed its delete rule, or is flagged until it does.
    #[error(
        "{model}.{field} refers to documents of {target} that do not exist: {}",
        list(ids)
    )]
    Dangling {
        /// The model that refers.
        model: &'static str,
        /// The stored path of the reference.
        field: String,
        /// The model referred to.
        target: &'static str,
        /// The ids that no document has, each once, in stored order.
        ids: Vec<Bson>,
    },

    /// References by a natural key that several documents have: a strict load found them, or one with a filter, and returned nothing.
    #[error(
        "{model}.{field} refers to {target} by {key}, which several documents have: {}; make {key} unique (`sync_indexes` creates the declared index)",
        list_ambiguous(documents)
    )]
    Ambiguous {
        /// The model that refers.
        model: &'static str,
        /// The stored path of the reference.
        field: String,
        /// The model referred to.
        target: &'static str,
        /// The stored name of the field that the references hold.
        key: &'static str,
        /// The keys in stored order, each with the `_id`s of the documents that have it.
        documents: Vec<(Bson, Vec<Bson>)>,
    },

    /// A field derived from a document's children could not be compared with them: they changed on each attempt. Flagged documents stay
    /// flagged; the call can be sent again.
    #[error("{what} could not be compared with its children: other writers changed them each time")]
    Busy {
        /// The field and the document.
        what: String,
    },

    /// A new document has a value in a field that the library derives: ids of the other side of a two-way reference, a last-N list,
    /// a counter. Or a saved document differs from the stored one in that array of a two-way reference that follows the
    /// other: the `add_`, `remove_` and `replace_` methods change both. Nothing was written.
    #[error(
        "{model}.{field} is maintained by the library, from the documents that refer to this one; a new document begins empty, and a save does not change it"
    )]
    DerivedField {
        /// The model.
        model: &'static str,
        /// The stored name of the field.
        field: String,
    },

    /// Other documents refer to this one by a value that was to change, or refuse its deletion; nothing was changed.
    #[error("{model} {id} is referred to by {}", by.iter().map(Blocker::to_string).collect::<Vec<_>>().join(", "))]
    Referenced {
        /// The model referred to; in a cascade, that of the first document in the way.
        model: &'static str,
        /// The value that the references to it hold.
        id: Box<Bson>,
        /// The blockers, one entry per reference.
        by: Vec<Blocker>,
    },

    /// An index that propagation or a delete walks does not exist. A delete checks its indexes first: nothing was
    /// written. Any other write stands, and a durable flag records that its copies have to follow: after
    /// [`sync_indexes`](crate::sync_indexes), [`recover`](crate::recover) updates them.
    #[error("{reference}: the collection `{collection}` has no index {keys}; run sync_indexes")]
    MissingIndex {
        /// The reference: `products.parts`. The collection where the index is that of its flags.
        reference: String,
        /// The collection that lacks the index.
        collection: &'static str,
        /// The keys of the index.
        keys: String,
    },

    /// The server refused to write copies in the transaction of their source (one of them would exceed 16 MiB, or
    /// violates a validator or a unique index), so the transaction was undone.
    #[error("{reference}: the server refused a copy: {message} ({code})")]
    Refused {
        /// The reference: `products.parts`.
        reference: String,
        /// The server's code.
        code: i32,
        /// The server's message.
        message: String,
    },

    /// Copies that were not up to date could not be brought up to date by
    /// [`fresh`](crate::crud::Find::fresh); nothing was returned. They stay flagged.
    #[error("copies in {model} could not be brought up to date: {reason}")]
    NotFresh {
        /// The model that holds the copies.
        model: &'static str,
        /// Why they could not be brought up to date.
        reason: String,
    },

    /// A write was applied, but the server could not promise that it lasts.
    #[error("a write was applied, but may not outlive a crash of the server: {reason}")]
    NotDurable {
        /// The server's message.
        reason: String,
    },

    /// Copies of copies form a cycle, in which a change would never end. Nothing was sent.
    #[error("copies form a cycle: {}", copies.join(", "))]
    CopyCircle {
        /// The references on the circle, by collection and path; the first of them is also the last.
        references: Vec<String>,
        /// The copies on the circle, each with the field that it follows, by model and stored path: `Post.motto copies Team.motto`.
        copies: Vec<String>,
    },

    /// A sorted load of more references than one command can hold; nothing was sent. Load fewer documents at a time.
    #[error("{field}: {ids} ids exceed the size of one command, and a sorted load is one command")]
    TooManyToSort {
        /// The reference: `Product.parts`.
        field: String,
        /// How many distinct ids there are.
        ids: usize,
    },

    /// The cursor of a page is damaged, or comes from another query; nothing was sent.
    #[error("the cursor does not belong to this query: {reason}")]
    WrongCursor {
        /// The mismatch.
        reason: String,
    },

    /// A query that cannot be read page by page; nothing was sent.
    #[error("{model} cannot be paged by {field}: {reason}")]
    NotPageable {
        /// The model.
        model: &'static str,
        /// The stored path of the field in the order.
        field: String,
        /// Why.
        reason: &'static str,
    },

    /// A page of an access pattern was requested, and no index has its documents in the order of the pages; nothing was sent.
    #[error(
        "`{pattern}` of {model} cannot be read page by page: no index goes on with its order to the `_id`, so that the server would read and sort all of its documents for every page; declare `{index}`"
    )]
    PageNotIndexed {
        /// The model.
        model: &'static str,
        /// The access pattern.
        pattern: &'static str,
        /// The index that is missing, as `#[model(..)]` declares it.
        index: String,
    },

    /// The time that `.deadline(..)` gave the call is over.
    #[error(
        "the call did not end within {limit:?}; {}",
        if *may_have_written { "what it has sent may be stored, in part: `recover` or a `Sweeper` finishes that" } else { "it has written nothing" }
    )]
    DeadlineExceeded {
        /// The time.
        limit: std::time::Duration,
        /// True if the call had sent a command that writes. Flags in the documents say what is left to be done for it.
        may_have_written: bool,
    },

    /// `contains_ci` was given fewer characters than the parts have by which the field is found, or `has_words_ci` no word; nothing was sent.
    #[error("{field}: found by {least} or more characters, not by {given}")]
    PartTooShort {
        /// The field: `Film.title`.
        field: String,
        /// The number of characters that were given.
        given: usize,
        /// The `min` of the index, or 1 for words.
        least: usize,
    },

    /// A sum of integers of `group_by` that 64 bits do not hold: the server would give a float, which is not exact.
    #[error(
        "{field}: the sum {sum} is more than a 64-bit integer holds exactly; store amounts as Decimal128"
    )]
    SumTooLarge {
        /// The field: `Order.cents`.
        field: String,
        /// The server's value.
        sum: String,
    },

    /// A query compares some strings by the collation of an index and others exactly, or by two collations; nothing was sent.
    #[error(
        "{model}: some strings are compared by a collation (`eq_ci`, `asc_ci`, ..) and others exactly, or by another one; MongoDB compares all strings of a command in one way: use `eq_ci` and its like for all of them"
    )]
    TwoCollations {
        /// The model.
        model: &'static str,
    },

    /// A filter holds an operator that the server answers in a `find` only; nothing was sent.
    #[error(
        "{call} of {model} has a filter with `{operator}`, which the server answers in a `find` only"
    )]
    OperatorRefused {
        /// The model.
        model: &'static str,
        /// The call that was refused.
        call: &'static str,
        /// The operator, as its method is called.
        operator: &'static str,
    },

    /// A filter compares a field with `null`, but the field's only index leaves such documents out; nothing was sent.
    #[error(
        "{field} is compared with null, but its index is sparse or partial and leaves such documents out; use `scan`"
    )]
    NullNotIndexed {
        /// The field.
        field: String,
    },

    /// One update changes a field twice; nothing was sent.
    #[error("{field} is changed twice by one update")]
    ChangedTwice {
        /// The field.
        field: String,
    },

    /// Other writers changed the same document before each of this call's attempts; the call was not applied and can be sent again.
    #[error("{model} {id}: other writers changed it before each attempt")]
    Unsettled {
        /// The model.
        model: &'static str,
        /// The document's `_id`.
        id: Box<Bson>,
    },

    /// The `#[serde(other)]` variant of an enum model was to be stored, or the documents that refer to it were requested: a document of an
    /// unknown kind has no content in memory, so that it would be overwritten with its bare tag. Nothing was sent.
    #[error(
        "a document of {model} of an unknown kind is not in memory: it cannot be stored, or be referred to"
    )]
    UnknownVariant {
        /// The model.
        model: &'static str,
    },

    /// An update without any change; nothing was sent.
    #[error("an update of {model} changes nothing")]
    EmptyUpdate {
        /// The model.
        model: &'static str,
    },

    /// The server closed the cursor of a read between two of its batches, because no request for the next one came for half an hour, or because
    /// it was restarted. The documents before are right; the same call reads from the start. A migration that is called again finds the
    /// documents that are left.
    #[error("{collection}: the server closed the cursor after {read} documents: {source}")]
    CursorLost {
        /// The collection.
        collection: String,
        /// How many documents were read before.
        read: u64,
        /// The error of the server.
        source: Box<Error>,
    },

    /// A push of many items stored the first ones, and then something went wrong. Repeating the call stores the others,
    /// and none twice.
    #[error("{model}: {added} of {of} items were stored, and then: {source}")]
    PushedInPart {
        /// The model.
        model: &'static str,
        /// How many items this call stored.
        added: u64,
        /// How many it was to store.
        of: u64,
        /// The error that stopped the push.
        source: Box<Error>,
    },

    /// A delete stopped when it could not be taken back any more. Marked documents stay marked: once the cause is gone,
    /// [`recover`](crate::recover) or a [`Sweeper`](crate::Sweeper) deletes them, with everything that follows.
    #[error(
        "{model}: {deleted} documents were deleted{}, and then: {source}",
        if *marked { ", others are marked as deleted, and `recover` deletes them" } else { "" }
    )]
    DeletedInPart {
        /// The model.
        model: &'static str,
        /// How many documents of the call are gone.
        deleted: u64,
        /// True if further documents are marked as deleted, or may be because a reply of the server was lost.
        marked: bool,
        /// The error that stopped the delete.
        source: Box<Error>,
    },

    /// The server lacks something that the call needs: a replica set, or a newer release. Nothing was written.
    #[error("{feature} needs {}; this is {server}", feature.needs())]
    Unsupported {
        /// The feature that the call needs.
        feature: Feature,
        /// The server.
        server: Server,
    },

    /// Something that the library does not do, refused so that no data can become wrong.
    #[error("{what}")]
    Impossible {
        /// The refused operation, and the reason.
        what: String,
    },

    /// Indexes of some collections could not be brought to what is declared; it says which, and the others are as declared.
    #[cfg(feature = "driver")]
    #[error(transparent)]
    Indexes(#[from] IndexErrors),

    /// Collections have a validator that this library did not write; nothing was changed.
    /// [`replace`](crate::validator::SyncValidators::replace) takes its place.
    #[error("{} have a validator that mongo-model did not write", collections.join(", "))]
    ForeignValidator {
        /// The collections.
        collections: Vec<String>,
    },

    /// The migrations that are linked into the program have no order. Nothing was sent.
    #[error(transparent)]
    MigrationOrder(#[from] OrderError),

    /// The database has run migrations that are not linked into this program: it was migrated by a newer one. Nothing was changed.
    #[error(
        "the database is ahead of this program, which does not know the migrations {}",
        names.join(", ")
    )]
    MigrationsAhead {
        /// The migrations.
        names: Vec<String>,
    },

    /// A newer program has written the ledger of migrations. Nothing was changed.
    #[error(
        "the ledger has the migration `{name}` in format {found}, and this program knows formats up to {known}: use a newer program"
    )]
    NewerLedger {
        /// The migration.
        name: String,
        /// The format in the ledger.
        found: i64,
        /// The latest format that this program knows.
        known: i64,
    },

    /// A migration ended with an error, or its undo. The ledger has the error, and the next run continues.
    #[error("the migration `{name}` failed, and the next run continues it: {source}")]
    MigrationFailed {
        /// The migration.
        name: &'static str,
        /// The error.
        source: Box<Error>,
    },

    /// No model is linked into the program, so that there is nothing to sync: the crate that declares the models is a dependency, but
    /// nothing of it is used. Nothing was sent.
    #[error(
        "no model is linked into this program; name something of the crate that declares the models: `use models as _;`"
    )]
    NoModels,

    /// A namespace that the server refuses; nothing was changed.
    #[error("the namespace `{namespace}` has {bytes} bytes; MongoDB allows 255")]
    NamespaceTooLong {
        /// Database, dot, collection.
        namespace: String,
        /// Its length.
        bytes: usize,
    },
}

/// The result of this crate's calls.
pub type Result<T, E = Error> = std::result::Result<T, E>;
