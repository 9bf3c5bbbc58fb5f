//! What a read asks for: the whole document, or a projection of it.

use bson::Document;
use serde::de::DeserializeOwned;

use crate::model::MongoModel;

/// A type that a read of `M` may give: `M` itself, or a projection of it.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a projection of `{M}`",
    label = "not a projection of `{M}`",
    note = "add `#[derive(MongoProjection)]` and `#[projection(of = {M})]` to it"
)]
pub trait Projected<M: MongoModel>: DeserializeOwned + Send + 'static {
    /// What is asked for, as the server takes it; `None` for the whole document.
    fn projection() -> Option<Document>;
}

impl<M: MongoModel> Projected<M> for M {
    fn projection() -> Option<Document> {
        None
    }
}
