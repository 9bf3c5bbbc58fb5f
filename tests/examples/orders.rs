//! The example `orders` does what it prints.

#[allow(
    dead_code,
    unreachable_pub,
    reason = "its `main` is not called from here"
)]
#[path = "../../examples/orders.rs"]
mod example;

use mongo_model_dev_server::monitor::CommandLog;
use mongo_model_dev_server::{DevServer, Topology};

#[tokio::test]
async fn the_orders_work() {
    for topology in [Topology::Standalone, Topology::ReplicaSet(1)] {
        let server = DevServer::shared(topology).await.expect("a server");
        let log = CommandLog::new();
        let client = server
            .client_with(|options| log.attach(options))
            .await
            .expect("a client");
        let db = client.database(&server.unique_db("orders"));
        let found = example::orders(&db, &log).await.expect("the example runs");
        let text = str::to_owned;
        assert_eq!(found.waiting, ["Ann"]);
        assert_eq!(found.placed, (text("#4 grommet"), text("3.99")));
        assert_eq!(found.in_cart, "#5 grommet");
        assert_eq!(
            found.after,
            (text("Anna"), text("#4 grommet"), text("3.99"))
        );
        db.drop().await.expect("dropped");
    }
}
