//! The operations on a model's documents.

// This file is one trait, and a trait cannot be in several files. Most of it is documentation: each method says which commands it sends.
// The methods hold no logic: each makes a builder, which is in the module of its subject.

use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::document::id::{by_id, encode_id};
use crate::driver::Database;
use crate::filter::{AskedOf, Countable, Filter, Orders, Query};
use crate::find::tree;
use crate::personal::{Erase, Export};
use crate::queue::Queue;
use crate::schema::bucket::{Insertable, Replaceable};
use crate::schema::events::Emits;
use crate::schema::field::Handles;
use crate::schema::history::KeepsHistory;
use crate::schema::model::{Model, ModelMeta};
use crate::schema::person::Person;
use crate::schema::queue::Queued;
use crate::schema::soft_delete::SoftDeleted;
use crate::schema::tree::Tree;
use crate::schema::value;
use crate::schema::value::Value;
use crate::schema::version::{Unversioned, Versioned};
use crate::tenant::Reach;
use crate::write::delete::DeleteKind;
use crate::{crud, update, version};

/// A struct that owns a collection. Implemented by `#[derive(MongoModel)]`, which shares its name.
///
/// All calls take the driver's `&Database` ([`&Tenant`](crate::Tenant), where documents belong to tenants) and are builders: options are
/// methods, `.within(tx)` runs them in a transaction, `.await` sends them. Until then nothing is sent.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a model: it owns no collection",
    label = "not a model",
    note = "add `#[derive(MongoModel)]` and `#[model(collection = \"..\")]` to `{Self}`"
)]
pub trait MongoModel:
    Model<
        DocumentId = <Self as MongoModel>::Id,
        FieldHandles = <Self as MongoModel>::Fields,
        DatabaseHandle = <Self as MongoModel>::Db,
    >
{
    table_items!();

    /// The handle that the calls take: a [`Database`], or with `#[model(tenant = ..)]` a [`Tenant`](crate::Tenant).
    type Db: Reach;

    /// Finds the documents that meet a filter which a declared index serves (rule 4; a filter that none serves does not
    /// compile).
    ///
    /// Sends `find`, and `getMore` as the result is read. `.await` gives a `Vec`, `.stream()` a stream.
    ///
    /// ```no_run
    /// # use mongo_model::*; use mongo_model_guide::shop::*;
    /// # async fn example(db: &Database) -> Result<()> {
    /// let products = Product::find(db, |p| p.catalog_number.gt(1000))
    ///     .sort(|p| p.catalog_number.desc())
    ///     .limit(10)
    ///     .await?;
    /// # Ok(()) }
    /// ```
    ///
    /// # Errors
    /// The driver's, or [`Error::Decode`](crate::Error::Decode) if a stored document does not match the model.
    fn find<F, S, C>(db: &Self::Db, filter: F) -> crud::Find<'_, Self, Self, S::Order>
    where
        F: Query<Self, S, C>,
        S: Orders,
    {
        db.reach(|db| crud::Find::filtered(db, filter(Self::Fields::VALUE).into_conditions()))
    }

    /// Finds the first document that meets a filter which a declared index serves; `None` if there is none. Sends one
    /// `find`.
    ///
    /// ```no_run
    /// # use mongo_model::*; use mongo_model_guide::shop::*;
    /// # async fn example(db: &Database) -> Result<()> {
    /// let product = Product::find_one(db, |p| p.catalog_number.eq(1234)).await?;
    /// # Ok(()) }
    /// ```
    ///
    /// # Errors
    /// As [`find`](Self::find).
    fn find_one<F, S, C>(db: &Self::Db, filter: F) -> crud::FindOne<'_, Self>
    where
        F: Query<Self, S, C>,
    {
        db.reach(|db| crud::FindOne::new(db, filter(Self::Fields::VALUE).into_conditions()))
    }

    /// Reads the document with this `_id`; `None` if there is none. Sends one `find`.
    ///
    /// ```no_run
    /// # use mongo_model::*; use mongo_model_guide::shop::*;
    /// # async fn example(db: &Database, id: Id<Product>) -> Result<()> {
    /// let product = Product::get(db, id).await?;
    /// # Ok(()) }
    /// ```
    ///
    /// # Errors
    /// As [`find`](Self::find).
    fn get(db: &Self::Db, id: impl crate::field::IntoArg<Self::Id>) -> crud::FindOne<'_, Self> {
        db.reach(|db| crud::FindOne::by_id(db, by_id::<Self>(&id.into_arg())))
    }

    /// As [`find`](Self::find), for a filter that no index serves: an intentional collection scan, which stands out in
    /// a review. `scan(&db, |m| m.all())` reads everything.
    ///
    /// ```no_run
    /// # use mongo_model::*; use mongo_model_guide::shop::*;
    /// # async fn example(db: &Database) -> Result<()> {
    /// let smoke = Product::scan(db, |p| p.name.starts_with("smoke")).await?;
    /// # Ok(()) }
    /// ```
    ///
    /// # Errors
    /// As [`find`](Self::find).
    fn scan<F, S, C>(db: &Self::Db, filter: F) -> crud::Find<'_, Self, Self, S::Order>
    where
        F: FnOnce(Self::Fields) -> Filter<C, S>,
        S: AskedOf<Self, C>,
    {
        db.reach(|db| crud::Find::filtered(db, filter(Self::Fields::VALUE).into_scanned()))
    }

    /// Finds the documents whose vectors are nearest to this one, nearest first, each with its score. The field has an index of vectors
    /// (`#[index(vector(1536, cosine))]`); a field without one does not compile. Sends one `aggregate` with `$vectorSearch`.
    ///
    /// The documents of the tenant alone are searched, and none that is marked as deleted. The server builds the index in the background, so
    /// a document is found some time after it was stored. It is tested by the commands that it sends, not against a server with vector
    /// search.
    ///
    /// ```
    /// # use mongo_model::{Database, Id, MongoModel, Result, vector::Vector};
    /// # use serde::{Deserialize, Serialize};
    /// # #[derive(Serialize, Deserialize, MongoModel)]
    /// # #[model(collection = "products")]
    /// # pub struct Product {
    /// #     #[serde(rename = "_id")]
    /// #     pub id: Id<Product>,
    /// #     #[index(vector(2, cosine), filter(shop))]
    /// #     pub embedding: Vector<2>,
    /// #     pub shop: i64,
    /// # }
    /// # async fn example(db: &Database, query: &Vector<2>) -> Result<()> {
    /// let near = Product::find_nearest(db, |p| p.embedding, query).filter(|p| p.shop.eq(7)).limit(5);
    /// for product in near.candidates(200).await? {
    ///     println!("{:.3} {:?}", product.score, product.document.id);
    /// }
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// [`Error::Impossible`](crate::Error::Impossible) for a vector with a number that is not finite, a filter that a search does not
    /// take, and fewer candidates than documents or more than 10,000: nothing was sent.
    /// [`Error::Unsupported`](crate::Error::Unsupported) if the server has no vector search. Otherwise as [`find`](Self::find).
    fn find_nearest<'a, P, T, I, W, const N: usize>(
        db: &'a Self::Db,
        field: impl FnOnce(Self::Fields) -> crate::field::Field<P, T, I, W>,
        vector: &crate::vector::Vector<N>,
    ) -> crud::Nearest<'a, Self>
    where
        P: crate::field::Path<Root = Self>,
        T: crate::vector::VectorValue<N>,
        I: crate::field::FoundByVectors,
    {
        db.reach(|db| crud::Nearest::new(db, field(Self::Fields::VALUE), vector))
    }

    /// Reads the documents with these `_id`s: [`Loaded`](crate::Loaded) has them in the order of the ids, and the ids
    /// that no document has. Sends one `find` per 2,500 distinct ids, two at a time, and nothing without ids; an id that is listed
    /// twice gives two values.
    ///
    /// ```
    /// # use mongo_model::{Database, Id, MongoModel, Result};
    /// # use serde::{Deserialize, Serialize};
    /// # #[derive(Serialize, Deserialize, MongoModel)]
    /// # #[model(collection = "parts")]
    /// # pub struct Part {
    /// #     #[serde(rename = "_id")]
    /// #     pub id: Id<Part>,
    /// # }
    /// # async fn example(db: &Database, a: Id<Part>, b: Id<Part>) -> Result<()> {
    /// let parts = Part::get_many(db, [a, b]).await?;
    /// println!("{} parts, and nothing for {:?}", parts.len(), parts.missing());
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// As [`find`](Self::find).
    fn get_many<I: crate::field::IntoArg<Self::Id>>(
        db: &Self::Db,
        ids: impl IntoIterator<Item = I>,
    ) -> crate::load::Load<'_, crate::load::RefsById<Self>> {
        let ids = ids.into_iter().map(|id| encode_id::<Self>(&id.into_arg()));
        db.reach(|db| crate::load::Load::by_ids(db, ids.collect()))
    }

    /// True if there is a document that meets a filter which a declared index serves. Sends one `find` for one `_id`.
    ///
    /// # Errors
    /// The driver's.
    fn exists<F, S, C>(db: &Self::Db, filter: F) -> crud::Exists<'_, Self>
    where
        F: Query<Self, S, C>,
    {
        db.reach(|db| {
            crud::Find::<Self>::filtered(db, filter(Self::Fields::VALUE).into_conditions())
        })
        .exists()
    }

    /// Counts the documents that meet a filter which a declared index serves. Sends one `aggregate` (`$match`,
    /// `$group`). A filter with `near` does not compile: the server cannot count with it; `within` is the same circle.
    ///
    /// ```no_run
    /// # use mongo_model::*; use mongo_model_guide::shop::*;
    /// # async fn example(db: &Database) -> Result<()> {
    /// let products = Product::count(db, |p| p.catalog_number.gt(1000)).await?;
    /// # Ok(()) }
    /// ```
    ///
    /// # Errors
    /// [`Error::OperatorRefused`](crate::Error::OperatorRefused) for a [`raw_filter`](crate::raw_filter) with `$near`, or the driver's.
    fn count<F, S, C>(db: &Self::Db, filter: F) -> crud::Count<'_, Self>
    where
        F: Query<Self, S, C>,
        S: Orders<(), Order: Countable>,
    {
        db.reach(|db| crud::Count::new(db, filter(Self::Fields::VALUE).into_conditions()))
    }

    /// Groups all documents by the first field of an index, and asks the server for totals: `Order::group_by(db, |o|
    /// o.status).count()`. If the index also has the fields to add up, the server does not read the documents. To group
    /// only some documents, use [`find(..).group_by(..)`](crud::Find::group_by), which also says which totals are
    /// exact; if no index starts with the field, `scan(..).group_by(..)` reads everything. Sends one `aggregate`.
    ///
    /// # Errors
    /// As [`group_by`](crud::Find::group_by) of a find.
    fn group_by<G>(db: &Self::Db, key: impl FnOnce(Self::Fields) -> G) -> crud::GroupBy<'_, Self, G>
    where
        G: crud::GroupKey<Self> + crud::Grouped<Self>,
    {
        db.reach(|db| crud::GroupBy::all(db, key(Self::Fields::VALUE)))
    }

    /// Stores a new document. Sends one `insert`; bounds and size are checked first.
    ///
    /// If the document holds copies, it is stored with a mark while one `find` reads their sources, and one `update`
    /// corrects copies that differ (with frozen copies, and copies in a unique index, one read comes first). After the call has returned, a
    /// durable read of the sources and one `update` clear the mark. A failure after the insert is in
    /// [`Outcome::pending`](crate::Outcome::pending).
    ///
    /// If it holds references without copies, the `find` of their targets follows the insert, and nothing has to be corrected. References
    /// that are `unchecked`, or whose `on_delete` is `keep`, need none of this.
    ///
    /// If it holds derived data of documents that refer to it (lists, counts), it is stored with a mark for each; after
    /// the call has returned, one `find` per reference, and one more for a count, checks if such documents exist
    /// already, and one `update` clears the marks. If some exist, lists and counts are computed from them first.
    ///
    /// ```no_run
    /// # use mongo_model::*; use mongo_model_guide::shop::*;
    /// # async fn example(db: &Database) -> Result<()> {
    /// let nut = part("17", "nut");
    /// Part::insert(db, &nut).await?;
    /// Product::insert(db, &product("shifter", 1234, &[&nut])).await?;
    /// # Ok(()) }
    /// ```
    ///
    /// # Errors
    /// [`Error::Invalid`](crate::Error::Invalid), [`Error::DocTooLarge`](crate::Error::DocTooLarge) (nothing was sent),
    /// [`Error::Impossible`](crate::Error::Impossible) for a version that leaves no changes (nothing was sent),
    /// [`Error::Dangling`](crate::Error::Dangling) if a reference leads nowhere, and is neither `unchecked` nor may dangle
    /// (`on_delete = keep`): the document is not stored, or taken back; [`Error::Full`](crate::Error::Full) if a count of its parent is at
    /// its `max`; [`Error::Duplicate`](crate::Error::Duplicate), or the driver's.
    fn insert<'a>(db: &'a Self::Db, document: &Self) -> crud::Insert<'a, Self, crud::One>
    where
        Self: Insertable,
    {
        db.reach(|db| crud::Insert::new(db, std::iter::once(document), false))
    }

    /// Stores many new documents. Sends as few `insert` commands as fit; each document is atomic, the call is not.
    /// Every document is checked before the first is sent; without documents, nothing is sent.
    ///
    /// Copies are first read from their sources, each source once. They are compared again after the call has returned, or later
    /// if there are more than 100 documents: see [`Insert::lazy`](crud::Insert::lazy). Targets of references without copies
    /// are read once each before the insert and once after the call has returned, and one `update` clears the marks.
    ///
    /// Lists and counts of the documents' parents are right when the call returns. It awaits three round trips for any number of
    /// documents and parents: one read of the sources, the insert, one `update` of all parents. After that, one durable read and
    /// two updates remove the flags; [`Insert::settled`](crud::Insert::settled) waits for them.
    ///
    /// ```no_run
    /// # use mongo_model::*; use mongo_model_guide::shop::*;
    /// # async fn example(db: &Database) -> Result<()> {
    /// Part::insert_many(db, &[part("17", "nut"), part("18", "bolt")]).await?;
    /// # Ok(()) }
    /// ```
    ///
    /// # Errors
    /// As [`insert`](Self::insert). The copies of documents that were stored before an error are checked all the same.
    fn insert_many<'a, 'd>(
        db: &'a Self::Db,
        documents: impl IntoIterator<Item = &'d Self>,
    ) -> crud::Insert<'a, Self>
    where
        Self: Insertable,
    {
        db.reach(|db| crud::Insert::new(db, documents, true))
    }

    /// Changes the document with this `_id`. Sends one `update`, atomic; if a bound or the document's absence stopped it,
    /// one `find` shows which.
    ///
    /// If a field changes that other models copy, it sends a `findAndModify` that flags the copies as pending in the same atomic write,
    /// then one `update` per reference path with copies, and after the call has returned one that clears the flag. If a
    /// reference is set or added that is not `unchecked`, its target is read before and after. A failure after the first write is
    /// in [`Outcome::pending`](crate::Outcome::pending).
    ///
    /// ```no_run
    /// # use mongo_model::*; use mongo_model_guide::shop::*;
    /// # async fn example(db: &Database, id: Id<Part>) -> Result<()> {
    /// Part::update(db, id).inc(|p| p.qty, -2).set(|p| p.name, "hexagon nut").await?;
    /// # Ok(()) }
    /// ```
    ///
    /// # Errors
    /// [`Error::NotFound`](crate::Error::NotFound), [`Error::OtherVariant`](crate::Error::OtherVariant) for a field of
    /// an enum's variant that the document does not have, [`Error::AbsentDocument`](crate::Error::AbsentDocument) for one of an embedded
    /// document that it does not have, [`Error::OtherType`](crate::Error::OtherType),
    /// [`Error::Overflow`](crate::Error::Overflow), [`Error::Full`](crate::Error::Full),
    /// [`Error::Invalid`](crate::Error::Invalid), [`Error::Dangling`](crate::Error::Dangling), [`Error::Referenced`](crate::Error::Referenced) for a key by which
    /// others refer, [`Error::MissingIndex`](crate::Error::MissingIndex),
    /// [`Error::Duplicate`](crate::Error::Duplicate), or the driver's.
    fn update(db: &Self::Db, id: impl crate::field::IntoArg<Self::Id>) -> update::Update<'_, Self> {
        db.reach(|db| update::Update::live(db, by_id::<Self>(&id.into_arg())))
    }

    /// Changes the document with the `_id` of `document` if it is stored; otherwise stores `document`:
    /// `Visitor::upsert(&db, &first_visit).inc(|v| v.visits, 1)`. The changes are not applied to a new document.
    /// Without changes it is an insert that leaves a stored document as it is; in a transaction, which a refused insert
    /// aborts, it then fails with [`Error::Duplicate`](crate::Error::Duplicate).
    ///
    /// Sends what [`update`](Self::update) sends; if there is no document, then what [`insert`](Self::insert) sends. If
    /// another program stores one in between, that one is changed.
    ///
    /// ```no_run
    /// # use mongo_model::{Database, MongoModel};
    /// # use serde::{Deserialize, Serialize};
    /// # #[derive(Debug, Serialize, Deserialize, MongoModel)]
    /// # #[model(collection = "visitors")]
    /// # pub struct Visitor { #[serde(rename = "_id")] pub id: String, pub visits: i64 }
    /// # async fn example(db: &Database) -> mongo_model::Result<()> {
    /// let first = Visitor { id: "kate".to_owned(), visits: 1 };
    /// Visitor::upsert(db, &first).inc(|v| v.visits, 1).await?;
    /// # Ok(()) }
    /// ```
    ///
    /// # Errors
    /// As [`update`](Self::update), but not `NotFound`, and as [`insert`](Self::insert). If another document has the
    /// value of a unique field other than the `_id`, the error is [`Error::Duplicate`](crate::Error::Duplicate).
    fn upsert<'a>(db: &'a Self::Db, document: &Self) -> update::Upsert<'a, Self>
    where
        Self: Insertable,
    {
        db.reach(|db| update::Upsert::new(db, document))
    }

    /// True if the error says that another document has the same value of this field, also of one inside embedded documents:
    /// `User::is_duplicate(&error, |u| u.address.line)`. It asks for a unique index of this field alone. For fields of the model itself
    /// there is also `User::is_duplicate_email(&error)`.
    ///
    /// ```
    /// # use mongo_model::{Error, Id, MongoEmbed, MongoModel};
    /// # use serde::{Deserialize, Serialize};
    /// #[derive(Serialize, Deserialize, MongoEmbed)]
    /// pub struct Account {
    ///     #[index(unique)]
    ///     pub iban: String,
    /// }
    ///
    /// #[derive(Serialize, Deserialize, MongoModel)]
    /// #[model(collection = "payers")]
    /// pub struct Payer {
    ///     #[serde(rename = "_id")]
    ///     pub id: Id<Payer>,
    ///     pub account: Account,
    /// }
    ///
    /// fn explain(error: &Error) -> &'static str {
    ///     match Payer::is_duplicate(error, |p| p.account.iban) {
    ///         true => "this account is known already",
    ///         false => "something went wrong",
    ///     }
    /// }
    /// ```
    fn is_duplicate<P, T: ?Sized, I, W>(
        error: &crate::Error,
        field: impl FnOnce(Self::Fields) -> crate::field::Field<P, T, I, W>,
    ) -> bool
    where
        P: crate::field::Path<Root = Self>,
    {
        let _ = field(Self::Fields::VALUE);
        let mut path = String::new();
        P::write_whole(&mut path);
        let found = error.duplicate();
        found.is_some_and(|(model, fields)| {
            model == Self::meta().name && matches!(fields, [only] if *only == path)
        })
    }

    /// Changes all documents that meet a filter which a declared index serves. Sends one `update` with `multi: true`; each document
    /// is atomic, the call is not.
    ///
    /// If a field changes that other models copy, a durable read of the changed documents follows, 500 at a time, then one `update` per
    /// reference path with copies. If the documents get another parent, a durable read and one `update` of all parents follow. Flags
    /// are removed after the call has returned.
    ///
    /// ```no_run
    /// # use mongo_model::*; use mongo_model_guide::shop::*;
    /// # async fn example(db: &Database) -> Result<()> {
    /// Part::update_many(db, |p| p.partno.starts_with("17-")).set(|p| p.qty, 0).await?;
    /// # Ok(()) }
    /// ```
    ///
    /// # Errors
    /// As [`update`](Self::update), but neither `NotFound` nor `Full`: a document whose array is full is left as it is.
    fn update_many<F, S, C>(db: &Self::Db, filter: F) -> update::UpdateMany<'_, Self>
    where
        F: Query<Self, S, C>,
    {
        db.reach(|db| update::Update::live(db, filter(Self::Fields::VALUE).into_document()))
    }

    /// Stores this document under its `_id`, whether it exists already or not. Sends one `update` (a replacement with `upsert`),
    /// atomic; bounds and size are checked first.
    ///
    /// The stored copies stay as they are if the references do not change; otherwise the copies are read from their sources,
    /// as in an insert. Changes of fields that other models copy propagate, as in an update.
    ///
    /// If both sides of a two-way reference are arrays, one follows the other and only its `add_`, `remove_` and `replace_` methods change
    /// it: a document whose array differs from the stored one is refused, and an empty array leaves the stored one unchanged.
    ///
    /// A save replaces the stored document, and fields that this model does not have are lost: a program that stores other fields
    /// in the same collection keeps them with a field `#[serde(flatten)] rest: bson::Document`. If another model of
    /// this program has the same collection, the save sets and removes only the fields of its own model.
    ///
    /// It does not compile where it would undo what others have written: with a `#[version]`, for a bucket, and for a model with an
    /// array that overflows into buckets.
    ///
    /// ```no_run
    /// # use mongo_model::*; use mongo_model_guide::shop::*;
    /// # async fn example(db: &Database, mut nut: Part) -> Result<()> {
    /// nut.price = "1.20".parse().expect("a number");
    /// nut.save(db).await?;
    /// # Ok(()) }
    /// ```
    ///
    /// # Errors
    /// As [`insert`](Self::insert) and [`update`](Self::update), and [`Error::DerivedField`](crate::Error::DerivedField).
    fn save<'a>(&self, db: &'a Self::Db) -> crud::Save<'a, Self>
    where
        Self: Unversioned + Insertable + Replaceable,
    {
        db.reach(|db| crud::Save::new(db, self))
    }

    /// Stores this document if no other program has changed it since it was read: if the stored version equals the version in memory.
    /// Both increase by 1. After an error the version in memory is unchanged. A `#[volatile]` field stays as it is stored, whatever
    /// it is in memory.
    ///
    /// Sends one `update` (a replacement), atomic, with `_id` and version in its filter; bounds and size are checked
    /// first. If it matches nothing, one `find` shows why. If its reply is lost, it is sent again up to twice; the
    /// document stores tokens of its last 8 writers, by which the call recognises its own write, unless 8 other writers
    /// got in since. Copies are handled as in [`save`](Self::save).
    ///
    /// ```no_run
    /// # use mongo_model::*; use mongo_model_guide::work::*;
    /// # async fn example(db: &Database, mut account: Account) -> Result<()> {
    /// account.balance -= 10;
    /// match account.save_if_unchanged(db).await {
    ///     Err(Error::Conflict(conflict)) => println!("another writer was first: {conflict}"),
    ///     other => drop(other?),
    /// }
    /// # Ok(()) }
    /// ```
    ///
    /// # Errors
    /// [`Error::Conflict`](crate::Error::Conflict) with the document as it is now, [`Error::Gone`](crate::Error::Gone)
    /// if it has been deleted, and those of [`insert`](Self::insert) and [`update`](Self::update).
    fn save_if_unchanged<'a>(&'a mut self, db: &'a Self::Db) -> version::SaveIfUnchanged<'a, Self>
    where
        Self: Versioned,
    {
        db.reach(|db| version::SaveIfUnchanged::new(db, self))
    }

    /// Deletes this document if no other program has changed it since it was read: if the stored version equals the version in memory.
    /// The delete rules of the references to it apply as in [`delete`](Self::delete).
    ///
    /// Sends the commands of `delete`; the one that deletes or marks the document has the version in its filter. If
    /// that matches nothing, one `find` shows why.
    ///
    /// # Errors
    /// [`Error::Conflict`](crate::Error::Conflict) with the document as it is now, [`Error::Gone`](crate::Error::Gone)
    /// if it has been deleted (nothing was changed), and those of [`delete`](Self::delete).
    fn delete_if_unchanged<'a>(&self, db: &'a Self::Db) -> version::DeleteIfUnchanged<'a, Self>
    where
        Self: Versioned,
    {
        db.reach(|db| version::DeleteIfUnchanged::new(db, self))
    }

    /// Stores many documents, each if no other program has changed it since it was read, as
    /// [`save_if_unchanged`](Self::save_if_unchanged) does. The result lists those that other programs have changed or deleted,
    /// each with its [`Error::Conflict`](crate::Error::Conflict) or [`Error::Gone`](crate::Error::Gone); the others are stored, and
    /// their versions increased. Each document is atomic, the call is not. All are checked before the first is sent;
    /// without documents, nothing is sent.
    ///
    /// Sends one durable `update` per 1,000 documents, and if one of them was not stored, one `find` for those 1,000.
    /// If the model has copies, references to follow or keys by which others refer, and in a session, each document is
    /// stored as by `save_if_unchanged`.
    ///
    /// ```no_run
    /// # use mongo_model::*; use mongo_model_guide::work::*;
    /// # async fn example(db: &Database, mut accounts: Vec<Account>) -> Result<()> {
    /// for account in &mut accounts {
    ///     account.balance += 1;
    /// }
    /// let saved = Account::save_many_if_unchanged(db, &mut accounts).await?;
    /// # Ok(()) }
    /// ```
    ///
    /// # Errors
    /// Those of a document that cannot be sent (nothing was sent), or the driver's if they are not about a single
    /// document. After such an error the documents that are stored have their new version in memory, so that the same
    /// call stores the rest; in a transaction everything is taken back except those versions.
    fn save_many_if_unchanged<'a>(
        db: &'a Self::Db,
        documents: impl IntoIterator<Item = &'a mut Self>,
    ) -> version::SaveManyIfUnchanged<'a, Self>
    where
        Self: Versioned,
    {
        db.reach(|db| version::SaveManyIfUnchanged::new(db, documents))
    }

    /// Reads the document with this `_id`, changes it with a function, and stores it if no other program has changed it
    /// in between; otherwise reads it again and repeats, at most 100 times. `.await` gives the document as it was
    /// stored. If the function changes nothing, nothing is stored.
    ///
    /// Sends one `find`, then per try the command of [`save_if_unchanged`](Self::save_if_unchanged).
    ///
    /// ```no_run
    /// # use mongo_model::*; use mongo_model_guide::work::*;
    /// # async fn example(db: &Database, id: Id<Account>) -> Result<()> {
    /// let account = Account::update_with(db, id, |account| account.balance += 10).await?;
    /// # Ok(()) }
    /// ```
    ///
    /// # Errors
    /// [`Error::NotFound`](crate::Error::NotFound), and those of `save_if_unchanged`: a conflict after the last try only.
    /// [`Error::Impossible`](crate::Error::Impossible) if the function changes a `#[volatile]` field, which
    /// [`update`](Self::update) changes: nothing is stored.
    fn update_with<'a>(
        db: &'a Self::Db,
        id: impl crate::field::IntoArg<Self::Id>,
        change: impl FnMut(&mut Self) + Send + 'a,
    ) -> version::UpdateWith<'a, Self>
    where
        Self: Versioned,
    {
        db.reach(|db| version::UpdateWith::new(db, &id.into_arg(), change))
    }

    /// Brings every document of an older schema version to the current one, with the model's `migrate`. Other programs
    /// may write meanwhile: a document is replaced only if it is still what was read; otherwise its new state is
    /// migrated. An interrupted migration continues with the next call; a call that finds nothing writes nothing. A
    /// document that cannot be migrated stays as it is, and is in the result. See [`migrate`](crate::migrate).
    ///
    /// Sends one `find` for the older documents (a walk over the collection, 1,000 at a time), and per 1,000 of them one durable
    /// `update`. If the model has copies, references to follow or keys by which others refer, each document is stored
    /// as by a [`save`](Self::save) with `refresh`. Each document is atomic, the call is not. Nothing is sent for a
    /// model without a `schema_version`.
    ///
    /// ```no_run
    /// # use mongo_model::*; use mongo_model_guide::shop::*;
    /// # async fn example(db: &Database) -> Result<()> {
    /// let migrated = Product::migrate(db).await?;
    /// # Ok(()) }
    /// ```
    ///
    /// # Errors
    /// The driver's.
    fn migrate(db: &Database) -> crate::migrate::Migrate<'_, Self> {
        crate::migrate::Migrate::new(db)
    }

    /// Reads everything that the program stores about a person: the `#[personal]` fields of its document, and those of the documents that
    /// refer to it with `#[personal(of = ..)]`. Documents that are marked as deleted are included.
    ///
    /// Sends a `find` for the person, then one `find` for its fields and one for each reference, along its index, and a `getMore` as
    /// long as there are more.
    ///
    /// # Errors
    /// [`Error::NotFound`](crate::Error::NotFound) without such a person; the driver's.
    fn export(db: &Self::Db, id: impl crate::field::IntoArg<Self::Id>) -> Export<'_, Self>
    where
        Self: Person,
    {
        db.reach(|db| Export::new(db, by_id::<Self>(&id.into_arg())))
    }

    /// Erases what the program stores about a person: sets each `#[personal]` field of its document, and each `#[personal(of = ..)]` field
    /// of the documents that refer to it, to the value that the field declares. Copies, lists and numbers follow, as after any update.
    /// Documents that are marked as deleted are included. Fields with `keep_for` stay. `.await` gives a
    /// [`Certificate`](crate::personal::Certificate). An erase that was interrupted is finished by [`recover`](crate::recover) or a
    /// [`Sweeper`](crate::Sweeper); a repeated one changes nothing more.
    ///
    /// It is not in a transaction: a person may have more documents than one holds. Let the person write nothing more before it begins, and
    /// delete the person after it, if at all: documents of a person that is gone are not found.
    ///
    /// Sends one `findAndModify` that flags the person, an `update` of the person, one `updateMany` for each reference, one more for each
    /// optional embedded document, array of embedded documents and variant in which fields are marked, each with what
    /// [`update`](Self::update) and [`update_many`](Self::update_many) send for copies, lists and numbers, and one `update` that removes
    /// the flag; after the update of documents that deletes may mark, one `find` for such marks. The flag is written durably.
    ///
    /// # Errors
    /// [`Error::NotFound`](crate::Error::NotFound) without such a person; those of `update` and `update_many`.
    fn erase(db: &Self::Db, id: impl crate::field::IntoArg<Self::Id>) -> Erase<'_, Self>
    where
        Self: Person,
    {
        db.reach(|db| Erase::new(db, by_id::<Self>(&id.into_arg())))
    }

    /// Returns the documents of this model as a queue, with [`push`](Queue::push) and [`pop`](Queue::pop). Sends
    /// nothing.
    ///
    /// ```no_run
    /// # use mongo_model::*; use mongo_model_guide::work::*; use std::time::Duration;
    /// # async fn example(db: &Database) -> Result<()> {
    /// let mails = Mail::queue(db);
    /// mails.push(&mail(1, "welcome")).await?;
    /// if let Some(leased) = mails.pop("worker 1", Duration::from_secs(30)).await? {
    ///     println!("send {}", leased.job.subject);
    ///     leased.ack(db).await?;
    /// }
    /// # Ok(()) }
    /// ```
    fn queue(db: &Self::Db) -> Queue<'_, Self>
    where
        Self: Queued,
    {
        Queue::new(db)
    }

    /// Returns the events of this model: those that its documents have emitted, and their readers. Sends nothing.
    ///
    /// ```no_run
    /// # use mongo_model::*; use mongo_model_guide::tickets::*;
    /// # async fn example(db: &Database, id: Id<Order>) -> Result<()> {
    /// Order::update(db, id).set(|o| o.paid, true).emit(OrderEvent::Paid).await?;
    ///
    /// Order::events(db)
    ///     .reader("mails")
    ///     .run(|event| async move {
    ///         match event.value {
    ///             OrderEvent::Paid => send_mail(event.id).await,
    ///             OrderEvent::Placed { .. } | OrderEvent::SeatsAdded { .. } | OrderEvent::Cancelled => Ok(()),
    ///         }
    ///     })
    ///     .await
    /// # .map(|never| match never {}) }
    /// ```
    fn events(db: &Self::Db) -> crate::events::Events<'_, Self>
    where
        Self: Emits,
    {
        crate::events::Events::new(db)
    }

    /// Returns the history of a document: each change that the library has made, and its earlier states. Sends nothing.
    ///
    /// ```no_run
    /// # use mongo_model::*; use serde::{Serialize, Deserialize};
    /// # #[derive(Serialize, Deserialize, MongoModel)]
    /// # #[model(collection = "contracts", history)]
    /// # struct Contract { #[serde(rename = "_id")] id: Id<Contract>, text: String }
    /// # async fn example(db: &Database, id: Id<Contract>) -> Result<()> {
    /// for entry in Contract::history(db, id).newest(None).await? {
    ///     let paths: Vec<_> = entry.changes.iter().map(|change| &change.path).collect();
    ///     println!("{} {:?} by {:?}: {paths:?}", entry.at, entry.call, entry.by);
    /// }
    /// # Ok(()) }
    /// ```
    fn history(
        db: &Self::Db,
        id: impl crate::field::IntoArg<Self::Id>,
    ) -> crate::history::History<'_, Self>
    where
        Self: KeepsHistory,
    {
        crate::history::History::new(db, &id.into_arg())
    }

    /// Watches the documents: gives a stream of what is inserted, changed and deleted from now on, by any program.
    ///
    /// It reads the server's change stream, so an item comes some milliseconds after the write is safe on a majority of the replica set.
    /// The documents of an item are read when it comes; changes of one document that come together are one item. A document that only the
    /// library's own fields of changed gives no item. Where a connection breaks, another primary is elected or the collection is dropped,
    /// the stream goes on; it ends with an error after a minute without a server.
    ///
    /// Sends a `hello` and an `aggregate`, then a `getMore` a second, and for each reply with changes one `find` of up to 1,000 documents by
    /// `_id`; a second `find` if documents are missing that may have [left](crate::watch::Change::Left). On a standalone server it
    /// [polls](crate::watch::Changes::is_polling): one `find` of all documents a second.
    ///
    /// To keep a list, begin the watch first and read the documents then: what happens in between is told. Changes are not stored for a
    /// program that is not there; documents of a [queue](Self::queue) wait.
    ///
    /// ```no_run
    /// # use mongo_model::*; use mongo_model_guide::shop::*;
    /// use futures::StreamExt;
    /// use mongo_model::watch::Change;
    ///
    /// # async fn example(db: &Database) -> Result<()> {
    /// let mut changes = Product::watch(db).filter(|p| p.catalog_number.gt(1000)).await?;
    /// let products = Product::find(db, |p| p.catalog_number.gt(1000)).await?;
    /// while let Some(change) = changes.next().await {
    ///     match change? {
    ///         Change::Inserted(product) => println!("new: {}", product.name),
    ///         Change::Updated { document, paths, .. } => println!("{}: {paths:?}", document.name),
    ///         Change::Left { id, .. } | Change::Deleted { id, .. } => println!("gone: {id}"),
    ///         Change::Missed => println!("read the products again"),
    ///         other => println!("{other:?}"),
    ///     }
    /// }
    /// # Ok(()) }
    /// ```
    ///
    /// # Errors
    /// The driver's. With the [`Tenant`](crate::Tenant) of one, [`Error::Impossible`](crate::Error::Impossible) if the collection does not
    /// keep documents as they were before a change, which name the tenant of a deleted one.
    fn watch(db: &Self::Db) -> crate::watch::Watch<'_, Self> {
        db.reach(|db| crate::watch::Watch::new(db, Ok(None)))
    }

    /// Watches the document with this `_id`, as [`watch`](Self::watch).
    ///
    /// # Errors
    /// As [`watch`](Self::watch).
    fn watch_one(
        db: &Self::Db,
        id: impl crate::field::IntoArg<Self::Id>,
    ) -> crate::watch::Watch<'_, Self> {
        let id = encode_id::<Self>(&id.into_arg()).map(Some);
        db.reach(|db| crate::watch::Watch::new(db, id))
    }

    /// Finds the children of a document in its tree. Sends one `find`, as the others of a tree; [`find`](Self::find) says more about it.
    ///
    /// ```no_run
    /// # use mongo_model::*; use mongo_model_guide::tree::*;
    /// # async fn example(db: &Database, id: Id<Category>) -> Result<()> {
    /// let shelves = Category::children(db, id).sort(|c| c.name.asc()).await?;
    /// let below = Category::descendants(db, id).count().await?;
    /// if let Some(first) = shelves.first() {
    ///     let breadcrumbs = first.ancestors(db).await?;
    ///     let others = first.siblings(db).await?;
    /// }
    /// # Ok(()) }
    /// ```
    fn children(db: &Self::Db, id: impl crate::field::IntoArg<Self::Id>) -> crud::Find<'_, Self>
    where
        Self: Tree,
    {
        db.reach(|db| tree::children(db, &id.into_arg()))
    }

    /// Moves a document of a tree, with everything below it, below another parent, or with `None` to the top. Other moves in the tree wait: a move
    /// that a program has left is finished by the next one, or by [`recover`](crate::recover).
    ///
    /// The document gets its parent and its ancestors at once, with all that follows from its parent; the documents below get theirs after it. In
    /// between, [`descendants`](Self::descendants) finds them where they were. Their `#[version]` and `#[updated]` stay.
    ///
    /// Sends, one after the other: a `findAndModify` that begins the move, two `aggregate`s of the documents above and below, an `update` that
    /// records the decision, an `update` of the document as [`update`](Self::update) sends it for a reference, one `find` of the
    /// documents below with two `update`s per 1,000 of them, an `update` that ends the move, and a `find` of documents that were inserted
    /// meanwhile. All writes are durable. It is not part of a transaction.
    ///
    /// ```no_run
    /// # use mongo_model::*; use mongo_model_guide::tree::*;
    /// # async fn example(db: &Database, shelf: Id<Category>, room: Id<Category>) -> Result<()> {
    /// Category::move_to(db, shelf, Some(room)).progress(|moved| println!("{moved}")).await?;
    /// Category::move_to(db, shelf, None).await?; // to the top
    /// # Ok(()) }
    /// ```
    ///
    /// # Errors
    /// [`Error::BelowItself`](crate::Error::BelowItself) if the new parent is the document or below it, [`Error::Invalid`](crate::Error::Invalid) if a
    /// document would have more ancestors than the declared depth, [`Error::NotFound`](crate::Error::NotFound),
    /// [`Error::Dangling`](crate::Error::Dangling) if the new parent does not exist, and what the update of a reference refuses: then nothing was
    /// changed. [`Error::Unsettled`](crate::Error::Unsettled) if another program has taken the move over and the document stands elsewhere now.
    /// [`Error::Impossible`](crate::Error::Impossible) if other documents copy the ancestors. After any other error the move may be finished later.
    fn move_to(
        db: &Self::Db,
        id: impl crate::field::IntoArg<Self::Id>,
        to: Option<Self::Id>,
    ) -> crud::MoveTo<'_, Self>
    where
        Self: Tree,
    {
        db.reach(|db| crud::MoveTo::new(db, &id.into_arg(), to.as_ref()))
    }

    /// Finds the documents without a parent.
    fn roots(db: &Self::Db) -> crud::Find<'_, Self>
    where
        Self: Tree,
    {
        db.reach(tree::roots)
    }

    /// Finds all documents below a document in its tree, in any depth; `.count()` behind it is the size of the subtree.
    fn descendants(db: &Self::Db, id: impl crate::field::IntoArg<Self::Id>) -> crud::Find<'_, Self>
    where
        Self: Tree,
    {
        db.reach(|db| tree::descendants(db, &id.into_arg()))
    }

    /// Finds the documents below this one in its tree, as it was read, down to so many levels: with 1 its children.
    fn descendants_within<'a>(&self, db: &'a Self::Db, levels: usize) -> crud::Find<'a, Self>
    where
        Self: Tree,
    {
        db.reach(|db| tree::descendants_within(db, self, levels))
    }

    /// Reads the ancestors of this document in its tree, as it was read: the root first, the parent last. Sends nothing for a root.
    fn ancestors<'a>(&self, db: &'a Self::Db) -> crate::load::Load<'a, crate::load::RefsById<Self>>
    where
        Self: Tree,
    {
        Self::get_many(db, self.ancestor_ids())
    }

    /// Finds the other children of the parent of this document, as it was read; of a root, the other roots.
    fn siblings<'a>(&self, db: &'a Self::Db) -> crud::Find<'a, Self>
    where
        Self: Tree,
    {
        db.reach(|db| tree::siblings(db, self))
    }

    /// Gives the document with this `_id` another tenant, by a call that sees all of them. One `update`, atomic, with a `$set` of the
    /// tenant beside the changes that the call adds: the document keeps its `_id`, what it refers to of what all tenants share, and its
    /// other values; a `#[version]` is raised.
    ///
    /// A document that refers to documents of its tenant stays, and is given as [`Swapped::Not`](crate::update::Swapped::Not): remove the
    /// references first. So does one that misses a condition of the call.
    ///
    /// ```no_run
    /// # use mongo_model::{Database, Id, MongoModel, Result, Tenants};
    /// # use serde::{Deserialize, Serialize};
    /// # #[derive(Serialize, Deserialize, MongoModel)]
    /// # #[model(collection = "reports", tenant = org)]
    /// # pub struct Report { #[serde(rename = "_id")] pub id: Id<Report>, pub org: i64 }
    /// # async fn example(db: &Database, id: Id<Report>) -> Result<()> {
    /// let across = db.across_tenants("a company is split");
    /// let moved = Report::move_tenant(&across, id, 7).await?;
    /// # let _ = moved; Ok(()) }
    /// ```
    ///
    /// # Errors
    /// [`Error::Impossible`](crate::Error::Impossible), and nothing is sent, with the `Tenant` of one, and if documents of the tenant may
    /// refer to those of this model; [`Error::NotFound`](crate::Error::NotFound); [`Error::Duplicate`](crate::Error::Duplicate) if the
    /// other tenant has the value of a unique field; the others of [`update`](Self::update).
    fn move_tenant<T>(
        db: &crate::Tenant<T>,
        id: impl crate::field::IntoArg<Self::Id>,
        to: T,
    ) -> update::UpdateIf<'_, Self>
    where
        T: crate::tenant::TenantId,
        Self: MongoModel<Db = crate::Tenant<T>>,
    {
        let id = by_id::<Self>(&id.into_arg());
        let update = db.reach(|db| update::Update::moving(db, id, to.stored()));
        update.seeing_all(db.stored_id().is_some())
    }

    /// Deletes the document with this `_id`, and applies the `on_delete` rule of each reference to the documents that refer to it.
    ///
    /// * If nothing refers to the model, or only with `on_delete = keep`, it sends one `delete`, atomic.
    /// * If references only refuse (`deny`, the default), it sends one `find` per reference, by its index, then one
    ///   `delete`, then the finds once more; references stored in between are counted in
    ///   [`Deleted::dangling`](crate::Deleted::dangling).
    /// * Otherwise the document gets a tombstone first (`findAndModify`), then one command per reference removes it
    ///   (`pull`, `unset`, with the copies beside it) or deletes the documents that refer (`cascade`), and then the
    ///   document is deleted. Documents that a cascade deletes and that are referred to themselves are treated alike,
    ///   5,000 at a time. If it is interrupted, [`recover`](crate::recover) or a [`Sweeper`](crate::Sweeper) finishes
    ///   the delete, or undoes it if a reference might still have refused. The whole is not atomic, except in a
    ///   transaction: others may see parts of it. In a transaction, tombstones are removed after the commit.
    ///
    /// [`without_rules`](crud::Delete::without_rules) deletes the document alone.
    ///
    /// With `soft_delete` it sets the time in the `#[deleted]` field of a live document: it sends one atomic `update`, and where
    /// references may refuse it, one `find` per reference before and after that. Lists, counts and two-way references of its parents
    /// lose the document: then it sends what an [`update`](Self::update) of the reference sends. [`restore`](Self::restore) undoes it,
    /// [`purge`](Self::purge) removes the document.
    ///
    /// A reference in a map (`deny`, `cascade`) is found by a scan of its collection: no index covers the keys of a map. The other
    /// references need their indexes ([`sync_indexes`](crate::sync_indexes)).
    ///
    /// ```no_run
    /// # use mongo_model::*; use mongo_model_guide::shop::*;
    /// # async fn example(db: &Database, id: Id<Part>) -> Result<()> {
    /// let deleted = Part::delete(db, id).await?;
    /// # Ok(()) }
    /// ```
    ///
    /// # Errors
    /// [`Error::NotFound`](crate::Error::NotFound); [`Error::Referenced`](crate::Error::Referenced) with all references
    /// that refuse it, or the documents that would be deleted with it (nothing was deleted);
    /// [`Error::MissingIndex`](crate::Error::MissingIndex), before anything is written;
    /// [`Error::DeletedInPart`](crate::Error::DeletedInPart) with the cause, once the delete could no longer be taken
    /// back; [`Error::Impossible`](crate::Error::Impossible) for references inside a map that no query finds;
    /// [`Error::Unsettled`](crate::Error::Unsettled) if other deletes kept getting in the way; or the driver's.
    fn delete(db: &Self::Db, id: impl crate::field::IntoArg<Self::Id>) -> crud::Delete<'_, Self> {
        db.reach(|db| crud::Delete::new(db, by_id::<Self>(&id.into_arg()), DeleteKind::Declared))
    }

    /// Deletes all documents that meet a filter which a declared index serves, as [`delete`](Self::delete) does each of
    /// them. All of them, and all documents that a cascade would delete with them, are checked before the first is
    /// deleted: if a reference refuses, nothing is deleted. References between documents that are deleted together
    /// refuse nothing.
    ///
    /// Sends one `delete` if nothing refers to the model; otherwise the commands of `delete`, each for 5,000 documents, and one more for
    /// each 5,000, after which their delete is certain.
    ///
    /// ```no_run
    /// # use mongo_model::*; use mongo_model_guide::logs::*;
    /// # async fn example(db: &Database) -> Result<()> {
    /// Host::delete_many(db, |h| h.ipaddr.starts_with("10.")).await?; // and their messages: `cascade`
    /// # Ok(()) }
    /// ```
    ///
    /// # Errors
    /// As [`delete`](Self::delete), but not `NotFound`.
    fn delete_many<F, S, C>(db: &Self::Db, filter: F) -> crud::DeleteMany<'_, Self>
    where
        F: Query<Self, S, C>,
    {
        db.reach(|db| {
            crud::DeleteMany::new(
                db,
                filter(Self::Fields::VALUE).into_document(),
                DeleteKind::Declared,
            )
        })
    }

    /// Makes the document with this `_id` live again, which a delete has marked. Sends one `update`, atomic; if lists, counts or two-way
    /// references of its parents get the document back, it sends what an [`update`](Self::update) of the reference sends.
    ///
    /// ```
    /// # use mongo_model::{Database, Id, MongoModel, Result};
    /// # use serde::{Deserialize, Serialize};
    /// # #[derive(Serialize, Deserialize, MongoModel)]
    /// # #[model(collection = "notes", soft_delete)]
    /// # pub struct Note {
    /// #     #[serde(rename = "_id")]
    /// #     pub id: Id<Note>,
    /// #     #[deleted]
    /// #     #[index]
    /// #     pub deleted_at: Option<bson::DateTime>,
    /// # }
    /// # async fn example(db: &Database, id: Id<Note>, month_ago: bson::DateTime) -> Result<()> {
    /// Note::delete(db, id).await?;
    /// assert!(Note::get(db, id).await?.is_none());
    /// Note::restore(db, id).await?;
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// [`Error::NotFound`](crate::Error::NotFound) if no document that is marked as deleted has the `_id`,
    /// [`Error::Duplicate`](crate::Error::Duplicate) if a live document has the value of a unique field by now,
    /// [`Error::Full`](crate::Error::Full) if a parent has no room, [`Error::Dangling`](crate::Error::Dangling) if
    /// its parent is gone, [`Error::Unsettled`](crate::Error::Unsettled) in a session if its deletion still has to reach its children,
    /// which [`recover`](crate::recover) finishes; or the driver's.
    fn restore(db: &Self::Db, id: impl crate::field::IntoArg<Self::Id>) -> crud::Restore<'_, Self>
    where
        Self: SoftDeleted,
    {
        db.reach(|db| crud::Restore::new(db, by_id::<Self>(&id.into_arg())))
    }

    /// Makes all documents live again that are marked as deleted and meet a filter which a declared index serves. Sends one `update`
    /// with `multi: true`; each document is atomic, the call is not.
    ///
    /// # Errors
    /// As [`restore`](Self::restore), but not `NotFound`. Documents that were restored before an error stay so.
    fn restore_many<F, S, C>(db: &Self::Db, filter: F) -> crud::RestoreMany<'_, Self>
    where
        Self: SoftDeleted,
        F: Query<Self, S, C>,
    {
        db.reach(|db| crud::RestoreMany::new(db, filter(Self::Fields::VALUE).into_document()))
    }

    /// Removes the document with this `_id`, which a delete has marked: what [`delete`](Self::delete) does for a model without
    /// `soft_delete`, with the same rules, commands and errors.
    ///
    /// ```
    /// # use mongo_model::{Database, Id, MongoModel, Result};
    /// # use serde::{Deserialize, Serialize};
    /// # #[derive(Serialize, Deserialize, MongoModel)]
    /// # #[model(collection = "notes", soft_delete)]
    /// # pub struct Note {
    /// #     #[serde(rename = "_id")]
    /// #     pub id: Id<Note>,
    /// #     #[deleted]
    /// #     #[index]
    /// #     pub deleted_at: Option<bson::DateTime>,
    /// # }
    /// # async fn example(db: &Database, id: Id<Note>, month_ago: bson::DateTime) -> Result<()> {
    /// Note::delete(db, id).await?;
    /// Note::purge(db, id).await?;
    /// Note::purge_many(db, |n| n.deleted_at.lt(month_ago)).await?;
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// [`Error::NotFound`](crate::Error::NotFound) also for a live document: delete it first.
    fn purge(db: &Self::Db, id: impl crate::field::IntoArg<Self::Id>) -> crud::Delete<'_, Self>
    where
        Self: SoftDeleted,
    {
        db.reach(|db| crud::Delete::new(db, by_id::<Self>(&id.into_arg()), DeleteKind::Purge))
    }

    /// Removes all documents that are marked as deleted and meet a filter which a declared index serves: what
    /// [`delete_many`](Self::delete_many) does for a model without `soft_delete`. Live documents stay.
    ///
    /// # Errors
    /// As [`delete_many`](Self::delete_many).
    fn purge_many<F, S, C>(db: &Self::Db, filter: F) -> crud::DeleteMany<'_, Self>
    where
        Self: SoftDeleted,
        F: Query<Self, S, C>,
    {
        db.reach(|db| {
            crud::DeleteMany::new(
                db,
                filter(Self::Fields::VALUE).into_document(),
                DeleteKind::Purge,
            )
        })
    }

    /// Loads the documents that `reference` points to, for many documents at once and at any depth:
    /// `Comment::load(&db, &comments, |c| c.author.id)`.
    /// Sends one `find` with `$in` per 2,500 distinct ids, two at a time, and nothing without ids.
    ///
    /// ```no_run
    /// # use mongo_model::*; use mongo_model_guide::shop::*;
    /// # async fn example(db: &Database, products: &[Product]) -> Result<()> {
    /// let parts = Product::load(db, products, |p| p.parts).await?;
    /// # Ok(()) }
    /// ```
    ///
    /// # Errors
    /// As [`find`](Self::find).
    fn load<'a, 'd, D, P, T, I, W, H>(
        db: &'a H,
        documents: &'d [D],
        reference: impl FnOnce(Self::Fields) -> crate::field::Field<P, T, I, W>,
    ) -> crate::load::Join<'a, 'd, D, crate::load::RefsOf<Self, W>>
    where
        D: crate::load::AsModel<Self>,
        P: crate::field::Path<Root = Self>,
        W: crate::field::Refers,
        W::Target: Model<DatabaseHandle = H>,
        H: Reach,
    {
        let reference = reference(Self::Fields::VALUE);
        db.reach(|db| crate::load::Join::at::<Self, P, T, I, W>(db, documents, reference))
    }

    /// Finds the documents whose `reference`, wherever it is, refers to the document with this `_id` (or key):
    /// `Employee::by(&db, |e| e.team, id)`. It does for references in an enum's variants and in embedded documents what
    /// `by_<field>` does for a field of a struct. A reference that only some variants have finds only documents of
    /// those. Sends one `find`, served by the index that comes with every reference, in the order that the reference
    /// declares.
    ///
    /// ```no_run
    /// # use mongo_model::*; use mongo_model_guide::logs::*;
    /// # async fn example(db: &Database, host: &Host) -> Result<()> {
    /// let messages = LogMsg::by(db, |m| m.host, host.id).limit(100).await?;
    /// # Ok(()) }
    /// ```
    ///
    /// # Errors
    /// As [`find`](Self::find).
    fn by<'a, P, T, I, W>(
        db: &'a Self::Db,
        reference: impl FnOnce(Self::Fields) -> crate::field::Field<P, T, I, W>,
        id: impl crate::field::IntoArg<W::Id>,
    ) -> crate::load::By<'a, Self, W::Target>
    where
        P: crate::field::Path<Root = Self>,
        W: crate::field::Refers<Id: Serialize>,
    {
        // The type of the field contains its path.
        let _ = reference(Self::Fields::VALUE);
        db.reach(|db| crate::load::By::at::<P, W>(db, &id.into_arg()))
    }

    /// Loads the targets of references to one of several models, for many documents at once, wherever the references
    /// are: `Comment::load_any(&db, &comments, |c| c.on)`. Sends one `find` with `$in` per model that occurs and 2,500
    /// distinct ids, and nothing without ids. Dangling references are reported as values of the enum.
    ///
    /// # Errors
    /// As [`find`](Self::find), and [`Error::Dangling`](crate::Error::Dangling) if a variant's `#[parent(..)]` says
    /// `missing = strict`.
    fn load_any<'a, 'd, D, P, T, I, W>(
        db: &'a Database,
        documents: &'d [D],
        reference: impl FnOnce(Self::Fields) -> crate::field::Field<P, T, I, W>,
    ) -> crate::load::Join<'a, 'd, D, crate::load::AnyRefs<T::Elem>>
    where
        D: crate::load::AsModel<Self>,
        P: crate::field::Path<Root = Self>,
        T: Value,
        T::Elem: crate::load::Polymorphic,
    {
        let _ = reference(Self::Fields::VALUE);
        crate::load::Join::any::<Self, P>(db, documents)
    }
}

#[diagnostic::do_not_recommend]
impl<M: Model<DatabaseHandle: Reach>> MongoModel for M {
    type Id = M::DocumentId;
    type Fields = M::FieldHandles;
    type Db = M::DatabaseHandle;
}
