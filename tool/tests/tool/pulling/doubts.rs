//! Questions that the data raises and does not answer: each is asked in the report and in the source, in the same words.

use std::fs;

use bson::oid::ObjectId;
use bson::{Bson, Document, doc};
use mongodb::IndexModel;
use mongodb::options::IndexOptions;
use serde_json::Value;

use super::{folder, pull};
use crate::support::{Place, Ran};

pub(super) async fn fill(place: &Place, name: &str, documents: impl IntoIterator<Item = Document>) {
    let stored = place.db.collection::<Document>(name);
    stored.insert_many(documents).await.expect("stored");
}

async fn index(place: &Place, collection: &str, keys: Document, unique: bool) {
    let options = IndexOptions::builder()
        .unique(unique.then_some(true))
        .build();
    let index = IndexModel::builder().keys(keys).options(options).build();
    let stored = place.db.collection::<Document>(collection);
    stored.create_index(index).await.expect("built");
}

/// A run into an empty folder: what it printed, the findings, and the files as one text without line breaks in comments.
pub(super) struct Pulled {
    pub(super) ran: Ran,
    report: Value,
    pub(super) source: String,
}

pub(super) fn pulled(place: &Place, name: &str, options: &[&str]) -> Pulled {
    let out = folder(name);
    let path = out.to_str().expect("a path");
    let report = pull(place, path, &[options, &["--json"]].concat()).json();
    let ran = pull(place, path, options);
    let mut files: Vec<_> = fs::read_dir(&out)
        .expect("a folder")
        .map(|file| file.expect("a file").path())
        .filter(|path| path.extension().is_some_and(|ending| ending == "rs"))
        .collect();
    files.sort();
    let texts = files
        .iter()
        .map(|file| fs::read_to_string(file).expect("read"));
    let source = texts
        .collect::<String>()
        .replace("\n    // ", " ")
        .replace("\n// ", " ");
    Pulled {
        ran,
        report,
        source,
    }
}

impl Pulled {
    fn findings(&self) -> Vec<&Value> {
        let groups = self.report["collections"].as_array().expect("groups");
        groups
            .iter()
            .flat_map(|group| group["findings"].as_array().expect("findings"))
            .collect()
    }

    #[track_caller]
    pub(super) fn finding(&self, kind: &str, about: &str) -> &Value {
        let mut all = self.findings().into_iter();
        let found = all.find(|finding| finding["kind"] == kind && finding["about"] == about);
        found.unwrap_or_else(|| panic!("{kind} {about}: {}", self.ran.out))
    }

    /// Every problem of the report is a `REVIEW` of the source, and the exit code says if there is one.
    #[track_caller]
    pub(super) fn is_consistent(&self) {
        let mut problems = 0;
        for finding in self.findings() {
            if finding["level"] == "problem" {
                let message = finding["message"].as_str().expect("a sentence");
                assert!(self.source.contains(message), "{message}: {}", self.source);
                problems += 1;
            }
        }
        assert_eq!(
            self.ran.code,
            Some(i32::from(problems > 0)),
            "{}",
            self.ran.out
        );
        assert_eq!(
            self.source.contains("REVIEW"),
            problems > 0,
            "{}",
            self.source
        );
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 1)]
async fn a_copy_without_a_stale_one_is_a_question() {
    let place = Place::new("frozen").await;
    index(&place, "tracks", doc! { "trackId": 1 }, true).await;
    let tracks = (0..30_i32).map(|n| {
        doc! { "trackId": n, "title": format!("title {n}"), "unitPrice": f64::from(n) + 0.99 }
    });
    fill(&place, "tracks", tracks).await;
    let lines = (0..60_i32).map(|n| {
        let track = n % 30;
        doc! { "trackId": track, "unitPrice": f64::from(track) + 0.99, "trackTitle": format!("title {track}") }
    });
    fill(&place, "lines", lines).await;
    let done = pulled(&place, "frozen", &[]);
    done.is_consistent();
    let price = done.finding("live_or_frozen", "unitPrice")["message"].to_string();
    assert!(price.contains("as a `snapshot` does"), "{price}");
    let title = done.finding("live_or_frozen", "trackTitle")["message"].to_string();
    assert!(title.contains("live or frozen?"), "{title}");
    for line in [
        "#[denorm(from = Track, field = unit_price, snapshot)]",
        "#[denorm(from = Track, field = title)]",
    ] {
        assert!(done.source.contains(line), "{line}: {}", done.source);
    }
}

