//! `check`, and what it finds in documents of careless programs.

use bson::{Document, doc};

use crate::support::{Place, golden};

/// The lines about defects of the server that the tests use.
async fn upgrades(place: &Place) -> String {
    let server = mongo_model::capabilities(&place.db).await.expect("asked");
    let version = server.version.expect("three numbers");
    let line = |defect| format!("upgrade MongoDB {version}: {defect}\n");
    version.defects().map(line).collect()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 1)]
async fn what_is_wrong_is_grouped_counted_and_shown() {
    let place = Place::spoiled("check").await;
    let ran = place.demo(&["check"]).code(1);
    golden("check.txt", &place.masked(&ran.out));
    assert_eq!(ran.err, upgrades(&place).await);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 1)]
async fn json_has_the_same() {
    let place = Place::spoiled("check_json").await;
    let document = place.demo(&["check", "--json"]).code(1).json();
    assert_eq!(document["format"], 1);
    assert_eq!(document["command"], "check");
    assert_eq!(document["ok"], false);
    let defects = document["server_defects"].as_array().expect("a list");
    assert_eq!(defects.len(), upgrades(&place).await.lines().count());
    let all = document["collections"].as_array().expect("collections");
    let products = all
        .iter()
        .find(|group| group["collection"] == "products")
        .expect("products");
    let stale = products["findings"]
        .as_array()
        .expect("findings")
        .iter()
        .find(|one| one["kind"] == "stale")
        .expect("stale");
    assert_eq!(stale["count"], 1);
    assert_eq!(stale["about"], "products.parts");
    assert_eq!(stale["level"], "problem");
    assert_eq!(
        stale["examples"][0]["id"]["$oid"],
        "00000000000000000000000b"
    );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 1)]
async fn a_database_that_is_right_is_fine() {
    let place = Place::new("check_fine").await;
    place.demo(&["apply", "--yes"]).code(0);
    let ran = place.demo(&["check"]).code(0);
    assert!(ran.out.contains("no problems"), "{}", ran.out);
    assert_eq!(ran.err, upgrades(&place).await);
    // A note is a finding when it is asked for.
    place
        .db
        .create_collection("other")
        .await
        .expect("it is made");
    place.demo(&["check"]).code(0);
    place.demo(&["check", "--strict"]).code(1);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 1)]
async fn one_model_is_checked_by_name_or_collection() {
    let place = Place::spoiled("check_one").await;
    for name in ["Part", "parts"] {
        let ran = place.demo(&["check", "--model", name]).code(0);
        assert!(
            ran.out.contains("parts") && !ran.out.contains("products"),
            "{}",
            ran.out
        );
    }
    let ran = place.demo(&["check", "--model", "Parts"]).code(2);
    assert!(
        ran.err.contains("no model is called `Parts`") && ran.err.contains("Part, "),
        "{}",
        ran.err
    );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 1)]
async fn a_sample_looks_at_some_documents_only() {
    let place = Place::new("check_sample").await;
    place.demo(&["apply", "--yes"]).code(0);
    let hosts: Vec<Document> = (0..200)
        .map(|n| doc! { "_id": n, "name": n, "ipaddr": n.to_string() })
        .collect();
    place
        .db
        .collection("hosts")
        .insert_many(hosts)
        .await
        .expect("stored");
    let counted = |args: &[&str]| {
        let document = place.demo(args).code(1).json();
        let all = document["collections"]
            .as_array()
            .expect("collections")
            .clone();
        let hosts = all
            .into_iter()
            .find(|group| group["collection"] == "hosts")
            .expect("hosts");
        let wrong = hosts["findings"]
            .as_array()
            .expect("findings")
            .iter()
            .find(|one| one["kind"] == "type" && one["about"] == "name")
            .expect("name")
            .clone();
        assert_eq!(wrong["examples"].as_array().expect("examples").len(), 3);
        (hosts["examined"].clone(), wrong["count"].clone())
    };
    assert_eq!(
        counted(&["check", "--json", "--sample", "50"]),
        (50.into(), 50.into())
    );
    assert_eq!(
        counted(&["check", "--json", "--full"]),
        (200.into(), 200.into())
    );
}

/// A `save` of what was read would remove them, so the check names them, and how many documents have them.
#[tokio::test(flavor = "multi_thread", worker_threads = 1)]
async fn fields_of_no_model_are_named() {
    let place = Place::new("check_unknown").await;
    place.demo(&["apply", "--yes"]).code(0);
    let address = |floor: Option<i32>| {
        let mut address = doc! { "street": "s", "city": "c" };
        address.extend(floor.map(|floor| ("floor".to_owned(), floor.into())));
        address
    };
    let plain = |n: i32| doc! { "name": n.to_string(), "addresses": [address(None)], "tasks": [], "_dn": { "r": 1_i64 } };
    let mut persons: Vec<Document> = (0..40).map(plain).collect();
    for person in &mut persons[..3] {
        person.insert("nick$name", "n");
    }
    persons[7].insert(
        "addresses",
        vec![address(None), address(Some(2)), address(Some(3))],
    );
    let stored = place.db.collection("persons");
    stored.insert_many(persons).await.expect("stored");
    let document = place.demo(&["check", "--json", "--full", "--model", "Person"]);
    let document = document.code(0).json();
    let findings = document["collections"][0]["findings"].as_array();
    let unknown = findings.expect("findings").iter().map(|one| {
        assert_eq!(
            (&one["kind"], &one["level"]),
            (&"unknown_field".into(), &"note".into())
        );
        assert_eq!(one["examples"].as_array().map(Vec::len), Some(1));
        let text = |key: &str| one[key].as_str().expect("text").to_owned();
        (text("about"), one["count"].as_u64(), text("message"))
    });
    let unknown: Vec<_> = unknown.collect();
    let has = |path: &str, count: u64, begin: &str| {
        let message = format!("{begin} `{path}`, which Person does not have: a `save` removes it");
        (path.to_owned(), Some(count), message)
    };
    let expected = [
        has("addresses.floor", 1, "1 document has"),
        has("nick$name", 3, "3 documents have"),
    ];
    assert_eq!(unknown, expected);
}
