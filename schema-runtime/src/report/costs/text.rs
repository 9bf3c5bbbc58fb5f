//! Costs as text.

use std::fmt;

use super::{Costs, WriteCosts};

impl fmt::Display for WriteCosts {
    /// `3 commands in 2 round trips, 2 behind the answer, 4 indexes`
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let many = |n: usize| if n == 1 { "" } else { "s" };
        write!(f, "{} command{}", self.awaited, many(self.awaited))?;
        if self.round_trips > 1 {
            write!(f, " in {} round trips", self.round_trips)?;
        }
        if self.behind > 0 {
            write!(f, ", {} behind the answer", self.behind)?;
        }
        if self.confirming > 0 {
            write!(f, " ({} more to confirm)", self.confirming)?;
        }
        match self.indexes {
            1 => write!(f, ", 1 index"),
            more => write!(f, ", {more} indexes"),
        }
    }
}

impl fmt::Display for Costs {
    /// `insert: 1 command, 2 indexes; update: ..; delete, if nothing refers to it: ..`
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "insert: {}; update: {}", self.insert, self.update)?;
        if let Some(followed) = &self.update_followed {
            write!(f, "; update that others follow: {followed}")?;
        }
        match &self.delete_unreferenced {
            Some(delete) => write!(f, "; delete, if nothing refers to it: {delete}")?,
            None => f.write_str("; delete: by what follows it")?,
        }
        match &self.emit {
            Some(emit) => write!(f, "; an event: {} more behind the answer", emit.behind),
            None => Ok(()),
        }
    }
}
