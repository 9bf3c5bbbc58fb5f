//! The rows of a grouping: documents, or items of an array in them.

use crate::find::Types;
use crate::schema::field::place::{Path, Unwound, path};
use crate::schema::field::{Field, Handles, NotIndexed, Own};
use crate::schema::model::Model;
use crate::schema::value::Value;

/// The rows that a grouping of `M` counts and adds up.
pub trait RowsOf<M> {
    /// The handles of a row's fields.
    type Handles;
    /// The only value.
    const HANDLES: Self::Handles;
    /// The stored path of the array whose items the rows are.
    #[doc(hidden)]
    fn array() -> Option<String> {
        None
    }
}

/// The documents themselves.
#[derive(Debug)]
pub enum Documents {}

impl<M: Model> RowsOf<M> for Documents {
    type Handles = M::FieldHandles;
    const HANDLES: M::FieldHandles = M::FieldHandles::VALUE;
}

/// The items, of type `T`, of the array at `P`, which refer as `W` says.
#[derive(Debug)]
pub struct ItemsOf<P, T, W = Own>(Types<(P, T, W)>);

impl<M, P: Path, T: Value, W> RowsOf<M> for ItemsOf<P, T, W> {
    type Handles = Field<Unwound<P>, T, NotIndexed<()>, W>;
    const HANDLES: Self::Handles = Field::NEW;
    fn array() -> Option<String> {
        Some(path::<P>())
    }
}
