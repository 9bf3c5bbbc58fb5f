//! Samples: they are the same in every run, and no field and no type is missed.

use std::fs;

use bson::{Bson, Document, doc};

use super::{folder, pull};
use crate::support::Place;

#[tokio::test(flavor = "multi_thread", worker_threads = 1)]
async fn a_sample_misses_no_field_and_no_type() {
    let place = Place::new("sampled").await;
    let rare = |n: i32, document: &mut Document| match n {
        7 | 3_007 => _ = document.insert("rare", "keep me"),
        1_111 => {
            _ = document
                .get_document_mut("inner")
                .expect("there")
                .insert("deep", 1)
        }
        2_222 => _ = document.insert("a", Bson::Null),
        3_333 => _ = document.remove("b"),
        4_444 => _ = document.insert("state", "lost"),
        5_555 => _ = document.insert("parts", vec![doc! { "n": 1, "note": "x" }]),
        _ => {}
    };
    let documents = (0..6_000).map(|n| {
        let state = ["open", "done"][n as usize % 2];
        let mut document = doc! { "_id": n, "a": n, "b": n, "state": state, "inner": { "x": n }, "parts": [{ "n": n }] };
        rare(n, &mut document);
        document
    });
    let stored = place.db.collection::<Document>("things");
    stored.insert_many(documents).await.expect("stored");
    let out = folder("sampled");
    let path = out.to_str().expect("a path");
    let ran = pull(&place, path, &["--sample", "100"]);
    let text = fs::read_to_string(out.join("things.rs")).expect("written");
    for part in [
        "pub rare: Option<String>",
        "pub deep: Option<i32>",
        "pub note: Option<String>",
        "pub a: Option<i32>",
        "pub b: Option<i32>",
    ] {
        assert!(text.contains(part), "{part}: {text}");
    }
    assert!(
        text.contains("pub state: String") || text.contains("Lost"),
        "{text}"
    );
    assert!(
        ran.out.contains("107 read") || ran.out.contains("106 read"),
        "{}",
        ran.out
    );
    // A document more changes as good as nothing.
    stored
        .insert_one(doc! { "_id": 6_000, "a": 1, "b": 1, "state": "open", "inner": { "x": 1 }, "parts": [] })
        .await
        .expect("stored");
    let again = folder("sampled-again");
    pull(
        &place,
        again.to_str().expect("a path"),
        &["--sample", "100"],
    );
    let without_counts = |text: &str| -> Vec<String> {
        let lines = text.lines().filter(|line| !line.starts_with("///"));
        lines.map(str::to_owned).collect()
    };
    let second = fs::read_to_string(again.join("things.rs")).expect("written");
    assert_eq!(without_counts(&text), without_counts(&second));
}
