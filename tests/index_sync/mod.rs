//! `plan_indexes` and `sync_indexes` against a real server.

mod changes;
mod conflicts;
mod failures;
mod recognised;

use bson::{Bson, Document, doc};
use mongo_model::index::{
    CollationRow, ConditionOp, ConditionRow, Definition, IndexErrors, IndexFailure, IndexPlan,
    IndexReport, IndexRow, KeyKind, KeyRow, Literal, Source, TextRow, definitions, plan_indexes,
    sync_indexes,
};
use mongo_model::model::{FieldRow, Kind, ModelMeta, RelationRow, Shape};
use mongo_model::value::Facts;
use mongo_model::{Database, Error};
use mongo_model_dev_server::monitor::CommandLog;
use mongo_model_dev_server::{DevServer, Topology};
use mongodb::error::ErrorKind;

const PLAIN: IndexRow = IndexRow::PLAIN;
const UNIQUE: IndexRow = IndexRow {
    unique: true,
    ..PLAIN
};
const ENGLISH: CollationRow = CollationRow {
    locale: "en",
    strength: Some(2),
    case_level: None,
    numeric_ordering: None,
};

/// A separate database, and the log of its commands.
struct Bench {
    db: Database,
    log: CommandLog,
}

impl Bench {
    async fn new(test: &str) -> Self {
        let server = DevServer::shared(Topology::Standalone)
            .await
            .expect("a server");
        let log = CommandLog::new();
        let client = server
            .client_with(|options| log.attach(options))
            .await
            .expect("a client");
        Bench {
            db: client.database(&server.unique_db(test)),
            log,
        }
    }

    /// Creates an index as any other program would.
    async fn create(&self, collection: &str, spec: Document) {
        self.db
            .run_command(doc! { "createIndexes": collection, "indexes": [spec] })
            .await
            .expect("the index");
    }

    async fn insert(&self, collection: &str, documents: impl IntoIterator<Item = Document>) {
        self.db
            .collection::<Document>(collection)
            .insert_many(documents)
            .await
            .expect("the documents");
    }

    async fn plan(&self, models: &[&'static ModelMeta]) -> IndexPlan {
        plan_indexes(&self.db).models(models).await.expect("a plan")
    }

    async fn sync(&self, models: &[&'static ModelMeta]) -> IndexReport {
        sync_indexes(&self.db).models(models).await.expect("synced")
    }

    async fn replace(&self, models: &[&'static ModelMeta]) -> IndexReport {
        sync_indexes(&self.db)
            .models(models)
            .replace_conflicts()
            .await
            .expect("synced")
    }

    /// The names of the commands since the last call.
    fn sent(&self) -> Vec<String> {
        self.log
            .take()
            .into_iter()
            .map(|command| command.name)
            .collect()
    }

    /// The indexes of the collection but that of `_id`, by name.
    async fn live(&self, collection: &str) -> Vec<Document> {
        let reply = self
            .db
            .run_command(doc! { "listIndexes": collection })
            .await
            .expect("the indexes");
        let batch = reply
            .get_document("cursor")
            .and_then(|cursor| cursor.get_array("firstBatch"))
            .expect("a batch");
        let mut found: Vec<Document> = batch
            .iter()
            .filter_map(|spec| spec.as_document().cloned())
            .collect();
        found.retain(|spec| spec.get_str("name").is_ok_and(|name| name != "_id_"));
        found.sort_by_key(|spec| name(spec).to_owned());
        found
    }

    async fn names(&self, collection: &str) -> Vec<String> {
        self.live(collection)
            .await
            .iter()
            .map(|spec| name(spec).to_owned())
            .collect()
    }

    /// Everything is as declared, and another run finds that out with one command per collection.
    async fn assert_settled(&self, models: &[&'static ModelMeta]) {
        let plan = self.plan(models).await;
        assert!(plan.is_empty(), "{plan}");
        self.sent();
        let report = self.sync(models).await;
        assert!(report.is_unchanged(), "{report}");
        let mut collections: Vec<&str> = models.iter().map(|model| model.collection).collect();
        collections.sort_unstable();
        collections.dedup();
        assert_eq!(self.sent(), vec!["listIndexes"; collections.len()]);
    }
}

fn name(spec: &Document) -> &str {
    spec.get_str("name").expect("a name")
}

fn field(name: &'static str, indexes: &[IndexRow]) -> FieldRow {
    FieldRow::new(name, name, Kind::Any, false, None, Facts::UNKNOWN)
        .indexes(indexes.to_vec().leak())
}

fn embedded(name: &'static str, kind: Kind, fields: Vec<FieldRow>) -> FieldRow {
    FieldRow::new(name, name, kind, false, Some(shape(fields)), Facts::UNKNOWN)
}

fn shape(fields: Vec<FieldRow>) -> &'static Shape {
    Box::leak(Box::new(Shape {
        name: "Thing",
        fields: fields.leak(),
    }))
}

fn model(
    name: &'static str,
    collection: &'static str,
    indexes: &[IndexRow],
    fields: Vec<FieldRow>,
) -> &'static ModelMeta {
    let (shape, indexes) = (shape(fields), indexes.to_vec().leak());
    let mut meta = ModelMeta::new(name, collection, shape);
    meta.indexes = indexes;
    Box::leak(Box::new(meta))
}

/// A model `Thing` in `things`.
fn thing(fields: Vec<FieldRow>) -> &'static ModelMeta {
    model("Thing", "things", &[], fields)
}

fn keys(keys: &[(&'static str, KeyKind)]) -> IndexRow {
    IndexRow {
        keys: keys
            .iter()
            .map(|(path, kind)| KeyRow { path, kind: *kind })
            .collect::<Vec<_>>()
            .leak(),
        ..PLAIN
    }
}

fn above(limit: i64) -> IndexRow {
    IndexRow {
        partial: vec![ConditionRow {
            path: "",
            op: ConditionOp::Gt(Literal::Int(limit)),
        }]
        .leak(),
        ..PLAIN
    }
}

fn names(definitions: &[Definition]) -> Vec<&str> {
    definitions
        .iter()
        .map(|index| index.name.as_deref().expect("a name"))
        .collect()
}

async fn errors(sync: impl IntoFuture<Output = mongo_model::Result<IndexReport>>) -> IndexErrors {
    match sync.await {
        Err(Error::Indexes(errors)) => errors,
        other => panic!("{other:?}"),
    }
}

fn code(error: &mongodb::error::Error) -> i32 {
    match error.kind.as_ref() {
        ErrorKind::Command(refused) => refused.code,
        other => panic!("{other:?}"),
    }
}
