//! The link-time registry: every model of the program, whichever crate it is in.

#[cfg(feature = "driver")]
use std::any::TypeId;
use std::collections::HashSet;
use std::sync::OnceLock;

use bson::{RawDocument, RawDocumentBuf};

use crate::codec::CodecError;
use crate::schema::model::{Model, ModelMeta};

/// The function that tells why a stored document is none of its model, and appends it as a `save` stores it.
type Decodes = fn(&RawDocument, Option<&mut Vec<u8>>) -> Result<(), CodecError>;

/// A model as its derive submits it: its tables, the check of a stored document, and the type of the handle of its tenants.
#[derive(Debug, Clone, Copy)]
pub struct Registered(
    pub fn() -> &'static ModelMeta,
    pub Decodes,
    #[cfg(feature = "driver")] pub fn() -> TypeId,
);

impl Registered {
    /// The entry of `M`.
    #[must_use]
    pub const fn of<M: Model>(decodes: Decodes) -> Self {
        Registered(
            M::model_meta,
            decodes,
            #[cfg(feature = "driver")]
            TypeId::of::<M::TenantHandle>,
        )
    }
}

inventory::collect!(Registered);

/// True where several models linked into the program store their documents in this collection.
pub(crate) fn shares(collection: &str) -> bool {
    static SHARED: OnceLock<HashSet<&'static str>> = OnceLock::new();
    let shared = SHARED.get_or_init(|| {
        let models = models();
        let pairs = models.windows(2);
        pairs
            .filter(|pair| pair[0].collection == pair[1].collection)
            .map(|pair| pair[0].collection)
            .collect()
    });
    shared.contains(collection)
}

/// A model linked into the program that is stored in this collection.
pub(crate) fn model_in(collection: &str) -> Option<&'static ModelMeta> {
    let mut models = inventory::iter::<Registered>.into_iter().map(|one| one.0());
    models.find(|model| model.collection == collection)
}

/// The models whose calls take a value of this type.
#[cfg(feature = "driver")]
pub(crate) fn models_of(handle: TypeId) -> impl Iterator<Item = &'static ModelMeta> {
    let all = registered().into_iter();
    all.filter(move |one| one.2() == handle).map(|one| one.0())
}

/// Every model linked into the program with what its derive submitted, by collection and name.
pub(crate) fn registered() -> Vec<Registered> {
    let mut all: Vec<Registered> = inventory::iter::<Registered>.into_iter().copied().collect();
    all.sort_by_key(|one| (one.0().collection, one.0().name));
    all
}

/// The document as the model stores it again when a program has read it and saves it; `None` for the `#[serde(other)]` variant of an enum
/// model, which no program saves, and for a model that is not linked into the program.
///
/// # Errors
/// Why it is no document of the model.
#[doc(hidden)]
pub fn stored_again(
    model: &ModelMeta,
    raw: &RawDocument,
) -> Result<Option<RawDocumentBuf>, CodecError> {
    let mut all = inventory::iter::<Registered>.into_iter();
    let Some(found) = all.find(|one| std::ptr::eq(one.0(), model)) else {
        return Ok(None);
    };
    let mut again = Vec::new();
    found.1(raw, Some(&mut again))?;
    let is_saved = !again.is_empty();
    Ok(is_saved
        .then(|| RawDocumentBuf::from_bytes(again))
        .transpose()?)
}

/// Every model linked into the program, by collection and name. The order does not depend on the linker.
#[must_use]
pub fn models() -> Vec<&'static ModelMeta> {
    let mut models: Vec<_> = inventory::iter::<Registered>
        .into_iter()
        .map(|found| found.0())
        .collect();
    models.sort_by_key(|model| (model.collection, model.name));
    models
}
