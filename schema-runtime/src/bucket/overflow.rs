//! Arrays that overflow into buckets: `#[embed(max = 50, overflow = ExtraCustomers)]`.
//!
//! The array is large enough for nearly every document. If it is full, the document's field `has_extras` is set to true, and later
//! items go to buckets. The flag is set by the same write that finds the array full and without the item, and before the first bucket
//! is opened; from then on the array takes no items any more, even if items are removed from it. So
//!
//! * a program that reads `false` has all items that were acknowledged before the read;
//! * an item that the flagged document does not hold can only be in a bucket, where it is stored once;
//! * a program that dies between the two writes leaves a flag without a bucket: readers send one command more, and miss nothing.

use std::any::Any;
use std::fmt;
use std::marker::PhantomData;

use bson::{Bson, Document, RawDocument, doc};
use futures::{Stream, StreamExt, TryStreamExt};

use crate::bucket::push::PushMany;
use crate::bucket::read::Iterate;
use crate::bucket::remove::RemoveItem;
use crate::bucket::remove::Removed;
use crate::builder::{
    ROUNDS, awaits, read_options, reads_in_transactions, write_options, writes_in_transactions,
};
use crate::driver::{self, ClientSession, Database};
use crate::error::{Error, Result};
use crate::outcome::Pending;
use crate::schema::bucket::Bucketed;
use crate::schema::field::{IntoArg, OneField};
use crate::schema::model::Model;
use crate::tenant::{Confined, Wall};
use crate::write::change::Update;
use crate::write::change::send::change_once;

/// The Rust name of the field that is true if the document has buckets.
const FLAG: &str = "has_extras";

/// The largest number of times that a command is sent again after its reply was lost. Every command of a push can be sent twice.
const RETRIES: usize = 2;

/// The place of an item after a push.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Placed {
    /// True if this call stored the item; `false` if it was stored already, as in [`Pushed`](super::Pushed).
    pub added: bool,
    /// The number of the bucket that holds the item; `None` if the document itself holds it.
    pub bucket: Option<i64>,
    /// The pending changes that have to follow the write: see [`Outcome::pending`](crate::Outcome::pending).
    pub pending: Vec<Pending>,
}

/// An item about to be stored in a document, or in a bucket of it. `.await` gives a [`Placed`].
#[must_use = "nothing is sent before it is awaited"]
pub struct OverflowPush<'a, M: Model, B> {
    db: &'a Database,
    /// The Rust name of the array.
    field: &'static str,
    parent: M::DocumentId,
    /// The push into a bucket.
    push: PushMany<'a, B>,
    wall: Option<Wall>,
}

/// An item about to be removed from a document, or from one of its buckets. `.await` gives a [`Removed`](super::Removed).
#[must_use = "nothing is sent before it is awaited"]
pub struct OverflowRemove<'a, M: Model, B> {
    db: &'a Database,
    field: &'static str,
    parent: M::DocumentId,
    remove: RemoveItem<'a, B>,
    wall: Option<Wall>,
}

/// All items of a document that was read: its own, then those in its buckets. `.await` gives a `Vec`,
/// [`stream`](AllItems::stream) a stream.
#[must_use = "nothing is sent before it is awaited"]
pub struct AllItems<'a, B: Bucketed> {
    own: Vec<B::Item>,
    /// False if the document's flag says that it has no buckets.
    has_extras: bool,
    extras: Iterate<'a, B>,
}

impl<M: Model, B> fmt::Debug for OverflowPush<'_, M, B> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("OverflowPush")
            .field("field", &self.field)
            .field("push", &self.push)
            .finish_non_exhaustive()
    }
}

impl<M: Model, B> fmt::Debug for OverflowRemove<'_, M, B> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("OverflowRemove")
            .field("field", &self.field)
            .field("remove", &self.remove)
            .finish_non_exhaustive()
    }
}

impl<B: Bucketed> fmt::Debug for AllItems<'_, B> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("AllItems")
            .field("own", &self.own.len())
            .field("has_extras", &self.has_extras)
            .field("extras", &self.extras)
            .finish()
    }
}

