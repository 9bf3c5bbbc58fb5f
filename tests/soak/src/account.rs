//! Reasons why a copy or derived value may be wrong while programs write: its flag, an event behind the stored position of the follower, or a
//! recorded gap.

use std::collections::HashSet;

use bson::{Bson, Document, doc};
use mongo_model::Database;
use mongodb::change_stream::event::ResumeToken;

use crate::family::Family;
use crate::oracle::{ANY, Stale};

/// The result of one look at a database that is written to.
#[derive(Debug, Default)]
pub struct Account {
    /// Copies and derived values looked at.
    pub copies: usize,
    /// Wrong ones that carry a flag, that a gap covers, or of which an event is behind the position.
    pub flagged: usize,
    pub in_gap: usize,
    pub behind: usize,
    /// Wrong ones that nothing leads to.
    pub unaccounted: Vec<String>,
}

/// The collection whose only document is written to mark a time in the stream.
const CLOCK: &str = "clock";

/// Looks at all copies and derived values, and at the position as of one time, and reads the events that are not behind the position yet.
///
/// # Errors
/// The driver's: also while servers are killed.
pub async fn account(db: &Database, family: Family) -> mongodb::error::Result<Account> {
    let mut session = db.client().start_session().snapshot(true).await?;
    let audit = family.audit_at(db, &mut session).await?;
    let positions = db.collection::<Document>("_dn.followers");
    let position = positions.find_one(doc! {}).session(&mut session).await?;
    let position = position.unwrap_or_default();
    let mut out = Account {
        copies: audit.copies,
        ..Account::default()
    };
    let gaps: Vec<&Document> = position
        .get_array("gaps")
        .into_iter()
        .flatten()
        .filter_map(Bson::as_document)
        .collect();
    // Edges along which sources are awaited.
    let awaited = position.get_array("dangling").into_iter().flatten();
    let awaited: Vec<&str> = awaited.filter_map(Bson::as_str).collect();
    let mut rest = Vec::new();
    for stale in audit.stale {
        if stale.flagged {
            out.flagged += 1;
        } else if gaps.iter().any(|gap| covers(gap, &stale))
            || awaited.contains(&stale.name.as_str())
        {
            out.in_gap += 1;
        } else {
            rest.push(stale);
        }
    }
    if rest.is_empty() {
        return Ok(out);
    }
    let Ok(token) = position.get_document("token") else {
        // Nothing was followed yet: the first start is a gap since ever.
        out.in_gap += rest.len();
        return Ok(out);
    };
    let written = written_since(db, token).await?;
    for stale in rest {
        let is_written = |(collection, id): &(&'static str, Bson)| {
            let mut written = written.iter();
            written
                .any(|(other, key)| other == collection && (*id == ANY || *key == id.to_string()))
        };
        match stale.documents.iter().any(is_written) {
            true => out.behind += 1,
            false => out.unaccounted.push(stale.what),
        }
    }
    Ok(out)
}

/// True if the repair of a gap compares the copy.
fn covers(gap: &Document, stale: &Stale) -> bool {
    let named = ["collection", "references"]
        .iter()
        .find_map(|key| gap.get_str(key).ok());
    gap.get_bool("all").unwrap_or(false)
        || gap.get_str("link").is_ok_and(|link| link == stale.name)
        || named.is_some_and(|name| {
            let mut documents = stale.documents.iter();
            documents.any(|(collection, _)| *collection == name)
        })
}

/// The documents that were written between the place of a token and now.
async fn written_since(
    db: &Database,
    token: &Document,
) -> mongodb::error::Result<HashSet<(String, String)>> {
    let token: ResumeToken = bson::deserialize_from_document(token.clone())?;
    let projection =
        doc! { "$project": { "operationType": 1, "ns": 1, "documentKey": 1, "clusterTime": 1 } };
    let mut stream = db.watch().pipeline([projection]).start_after(token).await?;
    let mark = bson::oid::ObjectId::new();
    let clock = db.collection::<Document>(CLOCK);
    clock.insert_one(doc! { "_id": mark }).await?;
    let mut out = HashSet::new();
    loop {
        let Some(event) = stream.next_if_any().await? else {
            continue;
        };
        let (Some(namespace), Some(key)) = (event.ns, event.document_key) else {
            continue;
        };
        let (collection, id) = (
            namespace.coll.unwrap_or_default(),
            key.get("_id").cloned().unwrap_or(Bson::Null),
        );
        if collection == CLOCK && id == Bson::ObjectId(mark) {
            clock.delete_one(doc! { "_id": mark }).await?;
            return Ok(out);
        }
        out.insert((collection, id.to_string()));
    }
}
