//! Relations between documents of different collections: references, copies, two-way references, numbers of children, lists of the newest.

mod counts;
mod measure;
mod probe;
mod recent;
mod words;

use bson::Bson;

use super::model::CopyKind;

pub(crate) use self::counts::{count_children, is_average_document};
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

/// A field with the number of children, or with the sum, the average or an extreme of a field of theirs.
#[derive(Debug, Clone)]
pub(crate) struct Count {
    /// The place of the parents' collection, and the field.
    pub(crate) parent: usize,
    pub(crate) field: String,
    /// The place of the reference among all references.
    pub(crate) reference: usize,
    /// The number that the children make.
    pub(crate) amount: Amount,
    pub(crate) looked: u64,
    pub(crate) equal: u64,
}

impl Count {
    /// The fields of the children that the number depends on.
    pub(crate) fn fields(&self) -> impl Iterator<Item = &str> {
        let only = self.amount.only.as_ref().map(|(name, _)| name.as_str());
        self.amount.of.field().into_iter().chain(only)
    }

    /// The words for the number: `the number of`, or `the sum of `likes` of`, and the children.
    pub(crate) fn words(&self, children: &str) -> String {
        let amount = match (self.amount.of.field(), self.amount.of.noun()) {
            (Some(field), noun) => format!("the {noun} of `{field}` of `{children}`"),
            (None, noun) => format!("the {noun} of `{children}`"),
        };
        match &self.amount.only {
            Some((field, value)) => format!("{amount} with `{field}: {value}`"),
            None => amount,
        }
    }
}

/// The number that the children of a parent make, or those of them that have a value in a field.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Amount {
    pub(crate) of: Total,
    pub(crate) only: Option<(String, Bson)>,
}

/// The number of the children, or a value that a field of theirs makes.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Total {
    Children,
    Sum(String),
    /// The sum and the number, as `Average` stores them.
    Average(String),
    /// The quotient, as a number.
    Quotient(String),
    Least(String),
    Greatest(String),
}

impl Total {
    /// The children's field.
    pub(crate) fn field(&self) -> Option<&str> {
        match self {
            Total::Children => None,
            Total::Sum(field)
            | Total::Average(field)
            | Total::Quotient(field)
            | Total::Least(field)
            | Total::Greatest(field) => Some(field),
        }
    }

    /// The noun of a message.
    fn noun(&self) -> &'static str {
        match self {
            Total::Children => "number",
            Total::Sum(_) => "sum",
            Total::Average(_) | Total::Quotient(_) => "average",
            Total::Least(_) => "least",
            Total::Greatest(_) => "greatest",
        }
    }

    /// The name of the attribute, which is the kind of a finding, and the kind of the finding that some values are wrong.
    pub(crate) fn kinds(&self) -> (&'static str, &'static str) {
        match self {
            Total::Children => ("count", "wrong_count"),
            Total::Sum(_) => ("sum", "wrong_sum"),
            Total::Average(_) | Total::Quotient(_) => ("avg", "wrong_average"),
            Total::Least(_) => ("min", "wrong_extreme"),
            Total::Greatest(_) => ("max", "wrong_extreme"),
        }
    }

    /// True for the least or the greatest value.
    pub(crate) fn is_extreme(&self) -> bool {
        matches!(self, Total::Least(_) | Total::Greatest(_))
    }
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
