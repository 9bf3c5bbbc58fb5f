//! The options of one read that say how the server answers it, and not what it answers.

use std::time::Duration;

use bson::Bson;
use mongodb::options::{Hint, ReadConcern, SelectionCriteria};

use super::Reads;

/// The options of one read. What is not set is as the database handle says.
#[derive(Debug, Clone, Default)]
pub(crate) struct ReadOptions {
    pub(crate) criteria: Option<SelectionCriteria>,
    pub(crate) concern: Option<ReadConcern>,
    pub(crate) max_time: Option<Duration>,
    /// The name of the index to use.
    pub(crate) hint: Option<String>,
    pub(crate) comment: Option<String>,
    pub(crate) batch_size: Option<u32>,
    pub(crate) allow_disk_use: Option<bool>,
}

impl ReadOptions {
    /// Those of a read of which something is written, or refused.
    pub(crate) fn from_primary() -> Self {
        ReadOptions {
            criteria: Reads::FromPrimary.criteria(),
            ..ReadOptions::default()
        }
    }

    /// These, and of those that are not set `others`.
    pub(crate) fn or(self, others: &ReadOptions) -> Self {
        ReadOptions {
            criteria: self.criteria.or_else(|| others.criteria.clone()),
            concern: self.concern.or_else(|| others.concern.clone()),
            max_time: self.max_time.or(others.max_time),
            hint: self.hint.or_else(|| others.hint.clone()),
            comment: self.comment.or_else(|| others.comment.clone()),
            batch_size: self.batch_size.or(others.batch_size),
            allow_disk_use: self.allow_disk_use.or(others.allow_disk_use),
        }
    }

    pub(crate) fn hint(&self) -> Option<Hint> {
        self.hint.clone().map(Hint::Name)
    }

    /// The comment that is set, or that of the call.
    pub(crate) fn comment(&self) -> Option<Bson> {
        let own = self.comment.clone().map(Bson::String);
        own.or_else(super::call::comment)
    }

    /// As this read sends them: with those of the call that it is part of, if the answer is the user's.
    pub(crate) fn resolve(self, reads: Reads) -> Self {
        match (reads, super::call::current()) {
            (Reads::AsConfigured, Some(call)) => self.or(&call.read),
            (Reads::FromPrimary, _) => ReadOptions {
                criteria: self.criteria.or_else(|| reads.criteria()),
                ..self
            },
            (Reads::AsConfigured, None) => self,
        }
    }
}
