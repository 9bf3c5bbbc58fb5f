//! A started server has the requested topology, and is ready when it is handed out.

use mongo_model_dev_server::{DevServer, Environment, Error, Topology};
use mongodb::{
    Client,
    bson::{Document, doc},
    options::{Acknowledgment, ReadPreference, SelectionCriteria, WriteConcern},
};

/// The variables of this process without a given server: these tests are of what is started.
fn without_given_server() -> Environment {
    Environment {
        mongodb_uri: None,
        ..Environment::from_process()
    }
}

async fn start(topology: Topology) -> DevServer {
    DevServer::start_in(without_given_server(), topology)
        .await
        .unwrap()
}

async fn admin(client: &Client, command: Document) -> Document {
    client.database("admin").run_command(command).await.unwrap()
}

#[tokio::test]
async fn a_standalone_answers_and_is_in_no_replica_set() {
    for topology in [Topology::Standalone, Topology::Any] {
        let server = start(topology).await;
        let client = server.client().await.unwrap();
        admin(&client, doc! { "ping": 1 }).await;
        let hello = admin(&client, doc! { "hello": 1 }).await;
        assert!(!hello.contains_key("setName"), "{hello}");
    }
}

#[tokio::test]
async fn a_replica_set_of_one_runs_a_transaction() {
    let server = start(Topology::ReplicaSet(1)).await;
    let client = server.client().await.unwrap();
    let things = client
        .database(&server.unique_db("transaction"))
        .collection::<Document>("things");
    for (commits, count) in [(false, 0), (true, 1)] {
        let mut session = client.start_session().await.unwrap();
        session.start_transaction().await.unwrap();
        things
            .insert_one(doc! { "a": 1 })
            .session(&mut session)
            .await
            .unwrap();
        if commits {
            session.commit_transaction().await.unwrap();
        } else {
            session.abort_transaction().await.unwrap();
        }
        assert_eq!(things.count_documents(doc! {}).await.unwrap(), count);
    }
}

#[tokio::test]
async fn a_replica_set_of_three_acknowledges_on_a_majority_and_on_all() {
    let server = start(Topology::ReplicaSet(3)).await;
    let client = server.client().await.unwrap();
    let hello = admin(&client, doc! { "hello": 1 }).await;
    assert_eq!(hello.get_array("hosts").unwrap().len(), 3, "{hello}");

    let things = client
        .database(&server.unique_db("majority"))
        .collection::<Document>("things");
    for (id, acknowledgment) in [(1, Acknowledgment::Majority), (2, Acknowledgment::Nodes(3))] {
        things
            .insert_one(doc! { "_id": id })
            .write_concern(WriteConcern::builder().w(acknowledgment).build())
            .await
            .unwrap();
    }
    let secondary = SelectionCriteria::ReadPreference(ReadPreference::Secondary { options: None });
    // Every member acknowledged the second write, so any secondary has both.
    let read = things
        .count_documents(doc! {})
        .selection_criteria(secondary)
        .await
        .unwrap();
    assert_eq!(read, 2);
}

#[tokio::test]
async fn a_replica_set_of_another_size_is_refused() {
    for members in [0, 2, 4] {
        let error = DevServer::start_in(without_given_server(), Topology::ReplicaSet(members))
            .await
            .unwrap_err();
        assert!(matches!(error, Error::Members(n) if n == members));
        assert!(error.to_string().ends_with("ask for 1 or 3"), "{error}");
    }
}

#[test]
fn a_shared_server_outlives_the_runtime_that_started_it() {
    let uris: Vec<String> = (0..2)
        .map(|_| {
            let runtime = tokio::runtime::Builder::new_current_thread()
                .enable_all()
                .build()
                .unwrap();
            runtime.block_on(async {
                let (one, other) = tokio::join!(
                    DevServer::shared(Topology::Any),
                    DevServer::shared(Topology::Any),
                );
                let (one, other) = (one.unwrap(), other.unwrap());
                assert_eq!(one.uri(), other.uri());
                admin(&one.client().await.unwrap(), doc! { "ping": 1 }).await;
                one.uri().to_owned()
            })
        })
        .collect();
    assert_eq!(uris[0], uris[1]);
}
