//! Models with shard keys: the shards that their commands go to, and copies, counts and deletes on a sharded cluster.

#[path = "../common/mod.rs"]
mod common;
mod models;
mod passed_over;
mod routes;
mod routing;
