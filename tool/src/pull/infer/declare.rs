//! Attributes of references, copies and numbers of children, and the findings about them.

use bson::Bson;

use super::bounds::{Holds, MOST, bound};
use super::doubts::MONEY;
use super::fields::rust_names;
use super::links::{Declared, DeclaredCopy};
use super::types::scalar_ty;
use super::{Builder, Place, attribute, rust_path};
use crate::cli::Target;
use crate::output::number;
use crate::pull::model::{CopyKind, Field, Ty};
use crate::pull::names::{raw, words};
use crate::pull::profile::{Values, confidence};
use crate::pull::relate::{Copy, Reference, Total, split};

impl Builder<'_> {
    /// Notes what is declared, and what is not.
    pub(super) fn note_links(&mut self) {
        let refused = std::mem::take(&mut self.links.refused);
        for refused in refused {
            let sure = Some((refused.confidence * 1000.0).round() / 1000.0);
            let (kind, level) = (refused.kind, refused.level);
            self.note(&refused.place, kind, level, refused.message, sure);
            if kind == "string_object_id" {
                self.resolve_by(&refused.place, Target::ObjectId, false);
            }
        }
        self.note_references();
        self.note_copies();
        self.note_counts();
        self.note_recents();
    }

    fn note_references(&mut self) {
        let declared: Vec<(Place, Declared)> = self
            .links
            .refs
            .iter()
            .map(|(place, declared)| (place.clone(), declared.clone()))
            .collect();
        for (place, declared) in declared {
            let reference = self.data.references[declared.reference].clone();
            let target = self.data.sources[reference.to].name.clone();
            let key = if reference.key == "_id" {
                target
            } else {
                format!("{target}.{}", reference.key)
            };
            let sure = self.sure_of(&reference);
            self.found(
                &place,
                "reference",
                format!("refers to `{key}`: {}", resolves(&reference)),
                sure,
            );
            if reference.found < reference.looked {
                let message = format!(
                    "{} of {} references to `{key}` lead nowhere: correct that, then choose another `on_delete`",
                    number(reference.looked - reference.found),
                    number(reference.looked)
                );
                self.review(&place, "dangling", message);
            }
            if let (Some(inverse), Some(back)) = (&declared.inverse, &reference.back) {
                let message = format!(
                    "is one side of a two-way reference with `{inverse}`: {} of {} are answered",
                    number(back.agree),
                    number(back.looked)
                );
                self.found(
                    &place,
                    "two_way",
                    message,
                    confidence(back.agree, back.looked),
                );
            }
        }
    }

    fn note_copies(&mut self) {
        let copies: Vec<(Place, DeclaredCopy)> = self
            .links
            .copies
            .iter()
            .map(|(place, copy)| (place.clone(), copy.clone()))
            .collect();
        for (
            place,
            DeclaredCopy {
                reference, copy, ..
            },
        ) in copies
        {
            let reference = &self.data.references[reference];
            let source = format!("{}.{}", self.data.sources[reference.to].name, copy.source);
            let is_snapshot = is_snapshot(&copy);
            let kind = if is_snapshot { "snapshot" } else { "copy" };
            let stale = copy.looked - copy.equal;
            let message = format!(
                "is a {kind} of `{source}` along `{}`: {} of {} are equal",
                reference.path,
                number(copy.equal),
                number(copy.looked)
            );
            self.found(&place, kind, message, confidence(copy.equal, copy.looked));
            // If only old documents differ, the copy is frozen; if no document differs, that is still a question.
            let is_answered = copy.frozen || copy.decided.is_some();
            let question = match (is_answered, is_snapshot, stale) {
                (true, _, _) => continue,
                (_, true, _) => {
                    "its name says that it keeps the value of its time, as a `snapshot` does; without that word it follows its source".to_owned()
                }
                (_, false, 0) => {
                    "live or frozen? Live copies follow their source, and `cargo mongo-model repair` overwrites them; a `snapshot` keeps the value of its time".to_owned()
                }
                (_, false, stale) => format!(
                    "{} of {} differ from it: `cargo mongo-model repair` overwrites them; if they keep the value of their time, add `snapshot`",
                    number(stale),
                    number(copy.looked)
                ),
            };
            let kind = match stale > 0 && !is_snapshot {
                true => "stale",
                false => "live_or_frozen",
            };
            self.review(&place, kind, format!("repeats `{source}`: {question}"));
        }
    }

    fn note_counts(&mut self) {
        let counts = self.links.counts.clone();
        for (place, counted) in counts {
            let from = self.data.references[counted.reference].from;
            let words = counted.words(&self.data.sources[from].name);
            let (looked, equal) = (counted.looked, counted.equal);
            let message = format!(
                "is {words}: {} of {} are exact",
                number(equal),
                number(looked)
            );
            let (kind, wrong) = counted.amount.of.kinds();
            self.found(&place, kind, message, confidence(equal, looked));
            if equal < looked {
                let message = format!(
                    "{} of {} differ from {words}: `cargo mongo-model repair` corrects that",
                    number(looked - equal),
                    number(looked)
                );
                self.review(&place, wrong, message);
            }
        }
    }

    /// The confidence in a reference. Ids that are unique in the world are not found by chance, however many lead nowhere.
    fn sure_of(&self, reference: &Reference) -> f64 {
        let key = self.data.sources[reference.to].root.get(&reference.key);
        match key.and_then(scalar_ty) {
            Some(Ty::ObjectId | Ty::Uuid) => confidence(reference.found, reference.found),
            _ => confidence(reference.found, reference.looked),
        }
    }

    /// The attributes of references, copies and counts.
    pub(super) fn link(
        &mut self,
        group: &Place,
        stored: &str,
        values: &Values,
        absent: u64,
        field: &mut Field,
    ) {
        let here = group.field(stored);
        if let Some(declared) = self.links.refs.get(&here).cloned() {
            self.link_reference(&here, values, &declared, field);
        } else if let Some(copy) = self.links.copies.get(&here).cloned() {
            self.link_copy(&here, &copy, field);
        } else if let Some(counted) = self.links.counts.get(&here).cloned() {
            let reference = &self.data.references[counted.reference];
            let child = self.names[reference.from].clone().unwrap_or_default();
            let root = &self.data.sources[reference.from].root;
            let via = match self.declared_between(reference.from, reference.to) {
                1 => String::new(),
                _ => format!(", via = {}", rust_path(&rust_names(root, &reference.path))),
            };
            let of = &counted.amount.of;
            match (of.is_extreme(), &field.ty) {
                (true, Ty::Option(_)) => {}
                (true, own) => field.ty = Ty::Option(Box::new(own.clone())),
                (false, _) => {
                    field.ty = match of {
                        Total::Average(_) => Ty::Average,
                        _ => Ty::I64,
                    };
                    field.serde.retain(|part| *part == "default");
                }
            }
            let (looked, equal) = (counted.looked, counted.equal);
            let evidence = format!("exact in {} of {}", number(equal), number(looked));
            let name = |stored: &str| rust_path(&rust_names(root, stored));
            let (attribute_name, _) = of.kinds();
            let summed = of.field();
            let summed =
                summed.map_or_else(String::new, |field| format!(", field = {}", name(field)));
            let only = match &counted.amount.only {
                Some((stored, Bson::String(text))) => {
                    format!(", only({} = {text:?})", name(stored))
                }
                Some((stored, value)) => format!(", only({} = {value})", name(stored)),
                None => String::new(),
            };
            let text = format!("#[{attribute_name}({child}{summed}{only}{via})]");
            field.attributes.push(attribute(text, Some(evidence)));
            field.comments.clear();
            if absent > 0 {
                field.comments.push(format!("absent in {absent}"));
            }
        }
    }

    /// The number of references at the top of a collection's documents that lead to another.
    pub(super) fn declared_between(&self, from: usize, to: usize) -> usize {
        let between = |(place, declared): &(&Place, &Declared)| {
            place.source == from && self.data.references[declared.reference].to == to
        };
        self.links.refs.iter().filter(between).count()
    }

    fn link_reference(
        &mut self,
        here: &Place,
        values: &Values,
        declared: &Declared,
        field: &mut Field,
    ) {
        let reference = &self.data.references[declared.reference];
        let target = self.names[reference.to].clone().unwrap_or_default();
        let by_object_id = {
            let key = self.data.sources[reference.to].root.get(&reference.key);
            reference.key == "_id" && key.and_then(scalar_ty) == Some(Ty::ObjectId)
        };
        if by_object_id {
            let id = Ty::Id(target.clone());
            let id = if reference.in_array {
                Ty::Vec(Box::new(id))
            } else {
                id
            };
            field.ty = if matches!(field.ty, Ty::Option(_)) {
                Ty::Option(Box::new(id))
            } else {
                id
            };
        }
        let mut options = vec![target];
        let (mut review, mut allow) = (None, None);
        if reference.key != "_id" {
            let root = &self.data.sources[reference.to].root;
            let key = rust_path(&rust_names(root, &reference.key));
            options.push(format!("key = {key}"));
        }
        if let Some(inverse) = &declared.inverse {
            options.push(format!("inverse = {}", raw(inverse)));
        } else if reference.found < reference.looked {
            options.push("on_delete = keep".to_owned());
        }
        if reference.in_array {
            let bounded = bound(&values.lengths, Holds::References, self.product);
            let most = || format!("max = {MOST}");
            options.push(bounded.option.clone().unwrap_or_else(most));
            allow = bounded.allow;
            review = bounded.review;
            field
                .attributes
                .retain(|attribute| attribute.text.contains("embed_option_vec"));
            field.comments.push(bounded.evidence);
        }
        let name = if reference.in_array { "refs" } else { "parent" };
        field.attributes.push(attribute(
            format!("#[{name}({})]", options.join(", ")),
            Some(resolves(reference)),
        ));
        field.attributes.extend(allow);
        if let Some(review) = review {
            self.review(here, "large_array", review);
        }
    }

    fn link_copy(&mut self, here: &Place, declared: &DeclaredCopy, field: &mut Field) {
        let reference = &self.data.references[declared.reference];
        let copy = &declared.copy;
        let model = self.names[reference.to].clone().unwrap_or_default();
        let path = rust_names(&self.data.sources[reference.to].root, &copy.source);
        let mut options = vec![
            format!("from = {model}"),
            format!("field = {}", rust_path(&path)),
        ];
        let siblings = self.links.refs.iter().filter(|(place, other)| {
            place.source == here.source
                && split(&place.path).0 == split(&here.path).0
                && self.data.references[other.reference].to == reference.to
        });
        if siblings.count() > 1 {
            let root = &self.data.sources[here.source].root;
            let names = rust_names(root, &reference.path);
            let own = names.last().map(|name| raw(name)).unwrap_or_default();
            options.push(format!("via = {own}"));
        }
        if is_snapshot(copy) {
            options.push("snapshot".to_owned());
        }
        if declared.optional && !matches!(field.ty, Ty::Option(_)) {
            field.ty = Ty::Option(Box::new(field.ty.clone()));
        }
        let evidence = format!("equal in {} of {}", number(copy.equal), number(copy.looked));
        field.attributes.push(attribute(
            format!("#[denorm({})]", options.join(", ")),
            Some(evidence),
        ));
    }
}

/// True if the copy keeps the value of its time: where the data says so, or a name that has to do with sales.
fn is_snapshot(copy: &Copy) -> bool {
    const SALES: [&str; 8] = [
        "billing", "shipping", "delivery", "invoice", "paid", "sold", "rate", "currency",
    ];
    let is_sale = |word: &String| MONEY.contains(&word.as_str()) || SALES.contains(&word.as_str());
    match copy.decided {
        Some(kind) => kind == CopyKind::Snapshot,
        None => copy.frozen || words(&copy.field).iter().any(is_sale),
    }
}

fn resolves(reference: &Reference) -> String {
    format!(
        "{} of {} are found",
        number(reference.found),
        number(reference.looked)
    )
}
