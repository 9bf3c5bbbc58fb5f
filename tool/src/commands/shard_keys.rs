//! Shard keys, as the models declare them.

use mongo_model::index::CollectionShardKey;

use crate::connection::Connection;
use crate::failure::Result;
use crate::models::Models;

/// The collections that a sharded cluster does not distribute as their models say.
pub(super) async fn find_differing(
    connection: &Connection,
    models: &Models,
) -> Result<Vec<CollectionShardKey>> {
    let chosen = models.with_neighbours();
    let mut report = mongo_model::shard_keys(&connection.db)
        .models(&chosen)
        .await?;
    report
        .collections
        .retain(|collection| !collection.is_as_declared());
    Ok(report.collections)
}

/// Shards the collections that are not, and says which those were.
pub(super) async fn shard(connection: &Connection, models: &Models) -> Result<Vec<String>> {
    let chosen = models.with_neighbours();
    let report = mongo_model::shard_keys(&connection.db).models(&chosen);
    let report = report.apply().await?;
    let new = report.collections.iter().filter(|one| one.is_new);
    Ok(new.map(ToString::to_string).collect())
}
