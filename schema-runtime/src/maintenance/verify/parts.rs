//! Compares the parts of texts with the texts, for the fields with `#[index(contains)]`: another program has changed a text, or the
//! documents are older than the index.

use bson::{Bson, Document, doc};

use super::report::{Defect, Difference};
use crate::bson_util::stored_id::id_of;
use crate::document::parts;
use crate::driver::rows::Rows;
use crate::driver::{self, Database, FindArgs};
use crate::error::Result;
use crate::schema::model::ModelMeta;
use crate::schema::registry;
use crate::schema::stored;

/// The number of documents that are read together.
const DOCUMENTS: usize = 1_000;

/// The models of these that find texts by their parts; of all models if none are given.
pub(crate) fn models(
    among: Option<&[&'static ModelMeta]>,
) -> impl Iterator<Item = &'static ModelMeta> {
    let chosen = move |meta: &&'static ModelMeta| {
        among.is_none_or(|models| models.iter().any(|one| one.name == meta.name))
    };
    let models = registry::models().into_iter().filter(chosen);
    models.filter(|meta| parts::are_stored(Some(meta.shape)))
}

/// The name of the parts of a field in reports: `films._ng.title`.
pub(crate) fn names(meta: &'static ModelMeta) -> impl Iterator<Item = String> {
    let name = |path| format!("{}.{}", meta.collection, stored::parts_of(path));
    parts::fields(meta.shape).map(move |row| name(row.name))
}

/// A document whose parts are not those of its texts.
#[derive(Debug)]
pub(crate) struct WrongParts {
    pub(crate) differences: Vec<Difference>,
    /// The update that stores the parts, unless the texts have changed since.
    pub(crate) update: Document,
}

/// A walk over the documents of a model.
pub(crate) struct PartsWalk<'a> {
    meta: &'static ModelMeta,
    rows: Rows<'a>,
    is_done: bool,
}

impl<'a> PartsWalk<'a> {
    /// A walk over the documents that meet a filter.
    pub(crate) async fn open(
        db: &'a Database,
        meta: &'static ModelMeta,
        filter: Document,
        hint: Option<Document>,
    ) -> Result<Self> {
        let mut fields = doc! { stored::PARTS: 1 };
        for row in parts::fields(meta.shape) {
            fields.insert(row.name, 1);
        }
        let args = FindArgs {
            projection: Some(fields),
            batch_size: u32::try_from(DOCUMENTS).ok(),
            hint,
            ..FindArgs::default()
        };
        let rows = driver::open(db, meta.collection, filter, args, None).await?;
        Ok(PartsWalk {
            meta,
            rows,
            is_done: false,
        })
    }

    /// The number of the next documents, and the wrong ones among them; `None` when all were compared.
    pub(crate) async fn next(&mut self) -> Result<Option<(u64, Vec<WrongParts>)>> {
        if self.is_done {
            return Ok(None);
        }
        let meta = self.meta;
        let (mut looked, mut wrong) = (0, Vec::new());
        while wrong.len() < DOCUMENTS {
            let row = self.rows.next(|raw| Ok(compare(meta, raw))).await?;
            let Some(row) = row else {
                self.is_done = true;
                break;
            };
            looked += 1;
            wrong.extend(row);
        }
        Ok(Some((looked, wrong)))
    }
}

/// Compares the parts in a document with its texts.
fn compare(meta: &'static ModelMeta, raw: &bson::RawDocument) -> Option<WrongParts> {
    let rows = parts::differences(meta, raw);
    if rows.is_empty() {
        return None;
    }
    let id = id_of(raw);
    let value = |path: &str| {
        let value = crate::bson_util::path::raw_at(raw, path)?;
        Bson::try_from(value).ok()
    };
    let mut still = doc! { "_id": { "$eq": id.clone() } };
    let (mut set, mut unset) = (Document::new(), Document::new());
    let mut differences = Vec::new();
    for (row, want) in rows {
        let path = stored::parts_of(row.name);
        still.insert(
            row.name,
            match value(row.name) {
                Some(text) => doc! { "$eq": text },
                None => doc! { "$exists": false },
            },
        );
        match &want {
            Some(want) => set.insert(path.clone(), want.clone()),
            None => unset.insert(path.clone(), ""),
        };
        differences.push(Difference {
            reference: format!("{}.{path}", meta.collection),
            model: meta.name,
            id: id.clone(),
            kind: Defect::Stale,
            flagged: false,
            have: value(&path),
            want,
            path,
        });
    }
    let mut change = Document::new();
    for (operator, paths) in [("$set", set), ("$unset", unset)] {
        if !paths.is_empty() {
            change.insert(operator, paths);
        }
    }
    let update = doc! { "q": still, "u": change };
    Some(WrongParts {
        differences,
        update,
    })
}

/// Stores the parts of these documents: one durable `update`. Gives the number of changed documents, and what the server refused.
pub(crate) async fn correct(
    db: &Database,
    meta: &'static ModelMeta,
    wrong: Vec<WrongParts>,
) -> Result<(u64, Vec<(Bson, String)>)> {
    if wrong.is_empty() {
        return Ok((0, Vec::new()));
    }
    let updates: Vec<Document> = wrong.iter().map(|one| one.update.clone()).collect();
    let done = driver::statements(db, meta.collection, &updates, true, None).await?;
    let refused = done.failed.into_iter().map(|(n, code, message)| {
        let difference = wrong.get(n).and_then(|one| one.differences.first());
        let id = difference.map_or(Bson::Null, |one| one.id.clone());
        (id, format!("{message} ({code})"))
    });
    Ok((done.modified, refused.collect()))
}
