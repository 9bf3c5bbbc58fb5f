//! A double of `mongos` for tests, and no mongos: it stands in front of several replica sets of one member, speaks the wire protocol,
//! sends each command to the shards of its chunk table, and refuses single writes that a mongos refuses. A read of several shards runs
//! on a copy of their documents. A write of many documents runs on its shards in turn, and a chunk can move in between.
//!
//! Not as a mongos: a transaction is not atomic across shards; hashes are not those of a server; a chunk moves while no transaction is
//! open; a shard key never changes; `$merge`, change streams, `$text` and `$near` are refused on sharded collections.

mod catalog;
mod dispatch;
mod front;
mod keys;
mod moving;
mod pipeline;
mod reading;
mod scratch;
mod shared;
mod table;
mod value;
mod wire;
mod writing;

use std::sync::Arc;

use bson::Document;
use mongo_model_dev_server::{DevServer, Environment, Topology};
use mongodb::options::{ClientOptions, ServerAddress};
use tokio::net::TcpListener;

use crate::front::Front;
use crate::shared::{Plan, Shared};

/// A command of a client, and the shards that it was sent to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Routed {
    /// The name of the command.
    pub name: String,
    /// `database.collection`.
    pub namespace: String,
    /// The numbers of the shards, in order.
    pub shards: Vec<usize>,
}

/// A running router. It belongs to the runtime that started it.
pub struct Router {
    uri: String,
    shared: Arc<Shared>,
    _servers: Vec<DevServer>,
}

type Failure = Box<dyn std::error::Error + Send + Sync>;

impl Router {
    /// Starts `shards` replica sets and a router before them.
    ///
    /// # Errors
    ///
    /// If a server does not start, or no port is free.
    pub async fn start(shards: usize, shard_everything: bool) -> Result<Self, Failure> {
        let (mut servers, mut hosts) = (Vec::new(), Vec::new());
        for _ in 0..shards {
            let environment = Environment {
                mongodb_uri: None,
                ..Environment::from_process()
            };
            let server = DevServer::start_in(environment, Topology::ReplicaSet(1)).await?;
            let options = ClientOptions::parse(server.uri()).await?;
            hosts.extend(options.hosts.first().map(ServerAddress::to_string));
            servers.push(server);
        }
        let listener = TcpListener::bind("127.0.0.1:0").await?;
        let uri = format!("mongodb://{}/", listener.local_addr()?);
        let shared = Arc::new(Shared::new(hosts, shard_everything));
        Front::new(Arc::clone(&shared))
            .store_shards()
            .await
            .map_err(explain)?;
        let state = Arc::clone(&shared);
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                tokio::spawn(Front::new(Arc::clone(&state)).serve(stream));
            }
        });
        Ok(Self {
            uri,
            shared,
            _servers: servers,
        })
    }

    /// The connection string.
    #[must_use]
    pub fn uri(&self) -> &str {
        &self.uri
    }

    /// Moves a chunk, by its number, to a shard. Waits until no transaction is open.
    ///
    /// # Errors
    ///
    /// If there is no such chunk or shard, or a shard refuses the documents.
    pub async fn move_chunk(
        &self,
        namespace: &str,
        chunk: usize,
        to: usize,
    ) -> Result<(), Failure> {
        let mut front = Front::new(Arc::clone(&self.shared));
        front
            .move_chunk(namespace, chunk, to)
            .await
            .map_err(explain)
    }

    /// Moves a chunk during the next command of this name with a statement for several shards of the collection, outside of a transaction:
    /// after the first shard has run the statement, and before the next one does. That can be a statement for one document too, which names
    /// its `_id` and not its shard key: a mongos sends a statement for several shards without a version of the chunks.
    pub fn move_during(&self, namespace: &str, command: &str, chunk: usize, to: usize) {
        self.shared.state().plans.push(Plan {
            namespace: namespace.to_owned(),
            command: command.to_owned(),
            chunk,
            to,
        });
    }

    /// The moves that still wait for a command.
    #[must_use]
    pub fn planned_moves(&self) -> usize {
        self.shared.state().plans.len()
    }

    /// Splits the chunk that holds a point of the shard key, at this point. Hashed parts of the point are hashes.
    ///
    /// # Errors
    ///
    /// If the collection is not sharded.
    pub async fn split(&self, namespace: &str, point: &Document) -> Result<(), Failure> {
        let mut table = self.shared.table(namespace).ok_or("no such table")?;
        table.split_at(point);
        self.shared
            .state()
            .tables
            .insert(namespace.to_owned(), table.clone());
        let mut front = Front::new(Arc::clone(&self.shared));
        front.store_chunks(&table).await.map_err(explain)
    }

    /// The number of the chunk that a document belongs to, and its shard.
    #[must_use]
    pub fn place_of(&self, namespace: &str, document: &Document) -> Option<(usize, usize)> {
        let table = self.shared.table(namespace)?;
        Some((table.chunk_of(document), table.shard_of(document)))
    }

    /// The commands of all clients since the last call, with the shards of each.
    #[must_use]
    pub fn take_commands(&self) -> Vec<Routed> {
        std::mem::take(&mut self.shared.state().commands)
    }
}

fn explain(refusal: Document) -> Failure {
    refusal.to_string().into()
}
