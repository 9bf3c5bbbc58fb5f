//! The references, copies and numbers of children that become attributes, and the reasons why others do not.

use std::collections::{BTreeMap, BTreeSet};

use super::fields::rust_names;
use super::places::{
    group_at, is_reachable, kinds_of, kinds_with, lacking_at, stand_together, values_at,
};
use super::types::scalar_ty;
use super::{Data, Place, rust_path};
use crate::findings::Level;
use crate::output::count;
use crate::pull::model::Ty;
use crate::pull::profile::{Kind, Values, confidence, percent, share};
use crate::pull::relate::{Copy, Count, Reference, split};
use crate::pull::source::{ModelFile, Source};

/// A reference that is declared.
#[derive(Debug, Clone)]
pub(super) struct Declared {
    /// The place of the reference among all.
    pub(super) reference: usize,
    /// The field on the other side of a two-way reference.
    pub(super) inverse: Option<String>,
}

/// A copy that is declared.
#[derive(Debug, Clone)]
pub(super) struct DeclaredCopy {
    pub(super) reference: usize,
    pub(super) copy: Copy,
    /// True if its type is an `Option` whether the documents lack it or not.
    pub(super) optional: bool,
}

/// A link that the data has, and no attribute.
#[derive(Debug)]
pub(super) struct Refused {
    pub(super) place: Place,
    pub(super) kind: &'static str,
    pub(super) level: Level,
    pub(super) message: String,
    pub(super) confidence: f64,
}

impl Refused {
    pub(super) fn new(place: Place, kind: &'static str, message: String, confidence: f64) -> Self {
        Refused {
            place,
            kind,
            level: Level::Problem,
            message,
            confidence,
        }
    }
}

/// The decisions.
#[derive(Debug, Default)]
pub(crate) struct Links {
    pub(super) refs: BTreeMap<Place, Declared>,
    pub(super) copies: BTreeMap<Place, DeclaredCopy>,
    /// Counts, sums and extremes.
    pub(super) counts: BTreeMap<Place, Count>,
    /// Lists of the newest children, with their places among all.
    pub(super) recents: BTreeMap<Place, usize>,
    /// Fields of every kind of documents in a collection that are copied elsewhere.
    pub(super) common: BTreeSet<Place>,
    /// Types that are the same in two places.
    pub(super) forced: BTreeMap<Place, Ty>,
    /// The sources of copies, by the place of the copy.
    sources: BTreeMap<Place, Place>,
    keys: BTreeSet<Place>,
    pub(super) refused: Vec<Refused>,
}

impl Links {
    pub(crate) fn decide(data: Data<'_>, names: &[Option<String>]) -> Self {
        let mut links = Links::default();
        links.decide_recents(data, names);
        for (at, reference) in data.references.iter().enumerate() {
            let place = Place::new(reference.from, &reference.path);
            let counts = |count: &Count| {
                Place::new(count.parent, &count.field) == place
                    && data.references[count.reference].from == reference.to
            };
            // A number of children may be an `_id` of theirs by chance.
            if links.is_in_recent(data, at) || data.counts.iter().any(counts) {
                continue;
            }
            match links.refusal(data, names, reference) {
                Some(why) => {
                    let target = format!("{}.{}", data.sources[reference.to].name, reference.key);
                    let found = percent(share(reference.found, reference.looked));
                    let message =
                        format!("{found} of the values are found in `{target}`, but {why}");
                    let kind = match (reference.as_text, reference.is_indexed) {
                        (true, _) => "string_object_id",
                        (false, true) => "undeclared_reference",
                        (false, false) => "unique_candidate",
                    };
                    let sure = confidence(reference.found, reference.looked);
                    let mut refused = Refused::new(place, kind, message, sure);
                    if data.sources[reference.to].file == ModelFile::Outside {
                        refused.level = Level::Note;
                    }
                    links.refused.push(refused);
                }
                None => {
                    links.keys.insert(Place::new(reference.to, &reference.key));
                    links.refs.insert(
                        place,
                        Declared {
                            reference: at,
                            inverse: None,
                        },
                    );
                }
            }
        }
        links.pair(data);
        for at in 0..data.references.len() {
            if !links.is_in_recent(data, at) {
                links.decide_copies(data, at);
            }
        }
        for counted in data.counts {
            links.decide_count(data, names, counted);
        }
        links
    }

