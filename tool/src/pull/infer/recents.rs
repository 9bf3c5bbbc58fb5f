//! Lists of the newest children: those that become `#[recent]`, and the reasons why others do not.

use super::fields::rust_names;
use super::links::{Links, Refused};
use super::places::kinds_of;
use super::types::scalar_ty;
use super::{Builder, Data, Place, attribute};
use crate::output::{count, number};
use crate::pull::model::{Field, Ty};
use crate::pull::names::raw;
use crate::pull::profile::{Fields, Kind, Values, confidence};
use crate::pull::relate::Recent;
use crate::pull::source::ModelFile;

impl Links {
    /// Decides the lists. References in them are part of the list.
    pub(super) fn decide_recents(&mut self, data: Data<'_>, names: &[Option<String>]) {
        for (at, recent) in data.recents.iter().enumerate() {
            let place = Place::new(data.references[recent.to_child].from, &recent.array);
            let child = &data.sources[data.references[recent.to_child].to];
            if self.recents.contains_key(&place) || child.file == ModelFile::Outside {
                continue;
            }
            match self.recent_refusal(data, names, recent) {
                None => _ = self.recents.insert(place, at),
                Some(why) => {
                    let message = format!("{}, but {why}", holds(data, recent));
                    let sure = confidence(recent.equal, recent.looked);
                    let refused = Refused::new(place, "undeclared_recent", message, sure);
                    self.refused.push(refused);
                }
            }
        }
    }

    /// The reason why a list cannot be declared.
    fn recent_refusal(
        &mut self,
        data: Data<'_>,
        names: &[Option<String>],
        recent: &Recent,
    ) -> Option<String> {
        let (inner, outer) = (
            &data.references[recent.to_child],
            &data.references[recent.to_parent],
        );
        let (parent, child) = (&data.sources[inner.from].root, &data.sources[inner.to].root);
        if let Some(why) = self.refusal(data, names, outer) {
            return Some(format!("in `{}` {why}", outer.path));
        }
        if kinds_of(parent).is_some() || kinds_of(child).is_some() {
            return Some("lists in and of documents of several kinds are left to you".to_owned());
        }
        match recent.id.as_deref() {
            Some("id") => {}
            Some(id) => {
                return Some(format!(
                    "its elements hold the `_id` as `{id}`: store it as `id`, then declare `#[recent(..)]`"
                ));
            }
            None => {
                return Some(
                    "its elements are ids alone: store documents with `id` and what is shown, then declare `#[recent(..)]`"
                        .to_owned(),
                );
            }
        }
        if !recent.is_ordered {
            return Some("its elements are in no order".to_owned());
        }
        let array = parent.get(&recent.array)?;
        let elements = array.items.as_deref()?;
        let only = |values: &Values, kind| values.nulls == 0 && values.only_kind() == Some(kind);
        let (true, Some(fields)) = (
            only(array, Kind::Array) && only(elements, Kind::Document),
            elements.fields.as_deref(),
        ) else {
            return Some("not all of it are arrays of documents".to_owned());
        };
        for (name, values) in fields.in_order() {
            if let Some(why) = self.shown_refusal(data, recent, (fields, name, values)) {
                return Some(why);
            }
        }
        recent
            .shown
            .is_empty()
            .then(|| "its elements show no field of them".to_owned())
    }

