//! The commands on indexes of the search process. They take no write concern and no read concern.

use bson::{Document, doc};
use futures::TryStreamExt;
use mongodb::Database;
use mongodb::error::Error;

use super::capabilities::ask;
use super::catalog::{NAMESPACE_NOT_FOUND, code};
use crate::error;
use crate::error::server::Feature;
use crate::index_spec::vector::VectorDefinition;

type Result<T> = std::result::Result<T, Error>;

const NAMESPACE_EXISTS: i32 = 48;

/// True if a server without a search process refuses its commands and stages so: `CommandNotFound`, `CommandNotSupported`,
/// `SearchNotEnabled`, an unknown stage, a stage "only allowed on MongoDB Atlas".
fn is_without_search(error: &Error) -> bool {
    matches!(code(error), Some(59 | 115 | 31_082 | 40_324 | 6_047_401))
}

/// The error of a search: [`Error::Unsupported`](error::Error::Unsupported) where the server has none. Then it sends a `hello`.
pub(crate) async fn search_error(db: &Database, error: error::Error) -> error::Error {
    let feature = Feature::VectorSearch;
    match &error {
        error::Error::Driver(refused) if is_without_search(refused) => match ask(db).await {
            Ok(server) => error::Error::Unsupported { feature, server },
            Err(_) => error,
        },
        _ => error,
    }
}

/// The search indexes of a collection; `None` where the server has no search. Sends one `aggregate`.
pub(crate) async fn list_search_indexes(
    db: &Database,
    collection: &str,
) -> Result<Option<Vec<Document>>> {
    let command = doc! {
        "aggregate": collection, "pipeline": [{ "$listSearchIndexes": {} }], "cursor": {},
    };
    match db.run_cursor_command(command).await {
        Ok(cursor) => cursor.try_collect().await.map(Some),
        Err(error) if code(&error) == Some(NAMESPACE_NOT_FOUND) => Ok(Some(Vec::new())),
        Err(error) if is_without_search(&error) => Ok(None),
        Err(error) => Err(error),
    }
}

/// Has the server build an index of vectors; it answers before the index is built. Sends one `createSearchIndexes`, and where the
/// collection does not exist a `create` and another one.
pub(crate) async fn create_search_index(
    db: &Database,
    collection: &str,
    index: &VectorDefinition,
) -> Result<()> {
    let index = doc! { "name": &index.name, "type": "vectorSearch", "definition": index.spec() };
    let command = doc! { "createSearchIndexes": collection, "indexes": [index] };
    match db.run_command(command.clone()).await {
        Err(error) if code(&error) == Some(NAMESPACE_NOT_FOUND) => {}
        done => return done.map(|_| ()),
    }
    match db.run_command(doc! { "create": collection }).await {
        Err(error) if code(&error) != Some(NAMESPACE_EXISTS) => return Err(error),
        _ => {}
    }
    db.run_command(command).await.map(|_| ())
}

/// Has the server build an index of this name anew; the old one serves searches until then. Sends one `updateSearchIndex`.
pub(crate) async fn update_search_index(
    db: &Database,
    collection: &str,
    index: &VectorDefinition,
) -> Result<()> {
    let command = doc! {
        "updateSearchIndex": collection, "name": &index.name, "definition": index.spec(),
    };
    db.run_command(command).await.map(|_| ())
}