/// Stores an item in a document, or in a bucket of it: `Book::push_customer(&db, id, customer)`.
///
/// Sends one `update`; if the document takes no more, one `find` that looks for a delete in progress, one `find` of the
/// document, once per document one `update` of its flag, and what [`push`](super::push) sends. Each write is atomic; a
/// program that is stopped between them repeats the call.
///
/// # Errors
/// [`Error::NotFound`](crate::Error::NotFound), and those of [`update`](crate::MongoModel::update) and [`push`](super::push).
#[doc(hidden)]
pub fn push_over<'a, M: Model, B: Bucketed<Parent = M>>(
    db: &'a Database,
    field: &'static str,
    parent: impl IntoArg<M::DocumentId>,
    item: &B::Item,
) -> OverflowPush<'a, M, B> {
    let parent = parent.into_arg();
    OverflowPush {
        db,
        field,
        push: PushMany::new(db, &parent, std::iter::once(item)),
        parent,
        wall: None,
    }
}

/// Removes the item with this id from a document, or from the bucket that holds it: `Book::remove_customer(&db, id, &item_id)`.
/// Sends one `update`, and if that finds nothing, the commands of [`remove_item`](super::remove_item).
///
/// # Errors
/// Those of [`update`](crate::MongoModel::update).
#[doc(hidden)]
pub fn remove_over<'a, M: Model, B: Bucketed<Parent = M>>(
    db: &'a Database,
    field: &'static str,
    parent: impl IntoArg<M::DocumentId>,
    item: &<B::ItemId as OneField>::Value,
) -> OverflowRemove<'a, M, B> {
    let parent = parent.into_arg();
    OverflowRemove {
        db,
        field,
        remove: RemoveItem::new(db, &parent, item),
        parent,
        wall: None,
    }
}

/// The items of a document that was read, followed by those in its buckets: `Book::all_customers(&db, &book)`. Sends
/// nothing if the document says that there are no buckets, otherwise the commands of [`iterate`](super::iterate).
///
/// # Errors
/// As [`find`](crate::MongoModel::find).
#[doc(hidden)]
pub fn all_over<'a, M: Model, B: Bucketed<Parent = M>>(
    db: &'a Database,
    document: &M,
    own: &[B::Item],
    has_extras: &dyn Any,
) -> AllItems<'a, B>
where
    B::Item: Clone,
{
    // A flag of another type was refused.
    let has_extras = has_extras.downcast_ref().is_some_and(|flag: &bool| *flag);
    AllItems {
        own: own.to_vec(),
        has_extras,
        extras: Iterate::new(db, document.document_id()),
    }
}

impl<M: Model, B: Bucketed> Confined for OverflowPush<'_, M, B> {
    fn confined(self, wall: &Wall) -> Self {
        OverflowPush {
            push: self.push.confined(wall),
            wall: Some(wall.clone()),
            ..self
        }
    }
}

impl<M: Model, B: Bucketed> Confined for OverflowRemove<'_, M, B> {
    fn confined(self, wall: &Wall) -> Self {
        OverflowRemove {
            remove: self.remove.confined(wall),
            wall: Some(wall.clone()),
            ..self
        }
    }
}

impl<B: Bucketed> Confined for AllItems<'_, B> {
    fn confined(self, wall: &Wall) -> Self {
        AllItems {
            extras: self.extras.confined(wall),
            ..self
        }
    }
}

