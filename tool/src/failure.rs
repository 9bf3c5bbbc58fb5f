//! The reasons why a command could not run, each in one sentence.

use std::fmt;

use mongodb::error::{Error, ErrorKind};

use crate::program::as_typed;
use crate::secrets::redact;

/// The reason why a command could not run: exit code 2.
#[derive(Debug)]
pub(crate) enum Failure {
    /// A sentence, and what to do about it.
    Refused {
        /// The sentence.
        message: String,
        /// The advice to the user.
        help: Option<String>,
    },
    /// Ctrl-C; the text says how to go on.
    Interrupted {
        /// The advice on how to go on.
        resume: String,
    },
    /// A failure in the middle of a walk, after the findings so far were printed.
    Midway(Box<Failure>),
}

impl Failure {
    /// A failure without advice.
    pub(crate) fn new(message: impl Into<String>) -> Self {
        Failure::Refused {
            message: message.into(),
            help: None,
        }
    }

    /// The failure with advice.
    pub(crate) fn help(self, text: impl Into<String>) -> Self {
        match self {
            Failure::Refused { message, .. } => Failure::Refused {
                message,
                help: Some(text.into()),
            },
            Failure::Midway(failure) => Failure::Midway(Box::new(failure.help(text))),
            interrupted @ Failure::Interrupted { .. } => interrupted,
        }
    }

    /// The failure with the name of the database in front, where there are two.
    pub(crate) fn name_database(self, name: &str) -> Self {
        match self {
            Failure::Refused { message, help } => Failure::Refused {
                message: format!("{name}: {message}"),
                help,
            },
            failure => failure,
        }
    }

    /// The failure with advice on how a walk goes on, where there is no other advice.
    pub(crate) fn resumed_by(self, resume: &str) -> Self {
        match self {
            Failure::Refused {
                message,
                help: None,
            } => Failure::new(message).help(format!("go on with {resume}")),
            failure => failure,
        }
    }

    /// The value of `error` in the JSON document.
    pub(crate) fn json(&self) -> serde_json::Value {
        let (help, interrupted) = match self {
            Failure::Refused { help, .. } => (help.as_deref(), false),
            Failure::Interrupted { resume } => (Some(resume.as_str()), true),
            Failure::Midway(failure) => return failure.json(),
        };
        let shown = |text: &str| redact(&as_typed(text));
        serde_json::json!({
            "message": shown(&self.to_string()),
            "help": help.map(shown),
            "interrupted": interrupted,
        })
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Failure::Refused { message, .. } => f.write_str(message),
            Failure::Interrupted { .. } => f.write_str("stopped"),
            Failure::Midway(failure) => failure.fmt(f),
        }
    }
}

impl From<mongo_model::Error> for Failure {
    fn from(error: mongo_model::Error) -> Self {
        match error {
            mongo_model::Error::Driver(error) => error.into_inner().into(),
            error => Failure::new(error.to_string()),
        }
    }
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        sentence(&error)
    }
}

/// The result of a command or of a part of it.
pub(crate) type Result<T, E = Failure> = std::result::Result<T, E>;

/// An error of the driver as a sentence.
pub(crate) fn sentence(error: &Error) -> Failure {
    const UNAUTHORIZED: i32 = 13;
    const AUTHENTICATION_FAILED: i32 = 18;
    match error.kind.as_ref() {
        ErrorKind::Authentication { .. } => refused_credentials(),
        ErrorKind::Command(refused) if refused.code == AUTHENTICATION_FAILED => {
            refused_credentials()
        }
        ErrorKind::Command(refused) if refused.code == UNAUTHORIZED => Failure::new(format!(
            "the user may not do this: {}",
            without_values(&refused.message)
        )),
        ErrorKind::Command(refused) => Failure::new(format!(
            "the server refused: {} ({})",
            refused.message, refused.code_name
        )),
        ErrorKind::ServerSelection { .. } => Failure::new("the server does not answer any more"),
        ErrorKind::Io(cause) => Failure::new(format!("the connection was lost: {cause}")),
        _ => Failure::new(cause(error)),
    }
}

/// `not authorized on shop to execute command { find: "parts", .. }` without the command's fields.
fn without_values(message: &str) -> String {
    match message.split_once('{') {
        Some((said, command)) => {
            let name = command.split(':').next().unwrap_or_default().trim();
            format!("{said}`{name}`")
        }
        None => message.to_owned(),
    }
}

fn refused_credentials() -> Failure {
    Failure::new("the server refused the user name or the password")
        .help("check both and `authSource` in the connection string")
}

/// The cause of the error, without the driver's labels.
pub(crate) fn cause(error: &Error) -> String {
    error.kind.to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_refusal_names_the_command_alone() {
        let said =
            "not authorized on shop to execute command { find: \"parts\", filter: { name: 1 } }";
        let shown = "not authorized on shop to execute command `find`";
        assert_eq!(without_values(said), shown);
        assert_eq!(without_values("no"), "no");
    }
}
