//! Errors of the server and of the network: whether a write has run, and what it was refused for.

use mongodb::error::{ErrorKind, WriteFailure};

use crate::bson_util::driver_text::without_values;
use crate::document::guard::DOCUMENT_MAX;
use crate::error::Error;
use crate::error::driver::is_overloaded;
use crate::schema::model::ModelMeta;

/// True if the command may or may not have run, and another server or moment may answer it.
pub(super) fn may_have_run(error: &mongodb::error::Error) -> bool {
    match &*error.kind {
        ErrorKind::Io(_) | ErrorKind::ConnectionPoolCleared { .. } => true,
        ErrorKind::Command(error) => another_may_answer(error.code),
        _ => false,
    }
}

/// True for not primary, shutting down, interrupted by either, host unreachable: the driver's own list for retryable writes.
pub(super) fn another_may_answer(code: i32) -> bool {
    matches!(
        code,
        6 | 7 | 89 | 91 | 189 | 262 | 9001 | 10107 | 11600 | 11602 | 13435 | 13436
    )
}

/// True if the reply to a write is lost, so that the write may have run, or may run yet.
pub(crate) fn outcome_unknown(error: &Error) -> bool {
    matches!(error, Error::Driver(error) if may_have_run(error))
}

/// True if the server already has a document with this key.
pub(crate) fn is_duplicate(error: &Error) -> bool {
    let Error::Driver(error) = error else {
        return error.is_duplicate();
    };
    match &*error.kind {
        ErrorKind::Command(error) => error.code == 11000,
        ErrorKind::Write(WriteFailure::WriteError(error)) => error.code == 11000,
        _ => false,
    }
}

/// True if the error is about more than the one document that was written: the connection, the client, or a server that is too busy.
pub(crate) fn is_batch_wide(error: &Error) -> bool {
    let Error::Driver(error) = error else {
        return false;
    };
    let about_one = matches!(
        &*error.kind,
        ErrorKind::Command(_) | ErrorKind::Write(WriteFailure::WriteError(_))
    );
    !about_one || may_have_run(error) || is_overloaded(error)
}

/// Converts the server's error for a document over the size limit into [`Error::Outgrown`].
pub(crate) fn outgrown(meta: &ModelMeta, error: Error) -> Error {
    let code = code_of(&error);
    // An object too large, and the same after an update by operators and by a pipeline.
    match code {
        10334 | 17419 | 17420 => Error::Outgrown {
            model: meta.name,
            limit: DOCUMENT_MAX,
        },
        _ => error,
    }
}

/// True if an operator was applied to a stored value of a type that it does not take.
pub(crate) fn is_other_type(error: &Error) -> bool {
    // Bad value, type mismatch, path not viable.
    matches!(code_of(error), 2 | 14 | 28)
}

/// True if the server could not convert a value, in an expression of the update.
pub(crate) fn is_unconvertible(error: &Error) -> bool {
    code_of(error) == 241
}

/// The server's number for the refusal of one write; 0 for other errors.
fn code_of(error: &Error) -> i32 {
    let Error::Driver(driver) = error else {
        return 0;
    };
    match &*driver.kind {
        ErrorKind::Command(error) => error.code,
        ErrorKind::Write(WriteFailure::WriteError(error)) => error.code,
        _ => 0,
    }
}

/// The number of documents of an ordered insert that were stored before the one whose key another document has. `None` for any other
/// error.
pub(crate) fn before_duplicate(error: &Error) -> Option<usize> {
    let Error::Driver(driver) = error else {
        return None;
    };
    match &*driver.kind {
        ErrorKind::InsertMany(many) => {
            let first = many.write_errors.as_ref()?.first()?;
            (first.code == 11000).then_some(first.index)
        }
        _ => is_duplicate(error).then_some(0),
    }
}

/// The server's refusal of a write that reached it, as its code and message.
pub(crate) fn refusal(error: &Error) -> Option<(i32, String)> {
    match error {
        Error::Driver(error) if !may_have_run(error) && !is_overloaded(error) => match &*error.kind
        {
            ErrorKind::Command(error) => {
                let message = without_values(error.code, &error.message);
                Some((error.code, message.to_owned()))
            }
            _ => None,
        },
        _ => None,
    }
}
