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
