//! Documents of the library lie in no collection of a model: reads of the model would fail on them.

use super::{Error, Result};
use crate::schema::registry::model_in;

/// Refuses a collection in which a linked model is stored; `document` says what would lie there: `a lock`.
///
/// # Errors
/// [`Error::Impossible`].
pub(crate) fn require_without_model(collection: &str, document: &str) -> Result<()> {
    match model_in(collection) {
        None => Ok(()),
        Some(model) => Err(Error::Impossible {
            what: format!(
                "{document} in the collection `{collection}`: `{}` is stored there",
                model.name
            ),
        }),
    }
}
