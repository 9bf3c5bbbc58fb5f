//! Why a command could not run, in one sentence.

use std::fmt;

/// Why a command could not run: exit code 2.
#[derive(Debug)]
pub(crate) enum Failure {
    /// A sentence, and what to do about it.
    Refused {
        /// The sentence.
        message: String,
        /// What to do.
        help: Option<String>,
    },
    /// Ctrl-C; the text says how to go on.
    Interrupted {
        /// How to go on.
        resume: String,
    },
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
            interrupted => interrupted,
        }
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Failure::Refused { message, .. } => f.write_str(message),
            Failure::Interrupted { .. } => f.write_str("stopped"),
        }
    }
}

impl From<mongo_model::Error> for Failure {
    fn from(error: mongo_model::Error) -> Self {
        match error {
            mongo_model::Error::Driver(error) => error.into(),
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
