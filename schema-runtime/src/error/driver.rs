//! Errors of the driver, and which of them are transient.

use mongodb::error::{
    CommandError, Error as DriverError, ErrorKind, RETRYABLE_WRITE_ERROR,
    TRANSIENT_TRANSACTION_ERROR, WriteFailure,
};

use super::Error;
use super::server::{Deployment, Feature, Server};
use crate::bson_util::amount::{INEXACT, inexact};

/// The label of an error that may be repeated, which only newer releases of the driver name.
const RETRYABLE: &str = "RetryableError";
/// The label of a refusal by an overloaded server, as [`RETRYABLE`].
const SYSTEM_OVERLOADED: &str = "SystemOverloadedError";
/// `IngressRequestRateLimitExceeded`: the code of a refusal by an overloaded server.
const TOO_MANY_REQUESTS: i32 = 462;
/// `DocumentValidationFailure`: the code of a refusal by a validator.
const NOT_VALID: i32 = 121;

impl From<DriverError> for Error {
    fn from(error: DriverError) -> Self {
        match &*error.kind {
            ErrorKind::Command(command) if has_no_transactions(command) => Error::Unsupported {
                feature: Feature::Transactions,
                server: Server {
                    deployment: Deployment::Standalone,
                    wire_version: 0,
                    version: None,
                },
            },
            _ if message(&error).is_some_and(|text| text.contains(INEXACT)) => Error::Impossible {
                what: inexact("a number of the parent"),
            },
            _ => Error::Driver(error.into()),
        }
    }
}

/// The text of the server's refusal of a command, or of a write.
fn message(error: &DriverError) -> Option<&str> {
    match &*error.kind {
        ErrorKind::Command(error) => Some(&error.message),
        ErrorKind::Write(WriteFailure::WriteError(error)) => Some(&error.message),
        ErrorKind::InsertMany(many) => {
            let mut errors = many.write_errors.iter().flatten();
            errors.next().map(|error| error.message.as_str())
        }
        _ => None,
    }
}

/// True if a standalone server refuses a command because it is part of a transaction. The driver words that anew, as advice about
/// retryable writes.
fn has_no_transactions(error: &CommandError) -> bool {
    let worded = ["retryWrites=false", "Transaction numbers"];
    error.code == 20 && worded.iter().any(|words| error.message.contains(words))
}

/// True if a server that is too busy has refused the command before it began.
pub(crate) fn is_overloaded(error: &DriverError) -> bool {
    error.contains_label(SYSTEM_OVERLOADED)
        || matches!(&*error.kind, ErrorKind::Command(error) if error.code == TOO_MANY_REQUESTS)
}

/// True if the validator of a collection has refused a document.
pub(super) fn is_refused_by_validator(error: &DriverError) -> bool {
    match &*error.kind {
        ErrorKind::Command(error) => error.code == NOT_VALID,
        ErrorKind::Write(WriteFailure::WriteError(error)) => error.code == NOT_VALID,
        ErrorKind::InsertMany(many) => {
            let mut errors = many.write_errors.iter().flatten();
            errors.any(|error| error.code == NOT_VALID)
        }
        _ => false,
    }
}

impl Error {
    /// True if the same call may succeed when it is sent again: the network, a step-down of the primary, a conflict with another
    /// transaction, a server that is overloaded, a cursor that the server closed ([`Error::CursorLost`]), or other writers that changed the
    /// same document each time ([`Error::Busy`], [`Error::Unsettled`]). Wait before each repeat, longer each time.
    /// After a lost reply the write may have been applied: send a call again only if it may be applied twice. In a
    /// transaction, repeat all of it.
    ///
    /// ```
    /// # use mongo_model::{Error, Result};
    /// async fn twice<T>(mut call: impl AsyncFnMut() -> Result<T>) -> Result<T> {
    ///     match call().await {
    ///         Err(error) if error.is_transient() => call().await,
    ///         done => done,
    ///     }
    /// }
    /// ```
    #[must_use]
    pub fn is_transient(&self) -> bool {
        match self {
            Error::Driver(error) => {
                let labels = [
                    RETRYABLE_WRITE_ERROR,
                    TRANSIENT_TRANSACTION_ERROR,
                    RETRYABLE,
                ];
                labels.iter().any(|label| error.contains_label(label))
                    || is_overloaded(error)
                    || matches!(
                        &*error.kind,
                        ErrorKind::Io(_)
                            | ErrorKind::ConnectionPoolCleared { .. }
                            | ErrorKind::ServerSelection { .. }
                    )
                    || matches!(&*error.kind, ErrorKind::Command(error) if passes(error.code))
            }
            Error::Busy { .. } | Error::Unsettled { .. } | Error::CursorLost { .. } => true,
            Error::PushedInPart { source, .. } | Error::DeletedInPart { source, .. } => {
                source.is_transient()
            }
            _ => false,
        }
    }
}

/// True for not primary, shutting down, interrupted by either, host unreachable, write conflict.
fn passes(code: i32) -> bool {
    matches!(
        code,
        6 | 7 | 89 | 91 | 112 | 189 | 262 | 9001 | 10107 | 11600 | 11602 | 13435 | 13436
    )
}

#[cfg(test)]
mod tests {
    use bson::doc;
    use mongodb::error::{CommandError, ErrorKind};

    use super::*;

    fn refused(code: i32, name: &str, message: &str) -> Error {
        let reply = doc! { "code": code, "codeName": name, "errmsg": message };
        let error: CommandError = bson::deserialize_from_document(reply).expect("a reply");
        DriverError::from(ErrorKind::Command(error)).into()
    }

    #[test]
    fn refusals_that_may_pass() {
        for (code, name, passes) in [
            (11602, "InterruptedDueToReplStateChange", true),
            (10107, "NotWritablePrimary", true),
            (112, "WriteConflict", true),
            (462, "IngressRequestRateLimitExceeded", true),
            (121, "DocumentValidationFailure", false),
            (20, "IllegalOperation", false),
        ] {
            let error = refused(code, name, "refused");
            assert!(matches!(error, Error::Driver(_)), "{name}");
            assert_eq!(error.is_transient(), passes, "{name}");
        }
    }

    #[test]
    fn a_transaction_on_a_standalone_server() {
        for message in [
            "Transaction numbers are only allowed on a replica set member or mongos",
            "This MongoDB deployment does not support retryable writes. Please add retryWrites=false to your connection string.",
        ] {
            let error = refused(20, "IllegalOperation", message);
            assert_eq!(
                error.to_string(),
                "a transaction needs a replica set; this is a standalone server"
            );
        }
    }
}
