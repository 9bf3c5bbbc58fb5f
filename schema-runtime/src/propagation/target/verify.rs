//! I2: reads the sources of marked documents, and applies the rules of references without a source. `correct` has the statements of I3.

use std::ops::Range;

use bson::{Bson, doc};
use futures::future::BoxFuture;

use super::{Missing, Orphan, Unverified, Verified, tree};
use crate::driver::Database;
use crate::error::Result;
use crate::graph::edges::{Edge, Edges};
use crate::propagation::source_reads::ReadMode;
use crate::propagation::sources_by_key::{SourcesByKey, read_by_keys};
use crate::propagation::{delete, keys, source};
use crate::schema::relation::OnDelete;
use crate::schema::stored;

/// The largest number of times that a comparison waits for a source that is being deleted.
const ROUNDS: usize = 4;

/// The comparison of marked documents with their sources.
pub(super) struct Verification<'f> {
    pub(super) db: &'f Database,
    pub(super) collection: &'f str,
    missing: Missing,
    pub(super) sources: SourcesByKey,
    pub(super) out: Verified,
}

/// Marked documents, sorted by the work that their references need.
#[derive(Default)]
struct Sorted<'f> {
    /// Documents whose references all lead to a source, or may dangle: copies are corrected, and the marks are cleared.
    sound: Vec<&'f Unverified>,
    /// Documents with a reference that waits for a source: copies are corrected, and the marks stay.
    waiting: Vec<&'f Unverified>,
    /// Documents with references that have followed their rule, which are in this range of [`Verified::applied`].
    followed: Vec<(&'f Unverified, Range<usize>)>,
}

/// The result for a reference without a source.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum OrphanState {
    /// The rule of the reference was applied.
    Followed,
    /// The reference may dangle. A new source updates the copies that existed before it.
    Dangles,
    /// The writer gets a report, and takes its write back.
    Reported,
    /// The document of the reference stays marked.
    Waits,
}

/// Compares the copies in these documents with their sources (I2), corrects them and clears the marks (I3), one tenant after the other.
///
/// # Errors
/// The errors that affect all documents. After such an error all marks stay.
pub(crate) fn verify<'f>(
    db: &'f Database,
    collection: &'f str,
    documents: &'f [Unverified],
    missing: Missing,
) -> BoxFuture<'f, Result<Verified>> {
    Box::pin(async move {
        let tenant = documents.first().map(|first| &first.tenant);
        let other = |one: &&Unverified| Some(&one.tenant) != tenant;
        if documents.iter().any(|one| other(&one)) {
            let (others, same): (Vec<_>, Vec<_>) =
                documents.iter().cloned().partition(|one| other(&one));
            let mut out = verify(db, collection, &same, missing).await?;
            out.add(verify(db, collection, &others, missing).await?);
            return Ok(out);
        }
        if let Some(reason) = tree::compare(db, collection, documents).await? {
            let failed = documents.iter().map(|one| (one.id.clone(), reason.clone()));
            return Ok(Verified {
                failed: failed.collect(),
                ..Verified::default()
            });
        }
        let mut verification = Verification {
            db,
            collection,
            missing,
            sources: read_sources(db, documents).await?,
            out: Verified::default(),
        };
        fault!("after_i2");
        let sorted = verification.sort_documents(documents).await?;
        verification.correct_sorted(sorted).await?;
        fault!("after_i3");
        if has_onward_copies(collection, documents) {
            let ids: Vec<&Bson> = documents.iter().map(|document| &document.id).collect();
            let filter = doc! { "_id": { "$in": ids }, stored::PENDING: { "$exists": true } };
            source::resume(db, collection, filter, &mut |_| true).await?;
        }
        Ok(verification.out)
    })
}

