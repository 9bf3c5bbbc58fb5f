//! A database from a connection string.

use bson::doc;
use mongodb::options::ClientOptions;
use mongodb::{Client, Database};

use crate::error::{Error, Result};

/// Connects to the server and gives the database that the connection string names: `mongodb://host:27017/shop`. Keep one handle, and
/// clone it: its clones share connections. For options that no connection string has, make a [`Client`] of the driver.
///
/// Sends one `ping`, so that a wrong address or password is an error here and not in the first read; it waits for a server for 30
/// seconds, or for `serverSelectionTimeoutMS` of the string.
///
/// ```no_run
/// # async fn example() -> mongo_model::Result<()> {
/// let db = mongo_model::connect("mongodb://localhost:27017/shop").await?;
/// # Ok(()) }
/// ```
///
/// # Errors
/// [`Error::Impossible`] for a string that cannot be read, or that names no database; no error shows the password. The driver's.
pub async fn connect(uri: &str) -> Result<Database> {
    let unreadable = |said: String| Error::Impossible {
        what: match shows_secret(uri, &said) {
            true => "the connection string is not valid".to_owned(),
            false => format!("the connection string is not valid: {said}"),
        },
    };
    let options = ClientOptions::parse(uri).await;
    let options = options.map_err(|error| unreadable(error.to_string()))?;
    let client = Client::with_options(options)?;
    let Some(db) = client.default_database() else {
        return Err(Error::Impossible {
            what: "the connection string names no database: write `mongodb://host:27017/shop`"
                .to_owned(),
        });
    };
    db.run_command(doc! { "ping": 1 }).await?;
    Ok(db)
}

/// True if a message shows a part of the user's name or password.
fn shows_secret(uri: &str, message: &str) -> bool {
    let rest = uri.split_once("://").map_or(uri, |(_, rest)| rest);
    let Some((user, _)) = rest.rsplit_once('@') else {
        return false;
    };
    let mut parts = user.split([':', '@', '/', '?']);
    parts.any(|part| !part.is_empty() && message.contains(part))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn what_is_wrong_is_said_without_the_password() {
        for (uri, words) in [
            ("localhost/shop", "the connection string is not valid: "),
            (
                "mongodb://ann:s3cr%zzet@host/shop",
                "the connection string is not valid",
            ),
            (
                "mongodb://ann:s3cr/et@host/shop",
                "the connection string is not valid",
            ),
            (
                "mongodb://ann:s3cr@et@host/shop",
                "the connection string is not valid",
            ),
            (
                "mongodb://ann:s3cret@host",
                "names no database: write `mongodb://host:27017/shop`",
            ),
        ] {
            let error = connect(uri).await.expect_err(uri).to_string();
            assert!(error.contains(words), "{uri}: {error}");
            assert!(!error.contains("s3cr") && !error.contains("ann"), "{error}");
        }
    }
}
