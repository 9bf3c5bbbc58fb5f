//! What would have to be done so that collections have the indexes that their models declare. Data only; nothing is sent.

use std::collections::HashSet;
use std::fmt;

use super::compare::Difference;
use super::definition::Definition;
use super::live::LiveIndex;
use super::signature::Signature;

/// What [`sync_indexes`](super::sync_indexes) would find to do; made by [`plan_indexes`](super::plan_indexes).
///
/// Its text lists every collection that is not as declared, a line for each index.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct IndexPlan {
    /// Every collection that was looked at, by name.
    pub collections: Vec<CollectionPlan>,
}

impl IndexPlan {
    /// Whether the collections have exactly the declared indexes: nothing to create or change, no conflict, nothing unknown.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.collections.iter().all(CollectionPlan::is_empty)
    }
}

impl fmt::Display for IndexPlan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.is_empty() {
            return writeln!(f, "all indexes are as declared");
        }
        self.collections.iter().filter(|plan| !plan.is_empty()).try_for_each(|plan| plan.fmt(f))
    }
}

/// What is to be done in one collection.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct CollectionPlan {
    /// The collection.
    pub collection: String,
    /// The models that are stored in it.
    pub models: Vec<&'static str>,
    /// Declared indexes that do not exist. Each has the name that it will get.
    pub create: Vec<Definition>,
    /// Declared indexes that exist and that the server can change in place.
    pub change: Vec<IndexChange>,
    /// Declared indexes that something in the collection stands against.
    pub conflicts: Vec<IndexConflict>,
    /// Indexes that exist and that no model of the collection declares. Neither that of `_id` nor one that the server made for
    /// a time series is ever among them.
    pub unknown: Vec<LiveIndex>,
}

impl CollectionPlan {
    /// Whether the collection has exactly the declared indexes.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.create.is_empty() && self.change.is_empty() && self.conflicts.is_empty() && self.unknown.is_empty()
    }
}

impl fmt::Display for CollectionPlan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{}", self.collection)?;
        self.create.iter().try_for_each(|index| writeln!(f, "  create    {}", Named(index)))?;
        self.change.iter().try_for_each(|change| writeln!(f, "  change    {change}"))?;
        self.conflicts.iter().try_for_each(|conflict| writeln!(f, "  conflict  {conflict}"))?;
        self.unknown.iter().try_for_each(|index| writeln!(f, "  unknown   {index}"))
    }
}

/// A definition with the name it gets.
pub(super) struct Named<'a>(pub(super) &'a Definition);

impl fmt::Display for Named<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0.name {
            Some(name) => write!(f, "`{name}` {}", self.0),
            None => self.0.fmt(f),
        }
    }
}

/// A change of an existing index that `collMod` makes in place.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct IndexChange {
    /// The index as it is.
    pub live: LiveIndex,
    /// The index as it should be.
    pub declared: Definition,
    /// The expiry to set, in seconds.
    pub expire_after: Option<u32>,
    /// Whether to show a hidden index to queries again.
    pub unhide: bool,
}

impl fmt::Display for IndexChange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let expiry = self.expire_after.map(|seconds| format!("expireAfterSeconds to {seconds}"));
        let shown = self.unhide.then(|| "hidden to false".to_owned());
        let words: Vec<String> = expiry.into_iter().chain(shown).collect();
        write!(f, "{}: {}", self.live, words.join(", "))
    }
}

/// Declared indexes that cannot be built as long as others are there.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct IndexConflict {
    /// What stands against them; empty where the declarations contradict each other, which only a change of the models ends.
    pub live: Vec<LiveIndex>,
    /// What should stand in their place. Each has the name that it will get.
    pub declared: Vec<Definition>,
    /// Why, in words.
    pub reason: String,
    /// Whether the server can have both for a while, so that the new can be built before the old is dropped.
    pub(super) side_by_side: bool,
}

