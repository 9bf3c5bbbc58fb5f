//! `examples/people.rs`, run and looked at.

use mongo_model_dev_server::monitor::CommandLog;
use mongo_model_dev_server::{DevServer, Topology};

#[path = "../../examples/people.rs"]
#[allow(
    dead_code,
    unreachable_pub,
    reason = "its `main` is not called from here"
)]
mod example;

#[tokio::test]
async fn both_sides_agree() -> Result<(), Box<dyn std::error::Error>> {
    for topology in [Topology::Standalone, Topology::ReplicaSet(1)] {
        let server = DevServer::shared(topology).await?;
        let log = CommandLog::new();
        let client = server.client_with(|options| log.attach(options)).await?;
        let db = client.database(&server.unique_db("people"));
        let found = example::people(&db, &log).await?;
        assert_eq!(found.addresses, 20);
        assert_eq!(found.full, "Person.addresses is full (20)");
        let (fence, floor, car) = ("paint the fence", "sand the floor", "wax the car");
        let sorted = |mut lists: [Vec<String>; 2]| {
            lists.iter_mut().for_each(|list| list.sort());
            lists
        };
        let [before, after] = found.lists.map(sorted);
        assert_eq!(before, [vec![fence, floor], vec![car]]);
        assert_eq!(after, [vec![floor], vec![fence, car]]);
        let [stale, fresh] = found.interrupted.map(sorted);
        assert_eq!(stale, after);
        assert_eq!(fresh, [vec![], vec![fence, floor, car]]);
        assert_eq!(found.flagged, 2);
        db.drop().await?;
    }
    Ok(())
}
