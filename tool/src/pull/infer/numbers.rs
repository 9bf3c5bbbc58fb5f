//! The numbers and extremes of children that become attributes, and the reasons why others do not.

use super::fields::rust_names;
use super::links::{Links, Refused};
use super::places::{kinds_of, values_at};
use super::types::scalar_ty;
use super::{Data, Place, rust_path};
use crate::pull::model::Ty;
use crate::pull::profile::{Values, confidence, percent, share};
use crate::pull::relate::{Count, Total, is_average_document};

impl Links {
    /// Decides about a field of the parents.
    pub(super) fn decide_count(
        &mut self,
        data: Data<'_>,
        names: &[Option<String>],
        counted: &Count,
    ) {
        if let Total::Quotient(field) = &counted.amount.of {
            self.refused
                .push(keep_quotient(data, names, counted, field));
            return;
        }
        let reference = &data.references[counted.reference];
        let place = Place::new(counted.parent, &counted.field);
        let declared = self
            .refs
            .contains_key(&Place::new(reference.from, &reference.path));
        let Some(values) = values_at(data.sources, &place) else {
            return;
        };
        let plain = kinds_of(&data.sources[counted.parent].root).is_none();
        let expire = data.sources[reference.from]
            .indexes
            .iter()
            .any(|index| index.contains_key("expireAfterSeconds"));
        let whole = match counted.amount.of.field() {
            Some(field) if counted.amount.of.is_extreme() => {
                let compared = Place::new(reference.from, field);
                let compared = values_at(data.sources, &compared).and_then(scalar_ty);
                is_alike(scalar_ty(values), compared)
            }
            _ => is_average_document(values) || is_integer(values) && values.nulls == 0,
        };
        let one_kind = kinds_of(&data.sources[reference.from].root).is_none();
        let is_own = counted.fields().all(|name| {
            let place = Place::new(reference.from, name);
            one_kind && !self.refs.contains_key(&place) && !self.copies.contains_key(&place)
        });
        if declared && plain && whole && !expire && is_own {
            if is_integer(values) {
                self.forced.insert(place.clone(), Ty::I64);
                let compared = counted.amount.of.field();
                let compared = compared.filter(|_| counted.amount.of.is_extreme());
                let compared = compared.map(|name| Place::new(reference.from, name));
                self.forced.extend(compared.map(|place| (place, Ty::I64)));
            }
            self.counts.insert(place, counted.clone());
            return;
        }
        let child = &data.sources[reference.from].name;
        let equal = percent(share(counted.equal, counted.looked));
        let why = match (expire, declared) {
            _ if !is_own => "these fields follow other documents, or are not in every kind of them",
            (true, _) => "they expire, and the server corrects no count when it deletes them",
            (false, false) => "their reference is not declared",
            (false, true) => {
                "it does not have the type of such a number in every document of one kind"
            }
        };
        let message = format!("is {} in {equal}, but {why}", counted.words(child));
        let sure = confidence(counted.equal, counted.looked);
        self.refused
            .push(Refused::new(place, "undeclared_count", message, sure));
    }
}

/// An average that is stored as a number, which no attribute keeps.
fn keep_quotient(
    data: Data<'_>,
    names: &[Option<String>],
    counted: &Count,
    field: &str,
) -> Refused {
    let from = data.references[counted.reference].from;
    let child = &data.sources[from];
    let model = names[from].as_ref().unwrap_or(&child.name);
    let field = rust_path(&rust_names(&child.root, field));
    let message = format!(
        "is {} in {}, but no attribute keeps a quotient: declare `#[avg({model}, field = {field})]` on a field of its own, an `Average`, which stores the sum and the number, and fill it by `backfill`",
        counted.words(&child.name),
        percent(share(counted.equal, counted.looked)),
    );
    let place = Place::new(counted.parent, &counted.field);
    let sure = confidence(counted.equal, counted.looked);
    Refused::new(place, "undeclared_average", message, sure)
}

impl Links {
    /// True if this place holds the average of a field of children.
    pub(super) fn is_average(&self, place: &Place) -> bool {
        let counted = self.counts.get(place);
        counted.is_some_and(|counted| matches!(counted.amount.of, Total::Average(_)))
    }
}

fn is_integer(values: &Values) -> bool {
    matches!(scalar_ty(values), Some(Ty::I32 | Ty::I64))
}

/// True if an extreme may have this type where the compared field has that one.
fn is_alike(own: Option<Ty>, compared: Option<Ty>) -> bool {
    match (own, compared) {
        (Some(Ty::I32 | Ty::I64), Some(Ty::I32 | Ty::I64)) => true,
        (own, compared) => own.is_some() && own == compared,
    }
}