    /// The reason why a field of the elements cannot be one of a list.
    fn shown_refusal(
        &mut self,
        data: Data<'_>,
        recent: &Recent,
        (fields, name, values): (&Fields, &str, &Values),
    ) -> Option<String> {
        let inner = &data.references[recent.to_child];
        let child = &data.sources[inner.to].root;
        if fields.absent(values) > 0 {
            return Some(format!("some elements lack `{name}`"));
        }
        if name == "id" {
            return None;
        }
        let shown = recent.shown.iter().find(|(element, _)| element == name);
        let Some((_, stored)) = shown else {
            return Some(format!("`{name}` is no field of theirs"));
        };
        let own = child.get(stored)?;
        let optional = own.nulls + child.absent(own) > 0;
        if rust_names(child, stored) != [name] || (values.nulls > 0 && !optional) {
            return Some(format!(
                "`{name}` does not have the type and name of theirs"
            ));
        }
        let place = Place::new(inner.to, stored);
        let is_reference = data
            .references
            .iter()
            .any(|other| other.from == inner.to && other.path == *stored);
        match (scalar_ty(values), scalar_ty(own)) {
            _ if is_reference => Some(format!("`{name}` is a reference")),
            (Some(a), Some(b)) if a == b => None,
            (Some(Ty::I32 | Ty::I64), Some(Ty::I32 | Ty::I64)) => {
                self.forced.insert(place, Ty::I64);
                None
            }
            _ => Some(format!("`{name}` has another type than theirs")),
        }
    }

    /// True if the reference lies in the elements of a declared list.
    pub(super) fn is_in_recent(&self, data: Data<'_>, reference: usize) -> bool {
        let lies = |at: &usize| data.recents[*at].to_child == reference;
        self.recents.values().any(lies)
    }
}

/// The content of the list, as a sentence without an end.
fn holds(data: Data<'_>, recent: &Recent) -> String {
    let child = &data.sources[data.references[recent.to_child].to].name;
    format!(
        "holds the newest {} of `{child}` by `{}`: {} of {} lists are right",
        number(recent.max),
        recent.sort,
        number(recent.equal),
        number(recent.looked)
    )
}

impl Builder<'_> {
    pub(super) fn note_recents(&mut self) {
        let recents: Vec<(Place, usize)> = self
            .links
            .recents
            .iter()
            .map(|(place, at)| (place.clone(), *at))
            .collect();
        for (place, at) in recents {
            let recent = &self.data.recents[at];
            let message = holds(self.data, recent);
            let sure = confidence(recent.equal, recent.looked);
            self.found(&place, "recent", message, sure);
            if recent.equal < recent.looked {
                let wrong = recent.looked - recent.equal;
                let message = format!(
                    "{} of {} differ from the newest children: `cargo mongo-model repair` corrects that",
                    number(wrong),
                    count(recent.looked, "list")
                );
                self.review(&place, "wrong_list", message);
            }
        }
    }

    /// A list of the newest children; `None` if the place holds none.
    pub(super) fn recent(&mut self, here: &Place, absent: u64, field: &mut Field) -> Option<()> {
        let recent = &self.data.recents[*self.links.recents.get(here)?];
        let (inner, outer) = (
            &self.data.references[recent.to_child],
            &self.data.references[recent.to_parent],
        );
        let child = &self.data.sources[inner.to].root;
        let model = self.names[inner.to].clone()?;
        let rust = |stored: &str| raw(&rust_names(child, stored).join("."));
        let sort = match recent.sort.as_str() {
            "_id" => "id".to_owned(),
            sort => rust(sort),
        };
        let shown: Vec<String> = recent.shown.iter().map(|(_, own)| rust(own)).collect();
        let via = match self.declared_between(outer.from, outer.to) {
            1 => String::new(),
            _ => format!(", via = {}", rust(&outer.path)),
        };
        let text = format!(
            "#[recent({model}, max = {}, sort = {}{sort}, fields({}){via})]",
            recent.max,
            if recent.descending { "-" } else { "" },
            shown.join(", ")
        );
        let evidence = format!(
            "equal in {} of {}",
            number(recent.equal),
            number(recent.looked)
        );
        field.attributes.push(attribute(text, Some(evidence)));
        field.serde.push("default");
        if absent > 0 {
            field.comments.push(format!("absent in {absent}"));
        }
        let entry = self.taken.free_type(&format!("Recent{model}"));
        field.ty = Ty::Vec(Box::new(Ty::Named(entry)));
        Some(())
    }
}
