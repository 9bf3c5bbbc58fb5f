//! After W1 and R1: copies, lists and counts follow (W2, W3), and new copies are compared with their sources (I2, I3).

use std::sync::Arc;

use bson::{Document, doc};

use super::super::early::{self, Changed, Early, Rest};
use super::super::{
    count_children, is_flagged, pending_counts, pending_marks, pending_of, propagate_source,
    verify_new_copies,
};
use super::{Prepared, Sent};
use crate::bson_util::stored_id::id_in_filter;
use crate::driver::Database;
use crate::error::Result;
use crate::finisher;
use crate::graph::source::Source;
use crate::outcome::{Outcome, Pending};
use crate::propagation::counter::apply::CountToken;
use crate::propagation::source;
use crate::propagation::target::Unverified;

impl Prepared {
    /// Propagates a write that matched: updates the copies of a source, and verifies new copies. In a session all of this is pending
    /// until the commit.
    pub(crate) async fn follow(
        &self,
        db: &Database,
        filter: &Document,
        sent: Sent,
        in_session: bool,
    ) -> Result<Outcome> {
        let mut outcome = sent.outcome;
        fault!("after_w1");
        if in_session {
            outcome.pending = self.pending(sent.source.as_ref());
            outcome.pending.extend(sent.lists);
            return Ok(outcome);
        }
        let marked = (!self.references.is_empty()).then(|| Unverified {
            id: id_in_filter(filter),
            tokens: vec![self.token],
            references: self.references.clone(),
            tenant: self.tenant.clone(),
        });
        let rest = match self
            .apply(db, sent.source.as_ref(), marked.as_ref())
            .await?
        {
            Early::Done(pending) => {
                outcome.pending = pending;
                return Ok(outcome);
            }
            Early::Not(rest) => rest,
        };
        if let Some(marked) = marked.filter(|_| !rest.copied) {
            fault!("after_i1");
            let settled =
                verify_new_copies(db, self.collection, self.token, &[marked], self.withdraw).await;
            outcome.pending.extend(settled?);
        }
        if let (Some(count_token), Some(source)) = (self.count_token, &sent.source)
            && is_flagged(&source.fields, count_token)
        {
            let child = [&source.fields];
            let left = count_children(db, self.collection, count_token, child, None).await?;
            outcome.pending.extend(left);
        }
        if let Some(source) = sent
            .source
            .as_ref()
            .filter(|_| sent.inside && finisher::is_behind())
        {
            // The parents have been right since the commit. The same updates again, outside of it, prove that before the flag goes.
            let (own, collection) = (db.clone(), self.collection);
            let source = vec![source.clone()];
            let followed = async move {
                let left = source::finish(&own, collection, source, &[]).await?;
                let mut left = left.pending.into_iter();
                Ok(left.next().and_then(|one| one.reason))
            };
            finisher::later(db, followed).await;
        } else if let Some(source) = sent.source {
            outcome.pending.extend(
                propagate_source(db, self.collection, source, &self.touched.unflagged).await?,
            );
        }
        rest.finish(outcome.pending.is_empty());
        Ok(outcome)
    }

    /// Propagates the write before the call answers, and removes its flags after that, where that is possible.
    async fn apply(
        &self,
        db: &Database,
        source: Option<&Source>,
        marked: Option<&Unverified>,
    ) -> Result<Early> {
        let known = marked.is_none() || self.sources.is_some();
        if !finisher::is_behind() || !self.touched.unflagged.is_empty() || !known {
            return Ok(Early::Not(Rest::default()));
        }
        let child = match (source, marked) {
            (Some(source), _) => source.clone(),
            (None, Some(marked)) => Source::read(doc! { "_id": marked.id.clone() }),
            (None, None) => return Ok(Early::Not(Rest::default())),
        };
        let changed = Changed {
            count_token: self
                .count_token
                .filter(|count_token| is_flagged(&child.fields, *count_token)),
            children: vec![Arc::new(child)],
            marked: marked.map_or(&[], std::slice::from_ref),
            sources: self.sources.as_ref().filter(|_| marked.is_some()),
            filled: true,
            reserved: None,
        };
        early::apply(db, self.collection, changed, &[]).await
    }

    fn pending(&self, source: Option<&Source>) -> Vec<Pending> {
        let mut pending = pending_marks(self.collection, self.token, &self.references);
        pending.extend(
            source
                .map(|source| pending_of(self.collection, source))
                .into_iter()
                .flatten(),
        );
        let flagged = |count_token: &CountToken| {
            source.is_some_and(|source| is_flagged(&source.fields, *count_token))
        };
        if let Some(count_token) = self.count_token.filter(flagged) {
            pending.extend(pending_counts(self.collection, count_token));
        }
        pending
    }
}
