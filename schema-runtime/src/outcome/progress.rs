//! The progress of a delete.

use std::fmt;
use std::sync::Mutex;

use crate::outcome::deleted::Progress;

/// The callback that receives the progress of a delete.
pub(crate) type Listener<'t> = Box<dyn FnMut(Progress) + Send + 't>;

/// The progress of a delete, and the callback that receives it.
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

    fn tell(&mut self) {
        if let Ok(Some(listener)) = self.listener.get_mut() {
            listener(self.now);
        }
    }

    pub(crate) fn looked(&mut self, more: usize) {
        self.now.looked += more as u64;
        self.tell();
    }

    pub(crate) fn deleted(&mut self, more: u64) {
        self.now.deleted += more;
        self.tell();
    }

    pub(crate) fn changed(&mut self, more: u64) {
        self.now.changed += more;
        self.tell();
    }
}
