//! The `_id` of a document that adds up the children of one parent in one period.

use std::fmt;
use std::hash::{Hash, Hasher};

use bson::DateTime;
use serde::{Deserialize, Serialize};

use crate::schema::field::NoFields;
use crate::schema::field::place::Path;
use crate::schema::model::Model;
use crate::schema::rows::{FieldRow, Kind, Shape};
use crate::schema::value::{Size, Value, row};

/// The `_id` of a document with `#[period(..)]`: the `_id` of the `P` whose children it adds up, and the beginning of the period.
/// Stored as `{ p: <the parent's _id>, d: <the beginning> }`.
#[derive(Serialize, Deserialize)]
#[serde(bound = "")]
pub struct Period<P: Model> {
    #[serde(serialize_with = "P::write_id", deserialize_with = "P::read_id")]
    p: P::DocumentId,
    d: DateTime,
}

impl<P: Model> Period<P> {
    /// The period of this parent that begins at `start`.
    #[must_use]
    pub const fn new(parent: P::DocumentId, start: DateTime) -> Self {
        Period {
            p: parent,
            d: start,
        }
    }

    /// The `_id` of the parent.
    #[must_use]
    pub const fn parent(&self) -> &P::DocumentId {
        &self.p
    }

    /// The beginning of the period, in the zone of the model.
    #[must_use]
    pub const fn start(&self) -> DateTime {
        self.d
    }
}

impl<P: Model> Clone for Period<P> {
    fn clone(&self) -> Self {
        Period::new(self.p.clone(), self.d)
    }
}

impl<P: Model> Copy for Period<P> where P::DocumentId: Copy {}

impl<P: Model> PartialEq for Period<P>
where
    P::DocumentId: PartialEq,
{
    fn eq(&self, other: &Self) -> bool {
        self.p == other.p && self.d == other.d
    }
}

impl<P: Model> Eq for Period<P> where P::DocumentId: Eq {}

impl<P: Model> Hash for Period<P>
where
    P::DocumentId: Hash,
{
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.p.hash(state);
        self.d.hash(state);
    }
}

impl<P: Model> fmt::Debug for Period<P>
where
    P::DocumentId: fmt::Debug,
{
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Period")
            .field(&self.p)
            .field(&self.d)
            .finish()
    }
}

impl<P: Model> Value for Period<P>
where
    P::DocumentId: Value,
{
    type Elem = Self;
    type Sub<Q: Path> = NoFields;
    const KIND: Kind = Kind::Document;
    const SHAPE: Option<&'static Shape> = Some(&Shape {
        name: "Period",
        fields: Self::FIELDS,
    });
    const FIELDS: &'static [FieldRow] =
        &[row::<P::DocumentId>("p", "p"), row::<DateTime>("d", "d")];
    const SIZE: Size = Size::of(Self::FIELDS, 0, 2);
}

/// A model whose documents add up the children of a parent in one period.
#[diagnostic::on_unimplemented(
    message = "`{Self}` has no `#[period(..)]`",
    label = "no period",
    note = "say so on its `_id`: `#[period(per = day, zone = \"Europe/Rome\")] id: Period<Shop>`"
)]
pub trait Periodic: Model<DocumentId = Period<Self::Parent>> {
    /// The model whose children are added up.
    type Parent: Model;
}
