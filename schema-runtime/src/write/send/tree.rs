//! Documents of trees: their ancestors follow from those of the parent.

use bson::{Bson, Document, RawDocumentBuf, doc};

use crate::bson_util::id_key::{IdKey, IdMap, IdSet};
use crate::bson_util::stored_id::id_of;
use crate::document::encoding::unencodable;
use crate::driver::{self, ClientSession, Database};
use crate::error::violation::Violation;
use crate::error::{Error, Result};
use crate::propagation::target;
use crate::schema::model::ModelMeta;
use crate::schema::tenant::{of_tenant, own_tenant, tenant_field};
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
    let tenants: Vec<Option<Bson>> = documents.iter().map(|raw| own_tenant(meta, raw)).collect();
    let inside = of_tenant(meta, target::common(&tenants));
    let mut nodes = read_nodes(db, (meta, tree), &parents, &inside, session).await?;
    for (raw, tenant) in documents.iter_mut().zip(tenants) {
        let path = match parent_of(tree, raw) {
            Some(parent) => ancestors_of_children((meta, tree), &parent, tenant.as_ref(), &nodes)?,
            None => Vec::new(),
        };
        *raw = with_path(meta, tree, raw, &path)?;
        nodes.insert(IdKey::new(&id_of(raw)), Node { path, tenant });
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
    let tenant = own_tenant(meta, document);
    let mut fields = fields_of(meta, tree);
    fields.insert(tree.above, 1);
    let (name, inside) = (meta.collection, of_tenant(meta, tenant.as_ref()));
    let read = driver::read_where(db, name, ("_id", &ids), &inside, &fields, session).await?;
    let own = IdKey::new(id);
    let mut stored = read.iter();
    // A document of another tenant is not found; the server refuses a second one with its `_id`.
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
            let nodes = by_id(meta, tree, &read);
            let path = ancestors_of_children((meta, tree), parent, tenant.as_ref(), &nodes)?;
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

/// A document that may have children.
struct Node {
    /// Its ancestors.
    path: Vec<Bson>,
    /// Its tenant, if the model has one.
    tenant: Option<Bson>,
}

impl Node {
    fn read(meta: &ModelMeta, tree: TreeFields, stored: &Document) -> Node {
        let tenant = |field: &str| stored.get(field).cloned().unwrap_or(Bson::Null);
        Node {
            path: path_of(tree, stored),
            tenant: tenant_field(meta).map(tenant),
        }
    }

    fn is_of(&self, tenant: Option<&Bson>) -> bool {
        self.tenant.as_ref().map(IdKey::new) == tenant.map(IdKey::new)
    }
}

type Nodes = IdMap<Node>;

/// The fields of a [`Node`].
fn fields_of(meta: &ModelMeta, tree: TreeFields) -> Document {
    let mut fields = doc! { tree.path: 1 };
    fields.extend(tenant_field(meta).map(|field| (field.to_owned(), 1.into())));
    fields
}

async fn read_nodes(
    db: &Database,
    (meta, tree): (&'static ModelMeta, TreeFields),
    ids: &[Bson],
    inside: &Document,
    session: Option<&mut ClientSession>,
) -> Result<Nodes> {
    if ids.is_empty() {
        return Ok(Nodes::default());
    }
    let fields = fields_of(meta, tree);
    let name = meta.collection;
    let read = driver::read_where(db, name, ("_id", ids), inside, &fields, session).await?;
    Ok(by_id(meta, tree, &read))
}

fn by_id(meta: &ModelMeta, tree: TreeFields, read: &[Document]) -> Nodes {
    let nodes = read.iter().filter_map(|stored| {
        let node = Node::read(meta, tree, stored);
        Some((IdKey::new(stored.get("_id")?), node))
    });
    nodes.collect()
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

/// The ancestors of the children of this parent, which belongs to their tenant.
fn ancestors_of_children(
    (meta, tree): (&'static ModelMeta, TreeFields),
    parent: &Bson,
    tenant: Option<&Bson>,
    nodes: &Nodes,
) -> Result<Vec<Bson>> {
    let node = nodes.get(&IdKey::new(parent));
    let Some(Node { path, .. }) = node.filter(|node| node.is_of(tenant)) else {
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
