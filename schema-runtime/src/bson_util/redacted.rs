//! `Debug` output shows the paths and types of values. Logs are read by more people than the database is.

use std::fmt;

use bson::{Bson, Document};

/// A value whose `Debug` output has its keys and types only.
pub(crate) struct Redacted<'v, T: ?Sized>(pub(crate) &'v T);

/// A type that can be shown without the values in it.
pub(crate) trait Redact {
    fn fmt_redacted(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result;
}

impl<T: Redact + ?Sized> fmt::Debug for Redacted<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt_redacted(f)
    }
}

impl Redact for Bson {
    fn fmt_redacted(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Bson::Document(document) => document.fmt_redacted(f),
            Bson::Array(values) => values.fmt_redacted(f),
            value => write!(f, "{:?}", value.element_type()),
        }
    }
}

impl Redact for Document {
    fn fmt_redacted(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let entries = self.iter().map(|(key, value)| (key, Redacted(value)));
        f.debug_map().entries(entries).finish()
    }
}

impl<T: Redact> Redact for Vec<T> {
    fn fmt_redacted(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.iter().map(Redacted)).finish()
    }
}

impl<T: Redact, E: fmt::Debug> Redact for Result<T, E> {
    fn fmt_redacted(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&self.as_ref().map(Redacted), f)
    }
}

impl<T: Redact + ?Sized> Redact for &T {
    fn fmt_redacted(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        (**self).fmt_redacted(f)
    }
}

#[cfg(test)]
mod tests {
    use bson::doc;

    use super::Redacted;

    #[test]
    fn paths_and_types_are_shown_and_values_are_not() {
        let filter = doc! { "mail": { "$in": ["a@example.com", 1_i64] }, "at.x": bson::Bson::Null };
        assert_eq!(
            format!("{:?}", Redacted(&filter)),
            r#"{"mail": {"$in": [String, Int64]}, "at.x": Null}"#
        );
    }
}
