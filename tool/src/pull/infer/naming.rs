//! Names of types, and those that the user may want to keep.

use super::{Builder, Place};
use crate::pull::names::camel;
use crate::pull::relate::split;

/// The name of a field or of the type in it.
#[derive(Debug)]
pub(crate) struct Chosen {
    pub(crate) place: Place,
    pub(crate) name: String,
    pub(crate) is_type: bool,
    /// True if the stored name alone gives it.
    pub(crate) is_plain: bool,
}

impl Chosen {
    pub(super) fn field(place: &Place, name: &str) -> Self {
        Chosen {
            place: place.clone(),
            name: name.to_owned(),
            is_type: false,
            is_plain: false,
        }
    }
}

impl Builder<'_> {
    /// A name for the type of the values at a place: the one that the user chose, else the short one, or with the name of what holds it.
    pub(super) fn free_name(&mut self, place: &Place, short: &str, part: &str) -> String {
        let mut same = self.shapes.places(place);
        same.insert(0, place.clone());
        let (sources, decisions) = (self.data.sources, self.data.decisions);
        let mut decided = same
            .iter()
            .filter_map(|place| decisions.type_at(&sources[place.source].name, &place.path));
        let is_used = |name: &&str| !self.types.iter().any(|(_, ty)| ty.name == *name);
        let decided = decided.find(is_used).map(str::to_owned);
        let name = decided.unwrap_or_else(|| self.unused_name(place, short, part));
        self.chosen.push(Chosen {
            place: place.clone(),
            name: name.clone(),
            is_type: true,
            is_plain: name == short,
        });
        name
    }

    fn unused_name(&mut self, place: &Place, short: &str, part: &str) -> String {
        if !self.taken.has(short) {
            return self.taken.free_type(short);
        }
        let above = split(split(&place.path).0).1;
        let owner = match above.is_empty() {
            true => self.names[place.source].clone().unwrap_or_default(),
            false => camel(above),
        };
        let wanted = match owner == short {
            true => format!("{owner}{part}"),
            false => format!("{owner}{short}"),
        };
        self.taken.free_type(&wanted)
    }
}
