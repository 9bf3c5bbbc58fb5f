//! Rules about whole documents, as `#[model(check(start < end, with = is_open, garde))]` has them.

use proc_macro2::{Ident, TokenStream};
use syn::Path;

use super::checks::End;

/// `qty * price <= limit`
pub(crate) struct ComparisonAttr {
    /// The comparison as written, for spans.
    pub(crate) site: TokenStream,
    pub(crate) left: Side,
    pub(crate) op: CompareOp,
    pub(crate) right: Side,
    /// `on = write`: stored documents need not meet it.
    pub(crate) on_write: bool,
}

/// A judge of whole documents.
pub(crate) struct JudgeAttr {
    pub(crate) judge: DocumentJudge,
    /// `on = write`: stored documents are not judged.
    pub(crate) on_write: bool,
}

/// A function or a crate that judges whole documents.
pub(crate) enum DocumentJudge {
    /// `with = is_open`
    Function(Path),
    /// `garde`, `validator`: the rules that a crate of this name knows.
    Crate(Ident),
}

/// A sum of products.
pub(crate) type Side = Vec<Vec<Term>>;

pub(crate) enum Term {
    /// A Rust name.
    Field(Ident),
    Number(End),
}

#[derive(Clone, Copy)]
pub(crate) enum CompareOp {
    Less,
    AtMost,
    Greater,
    AtLeast,
    Equal,
    Unequal,
}

impl CompareOp {
    pub(crate) const ALL: [CompareOp; 6] = [
        CompareOp::Less,
        CompareOp::AtMost,
        CompareOp::Greater,
        CompareOp::AtLeast,
        CompareOp::Equal,
        CompareOp::Unequal,
    ];

    pub(crate) fn symbol(self) -> &'static str {
        match self {
            CompareOp::Less => "<",
            CompareOp::AtMost => "<=",
            CompareOp::Greater => ">",
            CompareOp::AtLeast => ">=",
            CompareOp::Equal => "==",
            CompareOp::Unequal => "!=",
        }
    }
}

impl ComparisonAttr {
    /// The fields that it names, in the order in which they are written.
    pub(crate) fn fields(&self) -> impl Iterator<Item = &Ident> {
        let terms = self.left.iter().chain(&self.right).flatten();
        terms.filter_map(|term| match term {
            Term::Field(name) => Some(name),
            Term::Number(_) => None,
        })
    }

    /// The comparison, with the names that `field` gives.
    pub(crate) fn text(&self, field: impl Fn(&Ident) -> String) -> String {
        let term = |term: &Term| match term {
            Term::Field(name) => field(name),
            Term::Number(End::Int(n)) => n.to_string(),
            Term::Number(End::Float(n)) => format!("{n:?}"),
        };
        let product = |terms: &Vec<Term>| terms.iter().map(term).collect::<Vec<_>>().join(" * ");
        let side = |side: &Side| side.iter().map(product).collect::<Vec<_>>().join(" + ");
        format!(
            "{} {} {}",
            side(&self.left),
            self.op.symbol(),
            side(&self.right)
        )
    }
}
