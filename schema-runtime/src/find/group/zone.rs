//! Time zones.

use std::borrow::Cow;
use std::fmt;

use crate::error::{Error, Result};

/// A time zone of the IANA database, which the server has: [`zone!("Europe/Rome")`](crate::zone) checks the name while the program
/// compiles, [`Zone::named`] takes one that the program reads.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Zone(Cow<'static, str>);

impl Zone {
    /// The zone of this name: `Europe/Rome`, `UTC`. The server says when it is sent whether it has the zone.
    ///
    /// # Errors
    /// [`Error::Impossible`] for a text that has not the form of a name.
    pub fn named(name: impl Into<String>) -> Result<Zone> {
        let name = name.into();
        let has_form = name.starts_with(|first: char| first.is_ascii_alphabetic())
            && name.len() <= 64
            && name
                .bytes()
                .all(|byte| byte.is_ascii_alphanumeric() || b"_+-/".contains(&byte));
        match has_form {
            true => Ok(Zone(Cow::Owned(name))),
            false => Err(Error::Impossible {
                what: "a time zone has a name of the IANA database: `Europe/Rome`, `UTC`"
                    .to_owned(),
            }),
        }
    }

    #[doc(hidden)]
    #[must_use]
    pub const fn checked(name: &'static str) -> Zone {
        Zone(Cow::Borrowed(name))
    }

    /// The name.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for Zone {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
