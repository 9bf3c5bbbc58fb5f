//! Commands that calls share: while one is under way, the documents of other calls gather, and the next one is for all of them.

use std::collections::HashSet;
use std::sync::Arc;
use std::time::Duration;

use bson::{Bson, Document, RawDocument, RawDocumentBuf};
use futures::channel::oneshot;
use futures::future::{BoxFuture, join_all};

use super::cache;
use crate::bson_util::id_key::IdKey;
use crate::driver::{self, Database, Lasting};
use crate::error::{Error, Result};
use crate::finisher::{Batches, Open};
use crate::graph::edges::Edge;
use crate::propagation::source;
use crate::propagation::sources_by_key::SourcesByKey;
use crate::schema::tenant::of_tenant;

static INSERTS: Batches<Insert> = Batches::new(Duration::ZERO, 2);

static READS: Batches<Read> = Batches::new(Duration::ZERO, 2);

/// A new document of one call.
#[derive(Debug)]
struct Insert {
    document: RawDocumentBuf,
    lasting: Lasting,
    reply: oneshot::Sender<Result<()>>,
}

/// Stores a new document, by one command with those that other calls store in the same collection.
///
/// # Errors
/// The errors of an insert that is sent as a command of its own.
pub(crate) async fn insert(
    db: &Database,
    collection: &'static str,
    document: RawDocumentBuf,
    lasting: Lasting,
) -> Result<()> {
    // A call with write options of its own shares no command with other calls.
    if driver::call::has_write_options() {
        return driver::insert(db, collection, &[&document], lasting, None).await;
    }
    let (reply, stored) = oneshot::channel();
    let new = Insert {
        document,
        lasting,
        reply,
    };
    INSERTS.push(db, collection, new, Open::unbounded(db), |db, to, new| {
        Box::pin(async move { insert_all(&db, to, new).await })
    });
    stored.await.unwrap_or_else(|oneshot::Canceled| {
        let reason = "the task that stores it has ended with its runtime".to_owned();
        Err(Error::NotDurable { reason })
    })
}

async fn insert_all(db: &Database, collection: &'static str, mut new: Vec<Insert>) {
    if new.len() == 1
        && let Some(one) = new.pop()
    {
        let stored = driver::insert(db, collection, &[&one.document], one.lasting, None).await;
        // A caller that has gone needs no reply.
        let _ = one.reply.send(stored);
        return;
    }
    let lasting = match new.iter().any(|one| one.lasting == Lasting::Durable) {
        true => Lasting::Durable,
        false => Lasting::AsConfigured,
    };
    let raw: Vec<&RawDocument> = new.iter().map(|one| &*one.document).collect();
    let refused: Vec<usize> = match driver::insert_unordered(db, collection, &raw, lasting).await {
        Ok(refused) => refused,
        Err(error) => {
            let mut new = new.into_iter();
            let first = new.next();
            // The same error for each: nobody knows which of them are stored.
            for one in new {
                let _ = one.reply.send(Err(error.again()));
            }
            let _ = first.map(|first| first.reply.send(Err(error)));
            return;
        }
    };
    // The server gives the reason of a refusal only for a document that is sent alone.
    let each = new.into_iter().enumerate().map(|(n, one)| {
        let again = refused.contains(&n);
        async move {
            let stored = match again {
                true => driver::insert(db, collection, &[&one.document], one.lasting, None).await,
                false => Ok(()),
            };
            let _ = one.reply.send(stored);
        }
    });
    join_all(each).await;
}

/// A read of sources for one call.
#[derive(Debug)]
struct Read {
    key: &'static str,
    keys: Vec<Bson>,
    /// The condition that a source belongs to the tenant, if it has one.
    of_tenant: Document,
    reply: oneshot::Sender<Arc<Vec<Document>>>,
}

/// Reads the sources of new copies as they are now, by one command per collection with those that other calls read; without documents of
/// other tenants if one is given. `None` if a read fails.
pub(crate) async fn read_sources(
    db: &Database,
    references: &[(&'static Edge, Bson)],
    tenant: Option<&Bson>,
) -> Option<SourcesByKey> {
    let mut groups: Vec<(&'static Edge, Vec<Bson>)> = Vec::new();
    for (edge, key) in references {
        let place = |edge: &Edge| (edge.source.collection, edge.key);
        let mut known = groups.iter_mut();
        match known.find(|(known, _)| place(known) == place(edge)) {
            Some((_, keys)) => keys.push(key.clone()),
            None => groups.push((edge, vec![key.clone()])),
        }
    }
    let reads = groups.into_iter().map(|(edge, keys)| async move {
        let (collection, key) = (edge.source.collection, edge.key);
        let (reply, found) = oneshot::channel();
        let wanted = keys.clone();
        let read = Read {
            key,
            keys,
            of_tenant: of_tenant(edge.source, tenant),
            reply,
        };
        READS.push(db, collection, read, Open::unbounded(db), read_all);
        let found = found.await.ok()?;
        let wanted: HashSet<IdKey> = wanted.iter().map(IdKey::new).collect();
        let own = |one: &&Document| {
            one.get(key)
                .is_some_and(|key| wanted.contains(&IdKey::new(key)))
        };
        let own: Vec<Document> = found.iter().filter(own).cloned().collect();
        Some((collection, key, own))
    });
    let mut known = SourcesByKey::default();
    for read in join_all(reads).await {
        let (collection, key, found) = read?;
        cache::remember(db, (collection, key), &found);
        known.fill(db, (collection, key), found).await.ok()?;
    }
    Some(known)
}

fn read_all(db: Database, collection: &'static str, reads: Vec<Read>) -> BoxFuture<'static, ()> {
    Box::pin(async move {
        let fields = source::fields(collection);
        let mut alike: Vec<((&'static str, Document), Vec<Read>)> = Vec::new();
        for read in reads {
            let same = |(key, of_tenant): &(&'static str, Document)| {
                *key == read.key && *of_tenant == read.of_tenant
            };
            match alike.iter_mut().find(|(known, _)| same(known)) {
                Some((_, reads)) => reads.push(read),
                None => alike.push(((read.key, read.of_tenant.clone()), vec![read])),
            }
        }
        for ((key, of_tenant), reads) in alike {
            let mut seen = HashSet::new();
            let keys = reads.iter().flat_map(|read| &read.keys);
            let keys = keys.filter(|key| seen.insert(IdKey::new(key))).cloned();
            let keys: Vec<Bson> = keys.collect();
            let by = (key, &keys[..]);
            let found = driver::read_where(&db, collection, by, &of_tenant, &fields, None).await;
            // Without a reply the calls go on with the separate steps.
            let Ok(found) = found.map(Arc::new) else {
                continue;
            };
            for read in reads {
                let _ = read.reply.send(Arc::clone(&found));
            }
        }
    })
}

impl Error {
    /// The same error for another call that waits for the same command.
    fn again(&self) -> Error {
        match self {
            Error::Driver(error) => Error::Driver(error.clone()),
            other => Error::NotDurable {
                reason: other.to_string(),
            },
        }
    }
}
