//! Writes copies in one transaction with their source: the level `transactional`. It is bounded, because a transaction holds its
//! writes in memory and blocks other writers; beyond the bound the copies follow after the commit, as at every other level.

use bson::Document;
use bson::oid::ObjectId;
use mongodb::error::TRANSIENT_TRANSACTION_ERROR;

use crate::driver::capabilities::require;
use crate::driver::transaction::Transaction;
use crate::driver::{self, ClientSession, Database};
use crate::error::server::Feature;
use crate::error::{Error, Result};
use crate::graph::edges::{Edge, Edges, Touched};
use crate::graph::source::Source;
use crate::outcome::Pending;
use crate::propagation::counter::apply::CountToken;
use crate::propagation::{counter, source, two_way};

/// The largest number of documents with copies that one transaction writes.
const DOCUMENTS: u64 = 1_000;

/// The largest number of changed sources that one transaction handles.
pub(crate) const SOURCES: i64 = 100;

/// The largest number of attempts of a transaction that meets other writers, before the copies follow after the write instead.
pub(crate) const TRIES: usize = 5;

/// The writes that belong into one transaction with the change of a document.
pub(super) struct TransactionWrites<'w> {
    pub(super) db: &'w Database,
    pub(super) collection: &'static str,
    pub(super) touched: &'w Touched,
    /// The token under which the document is to be counted.
    pub(super) count_token: Option<CountToken>,
}

impl TransactionWrites<'_> {
    /// Updates copies, counts and arrays of parents in the session's transaction; gives the changes that have to follow the commit. After
    /// the library's own transaction (`own`) no array has to.
    pub(super) async fn send(
        &self,
        source: &Source,
        session: &mut ClientSession,
        own: bool,
    ) -> Result<Vec<Pending>> {
        let (db, collection) = (self.db, self.collection);
        fan_out(db, &self.touched.inside, &[source], session).await?;
        if let Some(count_token) = self.count_token {
            let child = [&source.fields];
            counter::in_session(db, collection, count_token, child, session).await?;
        }
        links(db, collection, &[source], session, own).await
    }
}

/// Updates copies from their sources, in the session's transaction. The flags stay: the same fan-out runs again after the commit,
/// and then clears them.
pub(crate) async fn fan_out(
    db: &Database,
    along: &[&'static Edge],
    sources: &[&Source],
    session: &mut ClientSession,
) -> Result<()> {
    for edge in along {
        let mut updates: Vec<Document> = Vec::new();
        let mut documents = 0;
        for source in sources {
            // A revision of 1 was wiped by another program; the pass after the commit puts that right first.
            let Some(key) = source.key(edge).filter(|_| source.revision() > 1) else {
                continue;
            };
            let room = DOCUMENTS - documents + 1;
            let mut holding = edge.place.holding(key, Some(source.revision()));
            holding.extend(source.same_tenant(edge));
            documents += driver::count(
                db,
                edge.target.collection,
                holding,
                Some(room),
                driver::Strings::Exactly,
                driver::ReadOptions::from_primary(),
                Some(session),
            )
            .await?;
            if documents > DOCUMENTS {
                return Ok(());
            }
            updates.push(source::to_copies(edge, source, key));
        }
        let done =
            driver::statements(db, edge.target.collection, &updates, true, Some(session)).await?;
        source::check_index(edge, &done)?;
        if let Some((_, code, message)) = done.failed.into_iter().next() {
            return Err(Error::Refused {
                reference: edge.name.clone(),
                code,
                message,
            });
        }
    }
    Ok(())
}

/// False if the server is a standalone one, which is asked before each write: the copies of a replica set are written in the transaction of
/// their source, and no earlier answer decides that they are not.
pub(crate) async fn has_transactions(db: &Database) -> bool {
    require(db, Feature::Transactions).await.is_ok()
}

/// The result of one attempt.
pub(crate) enum Tried<T> {
    /// The transaction is committed.
    Done(T),
    /// Another writer was first: try again.
    Again,
    /// The server has no transactions, or refuses to write a copy: the copies are propagated after the write.
    GiveUp,
}

/// Ends the transaction that `result` comes from.
pub(crate) async fn end<T>(tx: Transaction, result: Result<T>) -> Result<Tried<T>> {
    let error = match result {
        Ok(done) => match tx.only_commit().await {
            Ok(()) => return Ok(Tried::Done(done)),
            Err(error) => error,
        },
        Err(error) => {
            // If the abort fails, the server ends the transaction by itself.
            let _ = tx.abort().await;
            error
        }
    };
    match error {
        Error::Driver(error) if error.contains_label(TRANSIENT_TRANSACTION_ERROR) => {
            Ok(Tried::Again)
        }
        Error::Unsupported { .. } | Error::Refused { .. } => Ok(Tried::GiveUp),
        error => Err(error),
    }
}

/// Updates the arrays of the parents of these children along two-way references, in the session's transaction, and gives the changes
/// that have to follow the commit. After the library's own transaction (`own`) none have to.
pub(crate) async fn links(
    db: &Database,
    collection: &str,
    sources: &[&Source],
    session: &mut ClientSession,
    own: bool,
) -> Result<Vec<Pending>> {
    let mut pending = Vec::new();
    let links = Edges::get().links().iter();
    for link in links.filter(|link| link.child.collection == collection && link.is_two_way()) {
        let flagged = |source: &&&Source| source.pending.contains(&link.name);
        let children: Vec<&Source> = sources.iter().filter(flagged).copied().collect();
        if children.is_empty() || children.len() as i64 > SOURCES {
            continue;
        }
        // A program that reads the child and then writes the parent, outside of the transaction, leaves a mark. So does a session that
        // may have no open transaction.
        let token = (!own).then(ObjectId::new);
        two_way::inside(db, link, &children, token, session).await?;
        pending
            .extend(token.map(|token| Pending::parents(&link.name, link.host.collection, token)));
    }
    Ok(pending)
}

/// Runs a write in a transaction of its own if copies have to be written with it and the caller gave no session; else without one.
/// `$own` is true in the first case.
macro_rules! with_copies {
    ($db:expr, $inside:expr, $session:ident, $own:ident => $write:expr) => {{
        let mut done = None;
        let inside = $inside && $session.is_none();
        if inside && $crate::write::send::inside::has_transactions($db).await {
            let $own = true;
            for _ in 0..$crate::write::send::inside::TRIES {
                let mut open = $crate::driver::transaction::OpenTransaction::begin($db).await?;
                let result = {
                    let $session = open.session();
                    $write
                };
                let Some(tx) = open.take() else { break };
                match $crate::write::send::inside::end(tx, result).await? {
                    $crate::write::send::inside::Tried::Done(written) => {
                        done = Some(written);
                        break;
                    }
                    $crate::write::send::inside::Tried::Again => {}
                    $crate::write::send::inside::Tried::GiveUp => break,
                }
            }
        }
        match done {
            Some(done) => done,
            None => {
                let $own = false;
                $write?
            }
        }
    }};
}
pub(crate) use with_copies;
