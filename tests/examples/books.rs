//! `examples/books.rs`, run and looked at.

use mongo_model_dev_server::monitor::CommandLog;
use mongo_model_dev_server::{DevServer, Topology};

#[path = "../../examples/books.rs"]
#[allow(
    dead_code,
    unreachable_pub,
    reason = "its `main` is not called from here"
)]
mod example;

#[tokio::test]
async fn the_many_are_read_at_once_and_the_few_outliers_in_parts()
-> Result<(), Box<dyn std::error::Error>> {
    for topology in [Topology::Standalone, Topology::ReplicaSet(1)] {
        let server = DevServer::shared(topology).await?;
        let log = CommandLog::new();
        let client = server.client_with(|options| log.attach(options)).await?;
        let db = client.database(&server.unique_db("books"));
        let sold = example::books(&db, &log).await?;
        assert_eq!(sold.quiet, (3, 1));
        assert_eq!(sold.bestseller, (300, 2));
        assert_eq!((sold.embedded, sold.buckets, sold.left), (50, 2, 0));
        db.drop().await?;
    }
    Ok(())
}
