//! A program that uses nothing of the crate with its models has none: that is an error, and not indexes that are silently missing.

use mongo_model::{Error, models, sync_indexes};
use mongodb::Client;

#[tokio::test]
async fn there_is_nothing_to_sync() {
    assert!(models().is_empty());
    // No server is there: nothing is sent.
    let client = Client::with_uri_str("mongodb://127.0.0.1:1/?serverSelectionTimeoutMS=1").await;
    let db = client.expect("a client").database("none");
    let error = sync_indexes(&db).await.expect_err("no models");
    assert!(matches!(error, Error::NoModels), "{error}");
    assert_eq!(
        error.to_string(),
        "no model is linked into this program; name something of the crate that declares the models: `use models as _;`"
    );
}
