//! Comparisons of the fields of one document: `#[model(check(start < end))]`.

use std::fmt;

/// A comparison that every document of a model meets. A document meets it, too, if one of the sides is null or absent.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Comparison {
    /// The comparison as it is written, with the stored names: `start < end`.
    pub text: &'static str,
    /// The side in front of the operator: a sum of products.
    pub left: &'static [&'static [Term]],
    /// The operator.
    pub op: CompareOp,
    /// The side behind the operator.
    pub right: &'static [&'static [Term]],
    /// `on = write`: stored documents need not meet it, and the server's validator does not know it.
    pub on_write: bool,
}

/// A part of a product.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Term {
    /// The stored name of a field of the model.
    Field(&'static str),
    /// A whole number.
    Int(i64),
    /// A float that is finite.
    Float(f64),
}

/// An operator of a comparison.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CompareOp {
    /// `<`
    Less,
    /// `<=`
    AtMost,
    /// `>`
    Greater,
    /// `>=`
    AtLeast,
    /// `==`
    Equal,
    /// `!=`
    Unequal,
}

impl Comparison {
    /// The stored names of the compared fields, in the order in which they are written.
    pub fn fields(&self) -> impl Iterator<Item = &'static str> + use<> {
        let terms = [self.left, self.right].into_iter().flatten().copied();
        terms.flatten().filter_map(|term| match term {
            Term::Field(name) => Some(*name),
            Term::Int(_) | Term::Float(_) => None,
        })
    }
}

impl fmt::Display for Comparison {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.text)
    }
}