/// I2: reads the sources. Waits for deletes in progress: afterwards the source is deleted, or live again. Waits for the change of a key as
/// well.
async fn read_sources(db: &Database, documents: &[Unverified]) -> Result<SourcesByKey> {
    let wanted: Vec<_> = documents
        .iter()
        .flat_map(|document| document.references.iter().cloned())
        .collect();
    let tenant = documents.first().and_then(|one| one.tenant.as_ref());
    let mut sources = read_by_keys(db, &wanted, tenant, ReadMode::Durably).await?;
    for _ in 0..ROUNDS {
        let (entombed, held) = (sources.entombed(), sources.held());
        if entombed.is_empty() && held.is_empty() {
            break;
        }
        for (collection, id, token) in held {
            keys::wait(db, &collection, &id, token).await?;
        }
        for (collection, id) in entombed {
            let filter = doc! { "_id": { "$eq": id }, stored::TOMBSTONE: { "$exists": true } };
            Box::pin(delete::help(db, collection, filter)).await?;
        }
        sources = read_by_keys(db, &wanted, tenant, ReadMode::Durably).await?;
    }
    Ok(sources)
}

impl<'f> Verification<'f> {
    /// Applies the rules of references without a source, and sorts the documents by the remaining work.
    async fn sort_documents(&mut self, documents: &'f [Unverified]) -> Result<Sorted<'f>> {
        let mut sorted = Sorted::default();
        for document in documents {
            let mut unreadable = document.references.iter().filter_map(|(edge, key)| {
                let source = self.sources.get(edge, key)?;
                source.unreadable(edge.source)
            });
            if let Some(error) = unreadable.next() {
                let failed = (document.id.clone(), error.to_string());
                self.out.failed.push(failed);
                continue;
            }
            let applied = self.out.applied.len();
            let mut states = Vec::new();
            for (edge, key) in &document.references {
                if self.sources.get(edge, key).is_none() {
                    states.push(self.follow_rule(document, edge, key).await?);
                }
            }
            if states.contains(&OrphanState::Waits) {
                sorted.waiting.push(document);
            } else if states.contains(&OrphanState::Followed) {
                let range = applied..self.out.applied.len();
                sorted.followed.push((document, range));
            } else if !states.contains(&OrphanState::Reported) {
                sorted.sound.push(document);
            }
        }
        Ok(sorted)
    }

    /// Applies the rule of a reference whose source does not exist, unless the writer has to do so.
    async fn follow_rule(
        &mut self,
        document: &Unverified,
        edge: &'static Edge,
        key: &Bson,
    ) -> Result<OrphanState> {
        let orphan = Orphan {
            edge,
            id: document.id.clone(),
            key: key.clone(),
        };
        let apply = self.missing == Missing::Apply;
        if apply && self.sources.is_entombed(edge, key) {
            // The delete of the source may still be undone: the rule waits for the end of the delete.
            let reason = format!("{} {key} is being deleted", edge.source.name);
            self.out.failed.push((document.id.clone(), reason));
            return Ok(OrphanState::Waits);
        }
        if apply && delete::apply_rule(self.db, edge, document, key).await? {
            self.out.applied.push(orphan);
            return Ok(OrphanState::Followed);
        }
        self.out.orphans.push(orphan);
        Ok(match (edge.on_delete, self.missing) {
            (OnDelete::Keep, _) => OrphanState::Dangles,
            (_, Missing::Report) => OrphanState::Reported,
            (_, Missing::Apply) => OrphanState::Waits,
        })
    }

    /// I3 of all documents.
    async fn correct_sorted(&mut self, sorted: Sorted<'f>) -> Result<()> {
        match sorted.sound.as_slice() {
            [one] => self.clear_each(&[one]).await?,
            many => self.clear_grouped(many).await?,
        }
        for document in sorted.waiting {
            self.correct_marked(document).await?;
        }
        for (document, applied) in sorted.followed {
            self.clear_followed(document, applied).await?;
        }
        Ok(())
    }
}

/// True if copies in these documents have copies of their own.
fn has_onward_copies(collection: &str, documents: &[Unverified]) -> bool {
    let edges = Edges::get();
    let mut references = documents.iter().flat_map(|document| &document.references);
    edges.tracks_changes(collection) && references.any(|(edge, _)| !edges.onward(edge).is_empty())
}
