//! Removing an item from its bucket.

use std::fmt;
use std::marker::PhantomData;

use bson::Bson;
use bson::{Document, RawDocument, doc};

use crate::builder::{ROUNDS, awaits};
use crate::document::id::encode_id;
use crate::driver::{self, ClientSession, Database};
use crate::error::{Error, Result};
use crate::outcome::Pending;
use crate::schema::bucket::Bucketed;
use crate::schema::field::OneField;
use crate::schema::model::Model;
use crate::tenant::{Confined, Wall};
use crate::write::change::Update;
use crate::write::change::send::change_once;

/// The result of the removal of an item.
#[derive(Debug, Clone, Default, PartialEq)]
#[non_exhaustive]
pub struct Removed {
    /// True if this call removed the item; `false` if no bucket held it.
    pub removed: bool,
    /// The pending changes that have to follow the write: see [`Outcome::pending`](crate::Outcome::pending).
    pub pending: Vec<Pending>,
}

/// An item about to be removed. `.await` gives a [`Removed`].
#[must_use = "nothing is sent before it is awaited"]
pub struct RemoveItem<'a, M> {
    pub(super) db: &'a Database,
    pub(super) asked: Result<(Bson, Bson)>,
    /// The condition that a bucket belongs to the tenant of the call.
    pub(super) own: Document,
    pub(super) session: Option<&'a mut ClientSession>,
    pub(super) notes: Option<&'a mut Vec<Pending>>,
    pub(super) model: PhantomData<fn() -> M>,
}

impl<M> fmt::Debug for RemoveItem<'_, M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RemoveItem")
            .field("asked", &self.asked)
            .finish_non_exhaustive()
    }
}

impl<'a, M: Bucketed> RemoveItem<'a, M> {
    pub(super) fn new(
        db: &'a Database,
        parent: &<M::Parent as Model>::DocumentId,
        item: &<M::ItemId as OneField>::Value,
    ) -> Self {
        let asked = encode_id::<M::Parent>(parent).and_then(|parent| {
            let item = M::ItemId::encode(item).map_err(|source| Error::Encode {
                model: M::model_meta().name,
                field: "item".to_owned(),
                source: Box::new(source),
            })?;
            Ok((parent, item))
        });
        RemoveItem {
            db,
            asked,
            own: Document::new(),
            session: None,
            notes: None,
            model: PhantomData,
        }
    }
}

impl<M: Bucketed> Confined for RemoveItem<'_, M> {
    fn confined(mut self, wall: &Wall) -> Self {
        self.own = wall.restrict(M::model_meta(), Document::new());
        self
    }
}

crate::builder::writes_in_transactions!(RemoveItem);
crate::builder::write_options!(RemoveItem);

awaits!(['a, M: Bucketed] RemoveItem<'a, M> => Removed, self {
    let RemoveItem { db, asked, own, mut session, notes, .. } = self;
    let (parent, item) = asked?;
    let meta = M::model_meta();
    let Some(stored) = meta.bucket.map(|row| row.stored(meta)) else {
        return Ok(Removed::default());
    };
    let path = stored.item_id();
    for _ in 0..ROUNDS {
        let mut filter = doc! { stored.parent: { "$eq": &parent }, &path: { "$eq": &item } };
        filter.extend(own.clone());
        let args = driver::FindArgs {
            projection: Some(doc! { "_id": 1 }),
            ..driver::FindArgs::default()
        };
        let id = |raw: &RawDocument| {
            let found = Document::try_from(raw);
            Ok(found.ok().and_then(|mut found| found.remove("_id")))
        };
        let found = driver::first(db, meta.collection, filter, args, session.as_deref_mut(), id);
        let Some(id) = found.await?.flatten() else {
            return Ok(Removed::default());
        };
        let mut update = Update::<M>::by_id(db, id, session.as_deref_mut());
        let mut holding = doc! { &path: { "$eq": &item } };
        holding.extend(own.clone());
        update.holding(holding);
        update.with("$pull", stored.items, doc! { stored.id: { "$eq": &item } }.into());
        update.with("$inc", stored.count, Bson::Int64(-1));
        if let Some(outcome) = change_once(update).await? {
            let outcome = outcome.noted(notes);
            return Ok(Removed { removed: true, pending: outcome.pending });
        }
    }
    Err(Error::Unsettled { model: meta.name, id: Box::new(item) })
});
