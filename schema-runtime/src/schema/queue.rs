//! The traits and the table row that the derive writes for a queue.

use crate::schema::bucket::Insertable;
use crate::schema::model::{Model, ModelMeta};

/// A model with `queue(..)`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a queue",
    label = "no `queue(..)`",
    note = "say so on the model: `#[model(collection = \"..\", queue(priority = <field>))]`"
)]
pub trait Queued: Model + Insertable {}

/// The fields by which the documents of a model are taken as jobs.
#[doc(hidden)]
#[derive(Debug, Clone, Copy)]
pub struct QueueRow {
    priority: Option<&'static str>,
    order: Option<&'static str>,
    pub(crate) max_attempts: u32,
}

impl QueueRow {
    /// The row of a queue that takes jobs in the order of their `_id`s, each job at most `max_attempts` times.
    #[must_use]
    pub const fn new(max_attempts: u32) -> Self {
        QueueRow {
            priority: None,
            order: None,
            max_attempts,
        }
    }

    /// The row of a queue that takes first the jobs with the greatest value of this field.
    #[must_use]
    pub const fn priority(mut self, field: &'static str) -> Self {
        self.priority = Some(field);
        self
    }

    /// The row of a queue that takes jobs of the same priority in the order of this field.
    #[must_use]
    pub const fn ordered(mut self, field: &'static str) -> Self {
        self.order = Some(field);
        self
    }

    /// The stored names of the fields that say which job is the first, each with true if the greatest value comes first.
    pub(crate) fn order(self, meta: &ModelMeta) -> Vec<(&'static str, bool)> {
        let fields = meta.shape.fields;
        let stored = |rust: &str| {
            fields
                .iter()
                .find(|row| row.rust == rust)
                .map(|row| row.name)
        };
        let priority = self.priority.and_then(stored).map(|name| (name, true));
        let order = self.order.and_then(stored).map(|name| (name, false));
        let mut out: Vec<(&str, bool)> = priority.into_iter().chain(order).collect();
        if out.iter().all(|(name, _)| *name != "_id") {
            out.push(("_id", false));
        }
        out
    }
}
