//! Documents that are read where they lie in the server's reply, and lent to a closure one after the other.

use super::Find;
use crate::driver;
use crate::driver::call::Call;
use crate::error::Result;
use crate::projection::Borrowed;
use crate::schema::model::Model;

impl<'a, M: Model, O, K> Find<'a, M, O, K> {
    /// Reads each document as `V`, a projection that borrows from the server's reply, and passes it to `each` as it
    /// arrives: text and bytes are not copied, and memory holds one batch. Returns the number of documents.
    ///
    /// Sends a `find` and as many `getMore` as there are batches; an error in either, or a document that `V` cannot
    /// read, ends it, after `each` has received the documents before it.
    ///
    /// ```
    /// # use mongo_model::{Database, Id, MongoModel, MongoProjection, Result};
    /// # use serde::{Deserialize, Serialize};
    /// #[derive(Serialize, Deserialize, MongoModel)]
    /// #[model(collection = "logmsgs")]
    /// pub struct LogMsg {
    ///     #[serde(rename = "_id")]
    ///     pub id: Id<LogMsg>,
    ///     pub message: String,
    ///     pub level: Option<String>,
    /// }
    ///
    /// #[derive(Deserialize, MongoProjection)]
    /// #[projection(of = LogMsg)]
    /// pub struct Line<'a> {
    ///     pub message: &'a str,
    ///     #[serde(borrow)]
    ///     pub level: Option<&'a str>,
    /// }
    ///
    /// # async fn example(db: &Database) -> Result<()> {
    /// let mut bytes = 0;
    /// LogMsg::scan(db, |_| mongo_model::filter::everything())
    ///     .for_each::<Line<'_>>(|line| bytes += line.message.len())
    ///     .await?;
    /// # Ok(())
    /// # }
    /// ```
    #[track_caller]
    pub fn for_each<V: Borrowed<M>>(
        self,
        each: impl for<'d> FnMut(V::Of<'d>),
    ) -> impl Future<Output = Result<u64>> {
        let call = Call::of::<Self>(std::panic::Location::caller()).unwrap_or_default();
        call.run(Box::pin(self.lend::<V>(each)))
    }

    async fn lend<V: Borrowed<M>>(self, mut each: impl for<'d> FnMut(V::Of<'d>)) -> Result<u64> {
        let only_id = V::ROWS.iter().all(|row| row.name == "_id");
        let projection = crate::projection::versions::asked_for::<M>(V::projection(), only_id);
        let (_, mut rows) = self.send(projection, &[]).await?;
        let mut count = 0;
        while let Some(mut batch) = rows.batch().await? {
            while let Some(raw) = batch.next() {
                let raw = raw?;
                match driver::lend_as::<M, V>(raw, only_id, &mut each) {
                    Ok(()) => count += 1,
                    Err(error) => rows.skip_or_fail(error, raw).await?,
                }
            }
            rows.pass(&batch)?;
        }
        Ok(count)
    }
}