    /// The reason why a reference cannot be declared.
    pub(super) fn refusal(
        &mut self,
        data: Data<'_>,
        names: &[Option<String>],
        reference: &Reference,
    ) -> Option<String> {
        let (from, to) = (&data.sources[reference.from], &data.sources[reference.to]);
        if !reference.is_indexed {
            let model = names[reference.to].as_ref().unwrap_or(&to.name);
            let key = rust_path(&rust_names(&to.root, &reference.key));
            let name = if reference.in_array { "refs" } else { "parent" };
            return Some(format!(
                "that key is unique in {} without a unique index: create it, then declare `#[{name}({model}, key = {key})]`",
                count(to.documents, "document")
            ));
        }
        if reference.as_text {
            return Some(
                "they are strings: store them as ObjectIds, then declare the reference".to_owned(),
            );
        }
        if to.file == ModelFile::Outside {
            return Some(format!(
                "its model was not asked for: add `--collection {}`",
                to.name
            ));
        }
        if names[reference.to].is_none() || names[reference.from].is_none() {
            return Some("one of the collections has no model".to_owned());
        }
        let whole = values_at(data.sources, &Place::new(reference.from, &reference.path))?;
        let values = if reference.in_array {
            whole.items.as_deref()?
        } else {
            whole
        };
        let only_arrays = !reference.in_array || whole.only_kind() == Some(Kind::Array);
        let (Some(own), true) = (scalar_ty(values), only_arrays) else {
            return Some(format!("others have another type ({})", whole.kinds_text()));
        };
        if reference.in_array && values.nulls > 0 {
            return Some("some elements are null".to_owned());
        }
        if !is_reachable(&from.root, &reference.path, true) {
            return Some("it lies where no field can be declared".to_owned());
        }
        let target = to.root.get(&reference.key)?;
        let Some(other) = scalar_ty(target) else {
            return Some(format!(
                "`{}` has several types ({})",
                reference.key,
                target.kinds_text()
            ));
        };
        if reference.key != "_id"
            && (target.nulls > 0
                || target.count < to.root.documents
                || kinds_of(&to.root).is_some())
        {
            return Some(format!("some documents lack `{}`", reference.key));
        }
        let place = Place::new(reference.from, &reference.path);
        let key = Place::new(reference.to, &reference.key);
        match (own, other) {
            (own, other) if own == other => None,
            (Ty::I32 | Ty::I64, Ty::I32 | Ty::I64) => {
                self.forced.insert(
                    place,
                    if reference.in_array {
                        Ty::Vec(Box::new(Ty::I64))
                    } else {
                        Ty::I64
                    },
                );
                self.forced.insert(key, Ty::I64);
                None
            }
            (own, other) => Some(format!(
                "their type is {} and not {}",
                own.text(),
                other.text()
            )),
        }
    }

    /// Two-way references: each names the other, and one of them is an array.
    fn pair(&mut self, data: Data<'_>) {
        for reference in data.references {
            let Some(back) = &reference.back else {
                continue;
            };
            let place = Place::new(reference.from, &reference.path);
            let other = Place::new(reference.to, &back.path);
            let Some(answer) = self
                .refs
                .get(&other)
                .map(|declared| &data.references[declared.reference])
            else {
                continue;
            };
            let answers = answer
                .back
                .as_ref()
                .is_some_and(|back| back.path == reference.path)
                && answer.to == reference.from;
            let plain = kinds_of(&data.sources[reference.from].root).is_none()
                && kinds_of(&data.sources[reference.to].root).is_none();
            if answers && plain && (reference.in_array || answer.in_array) {
                let other = &data.sources[reference.to].root;
                let name = rust_names(other, &back.path).join(".");
                if let Some(declared) = self.refs.get_mut(&place) {
                    declared.inverse = Some(name);
                }
            }
        }
    }

    fn decide_copies(&mut self, data: Data<'_>, at: usize) {
        let reference = &data.references[at];
        let (group, _) = split(&reference.path);
        for copy in &reference.copies {
            let place = Place::new(reference.from, group).field(&copy.field);
            let source = Place::new(reference.to, &copy.source);
            if self.refs.contains_key(&place) || self.refs.contains_key(&source) {
                continue;
            }
            if data
                .counts
                .iter()
                .any(|count| Place::new(count.parent, &count.field) == source)
            {
                continue;
            }
            let better = self.copies.get(&place).is_some_and(|known| {
                share(known.copy.equal, known.copy.looked) >= share(copy.equal, copy.looked)
            });
            if better || self.leads_to(&source, &place) {
                continue;
            }
            match self.copy_refusal(data, at, &place, &source) {
                Ok(optional) => {
                    self.sources.insert(place.clone(), source);
                    self.copies.insert(
                        place,
                        DeclaredCopy {
                            reference: at,
                            copy: copy.clone(),
                            optional,
                        },
                    );
                }
                // Another finding says that the reference is not declared.
                Err(_) if data.sources[reference.to].file == ModelFile::Outside => {}
                Err(why) => {
                    let equal = percent(share(copy.equal, copy.looked));
                    let message = format!(
                        "equals `{}.{}` along `{}` in {equal}, but {why}",
                        data.sources[reference.to].name, copy.source, reference.path
                    );
                    let sure = confidence(copy.equal, copy.looked);
                    let refused = Refused::new(place, "undeclared_copy", message, sure);
                    self.refused.push(refused);
                }
            }
        }
    }

