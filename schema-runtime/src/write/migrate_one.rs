//! Migrates a document where it is stored.

use bson::{Bson, Document, RawDocument, RawDocumentBuf, doc};

use crate::builder::ROUNDS;
use crate::codec::outdated::FIELD;
use crate::document::{guard, parts};
use crate::driver::attempts::pause;
use crate::driver::{self, ClientSession, Database, FindArgs};
use crate::error::{Error, Result};
use crate::graph::edges::Edges;
use crate::outcome::{Outcome, Pending};
use crate::propagation::keys;
use crate::propagation::keys::Hold;
use crate::schema::migration::SchemaRow;
use crate::schema::model::{Model, ModelMeta};
use crate::schema::stored;
use crate::schema::tenant::same_tenant;
use crate::write::send as write;
use crate::write::send::events::Emission;
use crate::write::send::save::Saving;

/// The filter for documents that are older than the program's schema version.
pub(crate) fn older(schema: SchemaRow) -> Document {
    let mut older = doc! { "$not": { "$gte": schema.version } };
    if schema.of_unversioned() == Some(schema.version) {
        older.insert("$exists", true);
    }
    doc! { FIELD: older }
}

/// The migration of one older document.
pub(crate) struct Change {
    pub(crate) id: Bson,
    /// Matches the document, in its tenant.
    alone: Document,
    /// Matches the document only while no other program has changed it.
    pub(crate) filter: Document,
    pub(crate) becomes: RawDocumentBuf,
    /// True if other documents have to be looked at: they copy or list this document, or it refers to a document that it did not refer to
    /// before.
    pub(crate) spreads: bool,
}

/// The migration of a document; `None` if the document is not older than the program's schema version.
pub(crate) fn change<M: Model>(schema: SchemaRow, raw: &RawDocument) -> Result<Option<Change>> {
    let meta = M::model_meta();
    let bad = |source| driver::decode_error(meta.name, raw, source);
    let found = schema.version_of(raw).map_err(bad)?;
    if found >= i64::from(schema.version) {
        return Ok(None);
    }
    let old = Document::try_from(raw).map_err(|error| bad(error.into()))?;
    let mut migrated = schema.migrated(old.clone(), found).map_err(bad)?;
    if parts::are_stored(M::SHAPE) {
        migrated.insert(stored::PARTS, parts::of_document(meta, &migrated));
    }
    let becomes = RawDocumentBuf::try_from(&migrated).map_err(|error| bad(error.into()))?;
    // Check before the write that the migrated document can be read and is within its bounds.
    crate::document::decode_document::<M>(&becomes).map_err(bad)?;
    guard::document(meta, &becomes)?;
    keep_tenant(meta, raw, &becomes)?;
    let spreads = match write::is_connected(meta)? {
        true => {
            let edges = Edges::get();
            let mut checked = edges.incoming(meta.collection);
            let anew = checked.any(|edge| {
                let before = edge.place.keys(raw);
                let now = edge.place.keys(&becomes);
                now.iter().any(|key| !before.contains(key))
            });
            anew || !edges.only_checks(meta.collection)
        }
        false => false,
    };
    let id = old.get("_id").cloned().unwrap_or(Bson::Null);
    let same = doc! { "$expr": { "$eq": ["$$ROOT", { "$literal": old }] } };
    let mut alone = doc! { "_id": { "$eq": id.clone() } };
    alone.extend(same_tenant(meta, raw));
    let mut filter = alone.clone();
    filter.insert("$and", vec![same]);
    Ok(Some(Change {
        id,
        alone,
        filter,
        becomes,
        spreads,
    }))
}

/// Refuses a migration that moves a document to another tenant. A document without a tenant may get one.
fn keep_tenant(meta: &ModelMeta, old: &RawDocument, becomes: &RawDocument) -> Result<()> {
    let (before, now) = (same_tenant(meta, old), same_tenant(meta, becomes));
    if before == now
        || before
            .values()
            .all(|of| *of == Bson::from(doc! { "$eq": null }))
    {
        return Ok(());
    }
    Err(Error::Impossible {
        what: format!(
            "a migration that gives a {} another tenant: its references and its children stay with the old one",
            meta.name
        ),
    })
}

