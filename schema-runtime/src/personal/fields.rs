//! The personal fields of a model, as data.

use super::spots::spots_of;
use crate::schema::model::ModelMeta;

/// A field with `#[personal]`, of a model or inside of it.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct PersonalField {
    /// The stored path: `comments.text`.
    pub path: String,
    /// The model of the person.
    pub person: &'static str,
    /// The Rust name of the reference to the person; `None` where the document is the person.
    pub reference: Option<&'static str>,
    /// The expression of the value that an erase sets; `None` for no value, and for a field that stays.
    pub erased: Option<&'static str>,
    /// The time for which the field stays.
    pub keep_for: Option<&'static str>,
    /// The reason why it stays.
    pub reason: Option<&'static str>,
}

/// The personal fields of a model and of the documents that it embeds. Of an enum, those of all variants. Sends nothing.
#[must_use]
pub fn personal_fields(model: &'static ModelMeta) -> Vec<PersonalField> {
    let spots = spots_of(model).into_iter();
    let fields = spots.map(|spot| {
        let personal = spot.field.personal;
        PersonalField {
            path: spot.field.path,
            person: spot
                .relation
                .map_or(model.name, |relation| (relation.target)().name),
            reference: personal.of,
            erased: personal.erased,
            keep_for: personal.kept.map(|(keep_for, _)| keep_for),
            reason: personal.kept.map(|(_, reason)| reason),
        }
    });
    fields.collect()
}
