//! Conditions as the server gets them.

use std::fmt;

use bson::{Bson, Document, doc};

use crate::bson_util::redacted::Redacted;
use crate::error::{Error, Result};
use crate::schema::field::IndexKind;
use crate::schema::field::place::{Path, path};
use crate::schema::index_row::{CollationRow, ConditionOp, Literal};
use crate::schema::rows::Kind;

/// A condition, without and with the conditions that partial indexes need.
pub(super) struct Expr {
    pub(super) asked: Document,
    /// The condition with the conditions of the partial indexes that are to serve it, if there are any. A scan and a negation
    /// leave these out: they would change the meaning of the condition.
    served: Option<Document>,
    /// The collation that the comparisons of strings need, where they need one.
    collation: Option<&'static CollationRow>,
    /// True if it compares a string exactly.
    exact: bool,
}

impl fmt::Debug for Expr {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        Redacted(&self.asked).fmt(f)
    }
}

impl Expr {
    /// Applies `make` to both forms.
    pub(super) fn map(self, make: impl Fn(Document) -> Document) -> Self {
        Expr {
            asked: make(self.asked),
            served: self.served.map(make),
            ..self
        }
    }

    /// A comparison by a collation.
    pub(super) fn folded(asked: Document, collation: Option<&'static CollationRow>) -> Self {
        Expr {
            asked,
            served: None,
            collation,
            exact: false,
        }
    }

    /// A comparison of values of this kind, whose constants are paths.
    pub(super) fn of_kind(asked: Document, kind: Kind) -> Self {
        Expr {
            asked,
            served: None,
            collation: None,
            exact: kind == Kind::String,
        }
    }

    pub(super) fn without_served(self) -> Self {
        Expr {
            served: None,
            ..self
        }
    }

    pub(super) fn collation(&self) -> Option<&'static CollationRow> {
        self.collation
    }

    pub(super) fn into_served(self) -> Document {
        self.served.unwrap_or(self.asked)
    }
}

impl From<Document> for Expr {
    fn from(asked: Document) -> Self {
        Expr {
            exact: has_strings(&asked),
            asked,
            served: None,
            collation: None,
        }
    }
}

/// Joins two conditions by `op`.
pub(super) fn join<M>(
    op: &str,
    a: Result<Expr, Error>,
    b: Result<Expr, Error>,
) -> Result<Expr, Error> {
    let (a, b) = (a?, b?);
    let sides = ((a.collation, a.exact), (b.collation, b.exact));
    let collation = join_collations(model_name::<M>(), sides.0, sides.1)?;
    let exact = a.exact || b.exact;
    let served = match (a.served, b.served) {
        (None, None) => None,
        (left, right) => {
            let left = left.unwrap_or_else(|| a.asked.clone());
            Some(both(op, left, right.unwrap_or_else(|| b.asked.clone())))
        }
    };
    Ok(Expr {
        asked: both(op, a.asked, b.asked),
        served,
        collation,
        exact,
    })
}

fn both(op: &str, a: Document, b: Document) -> Document {
    let mut parts = Vec::new();
    for side in [a, b] {
        // A side that is itself a join of the same kind gives its parts, so that long chains stay flat.
        match side.get_array(op) {
            Ok(inner) if side.len() == 1 => parts.extend(inner.iter().cloned()),
            _ => parts.push(Bson::Document(side)),
        }
    }
    doc! { op: parts }
}

/// `{name: {op: value}}`
pub(super) fn condition(name: &str, op: &str, value: Bson) -> Document {
    // Inside `any(|e| e.eq(..))` over scalars the path is empty: the operator applies to the element itself.
    if name.is_empty() {
        doc! { op: value }
    } else {
        doc! { name: { op: value } }
    }
}

/// `{path: {op: value}}`, and the same with the conditions of the partial index that is to serve it.
pub(super) fn compare<P: Path, I: IndexKind>(op: &str, value: Bson) -> Expr {
    served_by::<P, I>(condition(&path::<P>(), op, value))
}

/// The condition on the field, with the conditions of the partial index that is to serve it.
pub(super) fn served_by<P: Path, I: IndexKind>(asked: Document) -> Expr {
    if I::CONDITIONS.is_empty() {
        return asked.into();
    }
    let exact = has_strings(&asked);
    let name = path::<P>();
    let mut parts = vec![Bson::Document(asked.clone())];
    for implied in I::CONDITIONS {
        let (op, value) = implied.to_bson();
        parts.push(Bson::Document(condition(&name, op, value)));
    }
    Expr {
        asked,
        served: Some(doc! { "$and": parts }),
        collation: None,
        exact,
    }
}

impl ConditionOp {
    /// The operator and its operand.
    pub(crate) fn to_bson(self) -> (&'static str, Bson) {
        let literal = |literal: Literal| match literal {
            Literal::Str(text) => Bson::String(text.to_owned()),
            Literal::Int(n) => i32::try_from(n).map_or(Bson::Int64(n), Bson::Int32),
            Literal::Double(n) => Bson::Double(n),
            Literal::Bool(b) => Bson::Boolean(b),
        };
        match self {
            ConditionOp::Exists => ("$exists", Bson::Boolean(true)),
            ConditionOp::Type(name) => ("$type", Bson::String(name.to_owned())),
            ConditionOp::Eq(value) => ("$eq", literal(value)),
            ConditionOp::Gt(value) => ("$gt", literal(value)),
            ConditionOp::Gte(value) => ("$gte", literal(value)),
            ConditionOp::Lt(value) => ("$lt", literal(value)),
            ConditionOp::Lte(value) => ("$lte", literal(value)),
        }
    }
}

/// The name of a model that a filter is about.
pub(super) fn model_name<M>() -> &'static str {
    let name = std::any::type_name::<M>();
    name.rsplit("::").next().unwrap_or(name)
}

/// The collation of a command that has conditions of both sides: one, which no exact comparison of strings is part of.
pub(crate) fn join_collations(
    model: &'static str,
    a: (Option<&'static CollationRow>, bool),
    b: (Option<&'static CollationRow>, bool),
) -> Result<Option<&'static CollationRow>> {
    let joined = match (a.0, b.0) {
        (Some(a), Some(b)) if a != b => return Err(Error::TwoCollations { model }),
        (a, b) => a.or(b),
    };
    match joined {
        Some(_) if a.1 || b.1 => Err(Error::TwoCollations { model }),
        joined => Ok(joined),
    }
}

/// True if a filter compares a string, which a collation would compare in another way.
pub(crate) fn has_strings(value: &Document) -> bool {
    fn compared(value: &Bson) -> bool {
        match value {
            Bson::String(_) => true,
            Bson::Document(inner) => has_strings(inner),
            Bson::Array(values) => values.iter().any(compared),
            _ => false,
        }
    }
    // The names of shapes are no strings of a document.
    let mut compares = value.iter().filter(|(key, _)| *key != "$geometry");
    compares.any(|(_, value)| compared(value))
}