impl fmt::Display for IndexConflict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let declared: Vec<String> = self.declared.iter().map(|index| Named(index).to_string()).collect();
        write!(f, "{}", declared.join(" and "))?;
        if !self.live.is_empty() {
            let live: Vec<String> = self.live.iter().map(ToString::to_string).collect();
            write!(f, " against the existing {}", live.join(" and "))?;
        }
        write!(f, ": {}", self.reason)
    }
}

/// One declared index on its way into the plan.
struct Wanted {
    definition: Definition,
    signature: Signature,
}

/// One index of the collection.
struct Found {
    index: LiveIndex,
    signature: Signature,
    /// It belongs to a declared index, is part of a conflict, or is the server's own.
    taken: bool,
}

impl CollectionPlan {
    /// Compares what is declared, each index once, with what is there.
    pub(super) fn new(
        collection: String,
        models: Vec<&'static str>,
        definitions: Vec<Definition>,
        live: Vec<LiveIndex>,
    ) -> Self {
        // The index of `_id` has the collection's own collation, which indexes without one get too.
        let collation = live.iter().find(|index| index.is_id()).and_then(LiveIndex::collation);
        let mut wanted: Vec<Wanted> = definitions
            .into_iter()
            .map(|definition| Wanted { signature: Signature::of(&definition.spec(), collation.as_ref()), definition })
            .collect();
        let mut found: Vec<Found> = live
            .into_iter()
            .map(|index| Found { signature: index.signature(), taken: index.is_id(), index })
            .collect();
        let mut plan =
            CollectionPlan { collection, models, create: vec![], change: vec![], conflicts: vec![], unknown: vec![] };

        let matched = plan.match_same(&mut wanted, &mut found);
        plan.find_contradictions(&mut wanted, &matched);
        plan.find_changes(&mut wanted, &mut found);
        let mut names = Names::new(&found);
        plan.find_conflicts(&mut wanted, &matched, &mut found, &mut names);
        for mut index in wanted {
            names.give(&mut index.definition, &[]);
            plan.create.push(index.definition);
        }
        plan.unknown = found.into_iter().filter(|found| !found.taken).map(|found| found.index).collect();
        plan
    }

    /// Takes out what exists as declared; returned with the place of the live one.
    fn match_same(&self, wanted: &mut Vec<Wanted>, found: &mut [Found]) -> Vec<(Wanted, usize)> {
        let mut matched = Vec::new();
        for index in std::mem::take(wanted) {
            let same = found.iter().position(|live| {
                !live.taken && Difference::between(&index.signature, &live.signature).is_some_and(|found| found.is_none())
            });
            match same {
                Some(place) => {
                    found[place].taken = true;
                    matched.push((index, place));
                }
                None => wanted.push(index),
            }
        }
        matched
    }

    /// Takes out declarations that no collection can fulfil together with earlier ones.
    fn find_contradictions(&mut self, wanted: &mut Vec<Wanted>, matched: &[(Wanted, usize)]) {
        let mut kept: Vec<Wanted> = Vec::new();
        for index in std::mem::take(wanted) {
            let against = matched
                .iter()
                .map(|(earlier, _)| earlier)
                .chain(&kept)
                .find(|earlier| !index.signature.can_stand_beside(&earlier.signature) || index.has_name_of(earlier));
            let Some(earlier) = against else {
                kept.push(index);
                continue;
            };
            let reason = if index.signature.text.is_some() && earlier.signature.text.is_some() {
                "a collection has one text index"
            } else if index.has_name_of(earlier) {
                "both are declared under one name"
            } else {
                "the server does not tell the two apart"
            };
            self.conflicts.push(IndexConflict {
                live: Vec::new(),
                declared: vec![earlier.definition.clone(), index.definition],
                reason: reason.to_owned(),
                side_by_side: false,
            });
        }
        *wanted = kept;
    }

