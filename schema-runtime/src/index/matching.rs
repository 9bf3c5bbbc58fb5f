//! Matches live indexes with declared ones, and finds the rest on both sides.

use std::collections::HashSet;

use super::compare::Difference;
use super::edges::copies_differ;
use crate::index_spec::definition::Definition;
use crate::index_spec::live::LiveIndex;
use crate::index_spec::plan::{CollectionPlan, IndexChange, IndexConflict};
use crate::index_spec::signature::Signature;

/// Compares the declared indexes, each of them once, with the live ones.
pub(super) fn plan(
    collection: String,
    models: Vec<&'static str>,
    definitions: Vec<Definition>,
    live: Vec<LiveIndex>,
) -> CollectionPlan {
    // The index of `_id` has the collection's own collation, which indexes without one get too.
    let collation = live
        .iter()
        .find(|index| index.is_id())
        .and_then(LiveIndex::collation);
    let names = Names {
        live: live.iter().map(|index| index.name.clone()).collect(),
        given: definitions
            .iter()
            .filter_map(|definition| definition.name.clone())
            .collect(),
    };
    let wanted = definitions.into_iter().map(|definition| Wanted {
        signature: Signature::of_spec(
            &definition.spec(),
            collation.as_ref().filter(|_| !definition.binary),
        ),
        definition,
    });
    let mut matching = Matching {
        wanted: wanted.collect(),
        found: live
            .into_iter()
            .map(|index| Found {
                signature: index.signature(),
                taken: index.is_id(),
                index,
            })
            .collect(),
        matched: Vec::new(),
        changes: Vec::new(),
        conflicts: Vec::new(),
        names,
    };
    matching.find_same();
    matching.find_contradictions();
    matching.find_changes();
    matching.find_conflicts();
    let copies_differ = matching.matched.iter().find_map(|(wanted, place)| {
        let live = &matching.found[*place].index;
        copies_differ(&collection, &wanted.definition, live)
    });
    let Matching {
        wanted,
        found,
        changes,
        conflicts,
        mut names,
        ..
    } = matching;
    CollectionPlan {
        collection,
        models,
        vectors: Vec::new(),
        create: wanted
            .into_iter()
            .map(|wanted| names.give(wanted.definition, None))
            .collect(),
        change: changes,
        conflicts,
        unknown: found
            .into_iter()
            .filter(|found| !found.taken)
            .map(|found| found.index)
            .collect(),
        copies_differ,
    }
}

/// Each step removes from `wanted` the indexes that it can account for.
struct Matching {
    wanted: Vec<Wanted>,
    found: Vec<Found>,
    /// Declared indexes that exist, as they should be or nearly, with the place of the live one.
    matched: Vec<(Wanted, usize)>,
    changes: Vec<IndexChange>,
    conflicts: Vec<IndexConflict>,
    names: Names,
}

/// A declared index.
#[derive(Clone)]
struct Wanted {
    definition: Definition,
    signature: Signature,
}

/// A live index.
struct Found {
    index: LiveIndex,
    signature: Signature,
    /// True if the live index belongs to a declared index, is part of a conflict, or is the server's own.
    taken: bool,
}

impl Matching {
    /// Matches indexes that exist as declared. No two declared indexes are the same, so none of them takes another's.
    fn find_same(&mut self) {
        for wanted in std::mem::take(&mut self.wanted) {
            let same = |found: &Found| {
                Difference::between(&wanted.signature, &found.signature)
                    .is_some_and(|difference| difference.is_none())
            };
            match self.found.iter().position(same) {
                Some(place) => self.matched(wanted, place),
                None => self.wanted.push(wanted),
            }
        }
    }

    fn matched(&mut self, wanted: Wanted, place: usize) {
        self.found[place].taken = true;
        self.matched.push((wanted, place));
    }

    /// Finds indexes that no collection can have together with another declared index. Only models that share a collection, or a
    /// struct that is embedded twice, can declare both: within one struct the derive refuses it.
    fn find_contradictions(&mut self) {
        for wanted in std::mem::take(&mut self.wanted) {
            let others = self
                .matched
                .iter()
                .map(|(other, _)| other)
                .chain(&self.wanted);
            let Some((other, reason)) = others
                .into_iter()
                .find_map(|other| Some((other, wanted.contradicts(other)?)))
            else {
                self.wanted.push(wanted);
                continue;
            };
            let declared = vec![other.definition.clone(), wanted.definition];
            self.conflicts.push(IndexConflict {
                live: Vec::new(),
                declared,
                reason: reason.to_owned(),
                side_by_side: false,
            });
        }
    }

