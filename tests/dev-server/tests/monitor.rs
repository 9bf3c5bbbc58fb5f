//! A command log holds what a test asks the server for, and no more.

use mongo_model_dev_server::{DevServer, Topology, monitor::CommandLog};
use mongodb::{
    Client,
    bson::{Document, doc},
};

async fn use_it(client: &Client, db: &str) {
    let db = client.database(db);
    db.run_command(doc! { "ping": 1 }).await.unwrap();
    db.run_command(doc! { "hello": 1 }).await.unwrap();
    let things = db.collection::<Document>("things");
    things.insert_one(doc! { "a": 1 }).await.unwrap();
    things.find_one(doc! { "a": 1 }).await.unwrap().unwrap();
}

#[tokio::test]
async fn a_log_holds_the_commands_of_a_user() {
    let server = DevServer::shared(Topology::Any).await.unwrap();
    let log = CommandLog::new();
    let client = server
        .client_with(|options| log.clone().attach(options))
        .await
        .unwrap();
    let db = server.unique_db("log");
    use_it(&client, &db).await;
    assert_eq!(log.names(), ["insert", "find"]);
    assert_eq!(log.commands().len(), 2);

    let taken = log.take();
    assert_eq!(taken[1].name, "find");
    assert_eq!(taken[1].db, db);
    assert_eq!(
        taken[1].command.get_document("filter").unwrap(),
        &doc! { "a": 1 }
    );
    client.shutdown().await;
    assert!(log.commands().is_empty(), "{:?}", log.names());
}

#[tokio::test]
async fn a_log_with_noise_holds_them_all() {
    let server = DevServer::shared(Topology::Any).await.unwrap();
    let log = CommandLog::with_noise();
    let client = server
        .client_with(|options| log.attach(options))
        .await
        .unwrap();
    use_it(&client, &server.unique_db("noise")).await;
    client.shutdown().await;
    assert_eq!(
        log.names(),
        ["ping", "hello", "insert", "find", "endSessions"]
    );
}
