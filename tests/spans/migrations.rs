//! The progress of a migration is an event.

use mongo_model::filter::everything;
use mongo_model::{Migration, Result, migrate_all, migration};
use tracing::span::Id as SpanId;

use super::*;

#[migration]
async fn look_at_parts(m: &Migration) -> Result<()> {
    let parts = Part::scan(m.db(), |_| everything());
    m.each(parts, async |_: Part| Ok(()))
        .batch(2)
        .await
        .map(drop)
}

/// The events of migrations, in order.
#[derive(Debug, Clone, Default)]
struct Events(Arc<Mutex<Vec<Fields>>>);

impl Subscriber for Events {
    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        metadata.target() == "mongo_model::migrations"
    }

    fn new_span(&self, _: &Attributes<'_>) -> SpanId {
        SpanId::from_u64(1)
    }

    fn record(&self, _: &SpanId, _: &Record<'_>) {}

    fn record_follows_from(&self, _: &SpanId, _: &SpanId) {}

    fn event(&self, event: &Event<'_>) {
        let mut fields = Fields::new();
        event.record(&mut Visited(&mut fields));
        self.0.lock().expect("no panic").push(fields);
    }

    fn enter(&self, _: &SpanId) {}

    fn exit(&self, _: &SpanId) {}
}

#[tokio::test]
async fn each_batch_of_a_migration_is_an_event() {
    alone("spans_of_migrations", async |bench| {
        let parts = (0..3).map(|number| Part {
            id: Id::new(),
            number,
            name: "nut".to_owned(),
        });
        let parts: Vec<Part> = parts.collect();
        bench.place(&parts).await;
        let events = Events::default();
        let subscribed = tracing::subscriber::set_default(events.clone());
        migrate_all(&bench.db).await.expect("migrated");
        drop(subscribed);
        let events = events.0.lock().expect("no panic");
        let documents: Vec<&str> = events.iter().map(|event| &*event["documents"]).collect();
        assert_eq!(documents, ["0", "2", "3"]);
        assert!(
            events
                .iter()
                .all(|event| event["migration"] == "look_at_parts")
        );
    })
    .await;
}
