//! Models of the library on several shards: chunks move while their commands run, and nothing that depends on another document is wrong.

mod cases;
mod flags;
#[allow(dead_code, reason = "the table of routes needs more of them")]
#[path = "../../../sharded/models.rs"]
mod models;
mod program;

use bson::oid::ObjectId;
use bson::{Bson, Document, doc};
use mongo_model::model::ModelMeta;
use mongo_model::{Database, shard_keys, sync_indexes, verify};
use mongo_model_router::{Routed, Router};

/// A database on two shards, with the collections of all models.
pub(crate) struct Bench {
    pub(crate) router: Router,
    pub(crate) db: Database,
}

fn all() -> Vec<&'static ModelMeta> {
    models::all()
}

impl Bench {
    pub(crate) async fn start() -> Self {
        mongo_model::settle_in_calls(true);
        let router = Router::start(2, false).await.expect("a router");
        let client = mongodb::Client::with_uri_str(router.uri()).await;
        let db = client.expect("a client").database("moving");
        sync_indexes(&db).models(&all()).await.expect("indexes");
        let before = shard_keys(&db).models(&all()).await.expect("compared");
        assert!(!before.is_as_declared(), "{before}");
        let report = shard_keys(&db).models(&all()).apply().await;
        let report = report.expect("sharded");
        assert!(report.is_as_declared(), "{report}");
        let report = shard_keys(&db).models(&all()).await.expect("compared");
        assert!(report.is_as_declared(), "{report}");
        let _ = router.take_commands();
        Self { router, db }
    }

    pub(crate) fn namespace(&self, collection: &str) -> String {
        format!("{}.{collection}", self.db.name())
    }

    /// The number of the chunk of a document, and its shard.
    pub(crate) fn place(&self, collection: &str, key: &Document) -> (usize, usize) {
        let place = self.router.place_of(&self.namespace(collection), key);
        place.expect("a sharded collection")
    }

    pub(crate) fn place_of_id(&self, collection: &str, id: impl Into<Bson>) -> (usize, usize) {
        self.place(collection, &doc! { "_id": id.into() })
    }

    /// The first chunk on the second shard that holds one of these documents, some of which are on the first shard.
    pub(crate) fn chunk_there(
        &self,
        collection: &str,
        ids: impl Iterator<Item = ObjectId>,
    ) -> usize {
        let places: Vec<_> = ids.map(|id| self.place_of_id(collection, id)).collect();
        assert!(places.iter().any(|(_, shard)| *shard == 0));
        let there = places.iter().find(|(_, shard)| *shard == 1);
        there.expect("a document on the second shard").0
    }

    /// Moves a chunk to the second shard.
    pub(crate) async fn move_back(&self, collection: &str, chunk: usize) {
        let namespace = self.namespace(collection);
        let moved = self.router.move_chunk(&namespace, chunk, 1).await;
        moved.expect("moved");
    }

    pub(crate) fn assert_moved(&self) {
        assert_eq!(self.router.planned_moves(), 0, "the chunk has moved");
    }

    /// Plans that a chunk moves to the first shard during the next command of this name for many documents.
    pub(crate) fn move_during(&self, collection: &str, command: &str, chunk: usize) {
        let namespace = self.namespace(collection);
        self.router.move_during(&namespace, command, chunk, 0);
    }

    /// The commands since the last call, of these names on a collection.
    pub(crate) fn sent(&self, collection: &str, names: &[&str]) -> Vec<Routed> {
        let namespace = self.namespace(collection);
        let commands = self.router.take_commands().into_iter();
        let of = |one: &Routed| one.namespace == namespace && names.contains(&&*one.name);
        commands.filter(of).collect()
    }

    /// The number of stored documents that meet a filter.
    pub(crate) async fn count(&self, collection: &str, filter: Document) -> u64 {
        let stored = self.db.collection::<Document>(collection);
        stored.count_documents(filter).await.expect("counted")
    }

    pub(crate) async fn check(&self) {
        let report = verify(&self.db).models(&all()).await.expect("compared");
        assert!(report.is_settled(), "{report}");
    }
}
