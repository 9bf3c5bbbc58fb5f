//! The fields of a struct: their names, and what becomes of values that are null or absent.

use bson::doc;

use super::{Builder, Chosen, Place, attribute, is_wide, plural_is};
use crate::cli::Target;
use crate::findings::Level;
use crate::output::{count, number};
use crate::pull::model::{Field, Ty};
use crate::pull::names::{Taken, snake};
use crate::pull::profile::{Fields, Values, percent, share};
use crate::pull::relate::fields_at;

/// The names of the fields that a struct has.
pub(super) struct Names<'a> {
    /// Stored names and identifiers, in the order in which they are stored.
    rust: Vec<(&'a str, String)>,
    taken: Taken,
    /// The number of values with a name that no field can have, or with a rare name among many.
    left: u64,
}

impl<'a> Names<'a> {
    pub(super) fn of(fields: &'a Fields) -> Self {
        let mut out = Names {
            rust: Vec::new(),
            taken: Taken::default(),
            left: 0,
        };
        let rare = is_wide(fields);
        for (_, values) in fields.in_order() {
            if let Some(chosen) = &values.chosen_name {
                out.taken.free(chosen, "_");
            }
        }
        for (name, values) in fields.in_order() {
            if ["_dn", "_ng", "_r"].contains(&name) || name.starts_with("_r_") {
                continue;
            }
            let usable = !name.is_empty() && !name.contains('.') && !name.starts_with('$');
            if !usable || (rare && share(values.count, fields.documents) < 0.2 && name != "_id") {
                out.left += values.count;
                continue;
            }
            let rust = match &values.chosen_name {
                Some(chosen) => chosen.clone(),
                None => out.taken.free(&snake(name), "_"),
            };
            out.rust.push((name, rust));
        }
        out
    }

    /// The identifier of a field.
    pub(super) fn find(&self, stored: &str) -> Option<String> {
        let mut all = self.rust.iter();
        all.find(|(name, _)| *name == stored)
            .map(|(_, rust)| rust.clone())
    }
}

/// The identifier of a stored path, field by field.
pub(super) fn rust_names(root: &Fields, path: &str) -> Vec<String> {
    let mut out = Vec::new();
    let mut fields = Some(root);
    for stored in path.split('.') {
        let names = fields.map(Names::of);
        let named = names.and_then(|names| names.find(stored));
        out.push(named.unwrap_or_else(|| snake(stored)));
        fields = fields.and_then(|fields| fields_at(fields, stored));
    }
    out
}

impl Builder<'_> {
    /// The fields of the documents at a place, in the order in which they are stored.
    pub(super) fn fields(&mut self, place: &Place, fields: &Fields) -> Vec<Field> {
        let Names {
            rust,
            mut taken,
            left,
        } = Names::of(fields);
        let mut out = Vec::new();
        for (name, rust) in rust {
            if let Some(values) = fields.get(name) {
                out.push(self.field(place, name, rust, values, fields.absent(values)));
            }
        }
        if left > 0 || fields.rest.is_some() {
            out.push(self.rest(place, taken.free("rest", "_"), fields));
        }
        out
    }

    /// The map of fields that have no name of their own.
    fn rest(&mut self, place: &Place, rust: String, fields: &Fields) -> Field {
        let many = fields.names.distinct.len() as u64 + fields.names.others;
        let message = match is_wide(fields) {
            true => format!(
                "over {} different field names in {}: those that are rare are kept in `{rust}`",
                many.min(300),
                count(fields.documents, "document")
            ),
            false => format!(
                "some field names are empty, hold a dot or begin with `$`: no model can name them, and `{rust}` keeps them"
            ),
        };
        let here = place.field("*");
        let advice = "if the names are data, store them as values";
        self.review(&here, "wide", format!("{message}; {advice}"));
        Field {
            rust,
            ty: Ty::Map(Box::new(Ty::Bson)),
            serde: vec!["flatten"],
            reviews: self.take_reviews(&here),
            ..Field::new("")
        }
    }

    /// Describes a field.
    pub(super) fn field(
        &mut self,
        place: &Place,
        stored: &str,
        rust: String,
        values: &Values,
        absent: u64,
    ) -> Field {
        let here = place.field(stored);
        if rust != snake(stored) {
            self.chosen.push(Chosen::field(&here, &rust));
        }
        let mut field = Field {
            rust,
            ..Field::new(stored)
        };
        if stored == "_id" && place.path.is_empty() {
            self.id(&here, values, &mut field);
            return field;
        }
        if self.recent(&here, absent, &mut field).is_none() {
            if !self.links.is_average(&here) {
                self.decide(&here, values, &mut field);
            }
            self.optional(&here, values, absent, &mut field);
            self.link(place, stored, values, absent, &mut field);
            self.check(&here, values, &mut field);
            if *field.ty.required() == Ty::Bson && values.present() == 0 {
                let message = "is always null: nothing says what type it has";
                self.review(&here, "always_null", message.to_owned());
            }
        }
        field.reviews = self.take_reviews(&here);
        field
    }

    /// The `_id` of a model.
    fn id(&mut self, here: &Place, values: &Values, field: &mut Field) {
        self.decide(here, values, field);
        if let (Ty::ObjectId, Some(model)) = (&field.ty, &self.names[here.source]) {
            field.ty = Ty::Id(model.clone());
        }
        field.attributes.clear();
        field.reviews = self.take_reviews(here);
    }

    /// An `Option` for values that are null or not there, or a default.
    fn optional(&mut self, here: &Place, values: &Values, absent: u64, field: &mut Field) {
        let is_array = matches!(field.ty, Ty::Vec(_) | Ty::Map(_));
        let (nulls, documents) = (values.nulls, values.count + absent);
        if is_array {
            field.serde.push("default");
            if absent > 0 {
                field
                    .comments
                    .push(format!("absent in {}", percent(share(absent, documents))));
            }
            if nulls > 0 {
                field.ty = Ty::Option(Box::new(field.ty.clone()));
                let reason = format!("measured: {} null", plural_is(nulls));
                if matches!(field.ty.required(), Ty::Vec(_)) {
                    field.attributes.push(attribute(
                        format!("#[model(allow(embed_option_vec, reason = \"{reason}\"))]"),
                        None,
                    ));
                }
                let filter = doc! { &here.path: { "$type": "null" } };
                self.review_some(
                    here,
                    "null_array",
                    format!(
                        "is null instead of an empty array in {} of {}, and a push to null fails: store an empty array, then remove the `Option`",
                        number(nulls),
                        count(documents, "document")
                    ),
                    Some(filter),
                );
                self.resolve_by(here, Target::Array, false);
            }
            return;
        }
        if nulls == 0 && absent == 0 {
            return;
        }
        if nulls > 0 && values.present() == 0 && field.ty == Ty::Bson {
            field
                .comments
                .push(format!("always null in {}", count(documents, "document")));
        } else if absent > 0 {
            field.comments.push(format!(
                "absent in {}{}",
                percent(share(absent, documents)),
                if nulls > 0 {
                    format!(", null in {}", percent(share(nulls, documents)))
                } else {
                    String::new()
                }
            ));
        }
        if absent > 0 && nulls == 0 {
            field.serde.push("default");
            field
                .serde
                .push("skip_serializing_if = \"Option::is_none\"");
        }
        field.ty = Ty::Option(Box::new(field.ty.clone()));
        if absent > 0 && nulls > 0 {
            self.note(
                here,
                "null_and_missing",
                Level::Note,
                format!(
                    "null in {}, absent in {}: one of them is enough",
                    count(nulls, "document"),
                    count(absent, "document")
                ),
                None,
            );
        }
    }
}
