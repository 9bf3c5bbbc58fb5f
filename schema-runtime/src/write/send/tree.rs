//! Documents of trees: their ancestors follow from those of the parent.

use bson::{Bson, Document, RawDocumentBuf, doc};

use crate::bson_util::id_key::{IdKey, IdMap, IdSet};
use crate::bson_util::stored_id::id_of;
use crate::document::encoding::unencodable;
use crate::driver::{self, ClientSession, Database};
use crate::error::violation::Violation;
use crate::error::{Error, Result};
use crate::schema::model::ModelMeta;
use crate::schema::tree::TreeFields;

/// Stores the ancestors in new documents. Sends one `find` for the parents that are not among the documents; a parent stands before its
/// children there.
///
/// # Errors
/// [`Error::Dangling`] if a parent does not exist, [`Error::Invalid`] if the tree would be too deep; the driver's.
pub(super) async fn fill_ancestors(
    db: &Database,
    meta: &'static ModelMeta,
    documents: &mut [RawDocumentBuf],
    session: Option<&mut ClientSession>,
) -> Result<()> {
    let Some(tree) = TreeFields::of(meta) else {
        return Ok(());
    };
    let mut known: IdSet = documents
        .iter()
        .map(|raw| IdKey::new(&id_of(raw)))
        .collect();
    let parents = documents.iter().filter_map(|raw| parent_of(tree, raw));
    let parents: Vec<Bson> = parents
        .filter(|parent| known.insert(IdKey::new(parent)))
        .collect();
    let mut paths = read_paths(db, meta, tree, &parents, session).await?;
    for raw in documents {
        let path = match parent_of(tree, raw) {
            Some(parent) => ancestors_of_children(meta, tree, &parent, &paths)?,
            None => Vec::new(),
        };
        *raw = with_path(meta, tree, raw, &path)?;
        paths.insert(IdKey::new(&id_of(raw)), path);
    }
    Ok(())
}

/// A document to be saved, with its ancestors.
pub(super) struct Place {
    pub(super) document: RawDocumentBuf,
    /// True if no document is stored under its `_id`.
    pub(super) is_new: bool,
    /// The condition that this is still so, and that the stored document has the same parent.
    pub(super) unchanged: Document,
}

/// The place of a document to be saved. Sends one `find`, for the stored document and the parent.
///
/// # Errors
/// [`Error::OtherParent`] if the stored document has another parent; those of [`fill_ancestors`].
pub(super) async fn keep_place(
    db: &Database,
    meta: &'static ModelMeta,
    tree: TreeFields,
    (id, document): (&Bson, &RawDocumentBuf),
    session: Option<&mut ClientSession>,
) -> Result<Place> {
    let parent = parent_of(tree, document);
    let ids: Vec<Bson> = parent.iter().chain([id]).cloned().collect();
    let fields = doc! { tree.above: 1, tree.path: 1 };
    let read = driver::read_by(db, meta.collection, "_id", &ids, &fields, session).await?;
    let own = IdKey::new(id);
    let mut stored = read.iter();
    let stored = stored.find(|stored| stored.get("_id").map(IdKey::new).as_ref() == Some(&own));
    let (path, unchanged) = match (stored, &parent) {
        (Some(stored), _) => {
            let above = stored.get(tree.above);
            if above.filter(|above| **above != Bson::Null) != parent.as_ref() {
                return Err(Error::OtherParent {
                    model: meta.name,
                    id: Box::new(id.clone()),
                });
            }
            let path = path_of(tree, stored);
            let same = doc! { tree.above: { "$eq": &parent }, tree.path: { "$eq": &path } };
            (path, same)
        }
        (None, Some(parent)) => {
            let path = ancestors_of_children(meta, tree, parent, &by_id(tree, &read))?;
            (path, doc! { tree.path: { "$exists": false } })
        }
        (None, None) => (Vec::new(), doc! { tree.path: { "$exists": false } }),
    };
    Ok(Place {
        document: with_path(meta, tree, document, &path)?,
        is_new: stored.is_none(),
        unchanged,
    })
}

/// The stored ancestors of documents.
type Paths = IdMap<Vec<Bson>>;

async fn read_paths(
    db: &Database,
    meta: &'static ModelMeta,
    tree: TreeFields,
    ids: &[Bson],
    session: Option<&mut ClientSession>,
) -> Result<Paths> {
    if ids.is_empty() {
        return Ok(Paths::default());
    }
    let fields = doc! { tree.path: 1 };
    let read = driver::read_by(db, meta.collection, "_id", ids, &fields, session).await?;
    Ok(by_id(tree, &read))
}

fn by_id(tree: TreeFields, read: &[Document]) -> Paths {
    let paths = read
        .iter()
        .filter_map(|stored| Some((IdKey::new(stored.get("_id")?), path_of(tree, stored))));
    paths.collect()
}

fn path_of(tree: TreeFields, stored: &Document) -> Vec<Bson> {
    stored.get_array(tree.path).cloned().unwrap_or_default()
}

fn parent_of(tree: TreeFields, raw: &RawDocumentBuf) -> Option<Bson> {
    let above = raw.get(tree.above).ok().flatten()?;
    Bson::try_from(above)
        .ok()
        .filter(|above| *above != Bson::Null)
}

/// The ancestors of the children of this parent.
fn ancestors_of_children(
    meta: &'static ModelMeta,
    tree: TreeFields,
    parent: &Bson,
    paths: &Paths,
) -> Result<Vec<Bson>> {
    let Some(path) = paths.get(&IdKey::new(parent)) else {
        return Err(Error::Dangling {
            model: meta.name,
            field: tree.above.to_owned(),
            target: meta.name,
            ids: vec![parent.clone()],
        });
    };
    if path.len() as u64 >= tree.depth {
        let too_deep = Violation::too_long(tree.path.to_owned(), tree.depth);
        return Err(Error::invalid(meta.name, vec![too_deep]));
    }
    Ok(path.iter().chain([parent]).cloned().collect())
}

fn with_path(
    meta: &'static ModelMeta,
    tree: TreeFields,
    raw: &RawDocumentBuf,
    path: &[Bson],
) -> Result<RawDocumentBuf> {
    let unreadable = |error| unencodable(meta, error);
    let mut document = Document::try_from(raw.as_ref()).map_err(unreadable)?;
    document.insert(tree.path, path);
    RawDocumentBuf::try_from(&document).map_err(unreadable)
}
