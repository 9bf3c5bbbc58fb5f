//! The time at which the jobs of an insert are ready.

use std::time::Duration;

use bson::DateTime;

use crate::schema::model::Model;
use crate::schema::queue::Queued;
use crate::write::job_wait::Ready;
use crate::write::store::Insert;

impl<M: Model, N> Insert<'_, M, N> {
    /// The jobs are ready this long after they were stored, by the server's clock; [`pop`](crate::Queue::pop) does not return them
    /// earlier. A `pop` finds them at the latest when no other job is ready. A wait of zero is no wait.
    ///
    /// After the insert, one `update` per 10,000 jobs sets the time by the server's clock. If that fails, the jobs are stored all
    /// the same, and their wait starts when a `pop` searches for jobs whose time has come. In a transaction the time is that of
    /// this call, not of the commit.
    pub fn after(mut self, wait: Duration) -> Self
    where
        M: Queued,
    {
        self.ready = (!wait.is_zero()).then_some(Ready::After(wait));
        self
    }

    /// The jobs are ready at this time by the server's clock; a past time means now. Sends the same commands as an insert.
    pub fn at(mut self, time: DateTime) -> Self
    where
        M: Queued,
    {
        self.ready = Some(Ready::At(time));
        self
    }
}
