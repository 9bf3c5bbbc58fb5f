//! `sample`: documents for a report of a defect, with no string of the database in them.

use std::collections::{BTreeMap, BTreeSet};

use bson::oid::ObjectId;
use bson::{Document, doc};
use serde_json::Value;

use crate::support::{Place, Ran, cargo_mongo_model, run};

fn sample(place: &Place, args: &[&str]) -> Ran {
    run(
        cargo_mongo_model(),
        &place.arguments(&[&["sample"], args].concat()),
    )
}

/// People and their orders; each string of theirs.
async fn fill(place: &Place) -> BTreeSet<String> {
    let mut strings = BTreeSet::new();
    let mut people = Vec::new();
    let mut orders = Vec::new();
    for n in 0..60_i32 {
        let id = ObjectId::new();
        let mail = format!("person{n}@example.org");
        let name = ["Ann Miller", "Bob Smith", "Ève Дом"][usize::try_from(n % 3).expect("small")];
        let initial: String = name.chars().take(1).collect();
        people.push(doc! {
            "_id": id, "mail": &mail, "name": name, "initial": &initial, "born": format!("19{:02}-05-17", n), "age": 20 + n,
            "logins": { &mail: n, "second@example.org": 2, "third@example.org": 3 },
        });
        orders.push(doc! {
            "_id": format!("order-{n}"), "person": id, "person_hex": id.to_hex(), "state": if n % 2 == 0 { "paid" } else { "open" },
            "total": f64::from(n) + 0.25, "number": i64::from(n) + 1, "lines": [{ "title": format!("Thing number {n}"), "qty": n }],
        });
        let texts = [
            mail,
            name.to_owned(),
            initial,
            format!("19{n:02}-05-17"),
            id.to_hex(),
        ];
        strings.extend(texts);
        strings
            .extend(["second@example.org", "third@example.org", "paid", "open"].map(String::from));
        strings.extend([format!("order-{n}"), format!("Thing number {n}")]);
    }
    for (name, documents) in [("people", people), ("orders", orders)] {
        place
            .db
            .collection(name)
            .insert_many(documents)
            .await
            .expect("stored");
    }
    strings
}

/// All strings of a value, keys included.
fn strings_in(value: &Value, out: &mut BTreeSet<String>) {
    match value {
        Value::String(text) => _ = out.insert(text.clone()),
        Value::Array(items) => items.iter().for_each(|item| strings_in(item, out)),
        Value::Object(fields) => fields.iter().for_each(|(name, value)| {
            out.insert(name.clone());
            strings_in(value, out);
        }),
        _ => {}
    }
}

#[track_caller]
fn shows_none(text: &str, strings: &BTreeSet<String>) {
    let mut shown = BTreeSet::new();
    strings_in(&serde_json::from_str(text).expect("JSON"), &mut shown);
    let both: Vec<&String> = shown.intersection(strings).collect();
    assert!(both.is_empty(), "{both:?}");
    for secret in strings.iter().filter(|secret| secret.len() > 3) {
        assert!(!text.contains(secret), "{secret}: {text}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 1)]
async fn no_string_of_the_database_is_in_a_sample() {
    let place = Place::new("sampled_out").await;
    let strings = fill(&place).await;
    let ran = sample(&place, &[]).code(0);
    shows_none(&ran.out, &strings);
    let again = sample(&place, &[]).code(0);
    assert_ne!(ran.out, again.out, "each run has its own replacements");
    for name in ["people", "orders", "mail", "lines", "title"] {
        assert!(
            ran.out.contains(&format!("\"{name}\"")),
            "{name}: {}",
            ran.out
        );
    }
    let names = sample(&place, &["--names"]).code(0);
    let mut all = strings;
    all.extend(["people", "orders", "mail", "lines", "title", "person_hex"].map(String::from));
    shows_none(&names.out, &all);
    let few = sample(&place, &["--collection", "orders", "--documents", "2"]);
    let few = few.code(0).json();
    assert_eq!(few["orders"].as_array().map(Vec::len), Some(2));
    assert_eq!(few["people"], Value::Null);
}

/// The sample is what a defect needs: `pull` finds in it what it finds in the database.
#[tokio::test(flavor = "multi_thread", worker_threads = 1)]
async fn a_sample_gives_the_same_models() {
    let place = Place::new("sampled_in").await;
    fill(&place).await;
    let out = crate::support::target().join("tmp").join("sample.json");
    let _ = std::fs::remove_file(&out);
    let path = out.to_str().expect("a path");
    let ran = sample(&place, &["--out", path]).code(0);
    assert!(ran.err.contains("wrote 120 documents into "), "{}", ran.err);
    let ran = sample(&place, &["--out", path]).code(2);
    assert!(ran.err.contains("cannot be written"), "{}", ran.err);
    let text = std::fs::read_to_string(&out).expect("read");
    let other = Place::new("sampled_in_other").await;
    let read: BTreeMap<String, Vec<Document>> = serde_json::from_str(&text).expect("documents");
    for (name, documents) in read {
        other
            .db
            .collection(&name)
            .insert_many(documents)
            .await
            .expect("stored");
    }
    let models = |place: &Place, name: &str| {
        let out = crate::support::target().join("tmp").join(name);
        let _ = std::fs::remove_dir_all(&out);
        let path = out.to_str().expect("a path");
        run(
            cargo_mongo_model(),
            &place.arguments(&["pull", "--out", path]),
        );
        let read = |file: &str| std::fs::read_to_string(out.join(file)).expect("read");
        let text = read("people.rs") + &read("orders.rs");
        let code = |line: &&str| line.contains("pub ") && !line.contains("pub enum");
        text.lines()
            .filter(code)
            .map(str::to_owned)
            .collect::<Vec<String>>()
    };
    let (own, sampled) = (models(&place, "pull-own"), models(&other, "pull-sampled"));
    assert!(
        own.iter()
            .any(|line| line.contains("pub person: Id<Person>")),
        "{own:?}"
    );
    assert_eq!(own, sampled);
}
