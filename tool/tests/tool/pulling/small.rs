//! Names, sets of strings that are open, and where comments stand.

use bson::oid::ObjectId;
use bson::{Bson, DateTime, doc};

use super::doubts::{fill, pulled};
use super::pull;
use crate::support::Place;

#[tokio::test(flavor = "multi_thread", worker_threads = 1)]
async fn strings_of_which_more_may_come_are_no_enum() {
    let place = Place::new("open").await;
    let posts = (0..240_usize).map(|n| {
        let lang = ["en", "es", "fr", "tr"][n % 4];
        let first_name = ["Ann", "Bob"][n % 2];
        let state = if n == 7 { "odd" } else { ["on", "off"][n % 2] };
        let kind = ["small", "large"][n % 2];
        doc! { "lang": lang, "first_name": first_name, "state": state, "kind": kind }
    });
    fill(&place, "posts", posts).await;
    let done = pulled(&place, "open", &[]);
    for about in ["lang", "first_name", "state"] {
        let message = done.finding("open_set", about)["message"].to_string();
        assert!(message.contains("others may come"), "{message}");
        assert!(
            done.source.contains(&format!("pub {about}: String")),
            "{}",
            done.source
        );
    }
    done.finding("enum", "kind");
}

/// A value of an only child is the least and the greatest of all, which says nothing.
#[tokio::test(flavor = "multi_thread", worker_threads = 1)]
async fn an_extreme_is_one_of_several_children() {
    let place = Place::new("extremes").await;
    let at = |n: i64| DateTime::from_millis(1_700_000_000_000 + n * 7_919 % 1_000 * 60_000);
    for (parents, children, of_each) in [("lots", "bids", 3), ("bills", "payments", 1)] {
        let ids: Vec<ObjectId> = (0..40).map(|_| ObjectId::new()).collect();
        let numbers = |n: i64| n * of_each..(n + 1) * of_each;
        let parent = |(id, n)| doc! { "_id": id, "last": numbers(n).map(at).max() };
        fill(&place, parents, ids.iter().zip(0..).map(parent)).await;
        let of = |(id, n)| numbers(n).map(move |n| doc! { "parent_id": id, "at": at(n) });
        fill(&place, children, ids.iter().zip(0..).flat_map(of)).await;
    }
    let done = pulled(&place, "extremes", &[]);
    let is_there = |text: &str| done.source.contains(text);
    assert!(is_there("#[max(Bid, field = at)]"), "{}", done.source);
    assert!(is_there("pub last: Option<DateTime>"), "{}", done.source);
    let of_only = ["#[max(Payment", "#[min(Payment"];
    assert!(
        !of_only.iter().any(|text| is_there(text)),
        "{}",
        done.source
    );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 1)]
async fn types_are_named_after_what_they_are() {
    let place = Place::new("named").await;
    let films = (0..40_i32).map(|n| {
        let word = |text: &str| doc! { "title": format!("{text} {n}"), "tagline": "t" };
        let amount: Bson = if n % 7 == 0 { f64::from(n).into() } else { n.into() };
        doc! {
            "tomatoes": { "viewer": { "rating": n, "votes": n }, "critic": { "rating": n, "votes": n } },
            "translations": { "deu": word("a"), "fin": word("b"), "fra": word("c"), "ita": word("d") },
            "amount": if n == 3 { Bson::Null } else { amount }, "words": ["a", "b"],
        }
    });
    fill(&place, "films", films).await;
    let transaction = |n: i32| doc! { "transaction": { "sum": n } };
    fill(&place, "transactions", (0..5).map(transaction)).await;
    fill(&place, "uuids", [doc! { "a": 1 }]).await;
    let done = pulled(&place, "named", &[]);
    for part in [
        "pub struct Tomato {",
        "pub viewer: Tomato",
        "pub translations: BTreeMap<String, Translation>",
        "pub struct TransactionPart {",
        "pub struct UuidDocument {",
    ] {
        assert!(done.source.contains(part), "{part}: {}", done.source);
    }
    assert_eq!(
        done.source.matches(", double ").count(),
        1,
        "{}",
        done.source
    );
    // Comments stand above all attributes of their field.
    let films = crate::support::target().join("tmp/pull-named/films.rs");
    let films = std::fs::read_to_string(films).expect("read");
    let lines: Vec<&str> = films.lines().map(str::trim).collect();
    assert!(
        lines.iter().any(|line| line.starts_with("#[embed(")),
        "{films}"
    );
    for pair in lines.windows(2) {
        let is_apart = pair[0].starts_with("#[") && pair[1].starts_with("//");
        assert!(!is_apart, "{pair:?}: {films}");
    }
    let ran = pull(&place, "nowhere", &["--model", "Film"]).code(2);
    let help = "`--collection NAME` pulls one collection";
    assert!(ran.err.contains(help), "{}", ran.err);
}
