//! Lists and numbers of children, as they are written.

use proc_macro2::{Ident, TokenStream};
use quote::ToTokens;
use syn::Path;

use super::{Bound, Sort};

/// `#[recent(LogMsg, max = 1000, sort = time, fields(time, message), via = host, only(level = "error"))]`
pub(crate) struct RecentAttr {
    pub(crate) child: Path,
    /// The bound; `None` was reported, as were a missing `sort` and missing `fields`.
    pub(crate) max: Option<Bound>,
    /// The field of the children that orders the list, and true if the list begins with the last.
    pub(crate) sort: Option<Sort>,
    /// The children's fields that the list shows.
    pub(crate) fields: Vec<Ident>,
    /// The paths of the children's fields that have to have these values.
    pub(crate) only: Vec<(Vec<Ident>, syn::Lit)>,
    pub(crate) via: Option<Ident>,
    pub(crate) derives: Option<Vec<Path>>,
    pub(crate) site: TokenStream,
}

/// `#[count(LogMsg, via = host, only(read = false), max = 300)]`, `#[sum(Line, field = price)]`, `#[avg(Review, field = stars)]`,
/// `#[min(Offer, field = price)]`, `#[max(Bid, field = amount)]`
pub(crate) struct CountAttr {
    pub(crate) number: Number,
    pub(crate) child: Path,
    /// The path of the children's field that `#[sum]` and `#[avg]` add up, and `#[min]` and `#[max]` compare.
    pub(crate) added: Option<Vec<Ident>>,
    /// The path of the field by which `added` is multiplied: `field = price * quantity`.
    pub(crate) times: Option<Vec<Ident>>,
    /// The paths of the children's fields that have to have these values: equality alone.
    pub(crate) only: Vec<(Vec<Ident>, syn::Lit)>,
    /// The largest number of children.
    pub(crate) max: Option<CountMax>,
    pub(crate) via: Option<Ident>,
    /// The children's date by which they belong to the period of the document.
    pub(crate) at: Option<Ident>,
    pub(crate) site: TokenStream,
}

/// `#[period(per = day, zone = "Europe/Rome")]`
pub(crate) struct PeriodAttr {
    /// The length of the periods; `None` was reported, as was a missing zone.
    pub(crate) per: Option<Per>,
    pub(crate) zone: Option<syn::LitStr>,
    pub(crate) site: TokenStream,
}

/// The length of a period.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Per {
    Hour,
    Day,
    Week,
    Month,
}

/// The number that an attribute keeps.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Number {
    Count,
    Sum,
    Average,
    /// The least value: no number, but written and checked as one.
    Least,
    Greatest,
}

impl Number {
    /// The name of its attribute.
    pub(crate) fn attribute(self) -> &'static str {
        match self {
            Number::Count => "count",
            Number::Sum => "sum",
            Number::Average => "avg",
            Number::Least => "min",
            Number::Greatest => "max",
        }
    }

    /// The verb of a message for what a field does with the children.
    pub(crate) fn verb(self) -> &'static str {
        match self {
            Number::Count => "counts",
            Number::Sum => "adds up",
            Number::Average => "averages",
            Number::Least => "keeps the least of",
            Number::Greatest => "keeps the greatest of",
        }
    }

    /// True if the number is the value of one of the children.
    pub(crate) fn is_extreme(self) -> bool {
        matches!(self, Number::Least | Number::Greatest)
    }
}

/// The largest number of children of a document.
pub(crate) enum CountMax {
    /// `max = 300`
    Number(Bound),
    /// `max = seats`: a field of the model.
    Field(Ident),
}

impl CountMax {
    /// The number or the field, as it is written.
    pub(crate) fn tokens(&self) -> &dyn ToTokens {
        match self {
            CountMax::Number(max) => &max.tokens,
            CountMax::Field(field) => field,
        }
    }
}

impl CountAttr {
    /// The attribute as it is written.
    pub(crate) fn name(&self) -> &'static str {
        self.number.attribute()
    }
}
