//! The trait and the table row that the derive writes for `events(..)`.

use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::schema::model::Model;
use crate::schema::value::Value;

/// A model with `events(..)`: updates and inserts of its documents emit events.
#[diagnostic::on_unimplemented(
    message = "`{Self}` emits no events",
    label = "no `events(..)`",
    note = "say so on the model: `#[model(collection = \"..\", events = <enum>)]`"
)]
pub trait Emits: Model {
    /// The type of the events, usually an enum that derives `MongoEmbed`.
    type Event: Value + Serialize + DeserializeOwned + Send + Sync + 'static;
}

/// The events of a model.
#[doc(hidden)]
#[derive(Debug, Clone, Copy)]
pub struct EventsRow {
    /// The collection of the delivered events.
    pub log: &'static str,
    /// The readers that get each event.
    pub readers: &'static [&'static str],
}
