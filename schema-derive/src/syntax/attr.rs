//! The attributes of a field by name.

use super::{FieldAttrs, Number};

/// An attribute of a field that says what the field is, or how it is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Attr {
    Refs,
    Parent,
    Denorm,
    Embed,
    Recent,
    Count,
    Sum,
    Avg,
    Min,
    Max,
    Index,
    Version,
    Created,
    Updated,
    Deleted,
    Immutable,
    Volatile,
    Opaque,
    Check,
    Ancestors,
}

impl Attr {
    /// The name in messages.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Attr::Refs => "refs",
            Attr::Parent => "parent",
            Attr::Denorm => "denorm",
            Attr::Embed => "embed",
            Attr::Recent => "recent",
            Attr::Count => "count",
            Attr::Sum => "sum",
            Attr::Avg => "avg",
            Attr::Min => "min",
            Attr::Max => "max",
            Attr::Index => "index",
            Attr::Version => "version",
            Attr::Created => "created",
            Attr::Updated => "updated",
            Attr::Deleted => "deleted",
            Attr::Immutable => "immutable",
            Attr::Volatile => "volatile",
            Attr::Opaque => "opaque",
            Attr::Check => "check",
            Attr::Ancestors => "ancestors",
        }
    }
}

impl FieldAttrs {
    pub(crate) fn has(&self, attr: Attr) -> bool {
        match attr {
            Attr::Refs => self.refs.is_some(),
            Attr::Parent => self.parent.is_some(),
            Attr::Denorm => !self.denorm.is_empty(),
            Attr::Embed => self.embed.is_some(),
            Attr::Recent => self.recent.is_some(),
            Attr::Count => self.is_number(Number::Count),
            Attr::Sum => self.is_number(Number::Sum),
            Attr::Avg => self.is_number(Number::Average),
            Attr::Min => self.is_number(Number::Least),
            Attr::Max => self.is_number(Number::Greatest),
            Attr::Index => !self.index.is_empty(),
            Attr::Version => self.version.is_some(),
            Attr::Created => self.created.is_some(),
            Attr::Updated => self.updated.is_some(),
            Attr::Deleted => self.deleted.is_some(),
            Attr::Immutable => self.immutable.is_some(),
            Attr::Volatile => self.volatile.is_some(),
            Attr::Opaque => self.opaque.is_some(),
            Attr::Check => self.check.is_some(),
            Attr::Ancestors => self.ancestors.is_some(),
        }
    }

    fn is_number(&self, number: Number) -> bool {
        let count = self.count.as_ref();
        count.is_some_and(|count| count.number == number)
    }
}
