//! Events that writes emit.

use super::{Update, UpdateIf};
use crate::codec::{CodecError, encode_value};
use crate::error::{Error, Result};
use crate::schema::events::Emits;
use crate::schema::model::Model;
use crate::write::cardinality::One;
use crate::write::store::Insert;

/// The stored form of an event.
fn encoded<M: Emits>(event: &M::Event) -> Result<bson::Bson> {
    let failed = |source: CodecError| Error::Encode {
        model: M::model_meta().name,
        field: "events".to_owned(),
        source: Box::new(source),
    };
    encode_value(event).map_err(failed)
}

impl<M: Model> Insert<'_, M, One> {
    /// Emits an event with the document, in the same atomic write; called again, another one after it. See
    /// [`events`](crate::MongoModel::events).
    pub fn emit(mut self, event: <M as Emits>::Event) -> Self
    where
        M: Emits,
    {
        match encoded::<M>(&event) {
            Ok(event) => self.events.add(event),
            Err(error) => self.documents = self.documents.and(Err(error)),
        }
        self
    }
}

/// Adds an event to the changes.
macro_rules! emits {
    ($update:ident) => {
        impl<M: Model> $update<'_, M> {
            /// Emits an event with the change, in the same atomic write; called again, another one after it. An update that changes nothing
            /// else emits it, too. See [`events`](crate::MongoModel::events).
            pub fn emit(mut self, event: <M as Emits>::Event) -> Self
            where
                M: Emits,
            {
                match encoded::<M>(&event) {
                    Ok(event) => self.changes.events.add(event),
                    Err(error) => self.changes.fail(error),
                }
                self
            }
        }
    };
}

emits!(Update);
emits!(UpdateIf);
