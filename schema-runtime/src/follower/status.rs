//! The status of a follower, as data.

use std::collections::VecDeque;
use std::fmt;
use std::time::Duration;

use bson::Timestamp;

use super::position::Gap;

/// The largest number of problems that a status names.
const PROBLEMS: usize = 20;

/// The phases of a follower.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum Role {
    /// The follower is not running.
    #[default]
    Stopped,
    /// Another program follows; this one takes over when that ends.
    Standby,
    /// The follower follows the stream.
    Leading,
    /// The follower compares the documents again and again, because the server has no change streams.
    Polling,
}

/// The status of a follower.
#[derive(Debug, Clone, Default)]
#[non_exhaustive]
pub struct Status {
    /// The current phase.
    pub role: Role,
    /// The time, by the cluster's logical clock, up to which everything has been followed: the effects of all earlier
    /// changes have been produced, or are covered by one of the [`gaps`](Status::gaps).
    pub followed: Option<Timestamp>,
    /// The time by which `followed` is behind the cluster.
    pub lag: Option<Duration>,
    /// The time for which the oplog still keeps the changes that have not been followed yet. `None` if the database user
    /// may not read the oplog.
    pub window_left: Option<Duration>,
    /// Events that have reached this program since it began to lead. The server drops events of fields on which nothing
    /// depends.
    pub events: u64,
    /// Events that other programs caused.
    pub foreign: u64,
    /// Events per second, over the last seconds.
    pub rate: f64,
    /// Gaps that are not repaired yet.
    pub gaps: Vec<Gap>,
    /// Gaps that have been repaired.
    pub repaired: u64,
    /// Sources and children whose revision was raised because of another program.
    pub sources: u64,
    /// Documents whose copies were compared because of another program.
    pub targets: u64,
    /// Parents whose derived data was rebuilt because of another program.
    pub parents: u64,
    /// Documents that a delete rule changed or deleted because of another program.
    pub ruled: u64,
    /// The last problems: documents that the server refused to change, events that could not be read, connections that were lost.
    pub problems: VecDeque<String>,
}

impl Status {
    /// True if everything up to this cluster time has been followed, and no gap is left.
    #[must_use]
    pub fn has_followed(&self, time: Timestamp) -> bool {
        self.gaps.is_empty() && self.followed.is_some_and(|followed| followed >= time)
    }

    pub(crate) fn note(&mut self, problem: impl Into<String>) {
        let problem = problem.into();
        #[cfg(feature = "tracing")]
        tracing::warn!(target: "mongo_model::follower", problem, "problem");
        if self.problems.back() == Some(&problem) {
            return;
        }
        self.problems.push_back(problem);
        if self.problems.len() > PROBLEMS {
            self.problems.pop_front();
        }
    }
}

impl fmt::Display for Status {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let role = match self.role {
            Role::Stopped => "stopped",
            Role::Standby => "standby",
            Role::Leading => "leading",
            Role::Polling => "polling",
        };
        write!(f, "{role}")?;
        if let Some(lag) = self.lag {
            write!(f, ", {} s behind", lag.as_secs())?;
        }
        if let Some(left) = self.window_left {
            write!(f, ", oplog window {} s", left.as_secs())?;
        }
        write!(
            f,
            ", {:.0} events/s, {} events, {} by other programs, {} gaps, {} repaired",
            self.rate,
            self.events,
            self.foreign,
            self.gaps.len(),
            self.repaired
        )
    }
}

/// The seconds from one time of the cluster to another.
pub(crate) fn between(earlier: Timestamp, later: Timestamp) -> Duration {
    Duration::from_secs(u64::from(later.time.saturating_sub(earlier.time)))
}