    /// Matches indexes that exist and can be changed in place.
    fn find_changes(&mut self) {
        for wanted in std::mem::take(&mut self.wanted) {
            let change = self
                .found
                .iter()
                .enumerate()
                .filter(|(_, found)| !found.taken)
                .find_map(|(place, found)| {
                    let difference = Difference::between(&wanted.signature, &found.signature)?;
                    difference.others.is_empty().then_some((place, difference))
                });
            let Some((place, difference)) = change else {
                self.wanted.push(wanted);
                continue;
            };
            self.changes.push(IndexChange {
                live: self.found[place].index.clone(),
                declared: wanted.definition.clone(),
                expire_after: wanted.definition.expire_after.filter(|_| difference.expiry),
                unhide: difference.hidden,
            });
            self.matched(wanted, place);
        }
    }

    /// Finds indexes that cannot be built as long as another index is there.
    fn find_conflicts(&mut self) {
        for wanted in std::mem::take(&mut self.wanted) {
            // Only a name that the user chose cannot give way.
            let name = wanted.definition.name.as_ref();
            let namesake = self
                .found
                .iter()
                .position(|found| name == Some(&found.index.name) && !found.index.is_id());
            let closest = self.closest(&wanted.signature);
            let (place, reason, side_by_side) = match (namesake, closest) {
                (Some(place), Some((same_keys, difference))) if place == same_keys => {
                    (place, difference.others.join("; "), false)
                }
                (Some(place), _) => (
                    place,
                    format!(
                        "the name `{}` belongs to another index",
                        self.found[place].index.name
                    ),
                    false,
                ),
                (None, Some((place, difference))) => {
                    let side_by_side = wanted
                        .signature
                        .can_stand_beside(&self.found[place].signature);
                    (place, difference.others.join("; "), side_by_side)
                }
                (None, None) => match self.other_text(&wanted.signature) {
                    Some(place) => (place, "a collection has one text index".to_owned(), false),
                    None => {
                        self.wanted.push(wanted);
                        continue;
                    }
                },
            };
            self.conflict(wanted, place, reason, side_by_side);
        }
    }

    fn conflict(&mut self, wanted: Wanted, place: usize, reason: String, side_by_side: bool) {
        let live = self.found[place].index.clone();
        let replaced = (!side_by_side).then_some(live.name.as_str());
        let definition = self.names.give(wanted.definition, replaced);
        let owner = self.matched.iter().find(|(_, matched)| *matched == place);
        let known = self
            .conflicts
            .iter_mut()
            .find(|conflict| conflict.live.iter().any(|other| other.name == live.name));
        if let Some(known) = known {
            // This index conflicts with both declared ones. It must not be dropped twice: by then, its name may belong to a new index.
            known.declared.push(definition);
            known.reason = format!("{}; {reason}", known.reason);
            known.side_by_side = false;
            return;
        }
        let mut declared = vec![definition];
        if let Some((owner, _)) = owner {
            // The matched index only has to give up its name.
            let renamed = Definition {
                name: None,
                ..owner.definition.clone()
            };
            declared.push(self.names.give(renamed, None));
            self.changes.retain(|change| change.live.name != live.name);
        }
        self.found[place].taken = true;
        self.conflicts.push(IndexConflict {
            live: vec![live],
            declared,
            reason,
            side_by_side,
        });
    }

    /// The free live index of the same keys that differs in the fewest options.
    fn closest(&self, signature: &Signature) -> Option<(usize, Difference)> {
        let free = self
            .found
            .iter()
            .enumerate()
            .filter(|(_, found)| !found.taken);
        free.filter_map(|(place, found)| {
            Some((place, Difference::between(signature, &found.signature)?))
        })
        .min_by_key(|(_, difference)| difference.others.len())
    }

    fn other_text(&self, signature: &Signature) -> Option<usize> {
        signature.text.as_ref()?;
        self.found
            .iter()
            .position(|found| !found.taken && found.signature.text.is_some())
    }
}

impl Wanted {
    /// The reason why no collection can have both indexes.
    fn contradicts(&self, other: &Wanted) -> Option<&'static str> {
        if self.signature.text.is_some() && other.signature.text.is_some() {
            Some("a collection has one text index")
        } else if self.definition.name.is_some() && self.definition.name == other.definition.name {
            Some("both are declared under one name")
        } else if self.signature.can_stand_beside(&other.signature) {
            None
        } else {
            Some("the same index is declared with two expiries")
        }
    }
}

/// The names in use, which no new index may get.
struct Names {
    live: HashSet<String>,
    /// The names that users chose, and the names that new indexes have got.
    given: HashSet<String>,
}

impl Names {
    /// The index with a name that is free, or that `replaced` leaves to it; a name that the user chose stays.
    fn give(&mut self, mut definition: Definition, replaced: Option<&str>) -> Definition {
        let name = definition.name.take().unwrap_or_else(|| {
            let default = definition.default_name();
            let mut name = default.clone();
            let mut number = 1;
            while self.given.contains(&name) || self.live.contains(&name) && replaced != Some(&name)
            {
                number += 1;
                name = format!("{default}_{number}");
            }
            name
        });
        self.given.insert(name.clone());
        definition.name = Some(name);
        definition
    }
}

#[cfg(test)]
mod tests;
