//! Why a command could not run, in one sentence.

use std::fmt;

use crate::connection::redact;
use crate::output::as_typed;

/// Why a command could not run: exit code 2.
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
        /// How to go on.
        resume: String,
    },
    /// One of these in the middle of a walk, after the findings so far were printed.
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

    /// The same with advice.
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

    /// The same with advice on how a walk goes on, where there is no other.
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

impl From<mongodb::error::Error> for Failure {
    fn from(error: mongodb::error::Error) -> Self {
        crate::connection::sentence(&error)
    }
}

/// The result of a command or of a part of it.
pub(crate) type Result<T, E = Failure> = std::result::Result<T, E>;
