//! Errors of the driver, worded without its debug output.

use std::error::Error as _;

use mongodb::error::{Error as DriverError, ErrorKind, WriteError, WriteFailure};

/// The driver's error in one line.
pub(crate) fn in_one_line(error: &DriverError) -> String {
    match &*error.kind {
        ErrorKind::Command(command) => format!(
            "{} (code {}, {})",
            command.message, command.code, command.code_name
        ),
        ErrorKind::Write(WriteFailure::WriteError(error)) => write_error(error),
        ErrorKind::Write(WriteFailure::WriteConcernError(error)) => {
            format!("{} (code {})", error.message, error.code)
        }
        ErrorKind::InsertMany(many) => {
            let failed = many.write_errors.iter().flatten();
            let mut all: Vec<String> = failed
                .map(|one| {
                    format!(
                        "document {}: {} (code {})",
                        one.index, one.message, one.code
                    )
                })
                .collect();
            let concern = many.write_concern_error.iter();
            all.extend(concern.map(|one| format!("{} (code {})", one.message, one.code)));
            all.join("; ")
        }
        ErrorKind::Io(error) => match error.source() {
            Some(source) => format!("{error}: {source}"),
            None => error.to_string(),
        },
        kind => kind.to_string(),
    }
}

fn write_error(error: &WriteError) -> String {
    match &error.details {
        Some(details) => format!("{} (code {}): {details}", error.message, error.code),
        None => format!("{} (code {})", error.message, error.code),
    }
}