/// The index compares the copies as well, and would refuse to bring them up to date.
#[tokio::test(flavor = "multi_thread", worker_threads = 1)]
async fn a_unique_index_over_copies_is_not_declared() {
    let place = Place::new("unique_copies").await;
    index(&place, "tracks", doc! { "trackId": 1 }, true).await;
    let tracks =
        (0..30_i32).map(|n| doc! { "trackId": n, "title": format!("title {n}"), "length": n });
    fill(&place, "tracks", tracks).await;
    let plays = (0..60_i32).map(|n| {
        let track = n % 30;
        doc! { "day": n, "track": { "trackId": track, "title": format!("title {track}") } }
    });
    fill(&place, "plays", plays).await;
    index(&place, "plays", doc! { "day": 1, "track": 1 }, true).await;
    let done = pulled(&place, "unique_copies", &[]);
    done.is_consistent();
    let copy = "#[denorm(from = Track, field = title)]";
    assert!(done.source.contains(copy), "{}", done.source);
    let index = done.finding("undeclared_index", "day_1_track_1")["message"].to_string();
    let why = "its unique key `track` is a document with copies";
    assert!(index.contains(why), "{index}");
    assert!(!done.source.contains("keys(day, track)"), "{}", done.source);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 1)]
async fn the_index_of_a_reference_is_declared_once() {
    let place = Place::new("redundant").await;
    let summits: Vec<ObjectId> = (0..20).map(|_| ObjectId::new()).collect();
    let all = summits.iter().map(|id| doc! { "_id": *id, "name": "s" });
    fill(&place, "summits", all).await;
    let routes = (0..40_usize).map(|n| doc! { "name": "r", "summit": summits[n % 20] });
    fill(&place, "routes", routes).await;
    index(&place, "routes", doc! { "summit": 1 }, false).await;
    let done = pulled(&place, "redundant", &[]);
    done.is_consistent();
    assert!(
        done.source.contains("#[parent(Summit)]") && !done.source.contains("#[index"),
        "{}",
        done.source
    );
    let old = done.finding("index_of_reference", "summit_1")["message"].to_string();
    assert!(
        old.contains("{ summit: 1, _id: 1 } of that reference serves the same queries"),
        "{old}"
    );
    // `check` says the same.
    let missing = done.finding("needs_index", "summit")["message"].to_string();
    assert!(
        missing.contains("index { summit: 1, _id: 1 } is missing"),
        "{missing}"
    );
    index(&place, "routes", doc! { "summit": 1, "_id": 1 }, false).await;
    let done = pulled(&place, "redundant", &[]);
    assert!(!done.source.contains("index("), "{}", done.source);
    assert!(!done.ran.out.contains("is missing"), "{}", done.ran.out);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 1)]
async fn a_unique_key_without_an_index_is_named() {
    let place = Place::new("unsure").await;
    let parents =
        (0..25_i32).map(|n| doc! { "code": format!("P{n:03}"), "name": format!("n{n}"), "id": n });
    fill(&place, "parents", parents).await;
    let children = (0..25_i32).map(|n| {
        doc! { "parent_code": format!("P{:03}", n % 7), "parent_name": format!("n{}", n % 7), "id": n, "user_id": n % 5 }
    });
    fill(&place, "children", children).await;
    let done = pulled(&place, "unsure", &[]);
    done.is_consistent();
    let found = done.finding("unique_candidate", "parent_code")["message"]
        .as_str()
        .expect("a sentence");
    assert_eq!(
        found,
        "100 % of the values are found in `parents.code`, but that key is unique in 25 documents without a unique index: create it, then declare `#[parent(Parent, key = code)]`"
    );
    // Numbers under another name, and keys of their own collection, are no references.
    let all = done.findings().into_iter();
    let all: Vec<&str> = all
        .filter(|finding| finding["kind"] == "unique_candidate")
        .map(|finding| finding["about"].as_str().expect("a path"))
        .collect();
    assert!(!all.contains(&"user_id") && !all.contains(&"id"), "{all:?}");
    index(&place, "parents", doc! { "code": 1 }, true).await;
    let done = pulled(&place, "unsure", &[]);
    done.finding("reference", "parent_code");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 1)]
async fn one_outlier_leaves_the_struct_of_the_others() {
    let place = Place::new("outlier").await;
    let item = |n: i32| doc! { "sku": format!("s{n}"), "qty": n };
    let orders = (0..400_i32).map(|n| match n {
        399 => doc! { "_id": n, "items": item(1), "total": "a dozen" },
        n => doc! { "_id": n, "items": [item(n), item(2)], "total": f64::from(n) + 0.125 },
    });
    fill(&place, "orders", orders).await;
    let done = pulled(&place, "outlier", &[]);
    done.is_consistent();
    for part in [
        "pub struct Item {",
        "pub sku: String",
        "pub items: Bson",
        "use `Vec<Item>`",
    ] {
        assert!(done.source.contains(part), "{part}: {}", done.source);
    }
    let items = done.finding("mixed_types", "items");
    assert_eq!(
        items["filter"],
        serde_json::json!({ "items": { "$not": { "$type": "array" }, "$ne": null } })
    );
    assert_eq!(items["examples"], serde_json::json!([399]));
    let total = done.finding("mixed_types", "total");
    assert_eq!(
        total["filter"],
        serde_json::json!({ "total": { "$type": "string" } })
    );
    assert!(done.ran.out.contains("      399"), "{}", done.ran.out);
    let most = pulled(&place, "outlier-most", &["--majority", "99%"]);
    most.is_consistent();
    for part in ["pub items: Vec<Item>", "pub total: f64"] {
        assert!(most.source.contains(part), "{part}: {}", most.source);
    }
    let message = most.finding("outliers", "items")["message"].to_string();
    assert!(
        message.contains("(1 object), which the model cannot read"),
        "{message}"
    );
    let wrong = pull(&place, "nowhere", &["--majority", "40%"]);
    assert!(
        wrong.err.contains("a share is over 50% and under 100%"),
        "{}",
        wrong.err
    );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 1)]
