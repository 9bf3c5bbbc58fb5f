//! New documents of trees while others move: their ancestors are compared with those of the parent, in the revision of the latest move.

use std::collections::HashMap;
use std::time::Duration;

use bson::{Bson, Document, doc};

use super::Unverified;
use crate::bson_util::id_key::IdKey;
use crate::bson_util::number::integer;
use crate::bson_util::stored_id::id_of;
use crate::driver::{self, Database, FindArgs, Rows};
use crate::error::{Error, Result};
use crate::schema::registry::model_in;
use crate::schema::stored;
use crate::schema::tree::TreeFields;

/// The number of documents whose ancestors one statement changes.
const DOCUMENTS: usize = 1_000;

/// The number of times that a call looks at a move of another program that makes no progress; each wait is twice as long as the one before.
const LOOKS: u32 = 5;
const FIRST: Duration = Duration::from_millis(5);

/// A move that is under way, as the document of the tree says.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Moving {
    /// The number of the move: later moves in this tree have greater ones.
    pub(crate) revision: i64,
    pub(crate) node: Bson,
    /// The new parent; null for none.
    pub(crate) to: Bson,
    /// The new ancestors, once these are decided.
    pub(crate) path: Option<Vec<Bson>>,
    /// The number of documents below that are moved.
    pub(crate) done: i64,
    /// The call that has begun it.
    pub(crate) token: Bson,
    /// The tenant of both documents, if the model has one.
    pub(crate) tenant: Option<Bson>,
}

impl Moving {
    pub(crate) fn read(stored: &Document) -> Option<Self> {
        let moving = stored.get_document("moving").ok()?;
        Some(Moving {
            revision: integer(stored.get("revision"))?,
            node: moving.get("node")?.clone(),
            to: moving.get("to")?.clone(),
            path: moving.get_array("path").ok().cloned(),
            done: integer(moving.get("done")).unwrap_or(0),
            token: moving.get("token")?.clone(),
            tenant: moving.get("tenant").cloned(),
        })
    }

    /// True if this is the moved document, in its new place.
    pub(crate) fn has_placed(&self, tree: TreeFields, stored: &Document) -> bool {
        let path = stored.get_array(tree.path).ok();
        stored.get("_id") == Some(&self.node)
            && stored.get(tree.above).unwrap_or(&Bson::Null) == &self.to
            && (self.path.is_none() || path == self.path.as_ref())
    }
}

/// The document of a tree; `None` if no document in it was ever moved.
pub(crate) async fn read_state(db: &Database, collection: &str) -> Result<Option<Document>> {
    let ids = [Bson::from(collection)];
    let all = Document::new();
    let found = driver::read_by(db, stored::TREES, "_id", &ids, &all, None).await?;
    Ok(found.into_iter().next())
}

/// True if the collection is a tree in which a document was ever moved: new documents there are compared with their parents. Sends one `find`
/// if it is a tree.
pub(crate) async fn has_moved(db: &Database, collection: &str) -> Result<bool> {
    let is_tree = model_in(collection).and_then(TreeFields::of).is_some();
    Ok(is_tree && read_state(db, collection).await?.is_some())
}

/// Waits for a move that is under way, as long as it makes progress. Gives the move that makes none.
pub(crate) async fn wait(db: &Database, collection: &str) -> Result<Option<Moving>> {
    let (mut seen, mut looks) = (None, 0);
    loop {
        let now = read_state(db, collection).await?;
        let now = now.as_ref().and_then(Moving::read);
        if now.is_none() || looks == LOOKS {
            return Ok(now);
        }
        looks = if now == seen { looks + 1 } else { 0 };
        seen = now;
        tokio::time::sleep(FIRST * 2_u32.pow(looks)).await;
    }
}

