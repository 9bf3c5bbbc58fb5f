//! The `_id` of a document that adds up the children of one parent in one period.

use bson::DateTime;
use serde::{Deserialize, Serialize};

use crate::schema::field::NoFields;
use crate::schema::field::place::Path;
use crate::schema::keyed_by_parent::keyed_by_parent;
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

keyed_by_parent!(Period { p, d: DateTime });

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
