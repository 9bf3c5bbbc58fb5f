//! The cost of a history: an update whose change is kept, with the value before it. By hand that is a transaction with two writes: the update, which
//! gives the document before it, and the entry.

use bson::{Bson, DateTime, Document, doc};
use futures::FutureExt;
use mongo_model::{Database, Id, MongoModel, settle, sync_indexes};
use mongo_model_dev_server::Topology;
use serde::{Deserialize, Serialize};

use crate::Result;
use crate::context::{Context, durable};
use crate::race::Measure;
use crate::report::{Limit, Row, Section};

#[derive(Debug, Clone, Serialize, Deserialize, MongoModel)]
#[model(collection = "history_parts", history)]
struct Part {
    #[serde(rename = "_id")]
    id: Id<Part>,
    name: String,
    text: String,
    price: i64,
}

/// The same without a history.
#[derive(Debug, Clone, Serialize, Deserialize, MongoModel)]
#[model(collection = "history_plain_parts")]
struct Plain {
    #[serde(rename = "_id")]
    id: Id<Plain>,
    name: String,
    text: String,
    price: i64,
}

/// Two writes in a transaction.
const BY_HAND: &str = "by hand, transaction";

#[derive(Clone)]
struct Parts {
    db: Database,
    part: Id<Part>,
    plain: Id<Plain>,
}

pub(crate) async fn run(context: &Context) -> Result<Section> {
    let mut section = Section {
        name: "history",
        ..Section::default()
    };
    let context = context.on(Topology::ReplicaSet(1)).await?;
    let parts = Parts::new(context.db.clone()).await?;
    let calls = context.size(50, 3);
    let title = "an update with a history, set of 1";
    let updated = context
        .race(title, 20)
        .sends(BY_HAND, || parts.durable().by_hand(calls).boxed())
        .sends("mongo-model", || parts.clone().ours(calls).boxed())
        .sends("without a history", || parts.clone().plain(calls).boxed())
        .after(|| parts.clone().rest().boxed())
        .run()
        .await?;
    let limit = Limit::AtMost(1.3);
    section
        .rows
        .push(Row::wall(title, &updated, "mongo-model", BY_HAND, limit));
    section.tables.push(updated.table("call", Measure::Client));
    Ok(section)
}

impl Parts {
    async fn new(db: Database) -> Result<Self> {
        sync_indexes(&db)
            .models(&[Part::meta(), Plain::meta()])
            .await?;
        let (part, plain) = (Id::new(), Id::new());
        let (name, text) = ("bolt".to_owned(), "x".repeat(400));
        let first = Part {
            id: part,
            name: name.clone(),
            text: text.clone(),
            price: 0,
        };
        Part::insert(&db, &first).await?;
        let first = Plain {
            id: plain,
            name,
            text,
            price: 0,
        };
        Plain::insert(&db, &first).await?;
        settle(&db).await;
        Ok(Parts { db, part, plain })
    }

    fn durable(&self) -> Self {
        let db = durable(&self.db);
        Parts { db, ..*self }
    }

    async fn rest(self) -> Result<usize> {
        settle(&self.db).await;
        Ok(0)
    }

    async fn ours(self, calls: usize) -> Result<usize> {
        for _ in 0..calls {
            Part::update(&self.db, self.part)
                .inc(|p| p.price, 1)
                .await?;
        }
        Ok(calls)
    }

    async fn plain(self, calls: usize) -> Result<usize> {
        for _ in 0..calls {
            Plain::update(&self.db, self.plain)
                .inc(|p| p.price, 1)
                .await?;
        }
        Ok(calls)
    }

    async fn by_hand(self, calls: usize) -> Result<usize> {
        let parts = self.db.collection::<Document>("history_plain_parts");
        let entries = self.db.collection::<Document>("history_by_hand");
        let mut session = self.db.client().start_session().await?;
        for _ in 0..calls {
            session.start_transaction().await?;
            let this = doc! { "_id": self.plain.into_raw() };
            let change = doc! { "$inc": { "price": 1_i64 } };
            let change = parts.find_one_and_update(this, change);
            let before = change.session(&mut session).await?.unwrap_or_default();
            let price = before.get("price").cloned().unwrap_or(Bson::Null);
            let entry = doc! { "part": self.plain.into_raw(), "at": DateTime::now(), "by": "ada", "price": price };
            entries.insert_one(entry).session(&mut session).await?;
            session.commit_transaction().await?;
        }
        Ok(calls)
    }
}
