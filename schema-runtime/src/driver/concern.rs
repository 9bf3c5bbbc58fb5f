//! The acknowledgement that writes have to wait for.

use mongodb::options::{Acknowledgment, WriteConcern};
use mongodb::{ClientSession, Database};

use super::{call, capabilities, options};

/// The write concern of durable writes.
pub(crate) fn durable_concern() -> WriteConcern {
    let majority = WriteConcern::builder().w(Acknowledgment::Majority);
    majority.journal(true).build()
}

/// The time at which a write counts as done: as the client is configured, or when no crash of any server can undo it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Lasting {
    /// As the client's write concern says.
    AsConfigured,
    /// On the journal of a majority of the servers; a standalone server is its own majority. Left out inside a session: a transaction
    /// takes no write concern but its own.
    Durable,
}

impl Lasting {
    /// The write concern of a command that is about to be sent.
    pub(super) fn concern(
        self,
        collection: &str,
        session: Option<&mut ClientSession>,
    ) -> Option<WriteConcern> {
        call::note_write();
        self.configured(collection, session)
    }

    fn configured(
        self,
        collection: &str,
        session: Option<&mut ClientSession>,
    ) -> Option<WriteConcern> {
        match self {
            Lasting::Durable if session.is_none() => Some(durable_concern()),
            Lasting::Durable => None,
            Lasting::AsConfigured => {
                let call = call::current().and_then(|call| call.write.concern.clone());
                // A transaction has one, which no model changes.
                call.or_else(|| options::write_concern(collection).filter(|_| session.is_none()))
            }
        }
    }
}

/// The acknowledgement of a command that is sent for a call, perhaps by another task: decided while the call is polled.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Acknowledged {
    /// As [`Lasting::Durable`].
    Durable,
    /// As this write concern says; as the server's default without one.
    As(Option<WriteConcern>),
}

impl Acknowledged {
    /// The write concern of the present call's writes in a collection, where that does not wait until they are durable.
    pub(crate) async fn of_call(db: &Database, collection: &str) -> Self {
        call::note_write();
        let concern = configured(db, collection);
        let nodes = match concern
            .as_ref()
            .map(|concern| (&concern.w, concern.journal))
        {
            // A replica set waits for a majority by default.
            None | Some((None, _)) => None,
            Some((Some(Acknowledgment::Nodes(nodes)), _)) => Some(*nodes),
            // A majority; a name may stand for anything.
            Some(_) => return Acknowledged::Durable,
        };
        let journal = concern.as_ref().and_then(|concern| concern.journal);
        let is_weaker = match nodes {
            // Not acknowledged at all.
            Some(0) => false,
            Some(_) if journal != Some(true) => true,
            // If it is none after all, the write is confirmed before its flag is removed, as where the concern is weaker.
            _ => journal != Some(true) && capabilities::may_be_standalone(db).await,
        };
        match is_weaker {
            true => Acknowledged::As(concern),
            false => Acknowledged::Durable,
        }
    }
}

/// The write concern of the present call, of the model of the collection, or of the handle.
pub(crate) fn configured(db: &Database, collection: &str) -> Option<WriteConcern> {
    let own = Lasting::AsConfigured.configured(collection, None);
    own.or_else(|| db.write_concern().cloned())
}

/// As configured, unless that is not acknowledged at all: a step that has to follow a write would not know that it does.
pub(crate) fn acknowledged(db: &Database, collection: &str) -> Lasting {
    let concern = configured(db, collection);
    match concern.and_then(|concern| concern.w) {
        Some(Acknowledgment::Nodes(0)) => Lasting::Durable,
        _ => Lasting::AsConfigured,
    }
}
