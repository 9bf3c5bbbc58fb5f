//! Precision and recall of each inference, on data whose answers are known.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use super::data::{ANSWERS, fill};
use super::{folder, pull};
use crate::support::Place;

/// What was found of one kind of inference, beside the answers.
#[derive(Debug, Default)]
pub(super) struct Score {
    pub(super) right: usize,
    pub(super) wrong: Vec<String>,
    pub(super) missed: Vec<String>,
}

/// Scores by the kind of inference.
#[derive(Debug, Default)]
pub(super) struct Scores(pub(super) BTreeMap<String, Score>);

impl Scores {
    pub(super) fn wrong(&self) -> usize {
        self.0.values().map(|score| score.wrong.len()).sum()
    }

    pub(super) fn missed(&self) -> usize {
        self.0.values().map(|score| score.missed.len()).sum()
    }

    pub(super) fn right(&self) -> usize {
        self.0.values().map(|score| score.right).sum()
    }

    /// Adds the scores of another database.
    pub(super) fn add(&mut self, other: Scores) {
        for (kind, score) in other.0 {
            let own = self.0.entry(kind).or_default();
            own.right += score.right;
            own.wrong.extend(score.wrong);
            own.missed.extend(score.missed);
        }
    }

    /// Prints a line for each kind.
    pub(super) fn print(&self) {
        println!("{:<20} right  precision  recall", "inference");
        for (kind, score) in &self.0 {
            println!(
                "{kind:<20} {:>5}  {:>9.2}  {:>6.2}  {:?} {:?}",
                score.right,
                part(score.right, score.wrong.len()),
                part(score.right, score.missed.len()),
                score.wrong,
                score.missed
            );
        }
        println!(
            "{} right, {} wrong, {} missed",
            self.right(),
            self.wrong(),
            self.missed()
        );
    }
}

/// The share of the right ones.
#[expect(clippy::cast_precision_loss, reason = "small numbers")]
pub(super) fn part(right: usize, others: usize) -> f64 {
    if right + others == 0 {
        return 1.0;
    }
    right as f64 / (right + others) as f64
}

/// Compares the findings of a report with answers (`kind collection.path`), of the kinds that the answers have.
pub(super) fn compare(report: &Value, answers: &[&str]) -> Scores {
    let kinds: Vec<&str> = answers.iter().map(|answer| kind(answer)).collect();
    compare_kinds(report, answers, &kinds)
}

fn kind(line: &str) -> &str {
    line.split(' ').next().expect("a kind")
}

/// The same, of the named kinds.
pub(super) fn compare_kinds<T: AsRef<str>>(
    report: &Value,
    answers: &[T],
    kinds: &[&str],
) -> Scores {
    let answers: BTreeSet<&str> = answers.iter().map(AsRef::as_ref).collect();
    let found: BTreeSet<String> = findings(report).into_iter().collect();
    let mut scores = Scores::default();
    for line in found.iter().filter(|line| kinds.contains(&kind(line))) {
        let score = scores.0.entry(kind(line).to_owned()).or_default();
        match answers.contains(line.as_str()) {
            true => score.right += 1,
            false => score.wrong.push(line.clone()),
        }
    }
    for answer in answers
        .into_iter()
        .filter(|answer| !found.contains(*answer))
    {
        let score = scores.0.entry(kind(answer).to_owned()).or_default();
        score.missed.push(answer.to_owned());
    }
    scores
}

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
    let scores = compare(&ran.json(), ANSWERS);
    scores.print();
    assert_eq!((scores.wrong(), scores.missed()), (0, 0), "{scores:#?}");
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
