//! A server that is killed comes back with its data; a primary that steps down is followed by another.
#![cfg(unix)]

use mongo_model_dev_server::{DevServer, Environment, Topology};
use mongodb::{
    Client,
    bson::{Bson, Document, doc},
    options::{Acknowledgment, WriteConcern},
};

async fn start(topology: Topology) -> DevServer {
    let environment = Environment {
        mongodb_uri: None,
        ..Environment::from_process()
    };
    DevServer::start_in(environment, topology).await.unwrap()
}

async fn ask(client: &Client, command: Document) -> Option<Document> {
    let admin = client.database("admin");
    admin.run_command(command).await.ok()
}

/// The process of the server that answers; repeats the command until one does.
async fn pid(client: &Client) -> Bson {
    loop {
        if let Some(status) = ask(client, doc! { "serverStatus": 1 }).await {
            return status.get("pid").unwrap().clone();
        }
    }
}

#[tokio::test]
async fn a_killed_server_starts_again_on_its_data() {
    let server = start(Topology::Standalone).await;
    assert_eq!(server.members(), 1);
    let client = server.client().await.unwrap();
    let journaled = WriteConcern::builder()
        .w(Acknowledgment::Majority)
        .journal(true)
        .build();
    let numbers = client.database("kept").collection::<Document>("numbers");
    for round in 0..3 {
        let before = pid(&client).await;
        let insert = numbers.insert_one(doc! { "_id": i64::try_from(round).unwrap() });
        insert.write_concern(journaled.clone()).await.unwrap();
        server.kill_and_restart(0).unwrap();
        while pid(&client).await == before {}
        assert_eq!(numbers.count_documents(doc! {}).await.unwrap(), round + 1);
    }
    assert!(server.kill_and_restart(1).is_err());
}

#[tokio::test]
async fn a_primary_that_steps_down_or_is_killed_is_followed_by_another() {
    let server = start(Topology::ReplicaSet(3)).await;
    assert_eq!(server.members(), 3);
    let client = server.client().await.unwrap();
    let term = async || loop {
        let status = ask(&client, doc! { "replSetGetStatus": 1 }).await;
        let primary = server.primary().await;
        if let (Some(status), Some(_)) = (status, primary) {
            return status.get_i64("term").unwrap();
        }
    };
    let before = term().await;
    assert!(server.step_down().await);
    while term().await == before {}
    let before = term().await;
    server
        .kill_and_restart(server.primary().await.unwrap())
        .unwrap();
    while term().await == before {}
}
