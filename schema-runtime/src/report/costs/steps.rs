//! The commands of a write, in the order in which they are sent.

use super::WriteCosts;

/// The number of commands so far.
#[derive(Debug, Default)]
pub(super) struct Steps {
    awaited: usize,
    round_trips: usize,
    behind: usize,
    confirming: usize,
}

impl Steps {
    /// Commands that are sent at the same time, after those before them.
    pub(super) fn at_once(&mut self, commands: usize) {
        self.awaited += commands;
        self.round_trips += usize::from(commands > 0);
    }

    /// Commands of which each waits for the one before it.
    pub(super) fn in_turn(&mut self, commands: usize) {
        self.awaited += commands;
        self.round_trips += commands;
    }

    /// Commands behind the answer.
    pub(super) fn later(&mut self, commands: usize) {
        self.behind += commands;
    }

    /// Reads behind the answer that confirm updates of parents.
    pub(super) fn confirm(&mut self, commands: usize) {
        self.confirming += commands;
    }

    pub(super) fn costs(self, indexes: usize) -> WriteCosts {
        WriteCosts {
            awaited: self.awaited,
            round_trips: self.round_trips,
            behind: self.behind,
            confirming: self.confirming,
            indexes,
        }
    }
}
