//! Operators that the server takes in a `find` and refuses in an aggregation.

use bson::{Bson, Document};

use crate::error::{Error, Result};

/// Operators that sort by distance.
pub(crate) const NEAR: [&str; 2] = ["$near", "$nearSphere"];

/// Operators that sort by distance, and the one that has to be in the first stage.
pub(crate) const NEAR_AND_TEXT: [&str; 3] = ["$near", "$nearSphere", "$text"];

/// Refuses a filter that uses one of these operators.
///
/// # Errors
/// [`Error::OperatorRefused`]
pub(crate) fn refuse_operators(
    model: &'static str,
    call: &'static str,
    filter: &Document,
    operators: &[&'static str],
) -> Result<()> {
    match operators.iter().find(|operator| asks_for(filter, operator)) {
        None => Ok(()),
        Some(operator) => Err(Error::OperatorRefused {
            model,
            call,
            operator: if *operator == "$text" { "text" } else { "near" },
        }),
    }
}

/// Looks for an operator in a filter. A key of the same name inside a value is data.
fn asks_for(filter: &Document, operator: &str) -> bool {
    filter
        .iter()
        .any(|(key, value)| match (key.as_str(), value) {
            ("$and" | "$or" | "$nor", Bson::Array(parts)) => parts
                .iter()
                .filter_map(Bson::as_document)
                .any(|part| asks_for(part, operator)),
            (key, _) if key.starts_with('$') => key == operator,
            (_, Bson::Document(conditions)) => conditions.contains_key(operator),
            _ => false,
        })
}

#[cfg(test)]
mod tests {
    use bson::doc;

    use super::{NEAR_AND_TEXT, asks_for};

    #[test]
    fn an_operator_inside_a_value_is_data() {
        let asks = |filter| NEAR_AND_TEXT.iter().any(|one| asks_for(&filter, one));
        assert!(asks(
            doc! { "$and": [{ "a": 1 }, { "$or": [{ "at": { "$nearSphere": {} } }] }] }
        ));
        assert!(asks(doc! { "$text": { "$search": "a" } }));
        assert!(!asks(
            doc! { "a": { "$eq": { "$text": 1 } }, "b": "$near", "$nor": [{ "c": 1 }] }
        ));
    }
}
