//! Shared by all live tests: a database per test, the log of its commands, and the server's query plans.

#![allow(dead_code, reason = "each test program uses some of it")]

use bson::oid::ObjectId;
use bson::{Bson, Document, doc};
use futures::TryStreamExt;
use mongo_model::model::{CheckRule, ModelMeta};
use mongo_model::{ClientSession, Database, Error, MongoModel, sync_indexes};
use mongo_model_dev_server::monitor::{CommandLog, StartedCommand};
use mongo_model_dev_server::{DevServer, Topology};
use mongodb::{Client, Collection};

/// A separate database, and the log of its commands.
#[derive(Debug)]
pub(crate) struct Bench {
    pub(crate) db: Database,
    pub(crate) client: Client,
    server: &'static DevServer,
    log: CommandLog,
}

/// Runs a test in a database of its own, which is gone afterwards. Calls wait for all of their work.
pub(crate) async fn on(topology: Topology, name: &str, test: impl AsyncFnOnce(&Bench)) {
    mongo_model::settle_in_calls(true);
    run(topology, name, test).await;
}

/// The same in a program of whose tests none calls [`on`]: calls answer before their flags are removed.
pub(crate) async fn behind(name: &str, test: impl AsyncFn(&Bench)) {
    for topology in [Topology::Standalone, Topology::ReplicaSet(1)] {
        run(topology, name, &test).await;
    }
}

async fn run(topology: Topology, name: &str, test: impl AsyncFnOnce(&Bench)) {
    let server = DevServer::shared(topology).await.expect("a server");
    let log = CommandLog::new();
    let client = server
        .client_with(|options| log.attach(options))
        .await
        .expect("a client");
    let db = client.database(&server.unique_db(name));
    let bench = Bench {
        db,
        client,
        server,
        log,
    };
    test(&bench).await;
    bench.db.drop().await.expect("dropped");
}

/// The same on a standalone server.
pub(crate) async fn alone(name: &str, test: impl AsyncFnOnce(&Bench)) {
    on(Topology::Standalone, name, test).await;
}

/// The same on a replica set.
pub(crate) async fn in_set(name: &str, test: impl AsyncFnOnce(&Bench)) {
    on(Topology::ReplicaSet(1), name, test).await;
}

/// The same on a standalone server and on a replica set.
pub(crate) async fn on_both(name: &str, test: impl AsyncFn(&Bench)) {
    for topology in [Topology::Standalone, Topology::ReplicaSet(1)] {
        on(topology, name, &test).await;
    }
}

/// Another program: [`Bench::stranger`].
#[derive(Debug)]
pub(crate) struct Stranger {
    name: String,
    pub(crate) db: Database,
}

impl Bench {
    /// The collection as the driver shows it.
    pub(crate) fn raw(&self, collection: &str) -> Collection<Document> {
        self.db.collection(collection)
    }

    /// Creates the declared indexes; clears the command log.
    pub(crate) async fn index(&self, models: &[&'static ModelMeta]) {
        sync_indexes(&self.db)
            .models(models)
            .await
            .expect("indexes");
        self.forget();
    }

    /// Stores documents as any other program would; clears the command log.
    pub(crate) async fn seed(
        &self,
        collection: &str,
        documents: impl IntoIterator<Item = Document>,
    ) {
        self.raw(collection)
            .insert_many(documents)
            .await
            .expect("seeded");
        self.forget();
    }

    /// Stores models as another program would, which knows nothing of references that have to lead somewhere.
    pub(crate) async fn place<'d, M: MongoModel>(&self, models: impl IntoIterator<Item = &'d M>) {
        let collection = self.db.collection::<M>(M::meta().collection);
        collection.insert_many(models).await.expect("placed");
        self.forget();
    }

    /// The one stored document with this `_id`, as the driver reads it; clears the command log.
    pub(crate) async fn stored(&self, collection: &str, id: impl Into<Bson>) -> Document {
        let collection = self.raw(collection);
        let found = collection.find_one(doc! { "_id": id.into() }).await;
        let found = found.expect("read").expect("stored");
        self.forget();
        found
    }

    /// How many documents a collection holds; clears the command log.
    pub(crate) async fn len(&self, collection: &str) -> u64 {
        let found = self.raw(collection).count_documents(doc! {}).await;
        self.forget();
        found.expect("counted")
    }

    /// The commands since the log was cleared.
    pub(crate) fn take(&self) -> Vec<StartedCommand> {
        self.log.take()
    }

    /// The names of the commands since the log was cleared.
    pub(crate) fn sent(&self) -> Vec<String> {
        self.take().into_iter().map(|sent| sent.name).collect()
    }

    /// How many commands there were since the log was cleared; leaves them in the log.
    pub(crate) fn count(&self) -> usize {
        self.log.commands().len()
    }

    pub(crate) fn forget(&self) {
        drop(self.take());
    }

    /// The only command since the log was cleared.
    pub(crate) fn only(&self) -> Document {
        let mut sent = self.take();
        let names: Vec<&str> = sent.iter().map(|sent| sent.name.as_str()).collect();
        assert_eq!(names.len(), 1, "one command was expected: {names:?}");
        sent.remove(0).command
    }

