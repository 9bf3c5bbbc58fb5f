//! After I1: copies are compared (I2, I3), and lists and counts of the parents follow.

use std::sync::Arc;

use bson::{Bson, Document};

use super::super::early::{self, Changed, Early, Rest};
use super::super::{
    Withdraw, count_children, inside, into_pending, pending_counts, pending_marks, pending_of,
    verify_new_copies,
};
use super::New;
use crate::driver::ClientSession;
use crate::error::Result;
use crate::graph::edges::Edge;
use crate::graph::source::Source;
use crate::outcome::{Outcome, Pending};
use crate::propagation::counter::Reservations;
use crate::propagation::source;
use crate::propagation::sources_by_key::SourcesByKey;

impl New<'_> {
    /// The pending changes of the copies.
    fn pending_copies(&self) -> Vec<Pending> {
        let marked = self.marked.iter();
        let references: Vec<(&Edge, Bson)> =
            marked.flat_map(|one| one.references.clone()).collect();
        pending_marks(self.meta.collection, self.token, &references)
    }

    /// Everything that is pending once the documents are stored.
    pub(super) fn pending(&self) -> Vec<Pending> {
        let collection = self.meta.collection;
        let mut pending = self.pending_copies();
        let flagged = self.flagged.iter();
        pending.extend(flagged.flat_map(|source| pending_of(collection, source)));
        let counts = self
            .counts()
            .map(|count_token| pending_counts(collection, count_token));
        pending.extend(counts.into_iter().flatten());
        pending
    }

    /// Makes everything follow that follows from the stored documents. `filled` are the sources whose values the documents were stored
    /// with, `sources` those that were read at the same time, `reserved` the places in bounded numbers that no other program releases. Returns
    /// what stays pending.
    pub(super) async fn propagate(
        &mut self,
        filled: Option<SourcesByKey>,
        sources: Option<SourcesByKey>,
        reserved: Option<&Reservations>,
        session: Option<&mut ClientSession>,
    ) -> Result<Vec<Pending>> {
        let (db, collection) = (self.db, self.meta.collection);
        let mut rest = Rest::default();
        if (self.alone || self.answers_early) && !self.flagged.is_empty() {
            // Only a call that waits for everything can say what is pending.
            let flags = match self.answers_early {
                true => Vec::new(),
                false => self.pending(),
            };
            let count_token = self.counts();
            let flagged = std::mem::take(&mut self.flagged).into_iter();
            let flagged: Vec<Arc<Source>> = flagged.map(Arc::new).collect();
            let marked = match self.lazy {
                true => &[],
                false => self.marked.as_slice(),
            };
            let changed = Changed {
                children: flagged.clone(),
                marked,
                count_token,
                sources: sources
                    .as_ref()
                    .or(filled.as_ref())
                    .filter(|_| !marked.is_empty()),
                filled: sources.is_none(),
                reserved: reserved.filter(|_| self.answers_early),
            };
            match early::apply(db, collection, changed, &flags).await? {
                Early::Done(_) if self.lazy => return Ok(self.pending_copies()),
                Early::Done(pending) => return Ok(pending),
                Early::Not(left) => rest = left,
            }
            self.flagged = flagged.into_iter().map(Arc::unwrap_or_clone).collect();
        }
        let pending = self.propagate_in_steps(rest.copied, session).await?;
        rest.finish(pending.is_empty() || self.lazy);
        Ok(pending)
    }

    /// Propagates in separate steps: copies, unless they are right already, lists, counts.
    async fn propagate_in_steps(
        &mut self,
        copied: bool,
        mut session: Option<&mut ClientSession>,
    ) -> Result<Vec<Pending>> {
        let (db, collection) = (self.db, self.meta.collection);
        let mut pending = match copied {
            true => Vec::new(),
            false => self.pending_copies(),
        };
        if session.is_none() && !self.lazy && !copied && !self.marked.is_empty() {
            let (token, marked) = (self.token, &self.marked);
            let withdraw = Withdraw::Document;
            pending = verify_new_copies(db, collection, token, marked, withdraw).await?;
        }
        let count_token = self.counts();
        let flagged = std::mem::take(&mut self.flagged);
        let counted: Vec<Document> = match count_token {
            Some(_) => flagged.iter().map(|one| one.fields.clone()).collect(),
            None => Vec::new(),
        };
        let mut waiting = flagged;
        waiting.retain(|source| !source.pending.is_empty());
        let flags = waiting
            .iter()
            .flat_map(|source| pending_of(collection, source));
        let flags: Vec<Pending> = flags.collect();
        if let Some(session) = session.as_deref_mut() {
            pending.extend(flags);
            let sources: Vec<&Source> = waiting.iter().collect();
            pending.extend(inside::links(db, collection, &sources, session, false).await?);
        } else if !waiting.is_empty() {
            match source::finish(db, collection, waiting, &[]).await {
                Ok(left) => pending.extend(left.pending),
                Err(error) => pending.extend(into_pending(error, flags)?),
            }
        }
        if let Some(count_token) = count_token {
            pending.extend(count_children(db, collection, count_token, &counted, session).await?);
        }
        Ok(pending)
    }

    pub(super) fn outcome(&self, pending: Vec<Pending>) -> Outcome {
        Outcome {
            inserted: self.documents.len() as u64,
            pending,
            ..Outcome::default()
        }
    }
}
