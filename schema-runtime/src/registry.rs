//! The link-time registry: every model of the program, whichever crate it is in.

use crate::model::ModelMeta;

/// One model, submitted by its derive.
#[derive(Debug, Clone, Copy)]
pub struct Registered(pub fn() -> &'static ModelMeta);

inventory::collect!(Registered);

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