    /// The database as another program has it; what that sends is logged here too.
    pub(crate) async fn stranger(&self) -> Stranger {
        let name = ObjectId::new().to_hex();
        let client = self.server.client_with(|options| {
            options.app_name = Some(name.clone());
            self.log.attach(options);
        });
        let db = client.await.expect("a client").database(self.db.name());
        db.run_command(doc! { "ping": 1 }).await.expect("connected");
        self.forget();
        Stranger { name, db }
    }

    /// Ends another program, and waits until the server has done all that it has sent: a connection that nobody holds any more
    /// is ended after the command that came by it.
    pub(crate) async fn end(&self, stranger: Stranger) {
        let client = stranger.db.client().clone();
        client.shutdown().immediate(true).await;
        // Ignore the client's monitoring connections: they stay open for a while.
        let watches = doc! { "$exists": true };
        let watching = [
            doc! { "command.hello": &watches },
            doc! { "command.isMaster": &watches },
        ];
        let its = [
            doc! { "$currentOp": { "allUsers": true, "idleConnections": true } },
            doc! { "$match": { "appName": stranger.name, "$nor": watching.to_vec() } },
        ];
        let admin = self.client.database("admin");
        while {
            let mut found = admin.aggregate(its.clone()).await.expect("asked");
            found.try_next().await.expect("read").is_some()
        } {}
        self.forget();
    }

    /// How the server runs the only command since the log was cleared.
    pub(crate) async fn plan(&self) -> Plan {
        let command = self.only();
        self.explain(command).await
    }

    /// How the server runs a logged command.
    pub(crate) async fn explain(&self, command: Document) -> Plan {
        // Drop the fields that belong to the message and not to the query.
        let own = ["lsid", "txnNumber", "autocommit", "startTransaction"];
        let command: Document = command
            .into_iter()
            .filter(|(key, _)| !key.starts_with('$') && !own.contains(&key.as_str()))
            .collect();
        let shown = command.to_string();
        let explained = self
            .db
            .run_command(doc! { "explain": command, "verbosity": "executionStats" })
            .await
            .expect("explained");
        self.forget();
        let mut plan = Plan {
            command: shown,
            ..Plan::default()
        };
        plan.read(&explained);
        plan
    }

    /// A session with an open transaction.
    pub(crate) async fn transaction(&self) -> ClientSession {
        let mut session = self.client.start_session().await.expect("a session");
        session.start_transaction().await.expect("a transaction");
        session
    }
}

/// The output of `explain`.
#[derive(Debug, Default)]
pub(crate) struct Plan {
    command: String,
    pub(crate) stages: Vec<String>,
    /// The keys of the indexes used: `address.city`.
    pub(crate) indexes: Vec<Vec<String>>,
    pub(crate) keys: i64,
    pub(crate) documents: i64,
}

impl Plan {
    fn read(&mut self, document: &Document) {
        for (key, value) in document {
            match (key.as_str(), value) {
                ("rejectedPlans" | "command" | "executionStages" | "allPlansExecution", _) => {}
                ("stage", Bson::String(stage)) => self.stages.push(stage.clone()),
                ("keyPattern", Bson::Document(keys)) => {
                    self.indexes.push(keys.keys().cloned().collect());
                }
                ("totalKeysExamined", n) => self.keys += number(n),
                ("totalDocsExamined", n) => self.documents += number(n),
                (_, Bson::Document(inner)) => self.read(inner),
                (_, Bson::Array(elements)) => elements
                    .iter()
                    .filter_map(Bson::as_document)
                    .for_each(|element| self.read(element)),
                _ => {}
            }
        }
    }

    pub(crate) fn has(&self, stage: &str) -> bool {
        self.stages.iter().any(|found| found == stage)
    }

    /// It reads no more than an index that starts with this key leads to.
    #[track_caller]
    pub(crate) fn assert_served_by(&self, key: &str) {
        // A count reads the keys alone where they say enough.
        let scanned = self.has("IXSCAN") || self.has("COUNT_SCAN");
        assert!(scanned && !self.has("COLLSCAN"), "{self:#?}");
        assert!(
            self.indexes
                .iter()
                .all(|keys| keys.first().is_some_and(|first| first == key)),
            "{self:#?}"
        );
    }
}

/// Asserts that one value alone is refused, because it is longer than a bound.
#[track_caller]
pub(crate) fn assert_too_long<T: std::fmt::Debug>(result: Result<T, Error>, path: &str, max: u64) {
    let Err(Error::Invalid { violations, .. }) = &result else {
        panic!("{path}: {result:?}");
    };
    let broken = violations.iter().map(|one| (&*one.path, one.rule));
    let rule = CheckRule::Len { min: 0, max };
    assert_eq!(broken.collect::<Vec<_>>(), [(path, rule)]);
}

/// A number of either width.
pub(crate) fn number(value: &Bson) -> i64 {
    value
        .as_i64()
        .or_else(|| value.as_i32().map(i64::from))
        .unwrap_or_else(|| panic!("{value} is no integer"))
}
