//! Commands that write: they ask, or take `--yes`, and say what they did.

use bson::{Document, doc};

use crate::support::Place;

async fn indexes(place: &Place, collection: &str) -> usize {
    let found = place
        .db
        .collection::<Document>(collection)
        .list_index_names()
        .await;
    found.map_or(0, |names| names.len())
}

#[tokio::test(flavor = "multi_thread", worker_threads = 1)]
async fn nothing_is_written_without_a_yes() {
    let place = Place::new("unconfirmed").await;
    for command in [&["apply"][..], &["repair"], &["backfill"], &["recover"]] {
        place.db.create_collection("parts").await.ok();
        let ran = place.demo(command).code(2);
        assert!(
            ran.err.contains("nothing was written") && ran.err.contains("--yes"),
            "{command:?}: {}",
            ran.err
        );
        assert_eq!(indexes(&place, "parts").await, 1);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 1)]
async fn a_plan_is_applied() {
    let place = Place::new("apply").await;
    let planned = place.demo(&["plan"]).code(1);
    assert!(
        planned
            .out
            .contains("create    `partno_1_unique` { partno: 1 } unique"),
        "{}",
        planned.out
    );
    let applied = place
        .demo(&["apply", "--yes", "--json", "--validators", "error"])
        .code(0)
        .json();
    let created = applied["created"].as_array().expect("created");
    assert!(
        created
            .iter()
            .any(|one| one == "parts: `partno_1_unique` { partno: 1 } unique"),
        "{created:?}"
    );
    assert!(
        applied["validators"]
            .as_array()
            .expect("validators")
            .iter()
            .any(|one| one == "parts")
    );
    place.demo(&["plan", "--validators", "error"]).code(0);
    let refused = place
        .db
        .collection::<Document>("parts")
        .insert_one(doc! { "name": 1 })
        .await;
    assert!(refused.is_err(), "the validator refuses it");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 1)]
async fn conflicts_are_replaced_and_unknown_indexes_dropped_on_request_only() {
    let place = Place::new("replace").await;
    let create = doc! { "createIndexes": "parts", "indexes": [
        { "key": { "partno": 1 }, "name": "partno_1_unique" },
        { "key": { "weight": 1 }, "name": "weight_1" },
    ] };
    place.db.run_command(create).await.expect("they are made");
    let ran = place.demo(&["apply", "--yes", "--model", "Part"]).code(1);
    assert!(
        ran.out.contains("conflict") && ran.out.contains("--replace-conflicts"),
        "{}",
        ran.out
    );
    let ran = place
        .demo(&[
            "apply",
            "--yes",
            "--model",
            "Part",
            "--replace-conflicts",
            "--drop-unknown",
            "--hide-first",
        ])
        .code(0);
    assert!(
        ran.out.contains("replaced") && ran.out.contains("hidden    parts: `weight_1`"),
        "{}",
        ran.out
    );
    let ran = place
        .demo(&[
            "apply",
            "--yes",
            "--model",
            "Part",
            "--drop-unknown",
            "--hide-first",
        ])
        .code(0);
    assert!(
        ran.out.contains("dropped   parts: `weight_1`"),
        "{}",
        ran.out
    );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 1)]
async fn repair_corrects_what_verify_finds() {
    let place = Place::spoiled("repair").await;
    let kinds = |command: &[&str]| -> Vec<String> {
        let document = place.demo(command).code(1).json();
        let groups = document["collections"]
            .as_array()
            .expect("collections")
            .clone();
        let all = groups
            .iter()
            .flat_map(|group| group["findings"].as_array().expect("findings").clone());
        let mut kinds: Vec<String> = all
            .map(|one| {
                format!("{} {} {}", one["kind"], one["about"], one["count"]).replace('"', "")
            })
            .collect();
        kinds.sort();
        kinds
    };
    let before = kinds(&["verify", "--json"]);
    assert_eq!(
        before,
        [
            "missing_in_list persons.tasks 1",
            "orphan products.parts 1",
            "stale hosts.messages 1",
            "stale products.parts 1",
            "undecodable kind 1",
            "undecodable name 1",
            "undecodable schema_version 1",
            "undecodable seen 1"
        ]
    );
    let ran = place.demo(&["repair", "--yes"]).code(1);
    assert!(
        ran.out.contains(
            "8 problems found; 3 documents corrected, 1 dangling reference ended by its delete rule"
        ) && ran.out.contains("4 problems are left:")
            && ran
                .out
                .contains("cannot be read as Visit: seen: expected a date, found string"),
        "{}",
        ran.out
    );
    assert_eq!(
        kinds(&["verify", "--json"]),
        [
            "undecodable kind 1",
            "undecodable name 1",
            "undecodable schema_version 1",
            "undecodable seen 1"
        ]
    );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 1)]
