//! Each call is a span with what it did.

#[path = "../common/mod.rs"]
mod common;
mod migrations;

use std::collections::BTreeMap;
use std::fmt::Debug;
use std::sync::{Arc, Mutex};

use futures::TryStreamExt;
use mongo_model::{Error, Id, MongoModel, Tenants};
use serde::{Deserialize, Serialize};
use tracing::field::{Field, Visit};
use tracing::span::{Attributes, Record};
use tracing::{Event, Metadata, Subscriber};

use common::alone;

#[derive(Debug, Clone, Serialize, Deserialize, MongoModel)]
#[model(collection = "parts")]
struct Part {
    #[serde(rename = "_id")]
    id: Id<Part>,
    #[index(unique)]
    number: i32,
    name: String,
}

#[derive(Debug, Clone, Serialize, Deserialize, MongoModel)]
#[model(collection = "bolts")]
struct Bolt {
    #[serde(rename = "_id")]
    id: Id<Bolt>,
    #[parent(Part)]
    part: Id<Part>,
    #[denorm(from = Part, field = name)]
    part_name: String,
}

#[derive(Debug, Clone, Serialize, Deserialize, MongoModel)]
#[model(collection = "screws", tenant = shop)]
struct Screw {
    #[serde(rename = "_id")]
    id: Id<Screw>,
    shop: i64,
    #[index]
    size: i32,
}

type Fields = BTreeMap<&'static str, String>;

/// The spans of calls, in the order in which they began, and how often each was entered.
#[derive(Debug, Clone, Default)]
struct Spans(Arc<Mutex<Vec<(Fields, u64)>>>);

struct Visited<'f>(&'f mut Fields);

impl Visit for Visited<'_> {
    fn record_debug(&mut self, field: &Field, value: &dyn Debug) {
        self.0.insert(field.name(), format!("{value:?}"));
    }

    fn record_str(&mut self, field: &Field, value: &str) {
        self.0.insert(field.name(), value.to_owned());
    }
}

impl Subscriber for Spans {
    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        metadata.target() == "mongo_model"
    }

    fn new_span(&self, attributes: &Attributes<'_>) -> tracing::span::Id {
        let mut spans = self.0.lock().expect("spans");
        let mut fields = Fields::new();
        attributes.record(&mut Visited(&mut fields));
        spans.push((fields, 0));
        tracing::span::Id::from_u64(spans.len() as u64)
    }

    fn record(&self, span: &tracing::span::Id, values: &Record<'_>) {
        let mut spans = self.0.lock().expect("spans");
        values.record(&mut Visited(&mut spans[span.into_u64() as usize - 1].0));
    }

    fn enter(&self, span: &tracing::span::Id) {
        self.0.lock().expect("spans")[span.into_u64() as usize - 1].1 += 1;
    }

    fn record_follows_from(&self, _: &tracing::span::Id, _: &tracing::span::Id) {}
    fn event(&self, _: &Event<'_>) {}
    fn exit(&self, _: &tracing::span::Id) {}
}

impl Spans {
    /// The only call since the last look.
    fn only(&self) -> Fields {
        let mut spans = std::mem::take(&mut *self.0.lock().expect("spans"));
        assert_eq!(spans.len(), 1, "{spans:?}");
        let (fields, entered) = spans.remove(0);
        assert!(entered > 0, "it is entered while it is polled");
        fields
    }
}

/// The values of these fields of a span.
fn of<'f>(fields: &'f Fields, names: &[&str]) -> Vec<&'f str> {
    let values = names.iter().map(|name| fields.get(*name));
    values
        .map(|value| value.map_or("-", String::as_str))
        .collect()
}

