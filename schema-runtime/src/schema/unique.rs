//! Fields that a unique index has for its keys, so that their values name one document.

use crate::schema::field::Field;
use crate::schema::field::place::{Segment, Top};

/// Fields that together are the keys of a unique index of `M`, which holds every document.
#[diagnostic::on_unimplemented(
    message = "no unique index of `{M}` has the keys `{Self}`",
    label = "several documents may have this value",
    note = "declare `#[index(unique)]` on the field, or `index(keys(a, b), unique)` on the model for a tuple of fields in this order; a sparse or partial index, or one with a collation, does not name one document"
)]
pub trait UniqueKey<M> {}

/// A field of a model, or a tuple of up to four.
#[diagnostic::on_unimplemented(
    message = "a unique key is a field of `{M}` itself, or a tuple of up to four of them",
    label = "not a field of the model itself"
)]
pub trait KeyFields<M> {
    /// The names of the fields as types.
    type Markers;
    /// The stored names.
    fn names() -> Vec<&'static str>;
}

#[diagnostic::do_not_recommend]
impl<M, S: Segment, T, I, W> KeyFields<M> for Field<Top<M, S>, T, I, W> {
    type Markers = S;
    fn names() -> Vec<&'static str> {
        vec![S::NAME]
    }
}

macro_rules! tuples {
    ($(($($fields:ident)*))*) => {$(
        #[diagnostic::do_not_recommend]
        impl<M, $($fields: KeyFields<M>),*> KeyFields<M> for ($($fields,)*) {
            type Markers = ($($fields::Markers,)*);
            fn names() -> Vec<&'static str> {
                [$($fields::names()),*].concat()
            }
        }
    )*};
}
tuples!((A B) (A B C) (A B C D));