    /// True if the field at `from` is a copy, perhaps of a copy, of the one at `to`.
    fn leads_to(&self, from: &Place, to: &Place) -> bool {
        let mut at = from;
        while let Some(next) = self.sources.get(at) {
            at = next;
        }
        at == to
    }

    /// The reason why a copy cannot be declared, as an error; else true if its type is an `Option` in any case.
    fn copy_refusal(
        &mut self,
        data: Data<'_>,
        at: usize,
        place: &Place,
        source: &Place,
    ) -> Result<bool, String> {
        let reference = &data.references[at];
        let reference_place = Place::new(reference.from, &reference.path);
        let Some(declared) = self.refs.get(&reference_place) else {
            return Err("its reference is not declared".to_owned());
        };
        if declared.inverse.is_some() {
            return Err("copies along two-way references are not possible".to_owned());
        }
        let (root, source_root) = (
            &data.sources[reference.from].root,
            &data.sources[reference.to].root,
        );
        if !stand_together(root, &place.path, &reference.path) {
            return Err(
                "the copy and its reference are not in the same kinds of documents".to_owned(),
            );
        }
        if kinds_of(source_root).is_some() {
            let tags = kinds_with(source_root, &source.path);
            if source.path.contains('.') || tags != kinds_with(source_root, "_id") {
                return Err("its source is not in every kind of documents".to_owned());
            }
        }
        let (Some(values), Some(other)) = (
            values_at(data.sources, place),
            values_at(data.sources, source),
        ) else {
            return Err("the source cannot be declared".to_owned());
        };
        let lacking = lacking_at(root, &place.path);
        let inner = group_at(source_root, split(&source.path).0)
            .map_or(0, |fields| fields.documents)
            < source_root.documents;
        let source_optional = lacking_at(source_root, &source.path) > 0 || inner;
        let optional = source_optional || lacking_at(root, &reference.path) > 0;
        if lacking > 0 && !optional {
            return Err(format!(
                "{} it: fill it in, then declare the copy",
                lacks(lacking)
            ));
        }
        match (scalar_ty(values), scalar_ty(other)) {
            (Some(own), Some(other)) if own == other => {}
            (Some(Ty::I32 | Ty::I64), Some(Ty::I32 | Ty::I64)) => {
                self.forced.insert(place.clone(), Ty::I64);
                self.forced.insert(source.clone(), Ty::I64);
            }
            (None, _) => return Err(format!("it has several types ({})", values.kinds_text())),
            (_, None) => {
                return Err(format!(
                    "its source has several types ({})",
                    other.kinds_text()
                ));
            }
            (Some(own), Some(other)) => {
                return Err(format!(
                    "its type is {} and not {}",
                    own.text(),
                    other.text()
                ));
            }
        }
        if !is_reachable(source_root, &source.path, false) {
            return Err("the source cannot be declared".to_owned());
        }
        if kinds_of(source_root).is_some() {
            self.common.insert(source.clone());
        }
        Ok(optional)
    }

    /// The type that another place decides.
    pub(super) fn forced(&self, place: &Place) -> Option<Ty> {
        self.forced.get(place).cloned()
    }

    /// True if the field is a reference, a copy, a source or a key.
    pub(super) fn touches(&self, place: &Place) -> bool {
        self.refs.contains_key(place)
            || self.copies.contains_key(place)
            || self.keys.contains(place)
            || self.sources.values().any(|source| source == place)
    }

    /// True if the values are keys, here or elsewhere.
    pub(super) fn is_key(&self, place: &Place) -> bool {
        self.refs.contains_key(place) || self.keys.contains(place)
    }

    /// The first source of a copy; the place itself if it is none.
    pub(super) fn source_of(&self, place: &Place) -> Place {
        let mut at = place;
        while let Some(next) = self.sources.get(at) {
            at = next;
        }
        at.clone()
    }

    /// A place and all that are copies of it.
    pub(super) fn same_as(&self, first: &Place) -> Vec<Place> {
        let copies = self
            .sources
            .keys()
            .filter(|place| self.source_of(place) == *first);
        std::iter::once(first).chain(copies).cloned().collect()
    }

    /// The values at a place.
    pub(super) fn values<'a>(&self, sources: &'a [Source], place: &Place) -> Option<&'a Values> {
        values_at(sources, place)
    }
}

fn lacks(n: u64) -> String {
    format!(
        "{} {}",
        count(n, "document"),
        if n == 1 { "lacks" } else { "lack" }
    )
}
