//! Errors of the caller that end a transaction.

use std::error::Error as StdError;

use super::Error;

impl Error {
    /// The caller's own error as one of a transaction's closure: the transaction is aborted, and the call returns it as
    /// [`Error::Aborted`], which holds it.
    ///
    /// If it has an [`Error`] as its [source](StdError::source), from a write that met another transaction, the transaction is begun again
    /// as after that error.
    ///
    /// ```
    /// # use mongo_model::Error;
    /// #[derive(Debug, PartialEq, thiserror::Error)]
    /// #[error("out of stock")]
    /// struct OutOfStock;
    ///
    /// // For `?` in the closure.
    /// impl From<OutOfStock> for Error {
    ///     fn from(error: OutOfStock) -> Self {
    ///         Error::aborted(error)
    ///     }
    /// }
    ///
    /// let Error::Aborted(own) = Error::from(OutOfStock) else { unreachable!() };
    /// assert_eq!(own.downcast_ref(), Some(&OutOfStock));
    /// ```
    #[must_use]
    pub fn aborted(error: impl Into<Box<dyn StdError + Send + Sync>>) -> Self {
        match error.into().downcast::<Error>() {
            Ok(error) => *error,
            Err(own) => Error::Aborted(own),
        }
    }

    /// The error of this library by which the closure of a transaction failed, also where the caller's own error has it as a source.
    #[cfg(feature = "driver")]
    pub(crate) fn in_own(&self) -> &Error {
        let Error::Aborted(own) = self else {
            return self;
        };
        let mut source = own.source();
        while let Some(error) = source {
            if let Some(error) = error.downcast_ref::<Error>() {
                return error;
            }
            source = error.source();
        }
        self
    }
}
