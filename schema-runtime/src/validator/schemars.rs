//! `schemars::JsonSchema` of the structs of a web API.

use schemars::Schema;

use super::{ApiStruct, api_schema};

/// The schema of a struct of a web API.
#[doc(hidden)]
#[must_use]
pub fn schemars_schema<T: ApiStruct>() -> Schema {
    let schema = serde_json::to_value(api_schema::<T>());
    // A document without binary and special numbers is an object of JSON.
    schema
        .ok()
        .and_then(|schema| Schema::try_from(schema).ok())
        .unwrap_or_default()
}
