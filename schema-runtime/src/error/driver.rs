//! Errors of the driver, and which of them may pass.

use mongodb::error::{
    Error as DriverError, ErrorKind, RETRYABLE_WRITE_ERROR, TRANSIENT_TRANSACTION_ERROR,
};

use super::Error;

impl From<DriverError> for Error {
    fn from(error: DriverError) -> Self {
        Error::Driver(error)
    }
}

impl Error {
    /// True if the same call may succeed when it is sent again: the network, a step-down of the primary, a conflict with another
    /// transaction, or other writers that changed the same document each time ([`Error::Busy`], [`Error::Unsettled`]). After a lost
    /// reply the write may have been applied: send only a call again that may be applied twice. In a transaction, repeat all of it.
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
                let labels = [RETRYABLE_WRITE_ERROR, TRANSIENT_TRANSACTION_ERROR];
                labels.iter().any(|label| error.contains_label(label))
                    || matches!(
                        &*error.kind,
                        ErrorKind::Io(_)
                            | ErrorKind::ConnectionPoolCleared { .. }
                            | ErrorKind::ServerSelection { .. }
                    )
                    || matches!(&*error.kind, ErrorKind::Command(error) if passes(error.code))
            }
            Error::Busy { .. } | Error::Unsettled { .. } => true,
            Error::PushedInPart { source, .. } | Error::DeletedInPart { source, .. } => {
                source.is_transient()
            }
            _ => false,
        }
    }
}

/// Not primary, shutting down, interrupted by either, host unreachable, write conflict.
fn passes(code: i32) -> bool {
    matches!(
        code,
        6 | 7 | 89 | 91 | 112 | 189 | 262 | 9001 | 10107 | 11600 | 11602 | 13435 | 13436
    )
}
