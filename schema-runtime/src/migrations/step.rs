//! The migrations that are linked into the program.

use std::fmt;

use futures::future::BoxFuture;

use super::Migration;
use super::needs::NeededIndex;
use crate::error::Result;

/// The function of a migration.
pub(super) type StepFunction = for<'m> fn(&'m Migration) -> BoxFuture<'m, Result<()>>;

/// A migration, as `#[migration]` submits it.
#[derive(Clone, Copy)]
pub struct Step {
    /// The name of the migration in the ledger.
    pub name: &'static str,
    /// The names of the migrations that have to be done before.
    pub after: &'static [&'static str],
    /// The indexes that have to be there before.
    pub needs: &'static [NeededIndex],
    /// The package and its version.
    pub package: (Option<&'static str>, Option<&'static str>),
    /// The function that is run once.
    pub run: StepFunction,
    /// The function that takes it back.
    pub undo: Option<StepFunction>,
}

inventory::collect!(Step);

impl fmt::Debug for Step {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Step")
            .field("name", &self.name)
            .field("after", &self.after)
            .finish_non_exhaustive()
    }
}

impl Step {
    /// The indexes that it needs, as texts.
    pub(super) fn needs_texts(&self) -> Vec<String> {
        self.needs.iter().flat_map(NeededIndex::texts).collect()
    }

    /// The package and its version: `shop 1.2.0`.
    pub(super) fn program(&self) -> String {
        let (name, version) = self.package;
        let parts = [name, version].into_iter().flatten();
        parts.collect::<Vec<_>>().join(" ")
    }
}

/// The migrations that are linked into the program, in no order.
pub(super) fn linked() -> Vec<&'static Step> {
    inventory::iter::<Step>.into_iter().collect()
}