    /// Takes out what exists and can be changed in place.
    fn find_changes(&mut self, wanted: &mut Vec<Wanted>, found: &mut [Found]) {
        for index in std::mem::take(wanted) {
            let change = found.iter_mut().filter(|live| !live.taken).find_map(|live| {
                let difference = Difference::between(&index.signature, &live.signature)?;
                difference.others.is_empty().then_some((live, difference))
            });
            let Some((live, difference)) = change else {
                wanted.push(index);
                continue;
            };
            live.taken = true;
            self.change.push(IndexChange {
                live: live.index.clone(),
                expire_after: index.definition.expire_after.filter(|_| difference.expiry),
                unhide: difference.hidden,
                declared: index.definition,
            });
        }
    }

    /// Takes out what cannot be built beside what is there.
    fn find_conflicts(&mut self, wanted: &mut Vec<Wanted>, matched: &[(Wanted, usize)], found: &mut [Found], names: &mut Names) {
        for mut index in std::mem::take(wanted) {
            // Only a name that the user chose cannot give way.
            let same_name = index.definition.name.as_ref().and_then(|name| found.iter().position(|live| live.index.name == *name));
            let (place, reason, side_by_side) = if let Some(place) = same_name {
                let reason = match Difference::between(&index.signature, &found[place].signature) {
                    Some(difference) if !found[place].taken => difference.others.join("; "),
                    _ => "the declared name belongs to another index".to_owned(),
                };
                (place, reason, false)
            } else if let Some((place, difference)) = closest(&index.signature, found) {
                let side_by_side = index.signature.can_stand_beside(&found[place].signature);
                (place, difference.others.join("; "), side_by_side)
            } else if let Some(place) = other_text(&index.signature, found) {
                (place, "a collection has one text index".to_owned(), false)
            } else {
                wanted.push(index);
                continue;
            };
            let live = &mut found[place];
            let mut declared = Vec::new();
            if let Some((owner, _)) = matched.iter().find(|(_, matched)| *matched == place) {
                // The name is taken from an index that is declared too: it is built again, under another name.
                let mut owner = owner.definition.clone();
                owner.name = None;
                names.give(&mut owner, &[]);
                declared.push(owner);
            }
            live.taken = true;
            let replaced = if side_by_side { vec![] } else { vec![live.index.name.clone()] };
            names.give(&mut index.definition, &replaced);
            declared.push(index.definition);
            self.conflicts.push(IndexConflict { live: vec![live.index.clone()], declared, reason, side_by_side });
        }
    }
}

impl Wanted {
    /// Whether the user gave both the same name.
    fn has_name_of(&self, other: &Wanted) -> bool {
        self.definition.name.is_some() && self.definition.name == other.definition.name
    }
}

/// The free live index of the same keys that differs in the fewest options.
fn closest(signature: &Signature, found: &[Found]) -> Option<(usize, Difference)> {
    found
        .iter()
        .enumerate()
        .filter(|(_, live)| !live.taken)
        .filter_map(|(place, live)| Some((place, Difference::between(signature, &live.signature)?)))
        .min_by_key(|(_, difference)| difference.others.len())
}

fn other_text(signature: &Signature, found: &[Found]) -> Option<usize> {
    signature.text.as_ref()?;
    found.iter().position(|live| !live.taken && live.signature.text.is_some())
}

/// The names in use, so that no new index gets one of them.
struct Names(HashSet<String>);

impl Names {
    fn new(found: &[Found]) -> Self {
        Names(found.iter().map(|live| live.index.name.clone()).collect())
    }

    /// Gives the index a name that is free or among `replaced`, unless the user chose one.
    fn give(&mut self, definition: &mut Definition, replaced: &[String]) {
        let name = definition.name.take().unwrap_or_else(|| {
            let default = definition.default_name();
            let numbered = (2..).map(|n: u32| format!("{default}_{n}"));
            std::iter::once(default.clone())
                .chain(numbered)
                .find(|name| !self.0.contains(name) || replaced.contains(name))
                .unwrap_or(default)
        });
        self.0.insert(name.clone());
        definition.name = Some(name);
    }
}

#[cfg(test)]
mod tests;
