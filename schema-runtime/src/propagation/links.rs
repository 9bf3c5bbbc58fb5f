//! From children to what their parents keep of them.

use bson::oid::ObjectId;
use bson::{Bson, Document, doc};
use futures::future::BoxFuture;

use crate::error::Result;
use crate::graph::flags;
use crate::graph::links::{Keeps, Link};
use crate::graph::source::Source;
use crate::propagation::{counter, recent, two_way};
use crate::{Database, driver};

/// What a round over some children did to their parents.
#[derive(Debug, Default)]
pub(crate) struct ApplyResult {
    /// Children, by their place, whose parents the server refused to change, and why.
    pub(crate) refused: Vec<(usize, String)>,
    /// The marks that were left on parents, each to be taken off once the child is known to be as it was read.
    pub(crate) marks: Vec<ObjectId>,
    /// The marks of lists that were full, have lost some, and may lack others.
    pub(crate) refill: Vec<ObjectId>,
    /// How many parents were changed.
    pub(crate) changed: u64,
}

/// Brings what the parents keep along one link to what these children say; the parents that a child had before lose it.
///
/// # Errors
/// What stops all of them alike. All flags stay then.
pub(crate) async fn apply(
    db: &Database,
    link: &'static Link,
    children: &[&Source],
) -> Result<ApplyResult> {
    match &link.keeps {
        Keeps::Ids { .. } => two_way::apply(db, link, children).await,
        Keeps::Recent(list) => recent::apply(db, link, list, children).await,
        Keeps::Count => Ok(ApplyResult::default()),
    }
}

/// Takes marks off parents. `confirmed` says that every child was as it was read when its own flags went; else what the marks stand
/// for is looked at again.
///
/// # Errors
/// As [`apply`]. All marks stay then.
pub(crate) fn clear_marks<'f>(
    db: &'f Database,
    link: &'static Link,
    marks: &'f [ObjectId],
    confirmed: bool,
) -> BoxFuture<'f, Result<()>> {
    Box::pin(async move {
        if marks.is_empty() {
            return Ok(());
        }
        let marked = doc! { "_dn.v.t": { "$in": marks.to_vec() } };
        if confirmed {
            let update = doc! { "q": marked, "u": flags::unmark_links(marks), "multi": true };
            driver::statements(db, link.host.collection, &[update], false, None).await?;
            return Ok(());
        }
        verify_those(db, link, marked, &mut |_, _| true).await?;
        Ok(())
    })
}

/// Lists that may lack some, by the link, as their marks name them.
pub(crate) type ToRefill = Vec<(&'static Link, Vec<ObjectId>)>;

/// Adds lists to those that are filled up later. Until then their marks say that they may lack some.
pub(crate) fn later(lists: &mut ToRefill, more: ToRefill) {
    for (link, tokens) in more {
        match lists.iter_mut().find(|(known, _)| known.name == link.name) {
            Some((_, known)) => known.extend(tokens),
            None => lists.push((link, tokens)),
        }
    }
}

/// Fills lists up, each once, however many marks it has. Those of parents that go themselves are nobody's business.
///
/// # Errors
/// As [`apply`]. All marks stay then.
pub(crate) async fn refill(db: &Database, lists: ToRefill) -> Result<()> {
    for (link, tokens) in lists {
        let marked = doc! { "_dn.v.t": { "$in": tokens }, "_dn.del": { "$exists": false } };
        verify_those(db, link, marked, &mut |_, _| true).await?;
        fault!("recent_after_refill");
    }
    Ok(())
}

/// Compares what is kept along one link with the children wherever a mark says that nobody has, and takes the marks off: of the
/// parents, with these tokens, that `take` wants. Gives how many were looked at.
///
/// # Errors
/// What stops all of them alike. All marks stay then.
pub(crate) async fn verify(db: &Database, link: &'static Link, take: &mut Take<'_>) -> Result<u64> {
    verify_those(
        db,
        link,
        doc! { "_dn.v.t": { "$exists": true }, "_dn.v.e": &link.name },
        take,
    )
    .await
}

/// Whether to look at the parent with this `_id`, which has marks with these tokens.
pub(crate) type Take<'t> = dyn FnMut(&Bson, &[ObjectId]) -> bool + Send + 't;

async fn verify_those(
    db: &Database,
    link: &'static Link,
    filter: Document,
    take: &mut Take<'_>,
) -> Result<u64> {
    match &link.keeps {
        Keeps::Ids { .. } => two_way::verify(db, link, filter, take).await,
        Keeps::Recent(list) => recent::verify(db, link, list, filter, take).await,
        Keeps::Count => counter::verify(db, link, filter, take).await,
    }
}
