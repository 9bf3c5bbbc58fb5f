//! Application-level joins (rule of thumb 4): one command for all references of all documents. They restore stored
//! order and duplicates, report missing ids, and send nothing if there is nothing to load.
//!
//! * `product.load_parts(&db)` and `Product::load_parts_many(&db, &products)` go from references to documents: one `find` with
//!   `$in` per 2,500 distinct ids, two at a time. [`MongoModel::load`](crate::MongoModel::load) does so for a reference at any depth.
//! * [`MongoModel::load_any`](crate::MongoModel::load_any) goes from references to one of several models ([`Polymorphic`]).
//! * `LogMsg::by_host(&db, id)` and `LogMsg::by_host_many(&db, &hosts)` go the other way.
//! * [`nest`](Join::nest) continues from the loaded documents, with one command per level;
//!   [`Find::join`](crate::crud::Find::join) starts from a query and holds one batch at a time.
//!
//! ```
//! use mongo_model::{Database, Id, MongoModel};
//! use serde::{Deserialize, Serialize};
//!
//! #[derive(Debug, Serialize, Deserialize, MongoModel)]
//! #[model(collection = "tags")]
//! pub struct Tag {
//!     #[serde(rename = "_id")]
//!     pub id: String,
//! }
//!
//! #[derive(Debug, Serialize, Deserialize, MongoModel)]
//! #[model(collection = "authors")]
//! pub struct Author {
//!     #[serde(rename = "_id")]
//!     pub id: Id<Author>,
//! }
//!
//! #[derive(Debug, Serialize, Deserialize, MongoModel)]
//! #[model(collection = "books")]
//! pub struct Book {
//!     #[serde(rename = "_id")]
//!     pub id: Id<Book>,
//!     pub year: i32,
//!     #[parent(Author, sort = -year)]
//!     pub author: Id<Author>,
//!     #[refs(Tag, max = 50)]
//!     pub tags: Vec<String>,
//! }
//!
//! async fn latest(db: &Database, authors: &[Author]) -> mongo_model::Result<()> {
//!     // The two newest books of each author, and their tags: two commands, however many authors there are.
//!     let many = Book::by_author_many(db, authors)
//!         .limit(2)
//!         .nest(Book::load_tags_many)
//!         .await?;
//!     for (author, books) in &many {
//!         for book in books {
//!             println!("{:?}: {} {:?}", author.id, book.year, book.loaded.values());
//!         }
//!     }
//!     Ok(())
//! }
//! ```

mod any;
mod children;
mod fetch;
mod groups;
mod ids;
mod join;
mod policy;
mod refs;
mod result;
mod stream;

use std::ops::Deref;
use std::sync::Arc;

pub use self::any::AnyRefs;
#[doc(hidden)]
pub use self::any::is;
#[doc(hidden)]
pub use self::any::{Polymorphic, Together};
pub use self::children::{By, Children, Counts};
pub use self::groups::GroupJoin;
pub use self::join::{Join, Load};
#[doc(hidden)]
pub use self::join::{Nested, Spec};
#[doc(hidden)]
pub use self::policy::{
    Dense, Filtered, Many, Policy, SharedBy, Sharing, Single, Slotted, Viewable, Viewed,
};
pub use self::refs::Refs;
#[doc(hidden)]
pub use self::result::Container;
pub use self::result::{Loaded, LoadedMany, LoadedOne, Matching, Slots};
pub use self::stream::FindJoin;
use crate::schema::field::Refers;
use crate::schema::model::Model;

/// Types that a builder carries without a value of theirs.
type Types<T> = std::marker::PhantomData<fn() -> T>;

/// The join that a reference handle describes by default: reads the whole target, and reports missing ids.
pub type RefsOf<M, W> =
    Refs<M, <W as Refers>::Target, Dense, <W as Refers>::Target, <W as Refers>::Id>;

/// The load of documents by their `_id`s.
pub type RefsById<M> = Refs<(), M>;

/// A document that a join may start from: a model, a reference to one, or one that was joined already ([`Joined`]).
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a document of `{M}`",
    label = "not a `{M}`"
)]
pub trait AsModel<M> {
    /// The document.
    fn as_model(&self) -> &M;
}

#[diagnostic::do_not_recommend]
impl<M: Model> AsModel<M> for M {
    fn as_model(&self) -> &M {
        self
    }
}

#[diagnostic::do_not_recommend]
impl<M: Model> AsModel<M> for &M {
    fn as_model(&self) -> &M {
        self
    }
}

#[diagnostic::do_not_recommend]
impl<M, D: AsModel<M>> AsModel<M> for Arc<D> {
    fn as_model(&self) -> &M {
        (**self).as_model()
    }
}

#[diagnostic::do_not_recommend]
impl<M, D: AsModel<M>, L> AsModel<M> for Joined<D, L> {
    fn as_model(&self) -> &M {
        self.document.as_model()
    }
}

/// A document and the values that were loaded for it. It dereferences to the document.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Joined<D, L> {
    /// The document.
    pub document: D,
    /// The values that were loaded for the document.
    pub loaded: L,
}

impl<D, L> Deref for Joined<D, L> {
    type Target = D;

    fn deref(&self) -> &D {
        &self.document
    }
}
