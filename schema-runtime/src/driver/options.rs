//! The options of one read that say how the server answers it, and not what it answers.

use std::time::Duration;

use bson::Bson;
use mongodb::options::{Hint, ReadConcern, SelectionCriteria};

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
            criteria: super::Reads::FromPrimary.criteria(),
            ..ReadOptions::default()
        }
    }

    pub(crate) fn hint(&self) -> Option<Hint> {
        self.hint.clone().map(Hint::Name)
    }

    pub(crate) fn comment(&self) -> Option<Bson> {
        self.comment.clone().map(Bson::String)
    }
}
