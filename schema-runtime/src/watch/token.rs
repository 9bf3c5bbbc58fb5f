//! The place in a change stream, as text.

use std::fmt;
use std::str::FromStr;

use bson::{Document, doc};
use serde::{Deserialize, Serialize};

use crate::error::{Error, Result};

/// The longest text that is read as a token: the server's contain an `_id`, which an index limits in no way since MongoDB 4.2.
const LONGEST: usize = 1 << 16;

/// A place between two changes: [`Changes::resume_token`](super::Changes::resume_token) gives it, and
/// [`Watch::resume_after`](super::Watch::resume_after) goes on behind it. `Display` and serde write, and `FromStr` and serde read, a text of
/// letters and digits.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(into = "String", try_from = "String")]
pub struct ResumeToken(String);

impl ResumeToken {
    /// The token that the server has given; `None` for one in another form, which older servers and other products give.
    pub(super) fn read(token: &Document) -> Option<Self> {
        ResumeToken::from_str(token.get_str("_data").ok()?).ok()
    }

    pub(super) fn to_document(&self) -> Document {
        doc! { "_data": &self.0 }
    }
}

impl fmt::Debug for ResumeToken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // It holds the `_id` of a document.
        f.write_str("ResumeToken(..)")
    }
}

impl fmt::Display for ResumeToken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl FromStr for ResumeToken {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        let fits = !text.is_empty() && text.len() <= LONGEST;
        match fits && text.bytes().all(|byte| byte.is_ascii_hexdigit()) {
            true => Ok(ResumeToken(text.to_owned())),
            false => Err(Error::Impossible {
                what: "going on behind a resume token that no watch has given".to_owned(),
            }),
        }
    }
}

impl TryFrom<String> for ResumeToken {
    type Error = Error;

    fn try_from(text: String) -> Result<Self> {
        text.parse()
    }
}

impl From<ResumeToken> for String {
    fn from(token: ResumeToken) -> String {
        token.0
    }
}