#[tokio::test]
async fn a_call_is_a_span() {
    let spans = Spans::default();
    let _default = tracing::subscriber::set_default(spans.clone());
    alone("spans", async |bench| {
        let db = &bench.db;
        bench.index(&[Part::meta(), Bolt::meta()]).await;
        let part = Part {
            id: Id::new(),
            number: 1,
            name: "one".to_owned(),
        };
        spans.0.lock().expect("spans").clear();
        Part::insert(db, &part).await.expect("stored");
        let names = [
            "otel.name",
            "db.system.name",
            "db.collection.name",
            "db.operation.name",
            "mongo_model.model",
        ];
        let numbers = ["mongo_model.changed", "mongo_model.retries", "error.type"];
        let span = spans.only();
        assert_eq!(
            of(&span, &names),
            ["Part::insert", "mongodb", "parts", "insert", "Part"]
        );
        assert_eq!(span["db.namespace"], db.name());
        assert!(span["mongo_model.place"].starts_with("tests/spans/main.rs:"));
        assert_eq!(span["mongo_model.commands"], bench.sent().len().to_string());
        assert_eq!(of(&span, &numbers), ["1", "0", "-"]);
        for _ in 0..2 {
            let bolt = Bolt {
                id: Id::new(),
                part: part.id,
                part_name: String::new(),
            };
            Bolt::insert(db, &bolt).await.expect("stored");
            spans.only();
        }
        bench.forget();
        Part::update(db, part.id)
            .set(|p| p.name, "two")
            .await
            .expect("changed");
        let span = spans.only();
        assert_eq!(span["mongo_model.commands"], bench.sent().len().to_string());
        assert!(span["mongo_model.edges"].contains("bolts"), "{span:?}");
        let changed: u64 = span["mongo_model.changed"].parse().expect("a number");
        assert!(changed >= 3, "the part and its copies: {span:?}");
        assert!(!format!("{span:?}").contains("two"), "no values: {span:?}");
        // Options and inner calls are part of the call.
        let named = Part::update(db, part.id).set(|p| p.number, 2).comment("x");
        named.await.expect("changed");
        assert_eq!(spans.only()["otel.name"], "Part::update");
        let error = Part::insert(db, &part).await.expect_err("stored already");
        assert!(matches!(error, Error::Duplicate { .. }));
        assert_eq!(
            of(&spans.only(), &["otel.status_code", "error.type"]),
            ["ERROR", "Duplicate"]
        );
        let rows = Part::find(db, |p| p.number.gte(0)).stream();
        assert_eq!(rows.try_collect::<Vec<_>>().await.expect("read").len(), 1);
        let names = ["otel.name", "mongo_model.commands"];
        assert_eq!(of(&spans.only(), &names), ["Part::find", "1"]);
    })
    .await;
}

#[tokio::test]
async fn a_span_says_why_a_call_sees_all_tenants() {
    let spans = Spans::default();
    let _default = tracing::subscriber::set_default(spans.clone());
    alone("spans_across", async |bench| {
        bench.index(&[Screw::meta()]).await;
        spans.0.lock().expect("spans").clear();
        let all = bench.db.across_tenants::<i64>("monthly run");
        let screw = Screw {
            id: Id::new(),
            shop: 1,
            size: 2,
        };
        let reason = || spans.only()["mongo_model.across"].clone();
        Screw::insert(&all, &screw).await.expect("stored");
        assert_eq!(reason(), "monthly run");
        let update = Screw::update(&all, screw.id).set(|s| s.size, 3);
        update.comment("x").await.expect("changed");
        assert_eq!(reason(), "monthly run");
        Screw::count(&all, |s| s.size.eq(3)).await.expect("counted");
        assert_eq!(reason(), "monthly run");
        let rows = Screw::find(&all, |s| s.size.eq(3)).stream();
        assert_eq!(rows.try_collect::<Vec<_>>().await.expect("read").len(), 1);
        assert_eq!(reason(), "monthly run");
        let one = bench.db.tenant(1_i64);
        Screw::get(&one, screw.id).await.expect("read");
        assert!(!spans.only().contains_key("mongo_model.across"));
    })
    .await;
}
