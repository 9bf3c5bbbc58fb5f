//! `examples/jobs.rs`, run and looked at.

use mongo_model_dev_server::monitor::CommandLog;
use mongo_model_dev_server::{DevServer, Topology};

#[path = "../../examples/jobs.rs"]
#[allow(
    dead_code,
    unreachable_pub,
    reason = "its `main` is not called from here"
)]
mod example;

#[tokio::test]
async fn who_is_first_wins_and_the_others_are_told() -> Result<(), Box<dyn std::error::Error>> {
    for topology in [Topology::Standalone, Topology::ReplicaSet(1)] {
        let server = DevServer::shared(topology).await?;
        let log = CommandLog::new();
        let client = server.client_with(|options| log.attach(options)).await?;
        let db = client.database(&server.unique_db("jobs"));
        let found = example::jobs(&db, &log).await?;
        // The alarm was the slow worker's: it depends on chance if a search for ended leases came before the others.
        let mut done = found.done;
        done.sort();
        assert_eq!(done, ["alarm", "newsletter"]);
        assert!(
            found.stale.starts_with("the lease 1 of Mail "),
            "{}",
            found.stale
        );
        assert_eq!(found.dead, ["bill"]);
        let (says, shown) = found.conflict;
        assert!(
            says.ends_with("another writer has changed it since version 0 was read"),
            "{says}"
        );
        assert_eq!((shown, found.counted), (70, 80));
        assert_eq!(found.bought, [true, false]);
        assert_eq!((found.tokens, found.late), ([1, 2], false));
        assert_eq!(found.transfers, [(true, [10, 20]), (false, [10, 20])]);
        db.drop().await?;
    }
    Ok(())
}
