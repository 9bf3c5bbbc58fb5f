//! Natural keys that references hold: they do not change while anything refers to them (PROTOCOL 15.A4).

use std::sync::OnceLock;

use bson::{Bson, Document, doc};

use super::delete::Blocker;
use super::edges::overlap;
use crate::crud::driver::{self, FindArgs};
use crate::error::{Error, Result};
use crate::flat::FlatField;
use crate::model::{Holds, ModelMeta};
use crate::{ClientSession, Database, registry};

/// A reference that holds values of another field than the `_id`.
#[derive(Debug)]
struct ByKey {
    model: &'static str,
    collection: &'static str,
    /// Where the reference is.
    path: String,
    /// The stored name of the field in the source.
    key: &'static str,
}

/// The references by other fields than the `_id`, with the collection that they refer to. Those in maps have no path to be asked for.
fn all() -> &'static [(&'static str, ByKey)] {
    static ALL: OnceLock<Vec<(&'static str, ByKey)>> = OnceLock::new();
    ALL.get_or_init(|| {
        let models = registry::models();
        let fields = models.iter().flat_map(|model| {
            let fields = model.flat().fields.iter();
            fields.map(move |field| (*model, field))
        });
        fields
            .filter_map(|(model, field)| by_key(model, field))
            .collect()
    })
}

fn by_key(model: &'static ModelMeta, field: &FlatField) -> Option<(&'static str, ByKey)> {
    let relation = field
        .relation
        .filter(|relation| relation.holds == Holds::Ids)?;
    let (target, key) = ((relation.target)(), relation.key?);
    let key = target.shape.fields.iter().find(|row| row.rust == key)?;
    let path = if relation.entry {
        format!("{}.{}", field.path, relation.entry_id)
    } else {
        field.path.clone()
    };
    let by_key = ByKey {
        model: model.name,
        collection: model.collection,
        path,
        key: key.name,
    };
    Some((target.collection, by_key))
}

/// The references to documents of this collection by one of the changed fields.
fn references(meta: &ModelMeta, changed: impl Fn(&str) -> bool) -> Vec<&'static ByKey> {
    let all = all().iter();
    let of_collection = all.filter(|(target, _)| *target == meta.collection);
    of_collection
        .map(|(_, reference)| reference)
        .filter(|reference| changed(reference.key))
        .collect()
}

/// Whether any reference holds a key of this model's documents that is not their `_id`.
pub(crate) fn referenced_by_key(meta: &ModelMeta) -> bool {
    !references(meta, |_| true).is_empty()
}

/// What keys a document is to have: `None` where the operators leave it to the server.
pub(crate) type Next<'a> = &'a (dyn Fn(&str) -> Option<Bson> + Sync);

/// Checks that no reference holds a key that is about to change, and gives what has to hold of the keys while they do; nothing is
/// sent where no key is among the changed paths.
///
/// # Errors
/// [`Error::Referenced`].
pub(crate) async fn unreferenced(
    db: &Database,
    meta: &'static ModelMeta,
    filter: &Document,
    changed: &[String],
    next: Next<'_>,
    mut session: Option<&mut ClientSession>,
) -> Result<Document> {
    let references = references(meta, |key| changed.iter().any(|path| overlap(path, key)));
    let mut unchanged = Document::new();
    if references.is_empty() {
        return Ok(unchanged);
    }
    let fields: Document = references
        .iter()
        .map(|reference| (reference.key.to_owned(), Bson::Int32(1)))
        .collect();
    let args = FindArgs {
        projection: Some(fields),
        ..FindArgs::default()
    };
    let whole = |raw: &bson::RawDocument| Ok(Document::try_from(raw).unwrap_or_default());
    let stored = driver::first(
        db,
        meta.collection,
        filter.clone(),
        args,
        session.as_deref_mut(),
        whole,
    )
    .await?;
    let Some(stored) = stored else {
        return Ok(unchanged);
    };
    for reference in &references {
        let now = stored.get(reference.key);
        if now.is_none_or(|now| *now == Bson::Null) || next(reference.key).as_ref() == now {
            continue;
        }
        let holding = doc! { &reference.path: { "$eq": now } };
        let args = FindArgs {
            projection: Some(doc! { "_id": 1 }),
            ..FindArgs::default()
        };
        let held = driver::first(
            db,
            reference.collection,
            holding,
            args,
            session.as_deref_mut(),
            |raw| {
                Ok(raw
                    .get("_id")
                    .ok()
                    .flatten()
                    .and_then(|id| Bson::try_from(id).ok()))
            },
        );
        if let Some(sample) = held.await? {
            return Err(Error::Referenced {
                model: meta.name,
                id: Box::new(now.cloned().unwrap_or(Bson::Null)),
                by: vec![Blocker {
                    model: reference.model,
                    field: format!("{}.{}", reference.model, reference.path),
                    count: 1,
                    more: true,
                    sample: sample.unwrap_or(Bson::Null),
                }],
            });
        }
        unchanged.insert(reference.key, doc! { "$eq": now });
    }
    Ok(unchanged)
}

/// Checks that an update of many documents changes no key that references hold: which of them are held is not known.
///
/// # Errors
/// [`Error::Unsupported`].
pub(crate) fn unchanged(meta: &ModelMeta, changed: &[String]) -> Result<()> {
    let references = references(meta, |key| changed.iter().any(|path| overlap(path, key)));
    match references.first() {
        Some(reference) => Err(Error::Unsupported {
            what: format!(
                "{}.{} is what {}.{} refers by; change it one document at a time, with `update`",
                meta.name, reference.key, reference.model, reference.path
            ),
        }),
        None => Ok(()),
    }
}
