//! Errors of the driver, worded without its debug output.

use std::error::Error as _;

use bson::{Bson, Document};
use mongodb::error::{Error as DriverError, ErrorKind, WriteError, WriteFailure};

/// The driver's error in one line, without the values that the server's refusal repeats.
pub(crate) fn in_one_line(error: &DriverError) -> String {
    match &*error.kind {
        ErrorKind::Command(command) => format!(
            "{} (code {}, {})",
            without_values(command.code, &command.message),
            command.code,
            command.code_name
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
                        one.index,
                        without_values(one.code, &one.message),
                        one.code
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
    let message = without_values(error.code, &error.message);
    match &error.details {
        Some(details) => {
            let details = without_considered(details);
            format!("{message} (code {}): {details}", error.code)
        }
        None => format!("{message} (code {})", error.code),
    }
}

/// The server's message without the values of documents in it: the key that another document has, and what a path cannot lead through.
pub(crate) fn without_values(code: i32, message: &str) -> &str {
    let values = match code {
        11000 => " dup key: ",
        28 => " in element ",
        _ => return message,
    };
    message
        .split_once(values)
        .map_or(message, |(before, _)| before)
}

/// The reason why a document does not match a validator, without its values.
fn without_considered(details: &Document) -> Document {
    let kept = details
        .iter()
        .filter(|(key, _)| !key.starts_with("consideredValue"));
    kept.map(|(key, value)| (key.clone(), within(value)))
        .collect()
}

fn within(value: &Bson) -> Bson {
    match value {
        Bson::Document(details) => Bson::Document(without_considered(details)),
        Bson::Array(all) => Bson::Array(all.iter().map(within).collect()),
        value => value.clone(),
    }
}
