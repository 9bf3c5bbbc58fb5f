//! The example `logs` does what it prints.

#[allow(
    dead_code,
    unreachable_pub,
    reason = "its `main` is not called from here"
)]
#[path = "../../examples/logs.rs"]
mod example;

use mongo_model_dev_server::monitor::CommandLog;
use mongo_model_dev_server::{DevServer, Topology};

#[tokio::test]
async fn the_logs_work() {
    for topology in [Topology::Standalone, Topology::ReplicaSet(1)] {
        let server = DevServer::shared(topology).await.expect("a server");
        let log = CommandLog::new();
        let client = server
            .client_with(|options| log.attach(options))
            .await
            .expect("a client");
        let db = client.database(&server.unique_db("logs"));
        let found = example::logs(&db, &log).await.expect("the example runs");
        assert_eq!(found.last, 5_000);
        assert_eq!(found.ends, ["message 5999", "message 445"]);
        let told = |numbers: [u32; 3]| numbers.map(|n| format!("message {n}")).to_vec();
        assert_eq!(
            found.latest,
            [
                ("goofy".to_owned(), told([5999, 5998, 5997])),
                ("pluto".to_owned(), told([5990, 5980, 5970])),
            ]
        );
        let counts = [("goofy", 5_400), ("pluto", 600), ("idle", 0)];
        assert_eq!(
            found.counts,
            counts.map(|(name, count)| (name.to_owned(), count))
        );
        assert_eq!(found.pages, [250, 250, 100]);
        assert_eq!(found.followed, 5_400);
        let kept = [
            (1_000, "message 5998", 5_399),
            (602, "cpu is on fire", 602),
            (0, "", 0),
        ];
        assert_eq!(
            found.kept,
            kept.map(|(list, last, all)| (list, last.to_owned(), all))
        );
        // Its messages, and three pages of its kernel.
        assert_eq!(found.gone, 5_402);
        assert_eq!(found.pushed, [130, 20]);
        assert_eq!(found.kernel, (31, 131, 130));
        db.drop().await.expect("dropped");
    }
}

// The guide's table of costs has their sizes.
#[test]
fn a_message_has_one_index_of_its_host() {
    let report = mongo_model::report();
    let message = report.models.iter().find(|model| model.model == "LogMsg");
    assert_eq!(
        message.expect("a model").indexes,
        [
            "host: 1, time: -1, _id: -1",
            "_dn.p: 1",
            "_dn.u.t: 1",
            "_dn.c.t: 1"
        ]
    );
}
