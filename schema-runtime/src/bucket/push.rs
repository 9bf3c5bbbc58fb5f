//! Items that are stored once each, in the newest bucket or the next.

use std::borrow::Borrow;
use std::collections::{HashMap, HashSet};
use std::fmt;
use std::marker::PhantomData;

use bson::{Bson, Document};
use bson::{RawDocument, RawDocumentBuf, doc, rawdoc};

use super::look;
use crate::bson_util::id_key::IdKey;
use crate::builder::{awaits, write_options, writes_in_transactions};
use crate::document::documents::encoded;
use crate::document::id::encode_id;
use crate::driver::{self, ClientSession, Database, Lasting};
use crate::error::{Error, Result};
use crate::outcome::Outcome;
use crate::outcome::Pending;
use crate::schema::bucket::Bucketed;
use crate::schema::bucket::id::numbered;
use crate::schema::bucket::{Stored, taken};
use crate::schema::model::Model;
use crate::schema::stored;
use crate::schema::tenant::tenant_field;
use crate::tenant::{Confined, Wall};
use crate::write::change::Update;
use crate::write::change::ops::elements;
use crate::write::change::send::change_once;
use crate::write::send as write;
use crate::write::send::insert::Storing;

/// The number of items that one round searches for and stores.
const PORTION: usize = 1_000;

/// The largest number of rounds of one push. Each further round means that another writer was faster.
const ROUNDS: usize = 1_000;

/// The largest number of times that a command is sent again after its reply was lost. Every command of a push can be sent twice.
const RETRIES: usize = 2;

/// The result of a push of one item.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Pushed {
    /// True if this call stored the item. `false` if a bucket held it already, no matter which program stored it: even this call,
    /// if the reply to its write was lost and the write was sent again.
    pub added: bool,
    /// The number of the bucket that holds the item.
    pub sequence: i64,
    /// The pending changes that have to follow the write: see [`Outcome::pending`](crate::Outcome::pending).
    pub pending: Vec<Pending>,
}

/// The result of a push of many items.
#[derive(Debug, Clone, Default, PartialEq)]
#[non_exhaustive]
pub struct PushedMany {
    /// The number of items that this call stored.
    pub added: u64,
    /// The number of items that this call did not store again: a bucket held them already, or the call contained them twice.
    pub there: u64,
    /// The number of buckets that this call opened.
    pub opened: u64,
    /// The pending changes that have to follow the writes: see [`Outcome::pending`](crate::Outcome::pending).
    pub pending: Vec<Pending>,
}

/// An item about to be stored. `.await` gives a [`Pushed`].
#[must_use = "nothing is sent before it is awaited"]
pub struct Push<'a, M> {
    many: PushMany<'a, M>,
}

/// Items about to be stored. `.await` gives a [`PushedMany`].
///
/// In a transaction, a lost answer, and a bucket that another writer opens or changes at the same time, are the driver's and the server's
/// errors; the latter aborts the transaction.
#[must_use = "nothing is sent before it is awaited"]
pub struct PushMany<'a, M> {
    pub(super) db: &'a Database,
    pub(super) asked: Result<PushRequest>,
    pub(super) session: Option<&'a mut ClientSession>,
    pub(super) notes: Option<&'a mut Vec<Pending>>,
    pub(super) model: PhantomData<fn() -> M>,
}

/// The items to store, and the parent that they belong to.
#[derive(Debug)]
pub(super) struct PushRequest {
    parent: Bson,
    /// A bucket without items.
    empty: Document,
    /// The condition that a bucket belongs to the tenant of the call.
    own: Document,
    pub(super) items: Vec<Bson>,
}

impl<M> fmt::Debug for PushMany<'_, M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PushMany")
            .field("items", &self.asked.as_ref().map(|asked| asked.items.len()))
            .finish_non_exhaustive()
    }
}

impl<M> fmt::Debug for Push<'_, M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Push")
            .field(
                "parent",
                &self.many.asked.as_ref().map(|asked| &asked.parent),
            )
            .finish_non_exhaustive()
    }
}

