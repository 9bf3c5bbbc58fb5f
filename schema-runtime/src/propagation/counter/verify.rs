//! Corrects the number of a parent that may have had children before it was stored.

use bson::oid::ObjectId;
use bson::{Bson, Document, doc};

use super::recount::{Flag, read_flagged_amounts, recount};
use super::{CountState, resume};
use crate::bson_util::id_key::IdKey;
use crate::driver::{self, Database, FindArgs};
use crate::error::{Error, Result};
use crate::graph::flags;
use crate::graph::links::Link;
use crate::propagation::marks::Take;
use crate::schema::stored;

/// The largest number of rounds that finish the flags which existed when the parent was first read.
const ROUNDS: usize = 20;

/// Corrects the numbers of marked parents that match `filter` from their children, and clears the marks; returns the number of these
/// parents.
///
/// # Errors
/// The driver's, and [`Error::Busy`]. After an error the marks stay.
pub(crate) async fn verify(
    db: &Database,
    link: &'static Link,
    filter: Document,
    take: &mut Take<'_>,
) -> Result<u64> {
    let mut fields = doc! { stored::UNCONFIRMED: 1 };
    fields.extend(link.tenant());
    let args = FindArgs {
        projection: Some(fields),
        ..FindArgs::default()
    };
    let mut verified = 0;
    let mut rows = driver::open(db, link.host.collection, filter, args, None).await?;
    while let Some(row) = rows.next(|raw| Ok(Document::try_from(raw).ok())).await? {
        let Some(host) = row else { continue };
        let id = host.get("_id").cloned().unwrap_or(Bson::Null);
        let tokens = link
            .marks(&host)
            .filter_map(|mark| mark.get_object_id(stored::TOKEN).ok());
        let tokens: Vec<ObjectId> = tokens.collect();
        if !tokens.is_empty() && take(&id, &tokens) {
            verify_parent(db, link, (&id, &link.inside(&host)), &tokens).await?;
            verified += 1;
        }
    }
    Ok(verified)
}

/// First finishes the flags that existed, or may have existed, before the parent: their writer may have found no parent, and be about to
/// clear the flag without counting. Later flags are counted as usual.
async fn verify_parent(
    db: &Database,
    link: &'static Link,
    (id, inside): (&Bson, &Document),
    tokens: &[ObjectId],
) -> Result<()> {
    let parent = (link.host.collection, IdKey::new(id));
    let pending = || async {
        let flags =
            read_flagged_amounts(db, link, &parent, (id, inside), &CountState::default()).await?;
        Ok::<Vec<Flag>, Error>(flags.into_keys().collect())
    };
    let mut before = pending().await?;
    let mut rounds = 0;
    while !before.is_empty() {
        if rounds == ROUNDS {
            return Err(Error::Busy {
                what: format!("{} of {id}", link.name),
            });
        }
        rounds += 1;
        let which: Vec<ObjectId> = before.iter().map(|(token, _)| *token).collect();
        let filter = doc! { stored::UNCOUNTED_TOKEN: { "$in": which } };
        resume(db, link.child.collection, filter, &mut |_| true).await?;
        let now = pending().await?;
        before.retain(|flag| now.contains(flag));
    }
    fault!("begin_after_flags");
    if recount(db, link, id, &doc! {}).await?.is_some() {
        fault!("begin_after_recount");
        let marked =
            doc! { "_id": { "$eq": id }, stored::UNCONFIRMED_TOKEN: { "$in": tokens.to_vec() } };
        let update = doc! { "q": marked, "u": flags::unmark_links(tokens) };
        driver::statements(db, link.host.collection, &[update], false, None).await?;
    }
    Ok(())
}