async fn empty_strings_among_numbers_are_nothing() {
    let place = Place::new("empties").await;
    let wrecks = (0..40_i32).map(|n| {
        let depth = if n % 4 == 0 {
            Bson::Double(9.1)
        } else {
            "".into()
        };
        let beam = if n % 4 == 0 {
            "12".into()
        } else {
            Bson::Int32(n)
        };
        doc! { "depth": depth, "beam": beam }
    });
    fill(&place, "wrecks", wrecks).await;
    let done = pulled(&place, "empties", &[]);
    done.is_consistent();
    let depth = done.finding("mixed_types", "depth")["message"].to_string();
    assert!(
        depth.contains("the strings are empty")
            && depth.contains("store nothing for them, then use `Option<f64>`"),
        "{depth}"
    );
    let beam = done.finding("mixed_types", "beam")["message"].to_string();
    assert!(
        beam.contains("the strings are numbers, or empty: store numbers, then use `i32`"),
        "{beam}"
    );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 1)]
async fn values_of_the_wrong_type_are_noticed() {
    let place = Place::new("noticed").await;
    let person = ObjectId::new();
    fill(&place, "people", [doc! { "_id": person, "name": "A" }]).await;
    let all = (0..30_i32).map(|n| {
        doc! {
            "price": format!("{n}.50"), "fee": format!("${n}.50"), "share": format!("0.{n}5"), "qty": format!("{}", n + 1),
            "zip": format!("{n:05}"), "tweet": 5.0e17 + f64::from(n) * 128.0, "rfc": "Thu Sep 11 19:29:24 +0000 2014",
            "ms": 1_600_000_000_000_i64 + i64::from(n), "day": 20_240_101 + n % 28, "seen_at": 1_600_000_000 + n,
            "number": 1_600_000_000 + n, "ref": { "$ref": "people", "$id": person },
        }
    });
    fill(&place, "t", all).await;
    let done = pulled(&place, "noticed", &[]);
    done.is_consistent();
    for (kind, about) in [
        ("money_as_string", "price"),
        ("money_as_string", "fee"),
        ("number_as_string", "share"),
        ("number_as_string", "qty"),
        ("large_integer_in_double", "tweet"),
        ("date_as_string", "rfc"),
        ("time_as_number", "ms"),
        ("time_as_number", "day"),
        ("time_as_number", "seen_at"),
        ("dbref", "ref"),
    ] {
        done.finding(kind, about);
    }
    assert!(
        done.finding("dbref", "ref")["message"]
            .to_string()
            .contains("`#[parent(Person)]`")
    );
    for finding in done.findings() {
        let about = finding["about"].as_str().expect("a path");
        let is_code = ["zip", "number"].contains(&about);
        assert!(!is_code || finding["kind"] == "check", "{finding}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 1)]
async fn a_review_of_the_report_stands_in_the_source() {
    let place = Place::new("reviewed").await;
    let ids: Vec<ObjectId> = (0..60).map(|_| ObjectId::new()).collect();
    fill(
        &place,
        "people",
        ids.iter().map(|id| doc! { "_id": *id, "name": "A" }),
    )
    .await;
    let posts = (0..60_usize).map(|n| {
        let tier = if n % 8 == 0 {
            format!("t{n}")
        } else {
            ["free", "plus"][n % 2].to_owned()
        };
        doc! { "author": ids[n].to_hex(), "tier": tier, "words": [], "gone": Bson::Null }
    });
    fill(&place, "posts", posts).await;
    index(&place, "posts", doc! { "nobody_has_it": 1 }, false).await;
    let done = pulled(&place, "reviewed", &[]);
    for (kind, about) in [
        ("string_object_id", "author"),
        ("nearly_enum", "tier"),
        ("undeclared_index", "nobody_has_it_1"),
        ("empty_arrays", "words"),
        ("always_null", "gone"),
    ] {
        done.finding(kind, about);
    }
    done.is_consistent();
}
