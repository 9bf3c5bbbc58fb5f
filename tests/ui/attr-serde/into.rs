// Stored as another type, which the fields do not show.

use mongo_model::MongoEmbed;
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, MongoEmbed)]
#[derive(Clone)]
#[serde(into = "String", try_from = "String")]
pub struct Name {
    pub first: String,
    pub last: String,
}

impl From<Name> for String {
    fn from(name: Name) -> String {
        format!("{} {}", name.first, name.last)
    }
}

impl TryFrom<String> for Name {
    type Error = String;

    fn try_from(name: String) -> Result<Self, String> {
        let (first, last) = name.split_once(' ').ok_or("one word")?;
        Ok(Name { first: first.to_owned(), last: last.to_owned() })
    }
}

fn main() {}
