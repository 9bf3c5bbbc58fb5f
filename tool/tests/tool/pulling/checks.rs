//! Rules about values: those of a collection's validator, and those that the data suggests.

use bson::doc;

use super::doubts::{fill as store, pulled};
use crate::support::Place;

/// A collection with a validator, which two of its documents break, and one with values that look like rules.
pub(super) async fn fill(place: &Place) {
    let properties = doc! {
        "stars": { "bsonType": "int", "minimum": 0, "exclusiveMinimum": true, "maximum": 5 },
        "weight": { "minimum": 0, "maximum": 1.5, "exclusiveMaximum": true },
        "code": { "minLength": 2, "maxLength": 2 },
        "state": { "enum": ["new", "old", null] },
        "price": { "minimum": 10 },
        "address": { "properties": { "zip": { "minLength": 5 } } },
        "lines": { "items": { "properties": { "count": { "minimum": 1 } } } },
    };
    let validator = doc! { "$jsonSchema": { "properties": properties } };
    let command = doc! { "create": "offers", "validator": validator, "validationAction": "warn" };
    place.db.run_command(command).await.expect("created");
    let offers = (0..40_i32).map(|n| {
        doc! {
            "stars": n % 5 + 1, "weight": 0.25 + f64::from(n % 3), "code": if n % 2 == 0 { "it" } else { "de" },
            "state": format!("state {n}"), "price": 3 + n, "address": { "zip": format!("{n:05}") },
            "lines": [{ "count": n + 1 }],
        }
    });
    store(place, "offers", offers).await;
    let people = (0..40_i32).map(|n| {
        doc! {
            "mail": format!("p{n}@example.com"), "page": format!("https://example.com/{n}"), "iban": format!("IT{n:02}{}", 7_000 + n * 13),
            "percent": n * 100 / 39, "points": n * 7, "share": f64::from(n) / 39.0, "balance": n * 10 - 200, "few": n % 2,
        }
    });
    store(place, "people", people).await;
    let rare = (0..20_i32).map(|n| doc! { "points": n });
    store(place, "visitors", rare).await;
}

/// `pull` declares the rules of the validator, and asks where stored values break one. A rule that only the data suggests is a comment.
#[tokio::test(flavor = "multi_thread", worker_threads = 1)]
async fn rules_about_values_are_found() {
    let place = Place::new("pulled_checks").await;
    fill(&place).await;
    let done = pulled(&place, "checks", &[]);
    done.is_consistent();
    let source = &done.source;
    for declared in [
        "the collection's validator says so\n    #[check(range = 1..=5)]\n    pub stars: i32",
        "#[check(len = 2)]\n    pub code: ",
        "#[check(len = 5..)]\n    pub zip: String",
        "#[check(range = 1..)]\n    pub count: i32",
    ] {
        assert!(source.contains(declared), "{declared}: {source}");
    }
    for (field, rule) in [
        ("weight", "range = 0.0..1.5"),
        ("price", "range = 10.."),
        ("state", "one_of(\"new\", \"old\")"),
    ] {
        let broken = format!(
            "the validator wants `{rule}`, and stored values break that: correct them, then declare it with `#[check(..)]`"
        );
        assert_eq!(done.finding("broken_validator", field)["message"], broken);
    }
    for (field, rule) in [
        ("mail", "email"),
        ("page", "url"),
        ("iban", "len = 8"),
        ("percent", "range = 0..=100"),
        ("points", "range = 0.."),
        ("share", "range = 0.0..=1.0"),
    ] {
        let sentence = format!("all 40 values meet `#[check({rule})]`: declare it if it is a rule");
        assert_eq!(done.finding("check", field)["message"], sentence);
        assert!(source.contains(&sentence), "{sentence}: {source}");
    }
    let proposals = source.matches("declare it if it is a rule").count();
    assert_eq!(proposals, 6, "{source}");
}
