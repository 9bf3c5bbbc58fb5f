//! `explain`, `report`, `schema` and `rule`.

use bson::{Document, doc};

use crate::support::{Place, cargo_mongo_model, demo, golden, run};

#[tokio::test(flavor = "multi_thread", worker_threads = 1)]
async fn patterns_and_finders_are_explained() {
    let place = Place::spoiled("explain").await;
    let document = place.demo(&["explain", "--json"]).code(0).json();
    let plans = document["plans"].as_array().expect("plans");
    let plan = |name: &str| {
        plans
            .iter()
            .find(|plan| plan["pattern"] == name)
            .unwrap_or_else(|| panic!("{name} in {plans:?}"))
    };
    assert_eq!(plan("Place::best")["indexes"][0], "city_1_stars_-1");
    assert_eq!(
        plan("LogMsg::by_host")["indexes"][0],
        "host_1_time_-1__id_-1"
    );
    assert_eq!(plan("LogMsg::by_host")["returned"], 6);
    assert_eq!(plan("LogMsg::by_host")["documents"], 6);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 1)]
async fn a_plan_that_became_worse_is_found() {
    let place = Place::spoiled("plans").await;
    let file = std::env::temp_dir()
        .join(place.db.name())
        .with_extension("json");
    let file = file.to_str().expect("a path");
    place.demo(&["explain", "--save", file]).code(0);
    place.demo(&["explain", "--against", file]).code(0);
    place
        .db
        .collection::<Document>("places")
        .drop_index("city_1_stars_-1")
        .await
        .expect("dropped");
    let ran = place.demo(&["explain", "--against", file]).code(1);
    assert!(
        ran.out
            .contains("Place::best scans the collection: 10 documents examined for"),
        "{}",
        ran.out
    );
    assert!(
        ran.out
            .contains("Place::best uses no index; it used `city_1_stars_-1`"),
        "{}",
        ran.out
    );
    std::fs::remove_file(file).expect("removed");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 1)]
async fn the_report_has_advice_and_usage() {
    let place = Place::spoiled("report").await;
    let ran = run(demo(), &["report", "--uri", "mongodb://unused.invalid"]).code(0);
    assert!(ran.out.contains("pieces of advice"), "{}", ran.out);
    place
        .db
        .collection::<Document>("parts")
        .find_one(doc! { "partno": "part-1" })
        .await
        .expect("read");
    let document = place.demo(&["report", "--usage", "--json"]).code(0).json();
    let parts = document["models"]
        .as_array()
        .expect("models")
        .iter()
        .find(|one| one["model"] == "Part")
        .expect("Part")
        .clone();
    assert_eq!(parts["indexes"][0]["keys"], "{ partno: 1 }");
    assert_eq!(parts["indexes"][0]["uses"], 1);
    let ran = place.demo(&["report", "--markdown", "--usage"]).code(0);
    assert!(
        ran.out.starts_with("# Schema report")
            && ran.out.contains("| parts | `{ partno: 1 }` | 1 |"),
        "{}",
        ran.out
    );
}

#[test]
fn schemas_are_printed_in_both_dialects() {
    let uri = ["--uri", "mongodb://unused.invalid"];
    let ran = run(demo(), &["schema", "--model", "Part", uri[0], uri[1]]).code(0);
    assert_eq!(
        ran.json()["Part"]["properties"]["partno"]["bsonType"],
        "string"
    );
    let ran = run(
        demo(),
        &[
            "schema", "--for", "json", "--model", "Person", uri[0], uri[1],
        ],
    )
    .code(0);
    assert_eq!(
        ran.json()["Person"]["properties"]["addresses"]["maxItems"],
        20
    );
    assert_eq!(
        ran.json()["Person"]["properties"]["_id"]["properties"]["$oid"]["type"],
        "string"
    );
}

#[test]
fn a_rule_is_explained() {
    let ran = run(
        cargo_mongo_model(),
        &["mongo-model", "rule", "embed_unbounded"],
    )
    .code(0);
    golden("rule.txt", &ran.out);
    let ran = run(cargo_mongo_model(), &["rule", "EMBED_UNBOUND"]).code(2);
    assert!(
        ran.err.contains("did you mean EMBED_UNBOUNDED"),
        "{}",
        ran.err
    );
    let ran = run(cargo_mongo_model(), &["rules", "--json"]).code(0);
    assert!(
        ran.json()["rules"]
            .as_array()
            .is_some_and(|rules| rules.len() > 100)
    );
}
