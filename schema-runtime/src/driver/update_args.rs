//! An update about to be sent.

use bson::Document;
use mongodb::options::UpdateModifications;

use super::{Lasting, Strings};
use crate::bson_util::operators;

/// An update about to be sent.
#[derive(Debug, Clone)]
pub(crate) struct UpdateArgs {
    pub(crate) filter: Document,
    pub(crate) changes: UpdateModifications,
    pub(crate) many: bool,
    pub(crate) upsert: bool,
    pub(crate) lasting: Lasting,
    pub(crate) strings: Strings,
}

impl UpdateArgs {
    /// Takes the conditions on array elements out of the operators.
    pub(super) fn elements(&mut self) -> Option<Vec<Document>> {
        match &mut self.changes {
            UpdateModifications::Document(operators) => operators::take_elements(operators),
            _ => None,
        }
    }

    /// An update that is acknowledged as the client is configured.
    pub(crate) fn plain(filter: Document, changes: Document, many: bool) -> Self {
        UpdateArgs {
            filter,
            changes: UpdateModifications::Document(changes),
            many,
            upsert: false,
            lasting: Lasting::AsConfigured,
            strings: Strings::Exactly,
        }
    }
}
