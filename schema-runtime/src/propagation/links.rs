//! The propagation from children to the derived data of their parents.

use bson::oid::ObjectId;
use bson::{Document, doc};
use futures::future::BoxFuture;

use crate::driver::{self, Database};
use crate::error::Result;
use crate::graph::flags;
use crate::graph::links::{Keeps, Link};
use crate::graph::source::Source;
use crate::propagation::marks::{ApplyResult, Take};
use crate::propagation::{counter, recent, two_way};
use crate::schema::stored;

/// Makes the derived data of one link match these children, and removes the children from the derived data of their former parents.
///
/// # Errors
/// The errors that affect all children. After an error all flags stay.
pub(crate) async fn apply(
    db: &Database,
    link: &'static Link,
    children: &[&Source],
) -> Result<ApplyResult> {
    match &link.keeps {
        Keeps::Ids { .. } => two_way::apply(db, link, children).await,
        Keeps::Recent(list) => recent::apply(db, link, list, children).await,
        Keeps::Number(_) => Ok(ApplyResult::default()),
    }
}

/// Clears marks of parents. `confirmed` means that every child was as it was read when its own flags were cleared; otherwise the marked
/// data is compared again.
///
/// # Errors
/// As [`apply`]. After an error all marks stay.
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
        let marked = doc! { stored::UNCONFIRMED_TOKEN: { "$in": marks.to_vec() } };
        if confirmed {
            let update = doc! { "q": marked, "u": flags::unmark_links(marks), "multi": true };
            driver::statements(db, link.host.collection, &[update], false, None).await?;
            return Ok(());
        }
        verify_those(db, link, marked, &mut |_, _| true).await?;
        Ok(())
    })
}

/// Lists that may lack children: each link with the tokens of the marks of its lists.
pub(crate) type ToRefill = Vec<(&'static Link, Vec<ObjectId>)>;

/// Adds lists to those that are refilled later. Until then the marks say that the lists may lack children.
pub(crate) fn collect_refills(lists: &mut ToRefill, more: ToRefill) {
    for (link, tokens) in more {
        match lists.iter_mut().find(|(known, _)| known.name == link.name) {
            Some((_, known)) => known.extend(tokens),
            None => lists.push((link, tokens)),
        }
    }
}

/// Refills each list once, no matter how many marks it has. Skips parents that are being deleted.
///
/// # Errors
/// As [`apply`]. After an error all marks stay.
pub(crate) async fn refill(db: &Database, lists: ToRefill) -> Result<()> {
    for (link, tokens) in lists {
        let marked = doc! {
            stored::UNCONFIRMED_TOKEN: { "$in": tokens },
            stored::TOMBSTONE: { "$exists": false },
        };
        verify_those(db, link, marked, &mut |_, _| true).await?;
        fault!("recent_after_refill");
    }
    Ok(())
}

/// Compares the derived data of one link with the children wherever a mark says that this has not been done. Clears the marks of the
/// parents that meet a condition and that `take` accepts by their tokens. Returns the number of parents that were compared.
///
/// # Errors
/// The errors that affect all parents. After an error all marks stay.
pub(crate) async fn verify(
    db: &Database,
    link: &'static Link,
    among: &Document,
    take: &mut Take<'_>,
) -> Result<u64> {
    let mut marked = doc! {
        stored::UNCONFIRMED_TOKEN: { "$exists": true },
        stored::UNCONFIRMED_LINK: &link.name,
    };
    marked.extend(among.clone());
    verify_those(db, link, marked, take).await
}

async fn verify_those(
    db: &Database,
    link: &'static Link,
    filter: Document,
    take: &mut Take<'_>,
) -> Result<u64> {
    match &link.keeps {
        Keeps::Ids { .. } => two_way::verify(db, link, filter, take).await,
        Keeps::Recent(list) => recent::verify(db, link, list, filter, take).await,
        Keeps::Number(_) => counter::verify(db, link, filter, take).await,
    }
}