writes_in_transactions!(OverflowPush<B>, push);
writes_in_transactions!(OverflowRemove<B>, remove);
write_options!(OverflowPush<B>, OverflowRemove<B>);
reads_in_transactions!(['a, B: Bucketed] AllItems<'a, B>, extras.find.session);
read_options!(['a, B: Bucketed] AllItems<'a, B>, extras.find.options);

impl<'a, B: Bucketed> AllItems<'a, B> {
    /// The items: the document's own at once, those in buckets as they arrive.
    pub fn stream(self) -> impl Stream<Item = Result<B::Item>> + Send + 'a
    where
        B::Item: 'a,
    {
        let own = futures::stream::iter(self.own.into_iter().map(Ok));
        let extras = self.has_extras.then(|| self.extras.stream());
        let extras = futures::stream::iter(extras).flatten();
        own.chain(extras)
    }
}

awaits!(['a, B: Bucketed] AllItems<'a, B> => Vec<B::Item>, self {
    self.stream().try_collect().await
});

/// The array that overflows, with its stored names, in one document.
struct Over<'o, M> {
    db: &'o Database,
    parent: Bson,
    items: &'static str,
    flag: &'static str,
    /// `customers.id`
    ids: String,
    /// The stored name of the field that identifies an item.
    id: &'static str,
    max: u64,
    wall: Option<Wall>,
    model: PhantomData<fn() -> M>,
}

/// The state of the document at one read.
enum Looked {
    /// The document holds the item.
    There,
    /// The document does not hold the item, and takes no more items.
    Over,
    /// The document does not hold the item, and may have room.
    Open,
}

impl<'o, M: Model> Over<'o, M> {
    fn new<B: Bucketed<Parent = M>>(
        db: &'o Database,
        field: &'static str,
        parent: &M::DocumentId,
        wall: Option<Wall>,
    ) -> Result<Self> {
        let row = |rust: &str| {
            M::model_meta()
                .shape
                .fields
                .iter()
                .find(|row| row.rust == rust)
        };
        let extra = B::model_meta();
        let id = extra.bucket.map_or("id", |bucket| bucket.stored(extra).id);
        let items = row(field);
        let name = items.map_or(field, |row| row.name);
        Ok(Over {
            db,
            parent: crate::document::id::encode_id::<M>(parent)?,
            items: name,
            flag: row(FLAG).map_or(FLAG, |row| row.name),
            ids: format!("{name}.{id}"),
            id,
            max: items.map_or(0, |row| row.max),
            wall,
            model: PhantomData,
        })
    }

    fn update<'s>(&'s self, session: Option<&'s mut ClientSession>) -> Update<'s, M> {
        let update = Update::by_id(self.db, self.parent.clone(), session);
        match &self.wall {
            Some(wall) => update.confined(wall),
            None => update,
        }
    }

    /// The condition that a document has not overflown and does not hold this item.
    fn within(&self, id: &Bson) -> Document {
        doc! { self.flag: { "$ne": true }, &self.ids: { "$ne": id } }
    }

    /// The path of the last place in the array.
    fn last(&self) -> String {
        format!("{}.{}", self.items, self.max.saturating_sub(1))
    }

    /// Adds the item to the array if the array still takes items, has room and does not hold the item.
    async fn add(
        &self,
        item: &Bson,
        id: &Bson,
        session: Option<&mut ClientSession>,
    ) -> Result<Option<Vec<Pending>>> {
        let mut update = self.update(session);
        let mut room = self.within(id);
        room.insert(self.last(), doc! { "$exists": false });
        update.holding(room);
        update.with("$push", self.items, item.clone());
        Ok(change_once(update).await?.map(|outcome| outcome.pending))
    }

    /// Flags the document as overflown if its array is full and does not hold the item.
    async fn flag(
        &self,
        id: &Bson,
        session: Option<&mut ClientSession>,
    ) -> Result<Option<Vec<Pending>>> {
        let mut update = self.update(session);
        let mut full = self.within(id);
        full.insert(self.last(), doc! { "$exists": true });
        update.holding(full);
        update.with("$set", self.flag, true.into());
        Ok(change_once(update).await?.map(|outcome| outcome.pending))
    }

    /// Reads the flag and the item with one command.
    async fn read_item(&self, id: &Bson, session: Option<&mut ClientSession>) -> Result<Looked> {
        let meta = M::model_meta();
        let args = driver::FindArgs {
            projection: Some(
                doc! { "_id": 0, self.flag: 1, self.items: { "$elemMatch": { self.id: { "$eq": id } } } },
            ),
            ..driver::FindArgs::default()
        };
        let mut filter = doc! { "_id": { "$eq": &self.parent } };
        if let Some(wall) = &self.wall {
            filter = wall.restrict(meta, filter);
        }
        let read = |raw: &RawDocument| {
            let there = raw.get_array(self.items).ok();
            Ok(match (there, raw.get_bool(self.flag)) {
                (Some(items), _) if !items.is_empty() => Looked::There,
                (_, Ok(true)) => Looked::Over,
                _ => Looked::Open,
            })
        };
        let found = driver::first(self.db, meta.collection, filter, args, session, read).await?;
        found.ok_or_else(|| Error::NotFound {
            model: meta.name,
            id: Box::new(self.parent.clone()),
        })
    }
}

/// The result of one attempt to store an item in the document.
enum Step {
    /// The document holds the item; true if this attempt stored it.
    There(bool, Vec<Pending>),
    /// The document does not hold the item and takes no more items: the item belongs into a bucket.
    Over(Vec<Pending>),
    /// Another program has made room, overflown the document, or stored the item: try again.
    Again,
}

impl<M: Model> Over<'_, M> {
    async fn step(
        &self,
        item: &Bson,
        id: &Bson,
        mut session: Option<&mut ClientSession>,
    ) -> Result<Step> {
        if let Some(pending) = self.add(item, id, session.as_deref_mut()).await? {
            return Ok(Step::There(true, pending));
        }
        Ok(match self.read_item(id, session.as_deref_mut()).await? {
            Looked::There => Step::There(false, Vec::new()),
            Looked::Over => Step::Over(Vec::new()),
            Looked::Open => match self.flag(id, session).await? {
                Some(pending) => Step::Over(pending),
                None => Step::Again,
            },
        })
    }
}

awaits!(['a, M: Model, B: Bucketed<Parent = M>] OverflowPush<'a, M, B> => Placed, self {
    let OverflowPush { db, field, parent, push, wall } = self;
    let over = Over::<M>::new::<B>(db, field, &parent, wall)?;
    let PushMany { asked, mut session, notes, .. } = push;
    let asked = asked?;
    let item = asked.items.first().cloned().unwrap_or(Bson::Null);
    let id = item.as_document().and_then(|item| item.get(over.id)).cloned().unwrap_or(Bson::Null);
    let mut lost = 0;
    for _ in 0..ROUNDS {
        let placed = match over.step(&item, &id, session.as_deref_mut()).await {
            Ok(Step::There(added, pending)) => Placed { added, bucket: None, pending },
            Ok(Step::Over(mut pending)) => {
                let into = PushMany::<B> { db, asked: Ok(asked), session, notes: None, model: PhantomData };
                let done = into.run().await?;
                pending.extend(done.many.pending);
                Placed { added: done.many.added > 0, bucket: Some(done.sequence), pending }
            }
            Ok(Step::Again) => continue,
            Err(error) if session.is_none() && driver::outcome_unknown(&error) && lost < RETRIES => {
                lost += 1;
                continue;
            }
            Err(error) => return Err(error),
        };
        if let Some(notes) = notes {
            notes.extend(placed.pending.iter().cloned());
        }
        return Ok(placed);
    }
    Err(Error::Unsettled { model: M::model_meta().name, id: Box::new(over.parent.clone()) })
});

awaits!(['a, M: Model, B: Bucketed<Parent = M>] OverflowRemove<'a, M, B> => Removed, self {
    let OverflowRemove { db, field, parent, remove, wall } = self;
    let over = Over::<M>::new::<B>(db, field, &parent, wall)?;
    let RemoveItem { asked, own, mut session, notes, .. } = remove;
    let (parent, id) = asked?;
    let mut update = over.update(session.as_deref_mut());
    update.holding(doc! { &over.ids: { "$eq": &id } });
    update.with("$pull", over.items, doc! { over.id: { "$eq": &id } }.into());
    if let Some(outcome) = change_once(update).await? {
        let outcome = outcome.noted(notes);
        return Ok(Removed { removed: true, pending: outcome.pending });
    }
    RemoveItem::<B> { db, asked: Ok((parent, id)), own, session, notes, model: PhantomData }.await
});
