//! How long something took, and who computed meanwhile.

use std::fs;
use std::ops::Sub;
use std::time::{Duration, Instant};

use rustix::time::{ClockId, clock_gettime};

/// A tick of the times that `/proc` gives: `USER_HZ` is 100 on every Linux that Rust runs on.
const TICK: Duration = Duration::from_millis(10);

/// The server whose CPU time is measured besides this program's.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Watch {
    server: Option<u32>,
}

/// The readings of the clocks at one moment.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Moment {
    wall: Instant,
    client: Duration,
    children: Duration,
    server: Duration,
}

/// The time that passed between two moments.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Spent {
    pub(crate) wall: Duration,
    /// CPU time of this program, all threads.
    pub(crate) client: Duration,
    /// CPU time of the programs that it started and waited for, in steps of 10 ms; zero where there is no `/proc`.
    pub(crate) children: Duration,
    /// CPU time of the server, in steps of 10 ms; zero where its process cannot be seen.
    pub(crate) server: Duration,
}

impl Watch {
    /// Also looks at the process `server`, if it is one of this machine.
    pub(crate) fn new(server: Option<u32>) -> Self {
        let seen = |pid: &u32| {
            let name = fs::read_to_string(format!("/proc/{pid}/comm"));
            name.is_ok_and(|name| name.trim_end().starts_with("mongod"))
        };
        Watch {
            server: server.filter(seen),
        }
    }

    /// The moment before some work: the clocks that take the longest to read are read first.
    pub(crate) fn start(self) -> Moment {
        let (children, server) = self.others();
        let client = client();
        let wall = Instant::now();
        Moment {
            wall,
            client,
            children,
            server,
        }
    }

    /// The moment after some work: the clocks that take the longest to read are read last.
    pub(crate) fn end(self) -> Moment {
        let wall = Instant::now();
        let client = client();
        let (children, server) = self.others();
        Moment {
            wall,
            client,
            children,
            server,
        }
    }

    fn others(self) -> (Duration, Duration) {
        let server = self.server.map(|pid| ticks(&pid.to_string(), 14));
        (ticks("self", 16), server.unwrap_or_default())
    }
}

fn client() -> Duration {
    Duration::try_from(clock_gettime(ClockId::ProcessCPUTime)).unwrap_or_default()
}

/// The sum of two neighbouring fields of a process's statistics: user and system time. Fields count from 1.
fn ticks(process: &str, first: usize) -> Duration {
    let stat = fs::read_to_string(format!("/proc/{process}/stat")).unwrap_or_default();
    // The name in parentheses may hold anything; the state after it is the third field.
    let fields = stat.rsplit_once(')').map_or("", |(_, fields)| fields);
    let two = fields.split_ascii_whitespace().skip(first - 3).take(2);
    TICK * two.filter_map(|ticks| ticks.parse::<u32>().ok()).sum()
}

impl Sub for Moment {
    type Output = Spent;

    fn sub(self, earlier: Self) -> Spent {
        Spent {
            wall: self.wall - earlier.wall,
            client: self.client.saturating_sub(earlier.client),
            children: self.children.saturating_sub(earlier.children),
            server: self.server.saturating_sub(earlier.server),
        }
    }
}
