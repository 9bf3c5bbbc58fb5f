//! A document of another version of its schema.

/// The field that holds a document's version.
#[doc(hidden)]
pub const FIELD: &str = "schema_version";

/// The reason why a document is not of the present version.
#[derive(Debug, Clone)]
pub(crate) enum Outdated {
    /// A newer program has stored the document.
    Newer { found: i64, known: i32 },
    /// The document is older, and the model has no migration.
    Older { found: i64, known: i32 },
    /// The document has no version, and the model does not declare the version of such documents.
    Unversioned { known: i32 },
    /// The step from `from` failed.
    Failed { from: i32, reason: String },
}

impl std::fmt::Display for Outdated {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Outdated::Newer { found, known } => write!(f, "{found} is newer than {known}"),
            Outdated::Older { found, known } => write!(f, "{found} is older than {known}"),
            Outdated::Unversioned { known } => write!(f, "no version, where {known} is known"),
            Outdated::Failed { from, reason } => write!(f, "from {from}: {reason}"),
        }
    }
}
