//! Errors hold values, and do not show them: their text and their `Debug` output go to logs.

use std::fmt;
use std::ops::Deref;

use bson::Bson;

#[cfg(feature = "driver")]
use crate::bson_util::driver_text::in_one_line;
use crate::bson_util::redacted::Redacted;

/// A value of a document in an error. It dereferences to the [`Bson`]; `Debug` shows its type alone.
#[derive(Clone, PartialEq)]
pub struct HiddenValue(Box<Bson>);

impl HiddenValue {
    pub(crate) fn new(value: Bson) -> Self {
        HiddenValue(Box::new(value))
    }

    /// The value.
    #[must_use]
    pub fn into_inner(self) -> Bson {
        *self.0
    }
}

impl Deref for HiddenValue {
    type Target = Bson;

    fn deref(&self) -> &Bson {
        &self.0
    }
}

impl fmt::Debug for HiddenValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        Redacted(&*self.0).fmt(f)
    }
}

/// An error of the driver. It dereferences to the driver's own; its text and its `Debug` output leave out the values that the server's
/// refusals repeat.
#[cfg(feature = "driver")]
#[derive(Clone)]
pub struct DriverError(Box<mongodb::error::Error>);

#[cfg(feature = "driver")]
impl DriverError {
    /// The driver's error, whose text and `Debug` output may show values of documents.
    #[must_use]
    pub fn into_inner(self) -> mongodb::error::Error {
        *self.0
    }
}

#[cfg(feature = "driver")]
impl From<mongodb::error::Error> for DriverError {
    fn from(error: mongodb::error::Error) -> Self {
        DriverError(Box::new(error))
    }
}

#[cfg(feature = "driver")]
impl Deref for DriverError {
    type Target = mongodb::error::Error;

    fn deref(&self) -> &mongodb::error::Error {
        &self.0
    }
}

#[cfg(feature = "driver")]
impl fmt::Display for DriverError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&in_one_line(&self.0))
    }
}

#[cfg(feature = "driver")]
impl fmt::Debug for DriverError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{self}")
    }
}
