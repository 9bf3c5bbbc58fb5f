//! Fills the copies in a document from its sources, before it is stored.

use bson::{Bson, Document, RawBsonRef, RawDocumentBuf, doc};

use super::sources_by_key::SourcesByKey;
use crate::bson_util::path::{at, put, raw_at};
use crate::bson_util::stored_id::id_in_filter;
use crate::document::encoding::unencodable;
use crate::driver::{self, ClientSession, Database};
use crate::error::{Error, Result};
use crate::graph::edges::{Copied, Edge, Edges};
use crate::schema::model::ModelMeta;
use crate::schema::relation::OnDelete;

/// The choice of the copies to fill.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Which<'f> {
    /// All copies.
    All,
    /// All copies, except frozen copies that are equal to those of the stored document.
    AllBut(&'f Frozen),
}

/// The frozen copies of a stored document: for each edge and key the copied values.
#[derive(Debug, Default)]
pub(crate) struct Frozen(Vec<(String, Bson, Vec<Option<Bson>>)>);

impl Frozen {
    /// Reads the frozen copies of the document with this `_id`; sends nothing if the model has none.
    pub(crate) async fn stored(
        db: &Database,
        collection: &str,
        filter: &Document,
        session: Option<&mut ClientSession>,
    ) -> Result<Frozen> {
        let mut fields = doc! {};
        for edge in Edges::get().incoming(collection) {
            if !edge.frozen.is_empty() {
                fields.insert(edge.place.root(), 1);
                let copies = edge.frozen.iter().map(|copied| edge.full(copied));
                let beside = copies.filter(|path| !path.contains('.'));
                fields.extend(beside.map(|path| (path, Bson::from(1))));
            }
        }
        if fields.is_empty() {
            return Ok(Frozen::default());
        }
        let id = [id_in_filter(filter)];
        let found = driver::read_by(db, collection, "_id", &id, &fields, session).await?;
        let mut stored = found.into_iter().next().unwrap_or_default();
        Ok(Frozen::take(collection, &mut stored))
    }

    /// The frozen copies beside a reference that stays, if the document has that reference once.
    pub(crate) fn beside(&self, edge: &Edge, key: &Bson) -> Option<&[Option<Bson>]> {
        let same = |(name, other, _): &&(String, Bson, Vec<Option<Bson>>)| {
            *name == edge.name && other == key
        };
        self.0
            .iter()
            .find(same)
            .map(|(.., values)| values.as_slice())
    }

    fn take(collection: &str, stored: &mut Document) -> Frozen {
        let mut all = Vec::new();
        for edge in Edges::get()
            .incoming(collection)
            .filter(|edge| !edge.frozen.is_empty())
        {
            edge.place.visit(stored, &mut |holder, key| {
                all.extend(key.map(|key| (edge.name.clone(), key, frozen(edge, holder))));
            });
        }
        Frozen(all)
    }

    /// The frozen values that the stored document has for this holder, in the order of the edge's frozen copies.
    fn of_holder(&self, edge: &Edge, key: &Bson, holder: &Document) -> Option<&[Option<Bson>]> {
        // Several elements may hold one key: their own frozen values distinguish them.
        let here = (!edge.place.is_single()).then(|| frozen(edge, holder));
        let same = |(name, other, values): &&(String, Bson, Vec<Option<Bson>>)| {
            *name == edge.name && other == key && here.as_ref().is_none_or(|here| values == here)
        };
        self.0
            .iter()
            .find(same)
            .map(|(_, _, values)| values.as_slice())
    }
}

fn frozen(edge: &Edge, holder: &Document) -> Vec<Option<Bson>> {
    let copies = edge.frozen.iter();
    copies
        .map(|copied| at(holder, &copied.to).cloned())
        .collect()
}