impl Change {
    /// The migrated document.
    pub(crate) fn document(&self) -> Result<Document> {
        let raw = &*self.becomes;
        Document::try_from(raw)
            .map_err(|error| driver::decode_error("the migrated document", raw, error.into()))
    }

    /// Stores the migrated document, unless the document was changed since it was read. `None` if it was not stored.
    async fn store<M: Model>(
        &self,
        db: &Database,
        mut session: Option<&mut ClientSession>,
    ) -> Result<Option<Vec<Pending>>> {
        let meta = M::model_meta();
        let names: Vec<String> = meta
            .shape
            .fields
            .iter()
            .map(|row| row.name.to_owned())
            .collect();
        let next = |key: &str| Bson::try_from(self.becomes.get(key).ok().flatten()?).ok();
        let alone = doc! { "_id": self.id.clone() };
        let held = session.as_deref_mut();
        let keys =
            keys::check_unreferenced(db, meta, &alone, &names, &next, Hold::Never, held).await?;
        let mut filter = self.filter.clone();
        filter.extend(keys);
        if !self.spreads {
            let collection = meta.collection;
            let done = driver::replace(db, collection, filter, &self.becomes, false, session);
            return Ok((done.await?.matched_count > 0).then(Vec::new));
        }
        let mut own = self.document()?;
        // The write path preserves the stored `_dn`.
        own.remove(stored::OWN);
        let own = RawDocumentBuf::try_from(&own)
            .map_err(|error| driver::decode_error(meta.name, &self.becomes, error.into()))?;
        let saving = Saving {
            refresh: true,
            level: None,
            swap: None,
            upsert: false,
            migrates: true,
            events: &Emission::default(),
        };
        let saved: Outcome = write::save(db, meta, filter, &own, saving, session).await?;
        Ok((saved.matched > 0).then_some(saved.pending))
    }
}

/// Migrates the document as it was read, or, if it has changed, as it is now. Gives true if it was migrated, and the pending changes.
pub(crate) async fn migrate_and_store<M: Model>(
    db: &Database,
    schema: SchemaRow,
    raw: &RawDocument,
    mut session: Option<&mut ClientSession>,
) -> Result<(bool, Vec<Pending>)> {
    let Some(mut next) = change::<M>(schema, raw)? else {
        return Ok((false, Vec::new()));
    };
    for attempt in 0..ROUNDS {
        if let Some(pending) = next.store::<M>(db, session.as_deref_mut()).await? {
            return Ok((true, pending));
        }
        pause(attempt).await;
        let args = FindArgs {
            ..FindArgs::default()
        };
        let filter = next.alone.clone();
        let own = |raw: &RawDocument| Ok(raw.to_owned());
        let collection = M::model_meta().collection;
        let now = driver::first(db, collection, filter, args, session.as_deref_mut(), own).await?;
        let now = now.map(|now| change::<M>(schema, &now)).transpose()?;
        match now.flatten() {
            Some(now) => next = now,
            None => return Ok((false, Vec::new())),
        }
    }
    Err(Error::Unsettled {
        model: M::model_meta().name,
        id: Box::new(next.id),
    })
}

/// Migrates the document that an update is about to change, because the update's operators are those of the present version.
pub(crate) async fn before<M: Model>(
    db: &Database,
    filter: &Document,
    mut session: Option<&mut ClientSession>,
) -> Result<Vec<Pending>> {
    let Some(schema) = M::SCHEMA.filter(|schema| schema.migrate.is_some()) else {
        return Ok(Vec::new());
    };
    let mut pending = Vec::new();
    let filter = doc! { "$and": [filter.clone(), older(schema)] };
    loop {
        let args = FindArgs {
            limit: Some(-BATCH),
            ..FindArgs::default()
        };
        let collection = M::model_meta().collection;
        let held = session.as_deref_mut();
        let rows = driver::open(db, collection, filter.clone(), args, held).await?;
        let own = |raw: &RawDocument| Ok(raw.to_owned());
        let found = rows.all(own).await?;
        for raw in &found {
            let (_, left) = migrate_and_store::<M>(db, schema, raw, session.as_deref_mut()).await?;
            pending.extend(left);
        }
        if i64::try_from(found.len()).is_ok_and(|found| found < BATCH) {
            return Ok(pending);
        }
    }
}

/// The number of documents that an update migrates together.
const BATCH: i64 = 100;
