//! Documents of trees whose ancestors do not follow from those of their parent: another program has stored them, or has given them
//! another parent.

use bson::{Bson, Document, doc};

use super::report::{Defect, Difference};
use super::rings;
use crate::driver::{self, Database};
use crate::error::Result;
use crate::graph::edges::Edge;
use crate::propagation::target::{Moving, read_state};
use crate::schema::model::ModelMeta;
use crate::schema::stored;
use crate::schema::tree::TreeFields;
use crate::tenant::Scope;
use crate::write::send::moving::Moves;

/// The reference to the parent in a tree, and the fields of the tree.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Tree {
    pub(crate) edge: &'static Edge,
    fields: TreeFields,
}

/// The trees of these models.
pub(crate) fn trees(models: Option<&[&'static ModelMeta]>) -> impl Iterator<Item = Tree> {
    rings::edges(models).filter_map(|edge| {
        let fields = TreeFields::of(edge.target)?;
        (edge.place.path() == fields.above).then_some(Tree { edge, fields })
    })
}

impl Tree {
    /// The moves of its documents.
    pub(crate) fn moves(self, db: &Database) -> Moves<'_> {
        Moves {
            db,
            meta: self.edge.target,
            tree: self.fields,
        }
    }

    /// The documents whose ancestors are not those of their parent and the parent, by one `aggregate` that looks up each parent. A document
    /// without its parent is left out: its reference is reported.
    ///
    /// A document that looks wrong is read once more, and is flagged while a document of the tree moves, or if the document is marked.
    pub(crate) async fn find_wrong(self, db: &Database, scope: &Scope) -> Result<Vec<Difference>> {
        let found = self.find(db, scope, Document::new()).await?;
        if found.is_empty() {
            return Ok(found);
        }
        let collection = self.edge.target.collection;
        let before = read_state(db, collection).await?;
        let ids: Vec<&Bson> = found.iter().map(|one| &one.id).collect();
        let mut wrong = self.find(db, scope, doc! { "_id": { "$in": ids } }).await?;
        let states = [before, read_state(db, collection).await?];
        let moves = states
            .iter()
            .flatten()
            .any(|state| Moving::read(state).is_some());
        let moves = moves || states[0] != states[1];
        wrong.iter_mut().for_each(|one| one.flagged |= moves);
        Ok(wrong)
    }

    async fn find(self, db: &Database, scope: &Scope, among: Document) -> Result<Vec<Difference>> {
        let TreeFields { above, path, .. } = self.fields;
        let collection = self.edge.target.collection;
        let own = format!("${above}");
        let of_parent = format!("${}.{path}", stored::OWN);
        let of_parent = doc! { "$ifNull": [{ "$arrayElemAt": [of_parent, 0] }, []] };
        let below = doc! { "$concatArrays": [of_parent, [&own]] };
        let is_there = doc! { "$gt": [{ "$size": format!("${}", stored::OWN) }, 0] };
        let is_root = doc! { "$eq": [{ "$ifNull": [&own, null] }, null] };
        let cases = [
            doc! { "case": is_root, "then": [] },
            doc! { "case": is_there, "then": below },
        ];
        let want = doc! { "$switch": { "branches": cases.to_vec(), "default": null } };
        let have = doc! { "$ifNull": [format!("${path}"), null] };
        let differs = doc! { "$and": [{ "$ne": ["$want", null] }, { "$ne": ["$have", "$want"] }] };
        let pipeline = vec![
            doc! { "$match": scope.restrict(collection, among) },
            // No document of the program has a field of these names.
            doc! { "$set": { stored::COPY_REVISION: { "$isArray": [stored::value::UNVERIFIED] } } },
            doc! { "$lookup": { "from": collection, "localField": above, "foreignField": "_id", "as": stored::OWN } },
            doc! { "$project": { "have": have, "want": want, "marked": stored::value::COPY_REVISION } },
            doc! { "$match": { "$expr": differs } },
        ];
        let rows = driver::aggregated(db, collection, pipeline).await?;
        Ok(rows
            .into_iter()
            .filter_map(|row| self.difference(row))
            .collect())
    }

    fn difference(self, mut row: Document) -> Option<Difference> {
        Some(Difference {
            reference: self.edge.name.clone(),
            model: self.edge.target.name,
            id: row.remove("_id")?,
            path: self.fields.path.to_owned(),
            kind: Defect::Stale,
            flagged: row.get_bool("marked").unwrap_or(false),
            have: row.remove("have").filter(|have| *have != Bson::Null),
            want: row.remove("want"),
        })
    }

    /// Stores the ancestors that the parents say, from the top down: the children of a corrected document are wrong until the next round.
    /// Sends per round the `aggregate` that finds them, and one durable `update`. Leaves what is deeper than the tree may be, as in rings.
    /// Gives the number of corrected documents.
    pub(crate) async fn correct(
        self,
        db: &Database,
        scope: &Scope,
        mut wrong: Vec<Difference>,
    ) -> Result<u64> {
        let mut corrected = 0;
        for _ in 0..=self.fields.depth {
            let updates: Vec<Document> = wrong
                .into_iter()
                .filter_map(|one| self.update(one))
                .collect();
            if updates.is_empty() {
                break;
            }
            let collection = self.edge.target.collection;
            let sent = driver::statements(db, collection, &updates, false, None).await?;
            corrected += sent.modified;
            wrong = self.find_wrong(db, scope).await?;
        }
        Ok(corrected)
    }

    fn update(self, wrong: Difference) -> Option<Document> {
        let TreeFields {
            above, path, depth, ..
        } = self.fields;
        let Some(Bson::Array(want)) = wrong.want else {
            return None;
        };
        if want.len() as u64 > depth {
            return None;
        }
        let have = wrong.have.unwrap_or(Bson::Null);
        let parent = want.last().cloned().unwrap_or(Bson::Null);
        let still =
            doc! { "_id": { "$eq": wrong.id }, path: { "$eq": have }, above: { "$eq": parent } };
        Some(doc! { "q": still, "u": { "$set": { path: want } } })
    }
}
