//! The comparison of new copies with their sources, and the withdrawal of a write whose source does not exist.

use bson::oid::ObjectId;
use bson::{Bson, Document, doc};
use futures::future::BoxFuture;

use super::{into_pending, pending_marks};
use crate::driver::{self, Database};
use crate::error::Result;
use crate::graph::edges::{Edge, Edges};
use crate::graph::flags;
use crate::outcome::Pending;
use crate::propagation::fill::dangling;
use crate::propagation::target::{Missing, Unverified};
use crate::propagation::{delete, target};
use crate::schema::relation::OnDelete;
use crate::schema::stored;

/// Verifies new copies against their sources. A failure is pending. A missing source is an error, after the write was withdrawn as
/// `withdraw` defines, or the reference was handled by its rule.
pub(super) fn verify_new_copies<'f>(
    db: &'f Database,
    collection: &'static str,
    token: ObjectId,
    documents: &'f [Unverified],
    withdraw: Withdraw,
) -> BoxFuture<'f, Result<Vec<Pending>>> {
    Box::pin(async move {
        let mut pending = Vec::new();
        let missing = match withdraw {
            Withdraw::Rule => Missing::Apply,
            Withdraw::Document | Withdraw::Elements => Missing::Report,
        };
        if let [_, _, ..] = documents {
            let references: Vec<_> = documents
                .iter()
                .flat_map(|one| one.references.iter().cloned())
                .collect();
            let ids: Vec<&Bson> = documents.iter().map(|one| &one.id).collect();
            let tenant = target::common(documents.iter().map(|one| &one.tenant));
            let of = (&references[..], tenant);
            let together = target::verify_together(db, collection, token, of, &ids).await;
            match together {
                Ok(true) => return Ok(pending),
                // Checking them one by one shows which document refers to a target that does not exist.
                Ok(false) => {}
                Err(error) => {
                    return into_pending(error, pending_marks(collection, token, &references));
                }
            }
        }
        for page in documents.chunks(target::DOCUMENTS) {
            let verified = match target::verify(db, collection, page, missing).await {
                Ok(verified) => verified,
                Err(error) => {
                    let references: Vec<_> =
                        page.iter().flat_map(|one| one.references.clone()).collect();
                    pending.extend(into_pending(
                        error,
                        pending_marks(collection, token, &references),
                    )?);
                    continue;
                }
            };
            for (_, reason) in verified.failed {
                let references: Vec<_> =
                    page.iter().flat_map(|one| one.references.clone()).collect();
                let mut marks = pending_marks(collection, token, &references);
                marks
                    .iter_mut()
                    .for_each(|mark| mark.reason = Some(reason.clone()));
                pending.extend(marks);
            }
            let lost: Vec<_> = verified
                .orphans
                .iter()
                .chain(&verified.applied)
                .filter(|orphan| orphan.edge.on_delete != OnDelete::Keep)
                .collect();
            if let Some(first) = lost.first() {
                let edge = first.edge;
                for document in page.iter().filter(|_| withdraw != Withdraw::Rule) {
                    let keys: Vec<_> = lost
                        .iter()
                        .filter(|orphan| orphan.id == document.id)
                        .map(|orphan| (orphan.edge, orphan.key.clone()))
                        .collect();
                    if !keys.is_empty() {
                        withdraw.undo(db, collection, document, &keys).await?;
                    }
                }
                let keys = lost.iter().filter(|orphan| std::ptr::eq(orphan.edge, edge));
                return Err(dangling(edge, keys.map(|orphan| orphan.key.clone())));
            }
        }
        Ok(pending)
    })
}

/// The way to withdraw a write whose source does not exist.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Withdraw {
    /// The document was inserted: it is deleted again.
    Document,
    /// Elements were added to an array: they are pulled again.
    Elements,
    /// A value was replaced, and the old value is not known: the reference follows its delete rule, as if its source had been deleted
    /// after this write. If the rule refuses, the reference dangles, and stays marked.
    Rule,
}

impl Withdraw {
    async fn undo(
        self,
        db: &Database,
        collection: &'static str,
        document: &Unverified,
        missing: &[(&Edge, Bson)],
    ) -> Result<()> {
        let marked = doc! {
            "_id": { "$eq": &document.id },
            stored::UNVERIFIED_TOKEN: { "$in": &document.tokens },
        };
        if self == Withdraw::Document {
            // Another program may have stored another reference by now: the document is no longer the one that this write stored.
            let dangling = missing
                .iter()
                .map(|(edge, key)| Bson::Document(edge.place.referring(std::slice::from_ref(key))));
            let mut stored = marked.clone();
            stored.insert("$or", dangling.collect::<Vec<_>>());
            // Another program may have propagated the document to its parents by now.
            let deleted = match Edges::get().links_of(collection).next() {
                Some(link) => {
                    let (which, mut tell) = (
                        delete::Which::matching(stored),
                        crate::outcome::progress::Tell::default(),
                    );
                    let deleted = delete::delete(db, link.child, which, None, &mut tell);
                    Box::pin(deleted).await?.deleted
                }
                None => driver::delete_one(db, collection, stored, None).await?,
            };
            if deleted == 0 {
                target::resume(db, collection, marked, &mut |_| true).await?;
            }
            return Ok(());
        }
        let pulls = missing.iter().map(|(edge, key)| edge.place.pull(key));
        let Some(pulls) = pulls.collect::<Option<Vec<Document>>>() else {
            // An element that holds more than its reference must not be removed: its reference follows the delete rule.
            let these = std::slice::from_ref(document);
            target::verify(db, collection, these, Missing::Apply).await?;
            return Ok(());
        };
        let pulls = pulls.into_iter();
        let mut updates: Vec<Document> =
            pulls.map(|pull| doc! { "q": &marked, "u": pull }).collect();
        updates.push(doc! { "q": marked, "u": flags::unmark(&document.tokens) });
        driver::statements(db, collection, &updates, true, None).await?;
        Ok(())
    }
}
