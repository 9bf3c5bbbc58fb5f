//! Reverse joins with a filter of its own for each parent: one branch of a `$unionWith` per parent, so that each reads its part of the
//! index.

use bson::{Bson, Document, RawDocument, RawDocumentBuf, doc};

use super::Children;
use crate::driver::{self, ClientSession, Database, Reads};
use crate::error::Result;
use crate::find::operators::{NEAR_AND_TEXT, refuse_operators};
use crate::load::fetch;
use crate::projection;
use crate::projection::Projected;
use crate::schema::model::Model;

/// Parents in one command. The server limits the stages of a pipeline, and plans each branch by itself.
const BRANCHES: usize = 200;

/// Bytes of filters in one command; the server takes 16 MiB.
const BYTES: usize = 8 << 20;

/// The parent at a position, and the filter of its children.
type Branch = (usize, Document);

impl<P: Model, M, O> Children<P, M, O> {
    /// The filters of the parents' children, with the position of each parent. A document without the key has no children.
    fn branches(&self, call: &'static str, keys: &[Bson]) -> Result<Vec<Branch>> {
        let parents = keys.iter().zip(&self.each).enumerate();
        let there = parents.filter(|(_, (key, _))| **key != Bson::Null);
        let branches = there.map(|(n, (key, each))| {
            refuse_operators(P::model_meta().name, call, each, &NEAR_AND_TEXT)?;
            let mine = doc! { &self.path: { "$eq": key } };
            let mut all = vec![self.scope.restrict(P::model_meta(), mine)];
            all.extend(self.filter.clone());
            all.push(each.clone());
            Ok((n, doc! { "$and": all }))
        });
        branches.collect()
    }

    /// Sends one command per chunk of parents. `stages` follow the filter in each branch; `found` gets the position of a parent, and a
    /// document that the stages give for it.
    async fn send_branches(
        &self,
        db: &Database,
        branches: &[Branch],
        stages: &[Document],
        mut session: Option<&mut ClientSession>,
        mut found: impl FnMut(usize, &RawDocument) -> Result<()>,
    ) -> Result<()> {
        let collection = P::model_meta().collection;
        let size = |(_, filter): &Branch| {
            RawDocumentBuf::try_from(filter).map_or(BYTES, |raw| raw.as_bytes().len())
        };
        for chunk in fetch::chunks(branches, BRANCHES, BYTES, size) {
            let mut pipeline = Vec::new();
            for (n, filter) in chunk {
                let position = i64::try_from(*n).unwrap_or(i64::MAX);
                let mut branch = vec![doc! { "$match": filter }];
                branch.extend(stages.iter().cloned());
                branch.push(
                    doc! { "$replaceWith": { "n": { "$literal": position }, "c": "$$ROOT" } },
                );
                if pipeline.is_empty() {
                    pipeline = branch;
                } else {
                    let union = doc! { "coll": collection, "pipeline": branch };
                    pipeline.push(doc! { "$unionWith": union });
                }
            }
            let session = session.as_deref_mut();
            let reads = Reads::AsConfigured;
            let mut rows =
                driver::open_aggregate(db, Some(collection), pipeline, None, reads, session)
                    .await?;
            while let Some(mut batch) = rows.batch().await? {
                while let Some(row) = batch.next() {
                    let row = row?;
                    let position = row.get_i64("n").ok().and_then(|n| usize::try_from(n).ok());
                    if let (Some(n), Ok(child)) = (position, row.get_document("c")) {
                        found(n, child)?;
                    }
                }
            }
        }
        Ok(())
    }

    /// The number of children of each parent that meet its filter.
    pub(super) async fn count_each(
        &self,
        db: &Database,
        keys: &[Bson],
        session: Option<&mut ClientSession>,
    ) -> Result<Vec<u64>> {
        let branches = self.branches("a count per parent", keys)?;
        let mut counts = vec![0; keys.len()];
        let stages = [doc! { "$count": "n" }];
        let found = |n: usize, counted: &RawDocument| {
            let counted = counted.get("n").ok().flatten();
            let counted = counted.and_then(|n| n.as_i64().or_else(|| n.as_i32().map(i64::from)));
            counts[n] = counted.and_then(|n| u64::try_from(n).ok()).unwrap_or(0);
            Ok(())
        };
        self.send_branches(db, &branches, &stages, session, found)
            .await?;
        Ok(counts)
    }
}

impl<P: Model, M, O: Projected<P>> Children<P, M, O> {
    /// The children of each parent that meet its filter.
    pub(super) async fn find_each(
        &self,
        db: &Database,
        keys: &[Bson],
        session: Option<&mut ClientSession>,
    ) -> Result<Vec<Vec<O>>> {
        let branches = self.branches("a filter per parent", keys)?;
        let mut groups: Vec<Vec<O>> = keys.iter().map(|_| Vec::new()).collect();
        if self.limit == Some(0) {
            return Ok(groups);
        }
        let projection = projection::versions::asked::<P, O>();
        let mut stages = self.cut_stages();
        stages.extend(projection.map(|projection| doc! { "$project": projection }));
        let found = |n: usize, child: &RawDocument| {
            groups[n].push(driver::decode_as::<P, O>(child)?);
            Ok(())
        };
        self.send_branches(db, &branches, &stages, session, found)
            .await?;
        Ok(groups)
    }
}
