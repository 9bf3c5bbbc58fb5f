//! `examples/staff.rs`, run and looked at.

use mongo_model_dev_server::monitor::CommandLog;
use mongo_model_dev_server::{DevServer, Topology};

#[path = "../../examples/staff.rs"]
#[allow(
    dead_code,
    unreachable_pub,
    reason = "its `main` is not called from here"
)]
mod example;

#[tokio::test]
async fn kinds_and_versions_live_together() -> Result<(), Box<dyn std::error::Error>> {
    for topology in [Topology::Standalone, Topology::ReplicaSet(1)] {
        let server = DevServer::shared(topology).await?;
        let log = CommandLog::new();
        let client = server.client_with(|options| log.attach(options)).await?;
        let db = client.database(&server.unique_db("staff"));
        let found = example::staff(&db, &log).await?;
        assert_eq!(found.well_paid, ["Cid", "Dan"]);
        assert_eq!(found.old.len(), 2);
        for (name, bonus) in &found.old {
            assert!(name.starts_with("Ann Smith "), "{name}");
            assert_eq!(*bonus, 0);
        }
        assert_eq!(found.migrated, [2_000, 0]);
        let newer = "schema version 3 is newer than this program, which knows 2";
        assert!(found.newer.ends_with(newer), "{}", found.newer);
        // The report also has the models of the other examples.
        let mut lines = found.report.lines();
        lines
            .find(|line| *line == "Employee (employees): 2 indexes, schema version 2, no advice")
            .expect("the model");
        let costs = "  insert: 1 command, 3 indexes; update: 1 command, 1 index; delete, if nothing refers to it: 1 command, 3 indexes";
        assert_eq!(lines.next(), Some(costs));
        assert!(
            lines.next().is_none_or(|next| !next.starts_with(' ')),
            "{}",
            found.report
        );
        db.drop().await?;
    }
    Ok(())
}
