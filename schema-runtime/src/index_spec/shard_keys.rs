//! Shard keys: what models declare, compared with a cluster.

use std::fmt;

use bson::Document;

/// The shard keys of collections: see [`shard_keys`](crate::shard_keys).
#[derive(Debug, Clone, PartialEq, Default)]
#[non_exhaustive]
pub struct ShardKeyReport {
    /// False for a standalone server or a replica set, which has no shards: then no collection is listed.
    pub is_cluster: bool,
    /// The collections whose models declare a shard key, and those that are sharded although no model says so; by name.
    pub collections: Vec<CollectionShardKey>,
}

/// The shard key of a collection.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct CollectionShardKey {
    /// The collection.
    pub collection: String,
    /// The key that its model declares: `{org: 1, _id: "hashed"}`.
    pub declared: Option<Document>,
    /// The key by which the cluster distributes its documents.
    pub stored: Option<Document>,
    /// True if the collection has just been sharded.
    pub is_new: bool,
}

impl ShardKeyReport {
    /// True if the cluster distributes each collection as its model says. True without a cluster.
    #[must_use]
    pub fn is_as_declared(&self) -> bool {
        let mut collections = self.collections.iter();
        collections.all(CollectionShardKey::is_as_declared)
    }
}

impl CollectionShardKey {
    /// True if the cluster distributes the collection as its model says.
    #[must_use]
    pub fn is_as_declared(&self) -> bool {
        self.declared == self.stored
    }
}

impl fmt::Display for ShardKeyReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if !self.is_cluster {
            return f.write_str("not a sharded cluster: nothing is sharded");
        }
        if self.collections.is_empty() {
            return f.write_str("no collection is sharded");
        }
        for (n, collection) in self.collections.iter().enumerate() {
            if n > 0 {
                f.write_str("\n")?;
            }
            collection.fmt(f)?;
        }
        Ok(())
    }
}

impl fmt::Display for CollectionShardKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = &self.collection;
        match (&self.declared, &self.stored) {
            (Some(key), Some(_)) if self.is_new => write!(f, "{name}: sharded by {key}"),
            (Some(key), None) => write!(f, "{name}: not sharded; its model says {key}"),
            (Some(key), Some(stored)) if key != stored => write!(
                f,
                "{name}: sharded by {stored}, and its model says {key}: see `reshardCollection`"
            ),
            (None, Some(stored)) => write!(
                f,
                "{name}: sharded by {stored}, and its model has no `shard_key`: writes of many documents may pass over some"
            ),
            (Some(key), _) => write!(f, "{name}: sharded by {key}, as its model says"),
            (None, None) => write!(f, "{name}: not sharded"),
        }
    }
}
