//! A write that does not fit one message is sent in several.

use bson::doc;
use mongo_model::{Error, MongoModel};

use super::{Part, part};
use crate::common::{alone, on_both};

fn large(n: i32) -> Part {
    Part {
        text: "x".repeat(1_000_000),
        ..part(n)
    }
}

#[tokio::test]
async fn documents_over_48_megabytes_go_in_two_commands() {
    on_both("split_bytes", async |bench| {
        let parts: Vec<Part> = (0..50).map(large).collect();
        let outcome = Part::insert_many(&bench.db, &parts).await.expect("stored");
        assert_eq!(outcome.inserted, 50);
        let sent = bench.take();
        let sizes: Vec<usize> = sent
            .iter()
            .map(|sent| sent.command.get_array("documents").map_or(0, Vec::len))
            .collect();
        assert_eq!(sizes.iter().sum::<usize>(), 50);
        assert_eq!(sizes.len(), 2, "{sizes:?}");
        assert_eq!(bench.len("sent_parts").await, 50);
    })
    .await;
}

#[tokio::test]
async fn an_error_behind_a_split_names_the_place_among_all() {
    alone("split_error", async |bench| {
        bench
            .seed("sent_parts", [doc! { "_id": *part(49).id.as_raw() }])
            .await;
        let parts: Vec<Part> = (0..51).map(large).collect();
        let error = Part::insert_many(&bench.db, &parts)
            .await
            .expect_err("one is there");
        let Error::Duplicate { position, .. } = error else {
            panic!("{error}");
        };
        assert_eq!(position, Some(49));
        assert_eq!(
            bench.len("sent_parts").await,
            50,
            "those before it, and the one that was there"
        );
    })
    .await;
}

#[tokio::test]
async fn more_than_100_000_documents_go_in_two_commands() {
    alone("split_count", async |bench| {
        let parts: Vec<Part> = (0..100_001).map(part).collect();
        Part::insert_many(&bench.db, &parts).await.expect("stored");
        assert_eq!(bench.sent(), ["insert", "insert"]);
        assert_eq!(bench.len("sent_parts").await, 100_001);
    })
    .await;
}
