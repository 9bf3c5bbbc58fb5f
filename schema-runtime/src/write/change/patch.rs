//! Patches: the fields that a request names are set, and the others stay.

use std::fmt;
use std::marker::PhantomData;

use bson::Bson;

use super::ops::{Changes, PartValue};
use crate::bson_util::path::join;
use crate::codec::Encode;
use crate::schema::field::place::{OnePlace, Path, path};
use crate::schema::field::{Field, Handles, Settable};
use crate::schema::model::Model;

/// The fields of an `M` to change, for `update(..).patch(..)`: `#[model(patch = CustomerPatch)]` on the model generates such a struct.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no patch of `{M}`",
    label = "not a patch of `{M}`",
    note = "`#[model(patch = {M}Patch)]` on `{M}` generates a struct of the fields that a request may change"
)]
pub trait Patch<M> {
    /// Adds the fields that the patch gives to an update.
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
    pub(crate) fn new(changes: &'c mut Changes) -> Self {
        let model = PhantomData;
        PatchChanges { changes, model }
    }

    /// The changes themselves.
    pub(super) fn all(&mut self) -> &mut Changes {
        self.changes
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

    /// The fields that the patch of an embedded document gives.
    pub fn set_part<P, T, I, W>(
        &mut self,
        field: impl FnOnce(M::FieldHandles) -> Field<P, T, I, W>,
        patch: Option<impl EmbedPatch<T>>,
    ) where
        P: OnePlace + Path<Root = M>,
        W: Settable,
    {
        let _ = field(M::FieldHandles::VALUE);
        self.add_part::<P, T>(patch);
    }

    /// The fields that the patch of an optional embedded document gives; a null removes the embedded document.
    pub fn set_optional_part<P, T, I, W>(
        &mut self,
        field: impl FnOnce(M::FieldHandles) -> Field<P, Option<T>, I, W>,
        patch: Option<Option<impl EmbedPatch<T>>>,
    ) where
        P: OnePlace + Path<Root = M>,
        P::Codec: Encode<Option<T>>,
        W: Settable,
    {
        let _ = field(M::FieldHandles::VALUE);
        match patch {
            Some(None) => self.changes.set::<M, P, Option<T>>("$set", &None),
            patch => self.add_part::<P, T>(patch.flatten()),
        }
    }

    fn add_part<P: Path, T>(&mut self, patch: Option<impl EmbedPatch<T>>) {
        let mut fields = Vec::new();
        if let Some(patch) = patch {
            let path = path::<P>();
            patch.change(&mut PartChanges {
                path,
                fields: &mut fields,
            });
        }
        self.changes.set_inside::<M, P>(fields);
    }
}

/// The fields of an embedded `T` to change, as a part of a [`Patch`]: `#[model(patch = AddressPatch)]` on the embedded document generates
/// such a struct, and `patch(CustomerPatch, nested(address = AddressPatch))` on the model takes it.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no patch of `{T}` [ATTR_VALUE]",
    label = "not a patch of `{T}`",
    note = "`#[model(patch = ..)]` on an embedded document generates one; lists, maps and enums are set as a whole"
)]
pub trait EmbedPatch<T> {
    /// Adds the fields that the patch gives.
    #[doc(hidden)]
    fn change(self, part: &mut PartChanges<'_>);
}

/// The fields inside one embedded document that a patch gives.
#[doc(hidden)]
pub struct PartChanges<'c> {
    /// The stored path of the embedded document.
    path: String,
    fields: &'c mut Vec<PartValue>,
}

impl fmt::Debug for PartChanges<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PartChanges")
            .field("path", &self.path)
            .finish_non_exhaustive()
    }
}

impl PartChanges<'_> {
    /// Adds the field with this stored name, if there is a value.
    pub fn set_some<C: Encode<T>, T>(&mut self, name: &str, value: Option<T>) {
        if let Some(value) = value {
            self.fields
                .push((join(&self.path, name), C::encode(&value)));
        }
    }

    /// As [`PatchChanges::set_part`].
    pub fn set_part<T>(&mut self, name: &str, patch: Option<impl EmbedPatch<T>>) {
        if let Some(patch) = patch {
            patch.change(&mut PartChanges {
                path: join(&self.path, name),
                fields: self.fields,
            });
        }
    }

    /// As [`PatchChanges::set_optional_part`].
    pub fn set_optional_part<T>(&mut self, name: &str, patch: Option<Option<impl EmbedPatch<T>>>) {
        match patch {
            Some(None) => self.fields.push((join(&self.path, name), Ok(Bson::Null))),
            patch => self.set_part::<T>(name, patch.flatten()),
        }
    }
}
