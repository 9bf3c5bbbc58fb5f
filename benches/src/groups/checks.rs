//! The cost of rules about values: the same inserts and the same increments, of a model with checks and of one without.

use futures::FutureExt;
use mongo_model::{Database, MongoModel};
use serde::{Deserialize, Serialize};

use crate::Result;
use crate::context::Context;
use crate::race::Measure;
use crate::report::{Limit, Row, Section};

macro_rules! offers {
    ($($name:ident $collection:literal $(#[$with:ident])?;)*) => {$(
        #[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
        #[model(collection = $collection)]
        struct $name {
            #[serde(rename = "_id")]
            id: i64,
            $(#[$with(len = 1..=80)])?
            title: String,
            $(#[$with(len = ..=2000)])?
            text: String,
            $(#[$with(range = 0..)])?
            stock: i64,
            $(#[$with(range = 0..=100)])?
            percent: i32,
            $(#[$with(range = 0.0..1.0)])?
            ratio: f64,
            $(#[$with(each(len = 1..=20))])?
            #[embed(max = 10)]
            tags: Vec<String>,
            created: bson::DateTime,
        }

        impl $name {
            fn nth(n: usize) -> Self {
                $name {
                    id: i64::try_from(n).unwrap_or_default(),
                    title: format!("the offer with the number {n}"),
                    text: "Some words that say what it is. ".repeat(12),
                    stock: 1_000,
                    percent: 50,
                    ratio: 0.25,
                    tags: (0..5).map(|tag| format!("tag {tag} of {n}")).collect(),
                    created: bson::DateTime::from_millis(1_700_000_000_000),
                }
            }

            async fn store(db: &Database, documents: &[Self]) -> Result<usize> {
                let done = $name::insert_many(db, documents).await?;
                Ok(usize::try_from(done.inserted)?)
            }

            async fn empty(db: &Database) -> Result<usize> {
                db.collection::<Self>($collection).drop().await?;
                // Neither pays for the making of the collection.
                db.create_collection($collection).await?;
                Ok(0)
            }

            async fn increment(db: &Database, calls: usize) -> Result<usize> {
                for _ in 0..calls {
                    $name::update(db, 0).inc(|offer| offer.stock, 1).await?;
                }
                Ok(calls)
            }
        }
    )*};
}

offers! {
    Plain "check_plain";
    Checked "check_checked" #[check];
}

pub(crate) async fn run(context: &Context) -> Result<Section> {
    let db = &context.db;
    let documents = context.size(20_000, 100);
    let plain: Vec<Plain> = (0..documents).map(Plain::nth).collect();
    let checked: Vec<Checked> = (0..documents).map(Checked::nth).collect();
    let (plain, checked) = (&plain[..], &checked[..]);
    let many_title = format!("insert_many of {documents}, with six rules");
    let many = context
        .race(&many_title, 30)
        .sends("without", || Plain::store(db, plain).boxed())
        .after(|| Plain::empty(db).boxed())
        .sends("with", || Checked::store(db, checked).boxed())
        .after(|| Checked::empty(db).boxed())
        .run()
        .await?;
    let calls = context.size(200, 3);
    let title = "inc of a field with a range";
    let one = context
        .race(title, 40)
        .sends("without", || Plain::increment(db, calls).boxed())
        .sends("with", || Checked::increment(db, calls).boxed())
        .run()
        .await?;
    Ok(Section {
        name: "checks",
        rows: vec![
            Row::wall(&many_title, &many, "with", "without", Limit::AtMost(1.02)),
            Row::wall(title, &one, "with", "without", Limit::AtMost(1.05)),
        ],
        tables: vec![
            many.table("document", Measure::Client),
            one.table("call", Measure::Client),
        ],
        ..Section::default()
    })
}
