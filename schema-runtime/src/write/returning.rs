//! A new document that is returned as it is stored.

use std::fmt;

use bson::{RawDocument, doc};

use super::send as write;
use super::store::{Insert, Inserting, insert_all};
use crate::bson_util::stored_id::id_of;
use crate::builder::{answers, settles, write_options, writes_in_transactions};
use crate::driver::{self, FindArgs};
use crate::error::{Error, Result};
use crate::schema::model::Model;
use crate::schema::stamps::Stamps;
use crate::write::cardinality::One;
use crate::write::change::Returned;

/// A new document about to be stored and returned. `.await` gives a [`Returned`](crate::update::Returned).
#[must_use = "nothing is sent before it is awaited"]
pub struct InsertReturning<'a, M> {
    insert: Insert<'a, M, One>,
}

impl<M> fmt::Debug for InsertReturning<'_, M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("InsertReturning")
            .field("insert", &self.insert)
            .finish()
    }
}

impl<'a, M: Model> Insert<'a, M, One> {
    /// Returns the document as it is stored, with the copies and times that the program need not know.
    ///
    /// If neither the library nor the server adds anything to documents of the model, no further command is sent;
    /// otherwise one `find` by `_id`, on the primary, after the insert. A write by another program in between shows in
    /// the document.
    ///
    /// # Errors
    /// As the insert, and [`Error::Gone`](crate::Error::Gone) if another program has deleted the document in between.
    pub fn returning(self) -> InsertReturning<'a, M> {
        InsertReturning { insert: self }
    }
}

write_options!(InsertReturning);
settles!(InsertReturning, insert.call);
writes_in_transactions!(InsertReturning, insert);

answers!(['a, M: Model] InsertReturning<'a, M> => Returned<M>, self, self.insert.call.clone(), {
    let meta = M::model_meta();
    let Insert { db, documents, lazy, ready, events, mut session, notes, .. } = self.insert;
    let documents = documents?;
    let asked = Inserting { lazy, ready, events };
    let outcome = insert_all::<M>(db, &documents, asked, session.as_deref_mut(), notes).await?;
    let raw = documents.iter().next().map(ToOwned::to_owned).unwrap_or_default();
    let adds = write::is_connected(meta)? || Stamps::of(meta).is_some_and(|stamps| stamps.has_times());
    if !adds {
        return Ok(Returned::new(driver::decode_as::<M, M>(&raw)?, outcome));
    }
    let id = id_of(&raw);
    let filter = doc! { "_id": { "$eq": &id } };
    let own = |raw: &RawDocument| Ok(raw.to_owned());
    let found = driver::first(db, meta.collection, filter, FindArgs::default(), session, own).await?;
    let found = found.ok_or_else(|| Error::Gone { model: meta.name, id: Box::new(id) })?;
    Ok(Returned::new(driver::decode_as::<M, M>(&found)?, outcome))
});