async fn verify_counts_documents_that_break_a_rule() {
    let place = Place::new("verify_rules").await;
    place.demo(&["apply", "--yes"]).code(0);
    let places = place.db.collection::<Document>("places");
    let stored = |stars: i32| {
        let at = doc! { "type": "Point", "coordinates": [12.4, 41.9] };
        doc! { "_id": bson::oid::ObjectId::new(), "city": "Rome", "stars": stars, "about": "", "location": at }
    };
    let some = places.insert_many([stored(6), stored(5), stored(-1)]);
    some.bypass_document_validation(true).await.expect("stored");
    let ran = place.demo(&["verify"]).code(1);
    assert!(
        ran.out
            .contains("2 documents break a rule of Place: `stars`"),
        "{}",
        ran.out
    );
    let document = place.demo(&["check", "--full", "--json"]).code(1).json();
    let text = document.to_string();
    assert_eq!(text.matches("\"kind\":\"check\"").count(), 2, "{text}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 1)]
async fn a_repair_that_leaves_nothing_is_fine() {
    let place = Place::spoiled("repair_all").await;
    for collection in ["products", "visits", "employees"] {
        let strange = [13, 71, 0x53, 0x54].map(crate::seed::id);
        let strange = doc! { "_id": { "$in": strange.to_vec() } };
        let documents = place.db.collection::<Document>(collection);
        documents.delete_many(strange).await.expect("deleted");
    }
    let document = place.demo(&["repair", "--yes", "--json"]).code(0).json();
    assert_eq!(document["ok"], true);
    assert_eq!(document["written"]["documents"], 3);
    assert_eq!(document["left"].as_array().map(Vec::len), Some(0));
    let ran = place.demo(&["verify"]).code(0);
    assert!(ran.out.contains("no problems"), "{}", ran.out);
    assert!(ran.out.contains("references and"), "{}", ran.out);
    let ran = place.demo(&["repair", "--yes"]).code(0);
    assert!(
        ran.out
            .contains("0 problems found; nothing was written\nnothing is left to repair"),
        "{}",
        ran.out
    );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 1)]
async fn interrupted_sagas_are_ended_when_their_lease_has_ended() {
    let place = Place::new("sagas").await;
    place.demo(&["apply", "--yes"]).code(0);
    let journal = |name: &str, state: &str, until: i64| {
        doc! {
            "_id": bson::oid::ObjectId::new(), "name": name, "state": state, "owner": bson::oid::ObjectId::new(),
            "token": 1_i64, "lease": 30_000_i64, "until": bson::DateTime::from_millis(until), "steps": [],
        }
    };
    let journals = [
        journal("begun", "doing", 0),
        journal("not begun", "new", 0),
        journal("alive", "doing", 4_000_000_000_000),
    ];
    let sagas = place.db.collection::<Document>("_dn.sagas");
    sagas.insert_many(journals).await.expect("stored");
    let ran = place.demo(&["recover", "--yes"]).code(0);
    assert_eq!(
        ran.out,
        "1 saga was completed\n1 saga was undone\n\
         1 saga may still be running; run `recover` again when its lease has ended\n"
    );
    let left = sagas.count_documents(doc! {}).await.expect("counted");
    assert_eq!(left, 1);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 1)]
async fn a_walk_goes_on_after_an_id() {
    let place = Place::spoiled("resume").await;
    let found = |from: &str| {
        place.demo(&[
            "verify", "--json", "--model", "Product", "--batch", "1", "--from", from,
        ])
    };
    // The stale copy is in the first product, the dangling reference in the second.
    let document = found("products:00000000000000000000000b").code(1).json();
    let findings = document["collections"][0]["findings"]
        .as_array()
        .expect("findings")
        .clone();
    let kinds: Vec<_> = findings.iter().map(|one| one["kind"].clone()).collect();
    assert_eq!(kinds, ["undecodable", "orphan"]);
    found("products:{\"$oid\":\"00000000000000000000000c\"}").code(1);
    let ran = found("products:x").code(2);
    assert!(
        ran.err.contains("is not a collection and an `_id`"),
        "{}",
        ran.out
    );
    let ran = found("products:17").code(2);
    assert!(ran.err.contains("another type"), "{}", ran.err);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 1)]
async fn older_documents_are_migrated() {
    let place = Place::spoiled("migrate").await;
    let ran = place.demo(&["migrate"]).code(2);
    assert!(ran.err.contains("nothing was written"), "{}", ran.err);
    let document = place.demo(&["migrate", "--yes", "--json"]).code(0).json();
    assert_eq!(document["models"][0]["model"], "Employee");
    assert_eq!(document["models"][0]["migrated"], 1);
    let ann = place
        .db
        .collection::<Document>("employees")
        .find_one(doc! { "name": "Ann Lee" })
        .await
        .expect("read");
    assert!(ann.is_some_and(|ann| {
        ann.get_i32("schema_version")
            .is_ok_and(|version| version == 2)
    }));
    let again = place.demo(&["migrate", "--json"]).code(0).json();
    assert_eq!(again["models"][0]["older"], 0);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 1)]
async fn copies_are_filled_and_flags_finished() {
    let place = Place::spoiled("backfill").await;
    let update = doc! { "$unset": { "parts.$[].name": "" } };
    place
        .db
        .collection::<Document>("products")
        .update_many(doc! { "parts.0": { "$exists": true } }, update)
        .await
        .expect("unset");
    let document = place
        .demo(&[
            "backfill",
            "--yes",
            "--json",
            "--reference",
            "products.parts",
        ])
        .code(0)
        .json();
    assert_eq!(document["lacking"], 2);
    let flag = doc! { "$set": { "name": "#5 grommet", "_dn.p": ["products.parts"] }, "$inc": { "_dn.r": 1 } };
    place
        .db
        .collection::<Document>("parts")
        .update_one(doc! { "name": "#4 grommet" }, flag)
        .await
        .expect("flagged");
    let verified = place.demo(&["verify", "--model", "Product"]);
    assert!(
        verified.out.contains("flagged") && verified.out.contains("`demo recover`"),
        "{}",
        verified.out
    );
    let document = place.demo(&["recover", "--yes", "--json"]).code(0).json();
    assert_eq!(document["sources"], 1);
    let renamed = doc! { "parts.name": "#5 grommet" };
    let found = place
        .db
        .collection::<Document>("products")
        .count_documents(renamed)
        .await
        .expect("counted");
    assert_eq!(found, 1);
    let ran = place.demo(&["recover", "--yes"]).code(0);
    assert!(
        ran.out.contains("nothing had to be finished"),
        "{}",
        ran.out
    );
}
