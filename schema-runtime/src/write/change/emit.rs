//! Events that writes emit.

use super::Update;
use crate::codec::{CodecError, encode_value};
use crate::driver;
use crate::error::{Error, Result};
use crate::schema::events::Emits;
use crate::schema::model::Model;
use crate::schema::soft_delete::SoftDeleted;
use crate::write::cardinality::{Many, One};
use crate::write::delete::Delete;
use crate::write::restore::Restore;
use crate::write::send::events::Emission;
use crate::write::store::{Insert, Save};

/// The stored form of an event.
fn encoded<M: Emits>(event: &M::Event) -> Result<bson::Bson> {
    let failed = |source: CodecError| Error::Encode {
        model: M::model_meta().name,
        field: "events".to_owned(),
        source: Box::new(source),
    };
    encode_value(event).map_err(failed)
}

/// Adds an event to those of a write. Gives the write back, or why the event cannot be stored.
pub(crate) fn add_event<M: Emits, T>(
    events: &mut Emission,
    event: &M::Event,
    write: Result<T>,
) -> Result<T> {
    let write = write?;
    events.add(encoded::<M>(event)?);
    Ok(write)
}

impl<M: Model> Insert<'_, M, One> {
    /// Emits an event with the document, in the same atomic write; called again, another one after it. See
    /// [`events`](crate::MongoModel::events).
    pub fn emit(mut self, event: <M as Emits>::Event) -> Self
    where
        M: Emits,
    {
        self.documents = add_event::<M, _>(&mut self.events, &event, self.documents);
        self
    }
}

impl<M: Model> Insert<'_, M, Many> {
    /// Emits an event with each document, in the same atomic write of this document; called again, another one after it. `event` gets each
    /// document as it is read back from what the insert is about to send: copies are not filled in yet.
    /// See [`events`](crate::MongoModel::events).
    ///
    /// ```no_run
    /// # use mongo_model::*; use mongo_model_guide::tickets::*;
    /// # async fn example(db: &Database, orders: &[Order]) -> Result<()> {
    /// let placed = |order: &Order| OrderEvent::Placed { seats: order.seats };
    /// Order::insert_many(db, orders).emit(placed).await?;
    /// # Ok(()) }
    /// ```
    pub fn emit(mut self, mut event: impl FnMut(&M) -> <M as Emits>::Event) -> Self
    where
        M: Emits,
    {
        self.documents = self.documents.and_then(|documents| {
            let all = documents.iter().map(|raw| {
                let document = driver::decode_as::<M, M>(raw)?;
                encoded::<M>(&event(&document))
            });
            self.events.add_to_documents(all.collect::<Result<_>>()?);
            Ok(documents)
        });
        self
    }
}

impl<M: Model> Save<'_, M> {
    /// Emits an event with the document, in the same atomic write, whether or not the document was stored before; called again, another one
    /// after it. See [`events`](crate::MongoModel::events).
    pub fn emit(mut self, event: <M as Emits>::Event) -> Self
    where
        M: Emits,
    {
        self.document = add_event::<M, _>(&mut self.events, &event, self.document);
        self
    }
}

impl<M: Model, K> Update<'_, M, K> {
    /// Emits an event with the change, in the same atomic write; called again, another one after it. An update that changes nothing
    /// else emits it, too. An upsert emits it also with a new document, and an `update_many` with each document that it finds: each of them
    /// is atomic. See [`events`](crate::MongoModel::events).
    pub fn emit(mut self, event: <M as Emits>::Event) -> Self
    where
        M: Emits,
    {
        match encoded::<M>(&event) {
            Ok(event) => self.changes.events.add(event),
            Err(error) => self.changes.fail(error),
        }
        self
    }
}

impl<M: Model, N> Delete<'_, M, N> {
    /// Emits an event with the delete of the document, of many with that of each that the filter finds; called again, another one after it. The
    /// readers get it after all events of the document before it. A delete that is refused, or finds no document, emits nothing, and so do
    /// documents that `on_delete` deletes with others. With [`without_rules`](Self::without_rules) it is
    /// [`Error::Impossible`], unless the model has `soft_delete`. See [`events`](crate::MongoModel::events).
    ///
    /// Sends, before the documents are removed, one durable read of them and one `update` of the log; of many both per 5,000 documents, the read
    /// as a `find` and an `update`. With `soft_delete` the event travels in the `update` that marks the documents.
    ///
    /// ```no_run
    /// # use mongo_model::*; use mongo_model_guide::tickets::*;
    /// # async fn example(db: &Database, id: Id<Order>, others: Vec<Id<Order>>) -> Result<()> {
    /// Order::delete(db, id).emit(OrderEvent::Cancelled).await?;
    /// Order::delete_many(db, |o| o.id.is_in(others)).emit(OrderEvent::Cancelled).await?;
    /// # Ok(()) }
    /// ```
    pub fn emit(mut self, event: <M as Emits>::Event) -> Self
    where
        M: Emits,
    {
        self.filter = add_event::<M, _>(&mut self.events, &event, self.filter);
        self
    }
}

impl<M: SoftDeleted, N> Restore<'_, M, N> {
    /// Emits an event with the restore, in the same atomic write, of many with each document that is restored; called again, another one after it.
    /// See [`events`](crate::MongoModel::events).
    pub fn emit(mut self, event: <M as Emits>::Event) -> Self
    where
        M: Emits,
    {
        self.filter = add_event::<M, _>(&mut self.events, &event, self.filter);
        self
    }
}
