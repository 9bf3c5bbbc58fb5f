//! `explain`, `report`, `schema` and `rule`.

use std::fs;
use std::path::Path;

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
    fs::remove_file(file).expect("removed");
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
    let insert = &parts["costs"]["insert"];
    assert_eq!(insert["awaited"], 1, "{insert}");
    assert!(ran.out.contains("    insert: 1 command, "), "{}", ran.out);
    // The server alone knows an index that no model declares.
    let unknown = parts["indexes"]
        .as_array()
        .expect("indexes")
        .last()
        .cloned();
    let unknown = unknown.expect("an index");
    assert_eq!(unknown["keys"], "{ weight: 1 }");
    assert_eq!(unknown["declared"], false);
    let ran = place.demo(&["report", "--markdown", "--usage"]).code(0);
    assert!(
        ran.out.starts_with("# Schema report")
            && ran.out.contains("| parts | `{ partno: 1 }` | yes | 1 |"),
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

/// The words of a page of `docs/rules`, without what makes it Markdown.
fn words_of_page(code: &str) -> Vec<String> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/rules");
    let page = fs::read_to_string(root.join(code).with_extension("md")).expect("a page");
    let (page, _) = page
        .rsplit_once("\n---\n")
        .expect("a page ends with its links");
    let lines = page
        .lines()
        .filter(|line| !line.starts_with("<!--") && !line.starts_with("```"));
    let lines = lines.map(|line| match line.strip_prefix("**") {
        Some(rest) => rest.replacen("**", "", 1),
        None => line
            .trim_start_matches("# ")
            .trim_start_matches("## ")
            .to_owned(),
    });
    let lines: Vec<String> = lines.collect();
    words(&lines.join("\n"))
}

fn words(text: &str) -> Vec<String> {
    text.split_whitespace().map(str::to_owned).collect()
}

#[test]
fn rules_are_explained_in_the_words_of_their_pages() {
    let list = run(cargo_mongo_model(), &["rules", "--json"])
        .code(0)
        .json();
    let rules = list["rules"].as_array().expect("rules");
    assert!(rules.len() > 100);
    let codes: Vec<&str> = rules
        .iter()
        .filter_map(|rule| rule["code"].as_str())
        .collect();
    let mut args = vec!["rule"];
    args.extend(&codes);
    let ran = run(cargo_mongo_model(), &args).code(0);
    let printed = words(&ran.out);
    let pages: Vec<String> = codes.iter().flat_map(|code| words_of_page(code)).collect();
    let differs = printed
        .iter()
        .zip(&pages)
        .position(|(one, other)| one != other);
    let around =
        |words: &[String], n: usize| words[n.saturating_sub(8)..words.len().min(n + 8)].join(" ");
    if let Some(n) = differs {
        panic!("{}\n{}", around(&printed, n), around(&pages, n));
    }
    assert_eq!(printed.len(), pages.len());
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
}
