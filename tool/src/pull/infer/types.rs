//! The types of single values, and the commands that bring values to one type.

use super::{Builder, Place};
use crate::cli::Target;
use crate::pull::model::Ty;
use crate::pull::profile::{EXACT, Kind, Values};

impl Builder<'_> {
    /// Says how the last finding is resolved, if it is about this place and an update can reach it.
    pub(super) fn resolve_by(&mut self, here: &Place, to: Target, remove_empty: bool) {
        let source = &self.data.sources[here.source];
        let is_plain = |c: char| c.is_alphanumeric() || "._-".contains(c);
        let names = [&source.name, &here.path];
        if !names.iter().all(|name| name.chars().all(is_plain)) || !self.is_alone(here) {
            return;
        }
        let [collection, path] = names;
        let mut command = format!(
            "resolve --collection {collection} --field {path} --to {}",
            to.name()
        );
        if remove_empty {
            command.push_str(" --remove-empty");
        }
        let last = self.notes[here.source].last_mut();
        if let Some(note) = last.filter(|note| note.about == *path) {
            note.resolve = Some(command);
        }
    }

    /// True if no array lies above the field.
    fn is_alone(&self, here: &Place) -> bool {
        let mut fields = Some(&self.data.sources[here.source].root);
        let mut names = here.path.split('.').peekable();
        while let Some(name) = names.next() {
            let Some(values) = fields.and_then(|fields| fields.get(name)) else {
                return false;
            };
            if names.peek().is_some() && values.items.is_some() {
                return false;
            }
            fields = values.fields.as_deref();
        }
        true
    }
}

/// The type that values of several types can get, and true if some are empty strings.
pub(super) fn conversion(values: &Values) -> Option<(Target, bool)> {
    let texts = |values: &Values| values.kinds.contains_key(&Kind::String);
    let outliers = values.outliers.keys();
    if main_class(values) == Some(Kind::String) {
        let mut others = values.kinds.keys().chain(outliers);
        let is_text = |kind: &Kind| matches!(kind, Kind::String | Kind::Int32 | Kind::Int64);
        let numbers = values.text.numbers + values.text.empty;
        if others.all(is_text) && numbers * 5 < values.text.count * 4 {
            return Some((Target::String, false));
        }
    }
    if !texts(values) && !values.outliers.contains_key(&Kind::String) {
        return None;
    }
    let mut others = values.clone();
    others.kinds.remove(&Kind::String);
    let to = match scalar_ty(&others)? {
        Ty::I32 => Target::Int,
        Ty::I64 => Target::Long,
        Ty::F64 => Target::Double,
        Ty::Decimal => Target::Decimal,
        Ty::ObjectId => Target::ObjectId,
        Ty::Date => Target::Date,
        _ => return None,
    };
    Some((to, values.text.empty > 0))
}

/// The type of single values that are not null; `None` where they have several, or are arrays or documents.
pub(crate) fn scalar_ty(values: &Values) -> Option<Ty> {
    if values.is_only(&[Kind::Int32, Kind::Int64]) {
        return Some(if values.kinds.contains_key(&Kind::Int64) {
            Ty::I64
        } else {
            Ty::I32
        });
    }
    if values.is_only(&[Kind::Int32, Kind::Int64, Kind::Double]) {
        return (values.numbers.largest <= EXACT).then_some(Ty::F64);
    }
    Some(match values.only_kind()? {
        Kind::Bool => Ty::Bool,
        Kind::Date => Ty::Date,
        Kind::Decimal => Ty::Decimal,
        Kind::ObjectId => Ty::ObjectId,
        Kind::String => Ty::String,
        Kind::Timestamp => Ty::Timestamp,
        Kind::Uuid => Ty::Uuid,
        Kind::Binary => Ty::Binary,
        _ => return None,
    })
}

/// The type that most values have; numbers of all widths are doubles.
pub(super) fn main_class(values: &Values) -> Option<Kind> {
    let (kind, most) = values.main_kind()?;
    (most >= 0.5).then_some(kind)
}
