//! Operators of one update.

use bson::{Bson, Document};

/// The key under which the conditions on array elements travel with the operators; no operator has this name.
const ELEMENTS: &str = "$arrayFilters";

/// Adds the condition on the elements of an array that an operator changes, and gives the name that its paths have for such an element.
pub(crate) fn name_element(
    operators: &mut Document,
    condition: impl FnOnce(&str) -> Document,
) -> String {
    let known = operators.get_array(ELEMENTS).map_or(0, Vec::len);
    let name = format!("e{known}");
    let condition = Bson::Document(condition(&name));
    match operators.get_array_mut(ELEMENTS) {
        Ok(all) => all.push(condition),
        Err(_) => drop(operators.insert(ELEMENTS, vec![condition])),
    }
    name
}

/// Takes the conditions on array elements out of the operators.
pub(crate) fn take_elements(operators: &mut Document) -> Option<Vec<Document>> {
    let Some(Bson::Array(all)) = operators.remove(ELEMENTS) else {
        return None;
    };
    let all = all.into_iter().filter_map(|one| match one {
        Bson::Document(one) => Some(one),
        _ => None,
    });
    Some(all.collect())
}

/// Leaves out the changes of elements of one array, and their conditions.
pub(crate) fn leave_out_elements(operators: &mut Document, array: &str) {
    let prefix = format!("{array}.$[");
    let mut names = Vec::new();
    for (_, paths) in operators.iter_mut() {
        let Some(paths) = paths.as_document_mut() else {
            continue;
        };
        let of_array: Vec<String> = paths
            .keys()
            .filter(|path| path.starts_with(&prefix))
            .cloned()
            .collect();
        for path in of_array {
            let name = path[prefix.len()..].split(']').next().unwrap_or_default();
            names.push(name.to_owned());
            paths.remove(&path);
        }
    }
    if let Ok(conditions) = operators.get_array_mut(ELEMENTS) {
        conditions.retain(|condition| !names.iter().any(|name| names_element(condition, name)));
    }
    let empty = |value: &Bson| match value {
        Bson::Document(paths) => paths.is_empty(),
        Bson::Array(conditions) => conditions.is_empty(),
        _ => false,
    };
    let unused: Vec<String> = operators
        .iter()
        .filter(|(_, value)| empty(value))
        .map(|(key, _)| key.clone())
        .collect();
    for key in unused {
        operators.remove(&key);
    }
}

/// True if a condition on elements is about those with this name.
fn names_element(condition: &Bson, name: &str) -> bool {
    let inside = |value: &Bson| {
        value
            .as_array()
            .is_some_and(|parts| parts.iter().any(|part| names_element(part, name)))
    };
    let fields = condition.as_document().into_iter().flatten();
    fields.into_iter().any(|(key, value)| {
        key.split('.').next() == Some(name) || key.starts_with('$') && inside(value)
    })
}

/// The path without the names of array elements: `roles.$[e0].role` is `roles.role`.
pub(crate) fn without_elements(path: &str) -> String {
    let steps = path.split('.').filter(|step| !step.starts_with("$["));
    steps.collect::<Vec<_>>().join(".")
}

/// Adds paths to one operator of an update.
pub(crate) fn merge(operators: &mut Document, operator: &str, paths: Document) {
    match operators.get_document_mut(operator) {
        Ok(known) => known.extend(paths),
        Err(_) => {
            operators.insert(operator, paths);
        }
    }
}
