//! Patches: the fields that a request names are set, and the others stay.

use std::marker::PhantomData;

use super::ops::Changes;
use crate::codec::Encode;
use crate::schema::field::place::{OnePlace, Path};
use crate::schema::field::{Field, Handles, Settable};
use crate::schema::model::Model;

/// The fields of an `M` to change, for `update(..).patch(..)`: `#[model(patch = CustomerPatch)]` on the model generates such a struct.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no patch of `{M}`",
    label = "not a patch of `{M}`",
    note = "`#[model(patch = {M}Patch)]` on `{M}` generates a struct of the fields that a request may change"
)]
pub trait Patch<M> {
    /// Adds the fields that it gives to an update.
    #[doc(hidden)]
    fn change(self, changes: &mut PatchChanges<'_, M>);
}

/// The update that a patch adds its fields to.
#[doc(hidden)]
#[derive(Debug)]
pub struct PatchChanges<'c, M> {
    changes: &'c mut Changes,
    model: PhantomData<fn() -> M>,
}

impl<'c, M: Model> PatchChanges<'c, M> {
    pub(super) fn new(changes: &'c mut Changes) -> Self {
        let model = PhantomData;
        PatchChanges { changes, model }
    }

    /// As [`Update::set_some`](super::Update::set_some).
    pub fn set_some<P, T, I, W>(
        &mut self,
        field: impl FnOnce(M::FieldHandles) -> Field<P, T, I, W>,
        value: Option<T>,
    ) where
        P: OnePlace + Path<Root = M>,
        P::Codec: Encode<T>,
        W: Settable,
    {
        let _ = field(M::FieldHandles::VALUE);
        self.changes.set_some::<M, P, T>(value);
    }
}