/// Corrects the ancestors of marked documents of a tree, and of the documents below them. Gives the reason if a move of another program has to
/// end first; then the marks stay.
///
/// The own revision is read first, then the move that is under way, then the parent: whatever moves after that finds the document in its
/// place. A corrected document is compared once more.
pub(super) async fn compare(
    db: &Database,
    collection: &str,
    documents: &[Unverified],
) -> Result<Option<String>> {
    let Some(tree) = model_in(collection).and_then(TreeFields::of) else {
        return Ok(None);
    };
    let ids: Vec<Bson> = documents.iter().map(|one| one.id.clone()).collect();
    let own = doc! { tree.above: 1, tree.path: 1, stored::OWN: 1 };
    loop {
        let children = driver::read_by(db, collection, "_id", &ids, &own, None).await?;
        let Some(state) = read_state(db, collection).await? else {
            return Ok(None);
        };
        // The moved document itself has its place; those below it follow.
        let is_placed = |moving: &Moving| {
            let mut all = children.iter();
            moving.path.is_some() && all.all(|child| moving.has_placed(tree, child))
        };
        if let Some(moving) = Moving::read(&state) {
            if is_placed(&moving) {
                return Ok(None);
            }
            if let Some(moving) = wait(db, collection).await? {
                return Ok(Some(format!(
                    "{} is being moved in {collection}",
                    moving.node
                )));
            }
        }
        let keys = children.iter().filter_map(|child| parent_of(tree, child));
        let keys: Vec<Bson> = keys.collect();
        let parents = driver::durable_read(db, collection, "_id", &keys, &own).await?;
        let parents = parents
            .iter()
            .filter_map(|one| Some((IdKey::new(one.get("_id")?), one)));
        let parents: HashMap<IdKey, &Document> = parents.collect();
        let moves = children.iter().filter_map(|child| {
            let key = parent_of(tree, child)?;
            let parent = parents.get(&IdKey::new(&key))?;
            let revision = revision_of(parent).filter(|revision| *revision > 0)?;
            let path = parent.get_array(tree.path).ok()?.iter().cloned();
            Some((
                child,
                Rewrite {
                    collection,
                    tree,
                    node: child.get("_id")?.clone(),
                    path: path.chain([key]).collect(),
                    revision,
                },
            ))
        });
        let moves: Vec<(&Document, Rewrite<'_>)> = moves.collect();
        let stale = moves
            .iter()
            .filter(|(child, one)| revision_of(child) < Some(one.revision));
        let stale: Vec<Document> = stale.map(|(_, one)| one.own_statement()).collect();
        driver::statements(db, collection, &stale, false, None).await?;
        fault!("after_place");
        if has_outdated(db, &moves).await? {
            for (_, one) in &moves {
                let mut rows = one.find_below(db).await?;
                while one.change_next(db, &mut rows).await?.is_some() {}
            }
        }
        if stale.is_empty() {
            return Ok(None);
        }
    }
}

/// True if documents below these may have ancestors of an earlier move.
async fn has_outdated(db: &Database, moves: &[(&Document, Rewrite<'_>)]) -> Result<bool> {
    let Some((_, first)) = moves.first() else {
        return Ok(false);
    };
    let nodes: Vec<&Bson> = moves.iter().map(|(_, one)| &one.node).collect();
    let latest = moves.iter().map(|(_, one)| one.revision).max();
    let below =
        doc! { first.tree.path: { "$in": nodes }, stored::PLACE: { "$not": { "$gte": latest } } };
    let args = FindArgs {
        projection: Some(doc! { "_id": 1 }),
        ..FindArgs::default()
    };
    let found = driver::first(db, first.collection, below, args, None, |_| Ok(())).await?;
    Ok(found.is_some())
}

fn parent_of(tree: TreeFields, stored: &Document) -> Option<Bson> {
    stored
        .get(tree.above)
        .filter(|above| **above != Bson::Null)
        .cloned()
}

/// The revision of the move after which the ancestors were stored.
fn revision_of(stored: &Document) -> Option<i64> {
    let own = stored.get_document(stored::OWN).ok();
    Some(integer(own.and_then(|own| own.get(stored::key::PLACE))).unwrap_or(0))
}

/// New ancestors of a document and of those below it, of one revision of the tree.
#[derive(Debug)]
pub(crate) struct Rewrite<'r> {
    pub(crate) collection: &'r str,
    pub(crate) tree: TreeFields,
    pub(crate) node: Bson,
    pub(crate) path: Vec<Bson>,
    pub(crate) revision: i64,
}

impl Rewrite<'_> {
    /// The condition that a document has the ancestors of an earlier move.
    pub(crate) fn outdated(&self) -> Document {
        doc! { stored::PLACE: { "$not": { "$gte": self.revision } } }
    }

    /// The statement that stores the ancestors of the document itself, if it has this parent.
    fn own_statement(&self) -> Document {
        let mut q =
            doc! { "_id": { "$eq": &self.node }, self.tree.above: { "$eq": self.path.last() } };
        q.extend(self.outdated());
        doc! { "q": q, "u": { "$set": { self.tree.path: &self.path, stored::PLACE: self.revision } } }
    }

    fn outdated_below(&self) -> Document {
        let mut filter = doc! { self.tree.path: { "$eq": &self.node } };
        filter.extend(self.outdated());
        filter
    }

    /// Finds the documents below, along the index of the ancestors.
    pub(crate) async fn find_below(&self, db: &Database) -> Result<Rows<'static>> {
        let args = FindArgs {
            projection: Some(doc! { "_id": 1 }),
            batch_size: u32::try_from(DOCUMENTS).ok(),
            ..FindArgs::default()
        };
        let filter = self.outdated_below();
        driver::open(db, self.collection, filter, args, None).await
    }

    /// Stores the ancestors of the next 1,000 documents by one `update`: each keeps those from the moved document on. Gives the number that it has
    /// changed; `None` behind the last.
    ///
    /// # Errors
    /// [`Error::Refused`] if the server refuses a change; the driver's.
    pub(crate) async fn change_next(
        &self,
        db: &Database,
        rows: &mut Rows<'static>,
    ) -> Result<Option<u64>> {
        let mut ids = Vec::new();
        while ids.len() < DOCUMENTS
            && let Some(id) = rows.next(|raw| Ok(id_of(raw))).await?
        {
            ids.push(id);
        }
        if ids.is_empty() {
            return Ok(None);
        }
        let (path, mut q) = (self.tree.path, doc! { "_id": { "$in": ids } });
        q.extend(self.outdated_below());
        let field = format!("${path}");
        let from = doc! { "$indexOfArray": [&field, { "$literal": &self.node }] };
        let rest = doc! { "$slice": [&field, from, { "$size": &field }] };
        let next = doc! { "$concatArrays": [{ "$literal": &self.path }, rest] };
        let update = doc! {
            "q": q,
            "u": [{ "$set": { path: next, stored::PLACE: self.revision } }],
            "multi": true,
            "hint": { "_id": 1 },
        };
        let sent = driver::statements(db, self.collection, &[update], true, None).await?;
        match sent.failed.into_iter().next() {
            Some((_, code, message)) => Err(Error::Refused {
                reference: format!("{}.{path}", self.collection),
                code,
                message,
            }),
            None => Ok(Some(sent.modified)),
        }
    }
}
