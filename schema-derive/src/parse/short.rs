//! The attributes of fields that have a name of their own; each is accepted inside `#[model(..)]` too.

use syn::{Attribute, Ident};

/// `embed` of `#[embed(..)]`.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Short {
    Embed,
    Refs,
    Parent,
    Denorm,
    Index,
    Volatile,
    Version,
    Recent,
    Count,
    Sum,
    Avg,
    Min,
    Max,
    Created,
    Updated,
    Deleted,
    Immutable,
    Check,
    Default,
    Period,
    Ancestors,
    Personal,
}

impl Short {
    const ALL: &[Short] = &[
        Short::Embed,
        Short::Refs,
        Short::Parent,
        Short::Denorm,
        Short::Index,
        Short::Volatile,
        Short::Version,
        Short::Recent,
        Short::Count,
        Short::Sum,
        Short::Avg,
        Short::Min,
        Short::Max,
        Short::Created,
        Short::Updated,
        Short::Deleted,
        Short::Immutable,
        Short::Check,
        Short::Default,
        Short::Period,
        Short::Ancestors,
        Short::Personal,
    ];

    pub(super) fn name(self) -> &'static str {
        match self {
            Short::Embed => "embed",
            Short::Refs => "refs",
            Short::Parent => "parent",
            Short::Denorm => "denorm",
            Short::Index => "index",
            Short::Volatile => "volatile",
            Short::Version => "version",
            Short::Recent => "recent",
            Short::Count => "count",
            Short::Sum => "sum",
            Short::Avg => "avg",
            Short::Min => "min",
            Short::Max => "max",
            Short::Created => "created",
            Short::Updated => "updated",
            Short::Deleted => "deleted",
            Short::Immutable => "immutable",
            Short::Check => "check",
            Short::Default => "default",
            Short::Period => "period",
            Short::Ancestors => "ancestors",
            Short::Personal => "personal",
        }
    }

    /// The attribute that this one is.
    pub(super) fn from_attribute(attr: &Attribute) -> Option<Self> {
        attr.path().get_ident().and_then(Self::from_name)
    }

    /// The attribute of this name.
    pub(super) fn from_name(word: &Ident) -> Option<Self> {
        Self::ALL.iter().copied().find(|short| word == short.name())
    }

    /// True if a field may have several of it.
    pub(super) fn repeats(self) -> bool {
        matches!(self, Short::Denorm | Short::Index | Short::Check)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::Short;

    #[test]
    fn both_derives_accept_all_of_them() {
        let mut names: BTreeSet<&str> = Short::ALL.iter().map(|short| short.name()).collect();
        names.insert("model");
        let lib = include_str!("../lib.rs");
        let lists = lib
            .split("attributes(")
            .skip(1)
            .filter_map(|rest| rest.split(')').next());
        let lists: Vec<BTreeSet<&str>> = lists
            .map(|list| list.split(',').map(str::trim).collect())
            .filter(|list: &BTreeSet<&str>| list.contains("model"))
            .collect();
        assert_eq!(lists, [names.clone(), names]);
    }
}
