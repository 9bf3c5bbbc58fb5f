//! Documents with a number that the server computes for each of them, among the fields of the library.

use bson::{Document, RawDocument, doc};

use super::Find;
use crate::driver;
use crate::error::Result;
use crate::projection::{Projected, with_path};
use crate::schema::model::Model;
use crate::schema::stored;

impl<M: Model, O: Projected<M>, K> Find<'_, M, O, K> {
    /// The last stages of the pipeline: `skip`, `limit`, and the fields that `O` reads, with the number at this path.
    pub(super) fn last_stages(&self, number: &str) -> Vec<Document> {
        let limit = |n: u64| i64::try_from(n).unwrap_or(i64::MAX);
        let mut stages = Vec::new();
        stages.extend(self.skip.map(|skip| doc! { "$skip": limit(skip) }));
        stages.extend(self.limit.map(|most| doc! { "$limit": limit(most) }));
        let projection = crate::projection::versions::asked::<M, O>();
        let id = self.skipped.as_ref().map(|_| "_id");
        stages.extend(projection.map(|projection| {
            let paths = id.into_iter().chain([number]);
            let projection = paths.fold(projection, with_path);
            doc! { "$project": projection }
        }));
        stages
    }

    /// Sends one `aggregate`, whose stages `pipeline` makes of the query and its filter. Gives what `join` makes of each document and the
    /// fields of the library in it. With a limit of 0 it sends nothing.
    pub(super) async fn aggregate<T>(
        mut self,
        pipeline: impl FnOnce(&Self, Document) -> Vec<Document>,
        join: impl Fn(O, Option<&RawDocument>) -> T,
    ) -> Result<Vec<T>> {
        if self.limit == Some(0) {
            return Ok(Vec::new());
        }
        let filter = self.take_filter()?;
        let pipeline = pipeline(&self, filter);
        let strings = self.strings();
        let Find {
            db,
            options,
            session,
            skipped,
            ..
        } = self;
        let collection = M::model_meta().collection;
        let rows = driver::group(db, collection, pipeline, None, strings, options, session);
        let read = |raw: &RawDocument| {
            let document = driver::decode_as::<M, O>(raw)?;
            Ok(join(document, raw.get_document(stored::OWN).ok()))
        };
        rows.await?.skipping(skipped).all(read).await
    }
}
