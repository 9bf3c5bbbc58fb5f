//! If an index holds all projected fields, the server reads no document: its `explain` of the same command shows it.

use mongo_model::{Id, MongoModel, MongoProjection};
use serde::Deserialize;

use crate::common::alone;
use crate::projecting::{Product, Summary};

#[derive(Debug, PartialEq, Deserialize, MongoProjection)]
#[projection(of = Product)]
#[serde(rename_all = "camelCase")]
struct Label {
    catalog_number: i64,
    name: String,
}

#[tokio::test]
async fn a_projection_that_an_index_holds_reads_no_document() {
    alone("covered", async |bench| {
        bench.products(1..=20).await;
        let found = Product::find(&bench.db, |p| p.catalog_number.gt(10))
            .project::<Label>()
            .await
            .expect("found");
        assert_eq!(found.len(), 10);
        let plan = bench.plan().await;
        plan.assert_served_by("catalogNumber");
        assert!(plan.has("PROJECTION_COVERED"), "{plan:#?}");
        assert_eq!((plan.keys, plan.documents), (10, 0), "{plan:#?}");

        // With the `_id`, which the index does not hold, it reads each.
        let found = Product::find(&bench.db, |p| p.catalog_number.gt(10)).project::<Summary>();
        assert_eq!(found.await.expect("found").len(), 10);
        let plan = bench.plan().await;
        plan.assert_served_by("catalogNumber");
        assert_eq!(plan.documents, 10, "{plan:#?}");
    })
    .await;
}

#[tokio::test]
async fn ids_of_an_index_that_ends_in_the_id_read_no_document() {
    alone("covered_ids", async |bench| {
        bench.products(1..=20).await;
        let found: Vec<Id<Product>> = Product::find(&bench.db, |p| p.maker.eq("acme"))
            .ids()
            .await
            .expect("found");
        assert_eq!(found.len(), 20);
        let plan = bench.plan().await;
        plan.assert_served_by("maker");
        assert_eq!((plan.keys, plan.documents), (20, 0), "{plan:#?}");

        let found = Product::find(&bench.db, |p| p.catalog_number.gt(10)).ids();
        assert_eq!(found.await.expect("found").len(), 10);
        assert_eq!(bench.plan().await.documents, 10);
    })
    .await;
}
