//! The result of a write.

pub(crate) mod deleted;
pub(crate) mod progress;
#[cfg(feature = "driver")]
pub(crate) mod recorded;

use std::fmt;

use bson::Bson;
use bson::oid::ObjectId;

use crate::schema::outbox::Outbox;

/// The result of a write, and the work that it left pending.
///
/// The write itself stands. If `pending` is not empty, copies have yet to be brought up to date, because that failed,
/// because the call was lazy, or because it ran in a session whose transaction has to commit first: they are flagged
/// durably, and [`after_commit`](crate::after_commit), [`recover`](crate::recover) or a [`Sweeper`](crate::Sweeper)
/// brings them up to date.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Outcome {
    /// Documents that were inserted.
    pub inserted: u64,
    /// Documents that met the filter.
    pub matched: u64,
    /// Documents that are different now. A change of copied fields counts every document that it matched.
    pub modified: u64,
    /// Copies that are flagged as not up to date yet.
    pub pending: Vec<Pending>,
}

impl Outcome {
    /// Notes the pending work in the transaction of the call, if it has one.
    #[cfg(feature = "driver")]
    pub(crate) fn noted(mut self, notes: Option<&mut Vec<Pending>>) -> Self {
        Pending::note_all(&mut self.pending, notes);
        self
    }
}

/// Copies that are flagged as not up to date yet.
#[derive(Debug, Clone, PartialEq)]
pub struct Pending {
    pub(crate) edge: String,
    pub(crate) collection: String,
    pub(crate) what: What,
    pub(crate) reason: Option<String>,
}

/// The documents that carry the flag.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum What {
    /// The source with this `_id`.
    Source(Bson),
    /// The sources that one `update_many` changed, with their token.
    Sources(ObjectId),
    /// Documents with copies that are marked under this token.
    Targets(ObjectId),
    /// Documents that have to be counted under this token.
    Counted(ObjectId),
    /// The first document of a delete, by its `_id`, with the delete's token.
    Delete(Bson, ObjectId),
    /// Parents whose lists a transaction changed under this token.
    Parents(ObjectId),
    /// Documents that hold entries of this list under this token.
    Entries(Outbox, ObjectId),
}

impl Pending {
    /// The pending work of one document that the server refused to change.
    pub(crate) fn refused(edge: &str, collection: &str, id: Bson, reason: String) -> Self {
        Pending {
            edge: edge.to_owned(),
            collection: collection.to_owned(),
            what: What::Source(id),
            reason: Some(reason),
        }
    }

    /// Entries under this token that documents of a collection hold.
    pub(crate) fn entries(outbox: Outbox, collection: &str, token: ObjectId) -> Pending {
        Pending {
            edge: format!("the {} of {collection}", outbox.name()),
            collection: collection.to_owned(),
            what: What::Entries(outbox, token),
            reason: None,
        }
    }

    /// Adds the changes that the present call has recorded in a transaction, and notes all pending work in that transaction.
    #[cfg(feature = "driver")]
    fn note_all(pending: &mut Vec<Pending>, notes: Option<&mut Vec<Pending>>) {
        let recorded = recorded::take(true).into_iter();
        let entries =
            recorded.map(|one| Pending::entries(Outbox::History, one.collection, one.token));
        pending.extend(entries);
        if let Some(notes) = notes {
            notes.extend(pending.iter().cloned());
        }
    }

    /// Lists of parents that a transaction changed and that have not been compared with the children since.
    pub(crate) fn parents(link: &str, collection: &str, token: ObjectId) -> Self {
        Pending {
            edge: link.to_owned(),
            collection: collection.to_owned(),
            what: What::Parents(token),
            reason: None,
        }
    }

    /// The reference: the collection that holds the copies, and the path: `products.parts`.
    #[must_use]
    pub fn reference(&self) -> &str {
        &self.edge
    }

    /// The collection that carries the flag: the source's, where its change has not reached the copies, otherwise that
    /// of the copies.
    #[must_use]
    pub fn collection(&self) -> &str {
        &self.collection
    }

    /// The reason why the copies could not be brought up to date, if that was tried.
    #[must_use]
    pub fn reason(&self) -> Option<&str> {
        self.reason.as_deref()
    }
}

impl fmt::Display for Pending {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Pending {
            edge, collection, ..
        } = self;
        match &self.what {
            What::Source(id) => write!(f, "{edge}: copies of {collection} {id}")?,
            What::Sources(_) => write!(f, "{edge}: copies of {collection} changed by one update")?,
            What::Targets(_) => write!(f, "{edge}: new copies in {collection}")?,
            What::Counted(_) => write!(f, "{edge}: documents of {collection} to be counted")?,
            What::Delete(id, _) => write!(f, "{collection}: the delete of {id}")?,
            What::Parents(_) => write!(f, "{edge}: lists in {collection}")?,
            What::Entries(..) => write!(f, "{edge}: not in the log yet")?,
        }
        self.reason
            .as_ref()
            .map_or(Ok(()), |reason| write!(f, ": {reason}"))
    }
}
