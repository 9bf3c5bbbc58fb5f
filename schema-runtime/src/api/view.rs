//! Writes the fields of an answer.

use bson::{Bson, Document};
use serde::ser::{Error, Serialize, Serializer};

use crate::codec::{CodecError, Encode};
use crate::json::Readable;
use crate::schema::average::Quotient;

/// The fields of an answer, in their stored form.
#[derive(Debug)]
pub struct View(Result<Document, CodecError>);

impl View {
    /// No field yet.
    #[must_use]
    #[expect(clippy::new_without_default, reason = "used by expansions only")]
    pub fn new() -> Self {
        View(Ok(Document::new()))
    }

    /// Adds a field. One without a name is flattened: its keys are data, and replace no field of the view.
    pub fn put<C: Encode<T>, T>(&mut self, name: &str, value: &T) {
        let Ok(fields) = &mut self.0 else { return };
        match C::encode(value) {
            Ok(Bson::Document(inner)) if name.is_empty() => {
                for (key, value) in inner {
                    fields.entry(key).or_insert(value);
                }
            }
            Ok(_) if name.is_empty() => {}
            Ok(value) => {
                fields.insert(name, value);
            }
            Err(error) => self.0 = Err(error.in_field(name)),
        }
    }

    /// Adds an average as its quotient.
    pub fn put_average(&mut self, name: &str, value: impl Into<Quotient>) {
        if let Ok(fields) = &mut self.0 {
            fields.insert(name, value.into().0);
        }
    }

    /// Writes the fields.
    ///
    /// # Errors
    /// The serializer's, and one for a value that BSON or RFC 3339 cannot express.
    pub fn end<S: Serializer>(self, serializer: S) -> Result<S::Ok, S::Error> {
        let fields = self.0.map_err(S::Error::custom)?;
        Readable(&Bson::Document(fields)).serialize(serializer)
    }
}
