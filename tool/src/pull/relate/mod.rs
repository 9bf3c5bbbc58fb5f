//! Relations between documents of different collections: references, copies, two-way references, numbers of children, lists of the newest.

mod counts;
mod measure;
mod probe;
mod recent;
mod words;

use bson::Bson;

use super::model::CopyKind;

pub(crate) use self::counts::count_children;
pub(crate) use self::measure::{fields_at, measure};
pub(crate) use self::probe::find_references;
pub(crate) use self::recent::find_recent;

/// A path whose values are keys of another collection.
#[derive(Debug, Clone)]
pub(crate) struct Reference {
    /// The place of the collection among the sources.
    pub(crate) from: usize,
    /// The dotted path, without the arrays that it crosses.
    pub(crate) path: String,
    /// True if the path's own value is an array of keys.
    pub(crate) in_array: bool,
    /// The place of the collection that is referred to.
    pub(crate) to: usize,
    /// The field that is referred to: `_id`, or a unique key.
    pub(crate) key: String,
    /// False if no index makes the key unique, though the data has each value once.
    pub(crate) is_indexed: bool,
    /// The number of values that were looked up, and the number of those that were found.
    pub(crate) looked: u64,
    pub(crate) found: u64,
    /// True if the values are strings and the keys ObjectIds.
    pub(crate) as_text: bool,
    pub(crate) copies: Vec<Copy>,
    /// The path in the other collection that refers back, with how many references were compared and agree.
    pub(crate) back: Option<Back>,
}

/// The other side of a two-way reference.
#[derive(Debug, Clone)]
pub(crate) struct Back {
    pub(crate) path: String,
    pub(crate) looked: u64,
    pub(crate) agree: u64,
}

/// A field that repeats a field of the document that its neighbour refers to.
#[derive(Debug, Clone)]
pub(crate) struct Copy {
    /// The name of the field beside the reference.
    pub(crate) field: String,
    /// The dotted path in the source.
    pub(crate) source: String,
    pub(crate) looked: u64,
    pub(crate) equal: u64,
    /// True if older documents differ and newer ones do not.
    pub(crate) frozen: bool,
    /// The kind that the user decided.
    pub(crate) decided: Option<CopyKind>,
}

/// A field with the number of children, or with the sum of a field of theirs.
#[derive(Debug, Clone)]
pub(crate) struct Count {
    /// The place of the parents' collection, and the field.
    pub(crate) parent: usize,
    pub(crate) field: String,
    /// The place of the reference among all references.
    pub(crate) reference: usize,
    /// The amount that each child adds.
    pub(crate) amount: Amount,
    pub(crate) looked: u64,
    pub(crate) equal: u64,
}

impl Count {
    /// The fields of the children that the number depends on.
    pub(crate) fn fields(&self) -> impl Iterator<Item = &str> {
        let only = self.amount.only.as_ref().map(|(name, _)| name.as_str());
        self.amount.sum.as_deref().into_iter().chain(only)
    }

    /// The words for the number: `the number of`, or `the sum of `likes` of`, and the children.
    pub(crate) fn words(&self, children: &str) -> String {
        let amount = match &self.amount.sum {
            Some(field) => format!("the sum of `{field}` of `{children}`"),
            None => format!("the number of `{children}`"),
        };
        match &self.amount.only {
            Some((field, value)) => format!("{amount} with `{field}: {value}`"),
            None => amount,
        }
    }
}

/// The amount that a child adds to a number of its parent: one, or an integer field of the child, if a field of the child has a value.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Amount {
    pub(crate) sum: Option<String>,
    pub(crate) only: Option<(String, Bson)>,
}

/// An array in a parent that holds its newest children.
#[derive(Debug, Clone)]
pub(crate) struct Recent {
    /// The field of the parent.
    pub(crate) array: String,
    /// The field of an element that holds the child's `_id`; `None` if the elements are the ids.
    pub(crate) id: Option<String>,
    /// The places among all references: from the elements to the children, and from the children to the parent.
    pub(crate) to_child: usize,
    pub(crate) to_parent: usize,
    /// The child's field that says which are the newest.
    pub(crate) sort: String,
    /// True if the newest is the first.
    pub(crate) descending: bool,
    pub(crate) is_ordered: bool,
    /// The fields of an element that show a field of the child: both names. Others show none.
    pub(crate) shown: Vec<(String, String)>,
    /// The number of children in the longest list.
    pub(crate) max: u64,
    pub(crate) looked: u64,
    pub(crate) equal: u64,
}

/// The last name of a dotted path, and the path before it.
pub(crate) fn split(path: &str) -> (&str, &str) {
    path.rsplit_once('.').unwrap_or(("", path))
}
