//! Compare and swap: models with a `#[version]`, to which every write adds 1.
//!
//! A document is read, changed in memory, and stored only if no other program has changed it in between: the write's filter holds the
//! version that was read. The library's own writes (to copies that follow their source, to lists and counts of
//! children, to references to a deleted document) do not increase the version.
//!
//! ```no_run
//! # use mongo_model::{Error, MongoModel}; use mongo_model_guide::work::*;
//! # async fn example(db: &mongo_model::Database, mut account: Account) -> mongo_model::Result<()> {
//! account.balance -= 10;
//! if let Err(Error::Conflict(conflict)) = account.save_if_unchanged(db).await {
//!     let current: Account = conflict.current()?; // what another writer has stored
//!     println!("the balance is {} by now", current.balance);
//! }
//! let account = Account::update_with(db, account.id, |account| account.balance -= 10).await?;
//! # Ok(()) }
//! ```

mod delete;
mod many;
mod save;
pub(crate) mod swap;
mod together;
mod with;

pub use crate::schema::version::{put_version, version_of};
#[doc(no_inline)]
pub use crate::{Conflict, Unversioned, Versioned};

pub use self::delete::DeleteIfUnchanged;
pub use self::many::{SaveManyIfUnchanged, SavedMany, Unsaved};
pub use self::save::SaveIfUnchanged;
pub use self::with::UpdateWith;
use crate::document::decode_document;
use crate::document::documents::encoded;
use crate::error::{Error, Result};
use crate::schema::model::Model;

/// The document as it is to be stored over the version that it has in memory, and that version.
fn next<M: Versioned>(document: &mut M) -> Result<(bson::RawDocumentBuf, i64)> {
    let version = document.version();
    let next = version.checked_add(1);
    if !next.is_some_and(|next| document.set_version(next)) {
        return Err(Error::Impossible {
            what: format!(
                "{}: the version {version} is the last one",
                M::model_meta().name
            ),
        });
    }
    let raw = encoded(document);
    document.set_version(version);
    Ok((raw?, version))
}

impl Conflict {
    /// The document as it is now, or was when the conflict was seen.
    ///
    /// # Errors
    /// [`Error::Decode`] if the document does not match the model, [`Error::Impossible`] if `M` is another model.
    pub fn current<M: Model>(&self) -> Result<M> {
        let meta = M::model_meta();
        if meta.collection != self.collection {
            return Err(Error::Impossible {
                what: format!("a conflict about a {} shows no {}", self.model, meta.name),
            });
        }
        decode_document(&self.current).map_err(|source| {
            let (model, id) = (self.model, self.id.to_string());
            if let Some(outdated) = source.as_outdated() {
                return outdated.error(model, id);
            }
            let source = Box::new(source);
            Error::Decode { model, id, source }
        })
    }
}
