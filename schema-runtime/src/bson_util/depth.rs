//! The depth to which documents may be nested. Reading and dropping a value recurses, so bytes from outside must not decide how deep.

use bson::RawDocument;
use bson::raw::RawBsonRef;

/// The most levels that a document may have, itself counted: MongoDB's limit for stored documents.
pub(crate) const LEVELS: u8 = 100;

/// The top-level field that makes `raw` deeper than `levels`; `None` if no field does.
pub(crate) fn deeper_than(raw: &RawDocument, levels: u8) -> Option<&str> {
    let Some(inside) = levels.checked_sub(1) else {
        return Some("");
    };
    // No reader goes on after a malformed element.
    let mut elements = raw.iter_elements().map_while(Result::ok);
    let deep = elements.find(|element| match element.value() {
        Ok(RawBsonRef::Document(inner)) => deeper_than(inner, inside).is_some(),
        Ok(RawBsonRef::Array(inner)) => RawDocument::from_bytes(inner.as_bytes())
            .is_ok_and(|inner| deeper_than(inner, inside).is_some()),
        Ok(RawBsonRef::JavaScriptCodeWithScope(code)) => deeper_than(code.scope, inside).is_some(),
        _ => false,
    });
    deep.map(|element| element.key().as_str())
}

#[cfg(test)]
mod tests {
    use bson::{Bson, RawDocumentBuf, doc};

    use super::deeper_than;

    #[test]
    fn documents_arrays_and_scopes_are_levels() {
        for wrap in [
            |inner: Bson| bson::bson!({ "d": inner }),
            |inner| bson::bson!([inner]),
            |inner: Bson| {
                let scope = inner.as_document().cloned().unwrap_or_default();
                let code = String::new();
                bson::bson!({ "d": bson::JavaScriptCodeWithScope { code, scope } })
            },
        ] {
            let mut value = Bson::Document(doc! {});
            for _ in 0..8 {
                value = wrap(value);
            }
            let raw = RawDocumentBuf::try_from(&doc! { "a": 1, "b": value }).expect("a document");
            assert_eq!(deeper_than(&raw, 10), None);
            assert_eq!(deeper_than(&raw, 9), Some("b"));
        }
    }
}
