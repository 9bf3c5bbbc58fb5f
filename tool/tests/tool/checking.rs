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

/// The server's validator is not there yet, and the documents that it would refuse are named with their rules.
#[tokio::test(flavor = "multi_thread", worker_threads = 1)]
async fn documents_that_break_a_constraint_are_found_before_the_validator_is_applied() {
    let place = Place::new("check_constraint").await;
    place.demo(&["apply", "--yes"]).code(0);
    let id = |n: u8| bson::oid::ObjectId::from_bytes([n; 12]);
    let stored = |n: u8, stars: i32| {
        let location = doc! { "type": "Point", "coordinates": [12.5, 41.9] };
        doc! { "_id": id(n), "city": "Rome", "stars": stars, "about": "", "location": location }
    };
    let places = place.db.collection("places");
    let all = [stored(1, 5), stored(2, 6), stored(3, 0), stored(4, -1)];
    places.insert_many(all.clone()).await.expect("stored");

    let checked = place.demo(&["check", "--json", "--full", "--model", "Place"]);
    let checked = checked.code(1).json();
    let findings = checked["collections"][0]["findings"].as_array();
    let broken = findings.expect("findings").iter();
    let of_validator = |one: &serde_json::Value| {
        let message = one["message"].as_str().unwrap_or_default();
        one["about"] == "stars" && message.starts_with("1 document has `stars`")
    };
    let broken = broken.filter(|one| of_validator(one));
    let broken = broken.map(|one| {
        (
            one["count"].as_u64(),
            one["examples"][0]["id"]["$oid"].clone(),
        )
    });
    let expected = [4, 2].map(|n| (Some(1), id(n).to_hex().into()));
    assert_eq!(broken.collect::<Vec<_>>(), expected);

    let plan = place.demo(&["plan", "--validators", "error"]).code(1).out;
    for reason in [
        format!("{} has `stars` that is not at least 0 (has -1)", id(4)),
        format!(
            "{} has `stars` with more than the model allows: at most 5 (has 6)",
            id(2)
        ),
    ] {
        assert!(plan.contains(&reason), "{plan}");
    }
    let plan = place.demo(&["plan", "--validators", "error", "--json"]);
    let plan = plan.code(1).json();
    let planned = plan["collections"].as_array().expect("collections").iter();
    let planned = planned.filter(|one| one["collection"] == "places");
    let broken: Vec<_> = planned.map(|one| one["broken"].clone()).collect();
    let ids = broken[0]["examples"].as_array().expect("examples");
    assert_eq!((broken[0]["documents"].as_u64(), ids.len()), (Some(2), 2));
    assert_eq!(broken[0]["reasons"].as_array().map(Vec::len), Some(2));
    // Nothing was written: the documents are as they were, and there is no validator.
    assert_eq!(places.count_documents(doc! {}).await.expect("counted"), 4);
    let again = stored(5, 9);
    places
        .insert_one(again)
        .await
        .expect("no validator refuses it");
}
