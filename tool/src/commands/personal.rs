//! `personal`: the register of the fields that are about persons, and what an erase does with each.

use mongo_model::model::ModelMeta;
use mongo_model::personal::personal_fields;
use serde::Serialize;

use super::Verdict;
use crate::models::Models;
use crate::output::{FAINT, FORMAT, Output, STRONG, count, paint};

/// The JSON document.
#[derive(Serialize)]
struct Register {
    format: u32,
    command: &'static str,
    ok: bool,
    fields: Vec<Field>,
}

/// A personal field.
#[derive(Debug, Serialize)]
struct Field {
    model: &'static str,
    collection: &'static str,
    /// The stored path.
    field: String,
    /// The model of the person.
    person: &'static str,
    /// The Rust name of the reference to the person; none where the document is the person.
    reference: Option<&'static str>,
    /// The expression of the value that an erase sets; none for no value, and for a field that stays.
    erased: Option<&'static str>,
    /// The time for which the field stays.
    keep_for: Option<&'static str>,
    /// The reason why it stays.
    reason: Option<&'static str>,
}

/// Runs the command.
pub(crate) fn run(models: &Models, out: Output) -> Verdict {
    let register = Register {
        format: FORMAT,
        command: "personal",
        ok: true,
        fields: models
            .selected()
            .iter()
            .flat_map(|model| fields(model))
            .collect(),
    };
    out.both(text(&register.fields), &register);
    Verdict::Fine
}

/// The personal fields of a model and of what it embeds.
fn fields(model: &'static ModelMeta) -> Vec<Field> {
    let fields = personal_fields(model).into_iter();
    fields
        .map(|field| Field {
            model: model.name,
            collection: model.collection,
            field: field.path,
            person: field.person,
            reference: field.reference,
            erased: field.erased,
            keep_for: field.keep_for,
            reason: field.reason,
        })
        .collect()
}

fn text(fields: &[Field]) -> String {
    let mut out = String::new();
    let width = fields.iter().map(|field| field.field.len()).max();
    let width = width.unwrap_or_default();
    let mut models = 0_u64;
    for (n, field) in fields.iter().enumerate() {
        if n == 0 || fields[n - 1].model != field.model {
            let (model, collection) = (paint(STRONG, field.model), paint(FAINT, field.collection));
            out.push_str(&format!("{model}  {collection}\n"));
            models += 1;
        }
        let of = match field.reference {
            Some(reference) => format!("of {} ({reference})", field.person),
            None => format!("of the {}", field.person),
        };
        let erased = match (field.keep_for, field.reason, field.erased) {
            (Some(keep_for), Some(reason), _) => format!("stays {keep_for}: {reason}"),
            (_, _, Some(erased)) => format!("becomes {erased}"),
            _ => "becomes absent".to_owned(),
        };
        out.push_str(&format!("    {:width$}  {of}, {erased}\n", field.field));
    }
    let number = count(fields.len() as u64, "personal field");
    out.push_str(&format!("\n{number} of {}\n", count(models, "model")));
    out
}
