//! Operators of one update.

use bson::Document;

/// Adds paths to one operator of an update.
pub(crate) fn merge(operators: &mut Document, operator: &str, paths: Document) {
    match operators.get_document_mut(operator) {
        Ok(known) => known.extend(paths),
        Err(_) => {
            operators.insert(operator, paths);
        }
    }
}
