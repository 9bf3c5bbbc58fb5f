//! `examples/places.rs`, run and looked at.

use mongo_model_dev_server::monitor::CommandLog;
use mongo_model_dev_server::{DevServer, Topology};

#[path = "../../examples/places.rs"]
#[allow(
    dead_code,
    unreachable_pub,
    reason = "its `main` is not called from here"
)]
mod example;

#[tokio::test]
async fn every_question_has_its_index() -> Result<(), Box<dyn std::error::Error>> {
    for topology in [Topology::Standalone, Topology::ReplicaSet(1)] {
        let server = DevServer::shared(topology).await?;
        let log = CommandLog::new();
        let client = server.client_with(|options| log.attach(options)).await?;
        let db = client.database(&server.unique_db("places"));
        let found = example::places(&db, &log).await?;
        assert_eq!(
            found.with_word,
            [
                "a garden under snow",
                "a garden with lemon trees",
                "a roof above the garden"
            ]
        );
        let near = [
            "a cellar with wine at 0 m",
            "a garden with lemon trees at 1388 m",
            "a roof above the garden at 2775 m",
        ];
        assert_eq!(found.near, near);
        assert_eq!(found.best, [5, 4, 3]);
        assert_eq!(found.expires, 3_600);
        db.drop().await?;
    }
    Ok(())
}
