//! Operators of an update as stages of a pipeline that have the same effect.

use bson::{Bson, Document, doc};

use crate::schema::outbox::RecordedFields;

/// True if the operators change a field whose changes the history keeps.
pub(super) fn change_recorded_fields(history: &RecordedFields, operators: &Document) -> bool {
    let paths = operators.values().filter_map(Bson::as_document);
    paths
        .flat_map(Document::keys)
        .any(|path| history.records(path))
}

/// The stages; `None` if no stage has the effect of one of the operators.
pub(super) fn stages(history: &RecordedFields, operators: &Document) -> Option<Vec<Document>> {
    let (mut set, mut unset) = (Document::new(), Vec::new());
    for (operator, paths) in operators {
        for (path, operand) in paths.as_document()? {
            if !history.is_plain(path) {
                return None;
            }
            match operator.as_str() {
                "$unset" => unset.push(path.clone()),
                operator => {
                    set.insert(path, value(operator, path, operand)?);
                }
            }
        }
    }
    let mut stages = Vec::new();
    if !set.is_empty() {
        stages.push(doc! { "$set": set });
    }
    if !unset.is_empty() {
        stages.push(doc! { "$unset": unset });
    }
    Some(stages)
}

/// The value of a field after an operator.
fn value(operator: &str, path: &str, operand: &Bson) -> Option<Bson> {
    let field = format!("${path}");
    let literal = doc! { "$literal": operand };
    let number = doc! { "$ifNull": [&field, 0] };
    let value = match operator {
        "$set" => literal,
        "$inc" => doc! { "$add": [number, literal] },
        "$mul" => doc! { "$multiply": [number, literal] },
        // Both ignore values that are absent or null.
        "$min" | "$max" => doc! { operator: [field, literal] },
        "$currentDate" if *operand == Bson::Boolean(true) => return Some("$$NOW".into()),
        "$push" => pushed(&field, operand)?,
        "$addToSet" => {
            let array = doc! { "$ifNull": [&field, []] };
            let is_new = doc! { "$not": [{ "$in": ["$$this", &array] }] };
            let each = each(operand)?;
            let new = doc! { "$filter": { "input": { "$literal": each }, "cond": is_new } };
            doc! { "$concatArrays": [array, new] }
        }
        "$pullAll" => {
            let stays = doc! { "$not": [{ "$in": ["$$this", literal] }] };
            let left = doc! { "$filter": { "input": &field, "cond": stays } };
            doc! { "$cond": [{ "$isArray": &field }, left, &field] }
        }
        _ => return None,
    };
    Some(value.into())
}

/// The values that an operator adds to an array.
fn each(operand: &Bson) -> Option<Vec<Bson>> {
    match operand.as_document().map(|operand| operand.get("$each")) {
        Some(Some(each)) => each.as_array().cloned(),
        _ => Some(vec![operand.clone()]),
    }
}

fn pushed(field: &str, operand: &Bson) -> Option<Document> {
    let each = doc! { "$literal": each(operand)? };
    let all = doc! { "$concatArrays": [{ "$ifNull": [field, []] }, each] };
    let options = operand
        .as_document()
        .filter(|operand| operand.contains_key("$each"));
    let mut options = options.into_iter().flatten();
    match options.find(|(name, _)| *name != "$each") {
        None => Some(all),
        Some((name, last)) if name == "$slice" => Some(doc! { "$slice": [all, last] }),
        Some(_) => None,
    }
}
