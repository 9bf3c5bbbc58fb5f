//! The commands, a module for each.

pub(crate) mod check;
pub(crate) mod compat;
pub(crate) mod diagram;
pub(crate) mod diff;
pub(crate) mod explain;
pub(crate) mod follow;
pub(crate) mod init;
pub(crate) mod lock;
pub(crate) mod maintain;
pub(crate) mod migrations;
pub(crate) mod personal;
pub(crate) mod plan;
pub(crate) mod pull;
pub(crate) mod report;
pub(crate) mod resolve;
pub(crate) mod rule;
pub(crate) mod sample;
pub(crate) mod schema;
mod shard_keys;
pub(crate) mod verify;

/// The result of a command.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Verdict {
    /// Nothing: exit code 0.
    Fine,
    /// Something: exit code 1.
    Findings,
}

impl Verdict {
    /// Fine, or findings.
    pub(crate) fn of(fine: bool) -> Self {
        if fine {
            Verdict::Fine
        } else {
            Verdict::Findings
        }
    }
}
