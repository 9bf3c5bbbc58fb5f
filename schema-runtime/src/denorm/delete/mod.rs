//! Deleting documents that others refer to.
//!
//! A look at everything that may refuse, and at every index that is needed, comes first. Then
//!
//! 1. (D1) the documents get a tombstone, one of them, the leader, first; and so does, top down, whatever goes with them and is
//!    referred to itself;
//! 2. where a reference may refuse, everything is looked at again, and the leader says that the delete is certain, or all of it is
//!    undone;
//! 3. (D2) references are taken out, and documents that nothing refers to go with what they refer to;
//! 4. (D3) what has a tombstone goes, the leader last.
//!
//! Who stores a copy meanwhile sees the tombstone when it compares the copy with its source, waits until the delete is finished or
//! undone, and then does what the reference says. What stops half way is finished, or undone, by whoever finds it: the leader says
//! which of the two, the tombstones are found through the index of flags, and every step can be done twice.

#[cfg(feature = "driver")]
mod check;
#[cfg(feature = "driver")]
mod follow;
#[cfg(feature = "driver")]
mod indexes;
#[cfg(feature = "driver")]
mod op;
#[cfg(feature = "driver")]
mod orphan;
#[cfg(feature = "driver")]
mod plan;
mod report;
#[cfg(feature = "driver")]
mod resume;
#[cfg(feature = "driver")]
mod rule;
#[cfg(feature = "driver")]
mod run;
#[cfg(feature = "driver")]
mod tomb;
#[cfg(feature = "driver")]
mod unchecked;

use std::fmt;
use std::sync::Mutex;

#[cfg(feature = "driver")]
pub(crate) use self::orphan::{apply, apply_to};
pub use self::report::{Blocker, Deleted, Progress};
#[cfg(feature = "driver")]
pub(crate) use self::resume::{entombed, help, led, resume};
#[cfg(feature = "driver")]
pub(crate) use self::run::{Which, delete};
#[cfg(feature = "driver")]
pub(crate) use self::tomb::{NAME, State, Tomb, fields};
#[cfg(feature = "driver")]
pub(crate) use self::unchecked::delete_unchecked;

/// Who is told how far a delete is.
pub(crate) type Listener<'t> = Box<dyn FnMut(Progress) + Send + 't>;

/// How far a delete is, and who is told.
#[derive(Default)]
pub(crate) struct Tell<'t> {
    now: Progress,
    /// Never locked: a listener need not be `Sync`, and what holds it has to be.
    listener: Mutex<Option<Listener<'t>>>,
}

impl fmt::Debug for Tell<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Tell").field(&self.now).finish()
    }
}

impl<'t> Tell<'t> {
    pub(crate) fn to(listener: Option<Listener<'t>>) -> Self {
        let now = Progress::default();
        Tell {
            now,
            listener: Mutex::new(listener),
        }
    }

    #[cfg(feature = "driver")]
    fn tell(&mut self) {
        if let Ok(Some(listener)) = self.listener.get_mut() {
            listener(self.now);
        }
    }

    #[cfg(feature = "driver")]
    pub(crate) fn looked(&mut self, more: usize) {
        self.now.looked += more as u64;
        self.tell();
    }

    #[cfg(feature = "driver")]
    pub(crate) fn deleted(&mut self, more: u64) {
        self.now.deleted += more;
        self.tell();
    }

    #[cfg(feature = "driver")]
    pub(crate) fn changed(&mut self, more: u64) {
        self.now.changed += more;
        self.tell();
    }
}
