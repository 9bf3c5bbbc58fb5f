//! A whole collection, brought to the current version.

use std::fmt;

use bson::{Bson, RawDocumentBuf, doc};

use crate::bson_util::stored_id::id_of;
use crate::builder::awaits;
use crate::driver::{self, Database, FindArgs};
use crate::error::{Error, Result};
use crate::graph::edges::Edges;
use crate::outcome::Pending;
use crate::propagation::keys;
use crate::schema::migration::SchemaRow;
use crate::schema::model::Model;
use crate::write::{migrate_one as one, send as write};

/// The largest number of documents that are migrated together, unless the call says otherwise.
const BATCH: u32 = 1_000;

type Callback<'a> = Box<dyn FnMut(&Migrated) + Send + 'a>;

/// A migration of a collection, about to be made. `.await` gives [`Migrated`].
#[must_use = "nothing is sent before it is awaited"]
pub struct Migrate<'a, M> {
    db: &'a Database,
    batch: u32,
    progress: Option<Callback<'a>>,
    model: std::marker::PhantomData<fn() -> M>,
}

impl<M> fmt::Debug for Migrate<'_, M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Migrate")
            .field("batch", &self.batch)
            .finish_non_exhaustive()
    }
}

impl<'a, M: Model> Migrate<'a, M> {
    pub(crate) fn new(db: &'a Database) -> Self {
        Migrate {
            db,
            batch: BATCH,
            progress: None,
            model: std::marker::PhantomData,
        }
    }

    /// Sets how many documents are read and held in memory at a time: by default 1,000. At least 1.
    pub fn batch(mut self, documents: u32) -> Self {
        self.batch = documents.max(1);
        self
    }

    /// Calls the function after each batch with the totals so far.
    pub fn progress(mut self, listener: impl FnMut(&Migrated) + Send + 'a) -> Self {
        self.progress = Some(Box::new(listener));
        self
    }
}

/// The result of a migration.
#[derive(Debug, Clone, Default)]
#[non_exhaustive]
pub struct Migrated {
    /// The number of documents of older versions that were found.
    pub found: u64,
    /// The number of documents that were stored as the current version, not counting those that another program stored first.
    pub migrated: u64,
    /// The documents that could not be migrated and stay as they are.
    pub refused: Vec<NotMigrated>,
    /// The pending changes that have to follow the writes; [`recover`](crate::recover) completes them.
    pub pending: Vec<Pending>,
}

/// A document that could not be migrated.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct NotMigrated {
    /// The document's `_id`.
    pub id: Bson,
    /// The reason: the message of its migration, of a bound or of the server.
    pub reason: String,
}

awaits!(['a, M: Model] Migrate<'a, M> => Migrated, self {
    let mut this = self;
    let mut out = Migrated::default();
    let Some(schema) = M::SCHEMA else {
        return Ok(out);
    };
    let args = FindArgs {
        // A walk in natural order meets each document once.
        hint: Some(doc! { "$natural": 1 }),
        batch_size: Some(this.batch),
        ..FindArgs::default()
    };
    let collection = M::model_meta().collection;
    let open = || driver::open(this.db, collection, one::older(schema), args.clone(), None);
    let mut rows = open().await?;
    let mut migrated = 0;
    loop {
        let mut read = Vec::new();
        while read.len() < this.batch as usize {
            match rows.next(|raw| Ok(raw.to_owned())).await {
                Ok(Some(raw)) => read.push(raw),
                Ok(None) => break,
                // The next walk meets none of the documents that are migrated.
                Err(Error::CursorLost { .. }) if out.migrated > migrated && out.refused.is_empty() => {
                    migrated = out.migrated;
                    read.clear();
                    rows = open().await?;
                }
                Err(error) => return Err(error),
            }
        }
        if read.is_empty() {
            return Ok(out);
        }
        out.found += read.len() as u64;
        migrate::<M>(this.db, schema, &read, &mut out).await?;
        if let Some(listener) = &mut this.progress {
            listener(&out);
        }
    }
});

async fn migrate<M: Model>(
    db: &Database,
    schema: SchemaRow,
    read: &[RawDocumentBuf],
    out: &mut Migrated,
) -> Result<()> {
    // If other documents hold data of this model, that data has to follow: migrate one by one, on the write path that propagates it.
    let meta = M::model_meta();
    let alone = (!write::is_connected(meta)? || Edges::get().only_checks(meta.collection))
        && !keys::referenced_by_key(meta);
    let left = match alone {
        true => migrate_unconnected::<M>(db, schema, read, out).await?,
        false => read.iter().collect(),
    };
    for raw in left {
        match one::migrate_and_store::<M>(db, schema, raw, None).await {
            Ok((done, pending)) => {
                out.migrated += u64::from(done);
                out.pending.extend(pending);
            }
            Err(error) => refuse(id_of(raw), error, out)?,
        }
    }
    Ok(())
}

/// Migrates documents whose data no other document holds, in as few commands as possible; gives those that need another check.
async fn migrate_unconnected<'d, M: Model>(
    db: &Database,
    schema: SchemaRow,
    read: &'d [RawDocumentBuf],
    out: &mut Migrated,
) -> Result<Vec<&'d RawDocumentBuf>> {
    let (mut updates, mut of, mut spreading) = (Vec::new(), Vec::new(), Vec::new());
    for raw in read {
        match one::change::<M>(schema, raw) {
            Ok(None) => {}
            Ok(Some(change)) if change.spreads => spreading.push(raw),
            Ok(Some(change)) => {
                let whole = change.document()?;
                updates.push(doc! { "q": change.filter, "u": whole });
                of.push(raw);
            }
            Err(error) => refuse(id_of(raw), error, out)?,
        }
    }
    let collection = M::model_meta().collection;
    let done = driver::statements(db, collection, &updates, false, None).await?;
    let failed: Vec<&RawDocumentBuf> = done.failed.iter().map(|(n, ..)| of[*n]).collect();
    for (n, code, message) in done.failed {
        let (id, reason) = (id_of(of[n]), format!("{message} ({code})"));
        out.refused.push(NotMigrated { id, reason });
    }
    out.migrated += done.matched;
    if done.matched + failed.len() as u64 == of.len() as u64 {
        return Ok(spreading);
    }
    // Other programs changed some of them, and the reply does not say which. The next check skips those at the present version.
    of.retain(|raw| !failed.iter().any(|failed| std::ptr::eq(*failed, *raw)));
    of.extend(spreading);
    Ok(of)
}

/// Records an error of one document so that the migration continues; returns an error of the connection, which ends it.
fn refuse(id: Bson, error: Error, out: &mut Migrated) -> Result<()> {
    match error {
        error @ Error::Driver(_)
            if driver::refusal(&error).is_none() && !driver::is_duplicate(&error) =>
        {
            Err(error)
        }
        error => {
            let reason = error.to_string();
            out.refused.push(NotMigrated { id, reason });
            Ok(())
        }
    }
}