impl<'a, M: Bucketed> PushMany<'a, M> {
    pub(super) fn new(
        db: &'a Database,
        of: &<M::Parent as Model>::DocumentId,
        items: impl IntoIterator<Item = impl Borrow<M::Item>>,
    ) -> Self {
        let asked = encode_id::<M::Parent>(of).and_then(|parent| {
            let empty = encoded(&M::open(of, 0))?;
            Ok(PushRequest {
                parent,
                empty: Document::try_from(empty.as_ref()).map_err(unencodable::<M>)?,
                own: Document::new(),
                items: elements::<M, M::Items, M::Item>(items)?,
            })
        });
        PushMany {
            db,
            asked,
            session: None,
            notes: None,
            model: PhantomData,
        }
    }
}

impl<M: Bucketed> Confined for PushMany<'_, M> {
    fn confined(mut self, wall: &Wall) -> Self {
        self.asked = self.asked.and_then(|mut asked| {
            let meta = M::model_meta();
            let (Some(field), Some(tenant)) = (tenant_field(meta), wall.tenant()) else {
                return Err(Error::Impossible {
                    what: format!(
                        "a push into a {} across tenants: make it with the `Tenant` of its items",
                        meta.name
                    ),
                });
            };
            asked.empty.insert(field, tenant);
            asked.own = wall.restrict(meta, Document::new());
            Ok(asked)
        });
        self
    }
}

impl<M: Bucketed> Confined for Push<'_, M> {
    fn confined(self, wall: &Wall) -> Self {
        Push {
            many: self.many.confined(wall),
        }
    }
}

impl<'a, M: Bucketed> Push<'a, M> {
    pub(super) fn new(
        db: &'a Database,
        parent: &<M::Parent as Model>::DocumentId,
        item: &M::Item,
    ) -> Self {
        Push {
            many: PushMany::new(db, parent, std::iter::once(item)),
        }
    }
}

writes_in_transactions!(PushMany);
writes_in_transactions!(Push, many);
write_options!(Push, PushMany);

awaits!(['a, M: Bucketed] Push<'a, M> => Pushed, self {
    let done = self.many.run().await?;
    Ok(Pushed { added: done.many.added > 0, sequence: done.sequence, pending: done.many.pending })
});

awaits!(['a, M: Bucketed] PushMany<'a, M> => PushedMany, self {
    self.run().await.map(|done| done.many)
});

fn unencodable<M: Model>(error: bson::error::Error) -> Error {
    Error::Encode {
        model: M::model_meta().name,
        field: "document".to_owned(),
        source: Box::new(error.into()),
    }
}

/// The progress of a push so far.
#[derive(Debug, Default)]
pub(super) struct Done {
    pub(super) many: PushedMany,
    /// The number of the bucket of the last item that was processed.
    pub(super) sequence: i64,
}

impl<M: Bucketed> PushMany<'_, M> {
    pub(super) async fn run(self) -> Result<Done> {
        let PushMany {
            db,
            asked,
            mut session,
            notes,
            ..
        } = self;
        let PushRequest {
            parent,
            empty,
            own,
            mut items,
        } = asked?;
        let meta = M::model_meta();
        let row = meta.bucket.ok_or_else(|| Error::Impossible {
            what: format!("{} is not a bucket", meta.name),
        })?;
        let stored = row.stored(meta);
        let of = items.len() as u64;
        let mut seen = HashSet::new();
        items.retain(|item| seen.insert(IdKey::new(id_of(&stored, item))));
        let mut done = Done::default();
        done.many.there = of - items.len() as u64;
        for portion in items.chunks(PORTION) {
            let target = Target::<M> {
                db,
                stored: &stored,
                parent: &parent,
                empty: &empty,
                own: &own,
                model: PhantomData,
            };
            let stored = target.store(portion, &mut done, session.as_deref_mut());
            match stored.await {
                Err(error) if done.many.added > 0 => {
                    return Err(Error::PushedInPart {
                        model: meta.name,
                        added: done.many.added,
                        of,
                        source: Box::new(error),
                    });
                }
                stored => stored?,
            }
        }
        if let Some(notes) = notes {
            notes.extend(done.many.pending.iter().cloned());
        }
        Ok(done)
    }
}

/// The value that identifies an item. An item without that field has the identity `null`, unlike every item that has one.
fn id_of<'i>(stored: &Stored, item: &'i Bson) -> &'i Bson {
    let id = item.as_document().and_then(|item| item.get(stored.id));
    id.unwrap_or(&Bson::Null)
}

