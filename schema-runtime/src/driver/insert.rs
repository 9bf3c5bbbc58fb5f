//! Inserts new documents as they are. `new` inserts documents of a model with fields that the server's clock decides.

use bson::RawDocument;
use mongodb::error::ErrorKind;
use mongodb::options::{InsertManyOptions, InsertOneOptions};
use mongodb::{ClientSession, Database};

use super::{Lasting, call};
use crate::error::Result;

/// Stores new documents, in order.
pub(crate) async fn insert(
    db: &Database,
    name: &str,
    documents: &[&RawDocument],
    lasting: Lasting,
    mut session: Option<&mut ClientSession>,
) -> Result<()> {
    let collection = db.collection::<&RawDocument>(name);
    let concern = lasting.concern(name, session.as_deref_mut());
    let one_option = InsertOneOptions::builder()
        .write_concern(concern.clone())
        .comment(call::comment())
        .build();
    let many_options = InsertManyOptions::builder()
        .write_concern(concern)
        .comment(call::comment())
        .build();
    match (documents, session) {
        ([], _) => {}
        ([one], session) => {
            traced!(command(db, name));
            let insert = collection.insert_one(one).with_options(one_option);
            match session {
                Some(session) => drop(insert.session(session).await?),
                None => drop(insert.await?),
            }
        }
        (many, session) => {
            traced!(command(db, name));
            let insert = collection.insert_many(many).with_options(many_options);
            match session {
                Some(session) => drop(insert.session(session).await?),
                None => drop(insert.await?),
            }
        }
    }
    traced!(changed(documents.len() as u64));
    Ok(())
}

/// Stores new documents in any order; returns the places of those that the server has refused.
pub(crate) async fn insert_unordered(
    db: &Database,
    name: &str,
    documents: &[&RawDocument],
    lasting: Lasting,
) -> Result<Vec<usize>> {
    traced!(command(db, name));
    let collection = db.collection::<&RawDocument>(name);
    let options = InsertManyOptions::builder()
        .ordered(false)
        .write_concern(lasting.concern(name, None))
        .build();
    match collection
        .insert_many(documents)
        .with_options(options)
        .await
    {
        Ok(_) => Ok(Vec::new()),
        Err(error) => match &*error.kind {
            ErrorKind::InsertMany(many) if many.write_concern_error.is_none() => {
                let refused = many.write_errors.iter().flatten();
                Ok(refused.map(|refused| refused.index).collect())
            }
            _ => Err(error.into()),
        },
    }
}
