//! The stages of an aggregation that choose the documents of a query.

use bson::{Document, doc};

use super::Find;
use super::operators::{NEAR, refuse_operators};
use crate::error::{Error, Result};
use crate::filter::Countable;
use crate::schema::model::Model;

impl<M: Model, O, K> Find<'_, M, O, K> {
    /// The stages: documents that meet the filter and all `scopes`, in the order of the query, without those that it skips and those behind
    /// its limit.
    pub(super) fn stages(&self, filter: Document, scopes: Vec<Document>) -> Vec<Document> {
        let number = |n: u64| i64::try_from(n).unwrap_or(i64::MAX);
        let filters = std::iter::once(filter).chain(scopes);
        let filters = filters.filter(|filter| !filter.is_empty());
        let mut stages: Vec<_> = filters.map(|filter| doc! { "$match": filter }).collect();
        stages.extend(self.sort.clone().map(|sort| doc! { "$sort": sort }));
        stages.extend(self.skip.map(|skip| doc! { "$skip": number(skip) }));
        stages.extend(self.limit.map(|limit| doc! { "$limit": number(limit) }));
        stages
    }

    /// Gives the query as the first stages of an aggregation, for the driver: its filter, with the tenant and without documents that are
    /// marked as deleted, its order, `skip` and `limit`. Sends nothing. Sessions, read options and projections are not part of it.
    ///
    /// ```
    /// # use bson::{Document, doc};
    /// # use mongo_model::{Database, Id, MongoModel, Result};
    /// # use serde::{Deserialize, Serialize};
    /// # #[derive(Serialize, Deserialize, MongoModel)]
    /// # #[model(collection = "orders")]
    /// # pub struct Order {
    /// #     #[serde(rename = "_id")]
    /// #     pub id: Id<Order>,
    /// #     #[index]
    /// #     pub customer: i64,
    /// # }
    /// # async fn example(db: &Database) -> std::result::Result<(), Box<dyn std::error::Error>> {
    /// let mut pipeline = Order::find(db, |o| o.customer.eq(7)).into_pipeline()?;
    /// pipeline.push(doc! { "$sample": { "size": 5 } });
    /// let some = db.collection::<Document>("orders").aggregate(pipeline).await?;
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// That of the filter; [`Error::Impossible`] for a limit of 0, which the server refuses, and for a query that compares strings by the
    /// collation of an index: the command has it, not the pipeline.
    pub fn into_pipeline(mut self) -> Result<Vec<Document>>
    where
        K: Countable,
    {
        let model = M::model_meta().name;
        let filter = self.take_filter()?;
        refuse_operators(model, "a pipeline", &filter, &NEAR)?;
        let refused = match (self.limit, self.collation) {
            (Some(0), _) => "a pipeline has no limit of 0",
            (_, Some(_)) => "a pipeline has no collation",
            _ => return Ok(self.stages(filter, Vec::new())),
        };
        Err(Error::Impossible {
            what: format!("{model}: {refused}"),
        })
    }
}