/// The buckets that items go to.
struct Target<'t, M> {
    db: &'t Database,
    stored: &'t Stored,
    parent: &'t Bson,
    empty: &'t Document,
    own: &'t Document,
    model: PhantomData<fn() -> M>,
}

impl<M: Bucketed> Target<'_, M> {
    /// Stores items in their order, each once.
    async fn store(
        &self,
        items: &[Bson],
        done: &mut Done,
        mut session: Option<&mut ClientSession>,
    ) -> Result<()> {
        let mut left: Vec<&Bson> = items.iter().collect();
        let mut lost = 0;
        for _ in 0..ROUNDS {
            let round = self.round(&mut left, done, session.as_deref_mut()).await;
            match round {
                Err(error)
                    if session.is_none() && driver::outcome_unknown(&error) && lost < RETRIES =>
                {
                    lost += 1;
                }
                round => round?,
            }
            if left.is_empty() {
                return Ok(());
            }
        }
        Err(Error::Unsettled {
            model: M::model_meta().name,
            id: Box::new(self.parent.clone()),
        })
    }

    /// Finds the items that are stored already, then stores the others; stops if another writer was faster.
    async fn round(
        &self,
        left: &mut Vec<&Bson>,
        done: &mut Done,
        mut session: Option<&mut ClientSession>,
    ) -> Result<()> {
        let ids: Vec<Bson> = left.iter().map(|item| self.id_of(item).clone()).collect();
        let look = look::newest::<M>(
            self.db,
            self.stored,
            (self.parent, self.own),
            &ids,
            session.as_deref_mut(),
        );
        let next = match look.await? {
            None => 0,
            Some(newest) => {
                let there = newest.there.iter();
                let there: HashMap<IdKey, i64> =
                    there.map(|(id, at)| (IdKey::new(id), *at)).collect();
                let before = left.len();
                left.retain(|item| match there.get(&IdKey::new(self.id_of(item))) {
                    Some(sequence) => {
                        done.sequence = *sequence;
                        false
                    }
                    None => true,
                });
                done.many.there += (before - left.len()) as u64;
                if left.is_empty() {
                    return Ok(());
                }
                let taken = newest.taken.unwrap_or(self.stored.max);
                let room = self.stored.max.saturating_sub(taken);
                let fit = usize::try_from(room).unwrap_or(usize::MAX).min(left.len());
                if fit > 0 {
                    let added = self.add(newest.sequence, &left[..fit], session.as_deref_mut());
                    let Some(outcome) = added.await? else {
                        return Ok(());
                    };
                    left.drain(..fit);
                    done.many.added += fit as u64;
                    done.many.pending.extend(outcome.pending);
                    done.sequence = newest.sequence;
                }
                newest.sequence + 1
            }
        };
        if left.is_empty() {
            return Ok(());
        }
        // Only this call has added to a bucket since the read, and no bucket has room: no bucket holds the remaining items, and only the
        // next one can take them.
        self.open(next, left, done, session).await
    }

    fn id_of<'i>(&self, item: &'i Bson) -> &'i Bson {
        id_of(self.stored, item)
    }

    /// Adds items to a bucket if it has room for all of them and holds none of them; otherwise gives `None`. If the items fill the bucket
    /// exactly, this proves that no other writer has added to it since the read.
    async fn add(
        &self,
        sequence: i64,
        items: &[&Bson],
        session: Option<&mut ClientSession>,
    ) -> Result<Option<Outcome>> {
        let len = i64::try_from(items.len()).unwrap_or(i64::MAX);
        let max = i64::try_from(self.stored.max).unwrap_or(i64::MAX);
        let ids: Vec<&Bson> = items.iter().map(|item| self.id_of(item)).collect();
        let mut room = doc! { stored::ITEMS_TAKEN: { "$lte": max - len }, self.stored.item_id(): { "$nin": ids } };
        let mut update = Update::<M>::by_id(self.db, numbered(self.parent, sequence), session);
        room.extend(self.own.clone());
        update.holding(room);
        let each = doc! { "$each": items.iter().copied().cloned().collect::<Vec<_>>() };
        update.with("$push", self.stored.items, each.into());
        update.with("$inc", self.stored.count, len.into());
        update.with("$inc", stored::ITEMS_TAKEN, len.into());
        change_once(update).await
    }

    /// Opens buckets for all remaining items, in order; stops if another writer has opened one.
    async fn open(
        &self,
        first: i64,
        left: &mut Vec<&Bson>,
        done: &mut Done,
        session: Option<&mut ClientSession>,
    ) -> Result<()> {
        let max = usize::try_from(self.stored.max).unwrap_or(usize::MAX);
        let sizes: Vec<usize> = left.chunks(max).map(<[_]>::len).collect();
        let buckets = (first..).zip(left.chunks(max));
        let buckets = buckets.map(|(sequence, items)| self.bucket(sequence, items));
        let buckets = buckets.collect::<Result<Vec<_>>>()?;
        let in_session = session.is_some();
        let inserted = insert::<M>(self.db, buckets, session).await;
        let (opened, pending) = match inserted {
            Ok(outcome) => (sizes.len(), outcome.pending),
            Err(error) => match driver::before_duplicate(&error).filter(|_| !in_session) {
                Some(opened) => (opened, Vec::new()),
                None => return Err(error),
            },
        };
        let added: usize = sizes[..opened].iter().sum();
        left.drain(..added);
        done.many.added += added as u64;
        done.many.opened += opened as u64;
        done.many.pending.extend(pending);
        done.sequence = first + i64::try_from(opened).unwrap_or(i64::MAX) - 1;
        Ok(())
    }

    /// A bucket with these items.
    fn bucket(&self, sequence: i64, items: &[&Bson]) -> Result<RawDocumentBuf> {
        let mut bucket = self.empty.clone();
        bucket.insert("_id", numbered(self.parent, sequence));
        let len = i64::try_from(items.len()).unwrap_or(i64::MAX);
        bucket.insert(self.stored.count, len);
        let items: Vec<Bson> = items.iter().copied().cloned().collect();
        bucket.insert(self.stored.items, items);
        RawDocumentBuf::try_from(&bucket).map_err(unencodable::<M>)
    }
}

/// Stores new buckets in the same way as other documents of a model.
async fn insert<M: Bucketed>(
    db: &Database,
    mut buckets: Vec<RawDocumentBuf>,
    session: Option<&mut ClientSession>,
) -> Result<Outcome> {
    let meta = M::model_meta();
    if write::is_connected(meta)? {
        return write::insert(db, meta, buckets, Storing::default(), session).await;
    }
    for bucket in &mut buckets {
        let own = taken(meta, bucket).map(|taken| rawdoc! { stored::ITEMS_TAKEN_KEY: taken });
        bucket.append(stored::OWN_KEY, own.unwrap_or_default());
    }
    let raw: Vec<&RawDocument> = buckets.iter().map(|bucket| &**bucket).collect();
    driver::insert(db, meta.collection, &raw, Lasting::AsConfigured, session).await?;
    Ok(Outcome {
        inserted: buckets.len() as u64,
        ..Outcome::default()
    })
}
