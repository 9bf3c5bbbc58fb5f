//! Recovery does not act on data that it read from a primary that died, if the new primary does not have it.

use std::time::Duration;

use bson::oid::ObjectId;
use bson::{Document, doc};
use mongo_model::recover;
use mongo_model_dev_server::monitor::CommandLog;
use mongo_model_dev_server::{DevServer, Environment, Topology};
use mongo_model_soak::models::{Part, Product, index, key};
use mongo_model_soak::oracle::audit;
use mongo_model_soak::steps;
use mongodb::Client;

async fn ask(client: &Client, command: Document) -> mongodb::error::Result<Document> {
    client.database("admin").run_command(command).await
}

async fn a_moment() {
    tokio::time::sleep(Duration::from_millis(10)).await;
}

/// Two sources are read to be compared with new copies. What that read shows is on the primary alone, which dies before anything
/// else is sent: the copies must not keep a value that no server has any more.
#[tokio::test]
async fn a_source_that_died_with_its_primary_is_not_copied() {
    mongo_model::settle_in_calls(true);
    let environment = Environment {
        mongodb_uri: None,
        arguments: ["--setParameter", "enableTestCommands=1"]
            .map(str::to_owned)
            .into(),
        ..Environment::from_process()
    };
    let server = DevServer::start_in(environment, Topology::ReplicaSet(3))
        .await
        .expect("a set");
    let log = CommandLog::new();
    let client = server
        .client_with(|options| log.attach(options))
        .await
        .expect("a client");
    let db = client.database("failover");
    index(&db).await.expect("indexes");
    steps::prepare(&db).await.expect("prepared");
    let product = doc! { "_id": *key::<Product>(0).as_raw() };
    let stale = doc! {
        "$set": { "parts.0.name": "wrong" },
        "$unset": { "parts.0._r": "", "parts.1._r": "" },
        "$push": { "_dn.u": { "t": ObjectId::new() } },
    };
    let update = doc! { "update": "products", "updates": [{ "q": product, "u": stale }], "writeConcern": { "w": 3 } };
    db.run_command(update)
        .await
        .expect("marked on every member");

    // From now on the others do not learn what the primary does.
    let old = server.primary().await.expect("a primary");
    let others: Vec<Client> = (0..server.members())
        .filter(|member| *member != old)
        .map(|member| server.client_of(member).expect("a member"))
        .collect();
    let replication = |mode: &str| doc! { "configureFailPoint": "stopReplProducer", "mode": mode };
    for other in &others {
        ask(other, replication("alwaysOn")).await.expect("stopped");
    }
    let ids = [0, 1].map(|n| *key::<Part>(n).as_raw());
    let rename = doc! {
        "$set": { "name": "lost" },
        "$inc": { "_dn.r": 1 },
        "$addToSet": { "_dn.p": { "$each": ["products.parts", "stocks.part", "bins.part"] } },
    };
    let update = doc! { "update": "parts", "updates": [{ "q": { "_id": { "$in": ids.to_vec() } }, "u": rename, "multi": true }], "writeConcern": { "w": 1, "j": true } };
    db.run_command(update).await.expect("on the primary alone");

    drop(log.take());
    let recovery = tokio::spawn({
        let db = db.clone();
        async move { recover(&db).await }
    });
    // The recovery has read the sources, and waits until the data is durable.
    while !log.names().iter().any(|name| name == "update") {
        a_moment().await;
    }
    server.kill_and_restart(old).expect("killed");
    while ask(&others[0], doc! { "replSetStepUp": 1 }).await.is_err() {
        a_moment().await;
    }
    // Abort the new primary's catch-up: it would wait for writes that it cannot get.
    let primary = async || {
        let hello = ask(&others[0], doc! { "hello": 1 }).await;
        hello.is_ok_and(|hello| hello.get_bool("isWritablePrimary").unwrap_or(false))
    };
    while !primary().await {
        let _ = ask(&others[0], doc! { "replSetAbortPrimaryCatchUp": 1 }).await;
        a_moment().await;
    }
    for other in &others {
        ask(other, replication("off")).await.expect("on again");
    }
    // The recovery may fail or succeed: both are correct.
    let recovered = recovery.await.expect("no panic");
    let after = audit(&db).await.expect("read");
    assert!(
        after.lost().is_empty(),
        "{recovered:?}: {:#?}",
        after.lost()
    );
    recover(&db).await.expect("recovered");
    let after = audit(&db).await.expect("read");
    assert!(after.stale.is_empty(), "{:#?}", after.stale);
    let names = db
        .collection::<Document>("parts")
        .count_documents(doc! { "name": "lost" })
        .await;
    assert_eq!(
        names.expect("counted"),
        0,
        "the change survived, so nothing was tested"
    );
}