/// Fills the copies in a document of this collection from the sources; does not touch copies that are right already. Returns whether
/// anything changed. Removes the library's revisions: new copies are older than every source (PROTOCOL M10).
pub(crate) fn fill(
    collection: &str,
    document: &mut Document,
    known: &SourcesByKey,
    which: Which<'_>,
) -> bool {
    let mut changed = false;
    for edge in Edges::get().incoming(collection) {
        edge.place.visit(document, &mut |holder, key| {
            edge.place.forget_revision(holder);
            let Some(key) = key else {
                changed |= clear_holder(edge, holder);
                return;
            };
            let Some(source) = known.get(edge, &key) else {
                return;
            };
            let kept = match which {
                Which::AllBut(stored) => stored.of_holder(edge, &key, holder),
                Which::All => None,
            };
            let mut fill = |copied: &Copied, value: Option<&Bson>| {
                if at(holder, &copied.to) != value {
                    put(holder, &copied.to, value.cloned());
                    changed = true;
                }
            };
            for (n, copied) in edge.frozen.iter().enumerate() {
                match kept {
                    Some(values) => fill(copied, values.get(n).and_then(Option::as_ref)),
                    None => fill(copied, source.value(copied)),
                }
            }
            for copied in &edge.live {
                fill(copied, source.value(copied));
            }
        });
    }
    changed
}

/// Removes the copies beside absent references, which have no source. Returns whether there were such copies.
pub(crate) fn clear(collection: &str, document: &mut Document) -> bool {
    let mut changed = false;
    for edge in Edges::get().incoming(collection) {
        edge.place.visit(document, &mut |holder, key| {
            changed |= key.is_none() && clear_holder(edge, holder);
        });
    }
    changed
}

fn clear_holder(edge: &Edge, holder: &mut Document) -> bool {
    if edge.in_variant {
        return false;
    }
    let mut changed = false;
    for copied in edge.copies() {
        if at(holder, &copied.to).is_some_and(|value| *value != Bson::Null) {
            put(holder, &copied.to, None);
            changed = true;
        }
    }
    changed
}

/// Removes the copies beside absent references from an encoded document.
pub(crate) fn clear_raw(meta: &ModelMeta, raw: &mut RawDocumentBuf) -> Result<()> {
    let mut any = false;
    for edge in Edges::get()
        .incoming(meta.collection)
        .filter(|edge| !edge.in_variant)
    {
        edge.place.look_without(raw, &mut |holder, _| {
            let mut copies = edge
                .copies()
                .filter_map(|copied| raw_at(holder, &copied.to));
            any |= copies.any(|value| value != RawBsonRef::Null);
        });
    }
    if any {
        let unreadable = |error| unencodable(meta, error);
        let mut document = Document::try_from(&**raw).map_err(unreadable)?;
        clear(meta.collection, &mut document);
        *raw = RawDocumentBuf::try_from(&document).map_err(unreadable)?;
    }
    Ok(())
}

/// Checks that every reference leads to a document that can be read, except references that may dangle.
pub(crate) fn not_dangling(
    references: &[(&'static Edge, Bson)],
    known: &SourcesByKey,
) -> Result<()> {
    let missing = |(edge, key): &&(&'static Edge, Bson)| {
        edge.on_delete != OnDelete::Keep && known.get(edge, key).is_none()
    };
    let mut sources = references.iter().filter_map(|(edge, key)| {
        let source = known.get(edge, key)?;
        source.unreadable(edge.source)
    });
    if let Some(error) = sources.next() {
        return Err(error);
    }
    match references.iter().find(missing) {
        Some((first, _)) => Err(dangling(
            first,
            references
                .iter()
                .filter(missing)
                .filter(|(edge, _)| std::ptr::eq(*edge, *first))
                .map(|(_, key)| key.clone()),
        )),
        None => Ok(()),
    }
}

/// The error for references along this edge that lead nowhere.
pub(crate) fn dangling(edge: &Edge, keys: impl Iterator<Item = Bson>) -> Error {
    let mut ids: Vec<Bson> = Vec::new();
    for key in keys {
        if !ids.contains(&key) {
            ids.push(key);
        }
    }
    Error::Dangling {
        model: edge.target.name,
        field: edge.place.path(),
        target: edge.source.name,
        ids,
    }
}
