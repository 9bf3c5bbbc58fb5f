//! Changes without a change stream: the documents are read again and again, and compared by their hashes.

use std::hash::{BuildHasher, Hash, Hasher, RandomState};

use bson::{Bson, RawDocument};

use super::event::{Batch, Fate, Touched};
use super::reader::Reader;
use crate::bson_util::id_key::{IdKey, IdMap};
use crate::bson_util::stored_id::id_of;
use crate::error::{Error, Result};
use crate::projection::Projected;
use crate::schema::model::Model;
use crate::schema::stored;

/// The largest number of documents that are compared.
const DOCUMENTS: usize = 10_000;

/// The documents of the last look: their ids and hashes.
#[derive(Debug, Default)]
pub(super) struct Seen {
    documents: IdMap<(Bson, u64)>,
    hasher: RandomState,
}

impl Seen {
    /// Reads the documents, and says which of them are not as they were. Sends one `find`.
    ///
    /// # Errors
    /// [`Error::Impossible`] for more than 10,000 documents; the driver's.
    pub(super) async fn find_changed<M: Model, O: Projected<M>>(
        &mut self,
        reader: &Reader<M, O>,
    ) -> Result<Batch> {
        let (_, mut rows) = reader.find::<M>(None).open(&[]).await?;
        let mut now = IdMap::default();
        let read = |raw: &RawDocument| Ok((id_of(raw), self.hash_of(raw)?));
        while let Some((id, hash)) = rows.next(read).await? {
            now.insert(IdKey::new(&id), (id, hash));
            if now.len() > DOCUMENTS {
                return Err(Error::Impossible {
                    what: format!(
                        "watching more than {DOCUMENTS} documents of {} without change streams, which a replica set has, \
                         also one of a single server",
                        M::model_meta().name
                    ),
                });
            }
        }
        let mut batch = Batch::default();
        let mut touch = |id: &Bson, fate| {
            batch.touched.push(Touched {
                id: id.clone(),
                fate,
                paths: Vec::new(),
            });
        };
        for (key, (id, hash)) in &now {
            match self.documents.remove(key) {
                None => touch(id, Fate::Inserted),
                Some((_, before)) if before != *hash => touch(id, Fate::Replaced),
                Some(_) => {}
            }
        }
        for (id, _) in self.documents.values() {
            touch(id, Fate::Replaced);
        }
        self.documents = now;
        Ok(batch)
    }

    /// The hash of a document without the fields of the library.
    fn hash_of(&self, raw: &RawDocument) -> Result<u64> {
        let mut hasher = self.hasher.build_hasher();
        for element in raw.iter_elements() {
            let element = element.map_err(mongodb::error::Error::from)?;
            if !stored::is_own_field(element.key().as_str()) {
                element.key().as_str().hash(&mut hasher);
                let mut one = bson::RawDocumentBuf::new();
                let value = element.value().map_err(mongodb::error::Error::from)?;
                one.append(bson::cstr!(""), value);
                one.as_bytes().hash(&mut hasher);
            }
        }
        Ok(hasher.finish())
    }
}
