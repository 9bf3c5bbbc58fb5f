//! Values inside the texts of errors.

use bson::Bson;

use super::violation::Violation;

/// The text of a list of ids: at most ten, and the number of the others.
pub(super) fn list(ids: &[Bson]) -> String {
    let mut out = ids
        .iter()
        .take(10)
        .map(Bson::to_string)
        .collect::<Vec<_>>()
        .join(", ");
    if ids.len() > 10 {
        out.push_str(&format!(" and {} more", ids.len() - 10));
    }
    out
}

/// The text of a list of violations: at most ten, and the number of the others.
pub(super) fn list_violations(violations: &[Violation]) -> String {
    let shown = violations.iter().take(10).map(Violation::to_string);
    let mut out = shown.collect::<Vec<_>>().join("; ");
    if violations.len() > 10 {
        out.push_str(&format!("; and {} more", violations.len() - 10));
    }
    out
}

/// `document 3: ` of an insert of many.
pub(super) fn at_position(position: Option<usize>) -> String {
    position.map_or_else(String::new, |n| format!("document {n}: "))
}

/// `the same host and port`, or `the _id 7`
pub(super) fn list_key(fields: &[String], value: &Bson) -> String {
    match fields {
        [id] if id == "_id" => format!("the _id {value}"),
        fields => format!("the same {}", fields.join(" and ")),
    }
}

pub(super) fn list_ambiguous(documents: &[(Bson, Vec<Bson>)]) -> String {
    let shown = |(key, ids): &(Bson, Vec<Bson>)| format!("{key} (`_id`s {})", list(ids));
    let mut out = documents
        .iter()
        .take(10)
        .map(shown)
        .collect::<Vec<_>>()
        .join(", ");
    if documents.len() > 10 {
        out.push_str(&format!(" and {} more", documents.len() - 10));
    }
    out
}
