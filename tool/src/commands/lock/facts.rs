//! Facts: the promises of models, one a line.

use std::collections::BTreeMap;

use serde::Serialize;

/// The promise about one thing of a model, in parts: the type of a field comes first, then what else is said of it.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(transparent)]
pub(crate) struct Fact(pub(crate) Vec<String>);

/// The facts of models: of each, named `collection.Model`, by stored path or by a name that begins with `$`.
pub(crate) type Facts = BTreeMap<String, BTreeMap<String, Fact>>;

/// The number of facts.
pub(crate) fn number_of(facts: &Facts) -> u64 {
    facts.values().map(|model| model.len() as u64).sum()
}

/// A fact that is another one, or is on one side alone.
#[derive(Debug, PartialEq, Eq, Serialize)]
pub(crate) struct Change<'f> {
    pub(crate) model: &'f str,
    pub(crate) fact: &'f str,
    pub(crate) old: Option<&'f Fact>,
    pub(crate) new: Option<&'f Fact>,
}

/// The facts that differ, by model and name.
pub(crate) fn changes<'f>(old: &'f Facts, new: &'f Facts) -> Vec<Change<'f>> {
    let mut sides: BTreeMap<(&str, &str), [Option<&Fact>; 2]> = BTreeMap::new();
    for (side, facts) in [old, new].into_iter().enumerate() {
        for (model, name, fact) in each(facts) {
            sides.entry((model, name)).or_default()[side] = Some(fact);
        }
    }
    let differ = sides.into_iter().filter(|(_, [old, new])| old != new);
    differ
        .map(|((model, fact), [old, new])| Change {
            model,
            fact,
            old,
            new,
        })
        .collect()
}

fn each(facts: &Facts) -> impl Iterator<Item = (&str, &str, &Fact)> {
    facts.iter().flat_map(|(model, facts)| {
        let facts = facts.iter();
        facts.map(move |(name, fact)| (model.as_str(), name.as_str(), fact))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn facts(model: &str, said: &[(&str, &str)]) -> Facts {
        let said = said.iter();
        let said = said.map(|(name, fact)| ((*name).to_owned(), Fact(vec![(*fact).to_owned()])));
        Facts::from([(model.to_owned(), said.collect())])
    }

    #[test]
    fn facts_that_differ_are_changes_and_no_others() {
        let old = facts("a.A", &[("gone", "1"), ("other", "1"), ("same", "1")]);
        let new = facts("a.A", &[("new", "1"), ("other", "2"), ("same", "1")]);
        let found = changes(&old, &new);
        let shown: Vec<(&str, bool, bool)> = found
            .iter()
            .map(|change| (change.fact, change.old.is_some(), change.new.is_some()))
            .collect();
        let expected = [
            ("gone", true, false),
            ("new", false, true),
            ("other", true, true),
        ];
        assert_eq!(shown, expected);
        assert!(changes(&old, &old).is_empty());
        let moved = facts("a.B", &[("gone", "1"), ("other", "1"), ("same", "1")]);
        assert_eq!(
            changes(&old, &moved).len(),
            6,
            "a model of another name is another"
        );
    }
}
