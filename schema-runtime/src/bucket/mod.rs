//! Buckets: models with `bucket(..)`, whose documents hold many small items each; and arrays that overflow into them.
//!
//! The items of one parent fill numbered buckets in order: bucket 0 until it has taken as many as its array may hold,
//! then bucket 1, and so on. The `_id` of a bucket is its parent and its number ([`BucketId`]), so that only one of several programs
//! that open the next bucket at the same time succeeds. Every item has an id, and is stored once:
//!
//! * a push reads the newest bucket and, after that, checks whether any bucket of the parent holds the item;
//! * then it adds the item to that bucket, if the bucket has room and does not hold it, or opens the next one;
//! * if another program was faster, the push starts again.
//!
//! A bucket counts all items that it has ever taken (`_dn.n`), and that number never decreases: a removal decreases only `count`, and
//! a bucket that has been full stays closed. So an item that was not found can only be stored in the newest bucket or a later one,
//! and a repeated push searches there: an item that is sent twice, late, or after the next buckets were opened is stored once.
//! An item that was removed is stored again if it is sent again.
//!
//! An emptied bucket stays, so that the pages keep their numbers.
//!
//! ```no_run
//! # use mongo_model::MongoModel; use mongo_model_guide::logs::*;
//! # async fn example(db: &mongo_model::Database, host: Host) -> mongo_model::Result<()> {
//! let line = |id| LogLine { id, message: format!("eth0: link {id}") };
//! let pushed = LogPage::push_many(db, host.id, (0..120).map(line)).await?;
//! println!("{} stored, {} buckets opened", pushed.added, pushed.opened);
//! let third = LogPage::page(db, host.id, 2).await?;
//! # Ok(()) }
//! ```

mod look;
mod overflow;
pub(crate) mod push;
pub(crate) mod read;
pub(crate) mod remove;

#[doc(hidden)]
pub use crate::schema::bucket::{BucketRow, InNewBucket};
#[doc(no_inline)]
pub use crate::{BucketId, Bucketed, Insertable, Replaceable};
use std::borrow::Borrow;

pub use self::overflow::{
    AllItems, OverflowPush, OverflowRemove, Placed, all_over, push_over, remove_over,
};
pub use self::push::{Push, PushMany, Pushed, PushedMany};
pub use self::read::{CountItems, Iterate};
pub use self::remove::{RemoveItem, Removed};
use crate::driver::Database;
use crate::filter::Conditions;
use crate::find::FindOne;
use crate::schema::field::{IntoArg, OneField};
use crate::schema::model::Model;

/// Stores an item in the newest bucket of its parent, or opens the next one; the item is stored once, no matter how often it is
/// sent. The derive writes this function on the model: `LogPage::push(&db, host, line)`.
///
/// Sends one `aggregate` (finds the newest bucket, and the item if it is stored: both by indexes), and one `update`, or one `insert`
/// to open a bucket; sends all again if another writer was faster or a reply was lost. Each write is atomic.
///
/// # Errors
/// Those of [`insert`](crate::MongoModel::insert) and [`update`](crate::MongoModel::update); [`Error::Unsettled`](crate::Error::Unsettled).
#[doc(hidden)]
pub fn push<'a, M: Bucketed>(
    db: &'a Database,
    parent: impl IntoArg<<M::Parent as Model>::DocumentId>,
    item: impl Borrow<M::Item>,
) -> Push<'a, M> {
    Push::new(db, &parent.into_arg(), item.borrow())
}

/// Stores many items as [`push`] stores one, in their order: `LogPage::push_many(&db, host, lines)`.
///
/// Sends, per 1,000 items, one `aggregate`, one `update` where the newest bucket has room, and one `insert` for all that are
/// opened. Each bucket is written atomically, the call is not. If an error occurs, [`recover`](crate::recover) finds
/// the work that has to follow the earlier writes.
///
/// # Errors
/// Those of `push`; once something is stored, inside [`Error::PushedInPart`](crate::Error::PushedInPart).
#[doc(hidden)]
pub fn push_many<'a, M: Bucketed>(
    db: &'a Database,
    parent: impl IntoArg<<M::Parent as Model>::DocumentId>,
    items: impl IntoIterator<Item = impl Borrow<M::Item>>,
) -> PushMany<'a, M> {
    PushMany::new(db, &parent.into_arg(), items)
}

/// The bucket with this number, counted from 0: `LogPage::page(&db, host, 3)`. Sends one `find` by `_id`.
///
/// # Errors
/// As [`get`](crate::MongoModel::get).
#[doc(hidden)]
pub fn page<M: Bucketed>(
    db: &Database,
    parent: impl IntoArg<<M::Parent as Model>::DocumentId>,
    sequence: i64,
) -> FindOne<'_, M> {
    FindOne::new(
        db,
        read::one::<M>(&parent.into_arg(), sequence).map(Conditions::exact),
    )
}

/// All items of a parent, in the order in which they were stored: `LogPage::iterate(&db, host)`. Sends one `find` along
/// the `_id`s, and `getMore` as the result is read; it is not a snapshot.
///
/// # Errors
/// As [`find`](crate::MongoModel::find).
#[doc(hidden)]
pub fn iterate<M: Bucketed>(
    db: &Database,
    parent: impl IntoArg<<M::Parent as Model>::DocumentId>,
) -> Iterate<'_, M> {
    Iterate::new(db, &parent.into_arg())
}

/// The number of items of a parent: `LogPage::count_items(&db, host)`. Sends one `aggregate` along the `_id`s, which reads the number of
/// each bucket.
///
/// # Errors
/// The driver's.
#[doc(hidden)]
pub fn count_items<M: Bucketed>(
    db: &Database,
    parent: impl IntoArg<<M::Parent as Model>::DocumentId>,
) -> CountItems<'_, M> {
    CountItems::new(db, &parent.into_arg())
}

/// Removes the item with this id: `LogPage::remove_item(&db, host, &id)`. Sends one `find` by index and one `update`, which is atomic; only
/// the `find` if no bucket holds the item.
///
/// # Errors
/// Those of [`update`](crate::MongoModel::update).
#[doc(hidden)]
pub fn remove_item<'a, M: Bucketed>(
    db: &'a Database,
    parent: impl IntoArg<<M::Parent as Model>::DocumentId>,
    id: &<M::ItemId as OneField>::Value,
) -> RemoveItem<'a, M> {
    RemoveItem::new(db, &parent.into_arg(), id)
}
