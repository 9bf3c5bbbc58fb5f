//! The context that every group gets.

use bson::{Bson, doc};
use futures::TryStreamExt;
use mongo_model::model::ModelMeta;
use mongo_model::{Database, MongoModel, sync_indexes};
use mongo_model_dev_server::{DevServer, Topology};
use mongodb::options::{Acknowledgment, DatabaseOptions, WriteConcern};
use serde::de::DeserializeOwned;

use crate::Result;
use crate::clock::Watch;
use crate::groups::scale::Sizes;
use crate::race::Race;

/// A server, a database of its own on it, and how much is to be done.
#[derive(Debug)]
pub(crate) struct Context {
    /// It ends with this.
    server: DevServer,
    pub(crate) db: Database,
    pub(crate) quick: bool,
    /// The sizes of the group `scale`.
    pub(crate) sizes: Sizes,
    pub(crate) watch: Watch,
    /// One line on where this runs.
    pub(crate) machine: String,
}

impl Context {
    pub(crate) async fn new(quick: bool, sizes: Sizes) -> Result<Self> {
        let server = DevServer::start(Topology::Standalone).await?;
        let client = server.client().await?;
        let db = client.database(&server.unique_db("benches"));
        let (watch, version) = prepared(&db).await?;
        let cores = std::thread::available_parallelism().map_or(0, usize::from);
        let build = if cfg!(debug_assertions) {
            ", not optimised"
        } else {
            ""
        };
        let spans = if cfg!(feature = "tracing") {
            ", spans compiled in without a subscriber"
        } else {
            ""
        };
        Ok(Context {
            machine: format!(
                "{cores} cores, {}, mongod {version} (standalone), loopback, all data in its cache{build}{spans}.",
                std::env::consts::OS
            ),
            watch,
            db,
            quick,
            sizes,
            server,
        })
    }

    /// The same on a server of another kind, which ends with the result.
    pub(crate) async fn on(&self, topology: Topology) -> Result<Self> {
        let server = DevServer::start(topology).await?;
        let db = server.client().await?.database(self.db.name());
        let (watch, _) = prepared(&db).await?;
        Ok(Context {
            machine: self.machine.clone(),
            quick: self.quick,
            sizes: self.sizes,
            watch,
            db,
            server,
        })
    }

    /// How other programs reach the server.
    pub(crate) fn uri(&self) -> &str {
        self.server.uri()
    }

    /// As many as asked for, or a few in a smoke run.
    pub(crate) fn size(&self, full: usize, quick: usize) -> usize {
        if self.quick { quick } else { full }
    }

    /// Variants to be measured in so many rounds, two in a smoke run.
    pub(crate) fn race<'a>(&self, title: impl Into<String>, rounds: usize) -> Race<'a> {
        Race::new(title, self.watch, self.size(rounds, 2))
    }

    /// Empties the collection, stores documents as another program would, then creates the declared indexes.
    pub(crate) async fn seed<M: MongoModel>(
        &self,
        documents: impl Iterator<Item = M>,
    ) -> Result<()> {
        let collection = self.db.collection::<M>(M::meta().collection);
        collection.drop().await?;
        let mut documents = documents.peekable();
        while documents.peek().is_some() {
            let some: Vec<M> = documents.by_ref().take(10_000).collect();
            collection.insert_many(&some).await?;
        }
        self.index(&[M::meta()]).await
    }

    pub(crate) async fn index(&self, models: &[&'static ModelMeta]) -> Result<()> {
        sync_indexes(&self.db).models(models).await?;
        Ok(())
    }

    /// All that a `find` by hand gives.
    pub(crate) async fn all<T: DeserializeOwned + Send + Sync>(
        find: mongodb::action::Find<'_, T>,
    ) -> Result<Vec<T>> {
        Ok(find.await?.try_collect().await?)
    }
}

/// The same database with writes that no crash takes back, as mongo-model's are.
pub(crate) fn durable(db: &Database) -> Database {
    let concern = WriteConcern::builder()
        .w(Acknowledgment::Majority)
        .journal(true)
        .build();
    let options = DatabaseOptions::builder().write_concern(concern).build();
    db.client().database_with_options(db.name(), options)
}

/// Gives the server of a database room; returns its process and its version.
async fn prepared(db: &Database) -> Result<(Watch, String)> {
    // One for tests is started with little. Where the server was given and refuses, it is its owner's to say.
    let larger = doc! { "setParameter": 1, "wiredTigerEngineRuntimeConfig": "cache_size=2G" };
    let _ = db.client().database("admin").run_command(larger).await;
    let status = db.run_command(doc! { "serverStatus": 1 }).await?;
    let pid = status.get("pid").and_then(Bson::as_i64);
    let version = status.get_str("version").unwrap_or("?").to_owned();
    Ok((
        Watch::new(pid.and_then(|pid| u32::try_from(pid).ok())),
        version,
    ))
}
