//! Precision and recall of each inference, on data whose answers are known.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use super::data::{ANSWERS, fill};
use super::{folder, pull};
use crate::support::Place;

/// `kind collection.path` of every finding.
fn findings(document: &Value) -> Vec<String> {
    let mut out = Vec::new();
    for group in document["collections"].as_array().expect("groups") {
        for finding in group["findings"].as_array().expect("findings") {
            let text = |value: &Value| value.as_str().expect("text").to_owned();
            out.push(format!(
                "{} {}.{}",
                text(&finding["kind"]),
                text(&group["collection"]),
                text(&finding["about"])
            ));
        }
    }
    out
}

#[tokio::test(flavor = "multi_thread", worker_threads = 1)]
async fn inferences_are_precise_and_complete() {
    let place = Place::new("answers").await;
    fill(&place.db, 300).await;
    let out = folder("answers");
    let ran = pull(&place, out.to_str().expect("a path"), &["--json"]).code(1);
    let found = findings(&ran.json());
    let kind = |line: &str| line.split(' ').next().expect("a kind").to_owned();
    let kinds: BTreeSet<String> = ANSWERS.iter().map(|answer| kind(answer)).collect();
    // Right, wrong and missed findings of each kind.
    let mut counts: BTreeMap<String, (u32, Vec<String>, Vec<String>)> = BTreeMap::new();
    for line in found.iter().filter(|line| kinds.contains(&kind(line))) {
        let counted = counts.entry(kind(line)).or_default();
        match ANSWERS.contains(&line.as_str()) {
            true => counted.0 += 1,
            false => counted.1.push(line.clone()),
        }
    }
    for answer in ANSWERS
        .iter()
        .filter(|answer| !found.iter().any(|line| line == *answer))
    {
        counts
            .entry(kind(answer))
            .or_default()
            .2
            .push((*answer).to_owned());
    }
    println!("{:<18} precision  recall", "inference");
    let (mut right, mut wrong, mut missed) = (0, 0, 0);
    for (kind, (hits, extra, lost)) in &counts {
        let part = |of: usize| {
            f64::from(*hits) / f64::from(*hits + u32::try_from(of).expect("few")).max(1.0)
        };
        println!(
            "{kind:<18} {:>9.2}  {:>6.2}  {extra:?} {lost:?}",
            part(extra.len()),
            part(lost.len())
        );
        right += *hits;
        wrong += extra.len();
        missed += lost.len();
    }
    println!("{right} right, {wrong} wrong, {missed} missed");
    assert!(wrong == 0 && missed == 0, "{counts:#?}");
    // Nothing that is found is a guess without a number.
    for group in ran.json()["collections"].as_array().expect("groups") {
        for finding in group["findings"].as_array().expect("findings") {
            let inferred = [
                "reference",
                "copy",
                "count",
                "two_way",
                "enum",
                "tagged",
                "map",
            ];
            if inferred.contains(&finding["kind"].as_str().expect("a kind")) {
                assert!(
                    finding["confidence"]
                        .as_f64()
                        .is_some_and(|sure| sure > 0.5),
                    "{finding}"
                );
            }
        }
    }
}
