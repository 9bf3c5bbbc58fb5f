//! `shard_keys`: compares the shard keys that models declare with a sharded cluster, and shards collections.

use std::future::IntoFuture;

use bson::Document;
use futures::FutureExt;
use futures::future::BoxFuture;
use mongodb::Database;

use super::planner::Scope;
use crate::driver::capabilities;
use crate::driver::catalog;
use crate::error::Result;
use crate::error::server::Deployment;
use crate::index_spec::shard_keys::{CollectionShardKey, ShardKeyReport};
use crate::schema::model::{Model, ModelMeta};
use crate::schema::shard_key::shard_key;

/// Compares the shard keys that models declare, `#[model(shard_key(..))]`, with those of a sharded cluster: of every model linked into the
/// program, or those of [`only`](ShardKeys::only). With [`apply`](ShardKeys::apply), it shards the collections that are not.
///
/// Sends a `hello`, and on a cluster one `find` in `config.collections`, for which the program needs the role `clusterMonitor`. On a standalone
/// server or a replica set the report says that there is no cluster, and nothing is wrong.
///
/// A collection that is sharded by another key is reported and stays as it is: the server's `reshardCollection` copies all of its documents. One
/// that is sharded although its model has no `shard_key` is reported too, because the library's writes of many documents then take no
/// account of documents that move from one shard to another.
///
/// ```no_run
/// # async fn example(db: &mongo_model::Database) -> mongo_model::Result<()> {
/// mongo_model::sync_indexes(db).await?;
/// let report = mongo_model::shard_keys(db).apply().await?;
/// assert!(report.is_as_declared(), "{report}");
/// # Ok(()) }
/// ```
///
/// # Errors
/// The driver's: the server cannot be reached, or refuses the command.
pub fn shard_keys(db: &Database) -> ShardKeys<'_> {
    ShardKeys {
        db,
        scope: Scope::default(),
        applies: false,
    }
}

/// See [`shard_keys`]. Does nothing unless awaited.
#[derive(Debug)]
#[must_use = "nothing is sent before it is awaited"]
pub struct ShardKeys<'a> {
    db: &'a Database,
    scope: Scope,
    applies: bool,
}

impl ShardKeys<'_> {
    /// Looks only at the collection of `M`; called again, also at the other model's collection.
    pub fn only<M: Model>(mut self) -> Self {
        self.scope.add(M::model_meta());
        self
    }

    /// Exactly these models, whatever is linked into the program.
    #[doc(hidden)]
    pub fn models(mut self, models: &[&'static ModelMeta]) -> Self {
        self.scope = Scope::Exactly(models.to_vec());
        self
    }

    /// Shards each collection whose model has a shard key and that is not sharded yet: an `enableSharding` for the database, and for each collection
    /// one `shardCollection`, for which the program needs the role `clusterManager`. The documents that it has are spread over the shards in
    /// the background.
    ///
    /// A collection with documents needs an index that begins with the shard key: run [`sync_indexes`](crate::sync_indexes) first, which builds
    /// it. If the server refuses a collection, that is the error; those before it, by name, are sharded.
    pub fn apply(mut self) -> Self {
        self.applies = true;
        self
    }
}

impl<'a> IntoFuture for ShardKeys<'a> {
    type Output = Result<ShardKeyReport>;
    type IntoFuture = BoxFuture<'a, Self::Output>;

    fn into_future(self) -> Self::IntoFuture {
        compare(self).boxed()
    }
}

async fn compare(keys: ShardKeys<'_>) -> Result<ShardKeyReport> {
    let ShardKeys { db, scope, applies } = keys;
    if capabilities::ask(db).await?.deployment != Deployment::Sharded {
        return Ok(ShardKeyReport::default());
    }
    let collections = scope.collections();
    let names = collections.keys().copied().collect();
    let stored = catalog::list_sharded(db, names).await?;
    let mut report = ShardKeyReport {
        is_cluster: true,
        collections: Vec::new(),
    };
    let mut is_enabled = false;
    for (name, models) in collections {
        let declared: Option<Document> = models.iter().find_map(|meta| shard_key(meta));
        let mut stored = stored.get(name).cloned();
        let is_new = applies && declared.is_some() && stored.is_none();
        if let Some(key) = declared.as_ref().filter(|_| is_new) {
            if !is_enabled {
                catalog::enable_sharding(db).await?;
                is_enabled = true;
            }
            catalog::shard_collection(db, name, key).await?;
            stored = Some(key.clone());
        }
        if declared.is_some() || stored.is_some() {
            report.collections.push(CollectionShardKey {
                collection: name.to_owned(),
                declared,
                stored,
                is_new,
            });
        }
    }
    Ok(report)
}
