//! The differences between a live index and a declared index of the same keys.

use std::fmt::{self, Debug};

use crate::index_spec::signature::Signature;

/// The changes that one index would need to equal another; empty where the two are the same.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Difference {
    /// The expiry is another one, or was none; the server changes that in place.
    pub(super) expiry: bool,
    /// The index is hidden from queries; the server changes that in place too.
    pub(super) hidden: bool,
    /// Everything else, in words: such an index has to be built anew.
    pub(super) others: Vec<String>,
}

impl Difference {
    /// The differences. `None` if the keys differ: then these are two indexes, not two forms of one.
    pub(super) fn between(declared: &Signature, live: &Signature) -> Option<Self> {
        if declared.keys != live.keys {
            return None;
        }
        let (filter, found) = (
            Words(declared.partial.as_ref()),
            Words(live.partial.as_ref()),
        );
        let mut others: Vec<String> = [
            mismatch("unique", &declared.unique, &live.unique),
            mismatch("sparse", &declared.sparse, &live.sparse),
            mismatch("the partial filter", &filter, &found),
            (declared.collation != live.collation).then(|| collations(declared, live)),
        ]
        .into_iter()
        .flatten()
        .collect();
        if let (Some(declared), Some(live)) = (&declared.text, &live.text) {
            others.extend(mismatch("weights", &declared.weights, &live.weights));
            others.extend(mismatch(
                "default_language",
                &declared.default_language,
                &live.default_language,
            ));
            others.extend(mismatch(
                "language_override",
                &declared.language_override,
                &live.language_override,
            ));
        }
        others.extend(
            live.other
                .iter()
                .map(|option| format!("it has an option that no model declares, {option}")),
        );
        let mut expiry = false;
        match (declared.expire_after, live.expire_after) {
            // The server can give an index an expiry, but never takes it away.
            (None, Some(seconds)) => others.push(format!(
                "no expiry is declared but it removes documents after {seconds} s"
            )),
            (declared, live) => expiry = declared != live,
        }
        Some(Difference {
            expiry,
            hidden: live.hidden,
            others,
        })
    }

    pub(super) fn is_none(&self) -> bool {
        *self == Difference::default()
    }
}

impl Signature {
    /// True if a server (since 5.0) can have both on one collection: it distinguishes indexes by keys, uniqueness, sparseness,
    /// partial filter and collation, and takes one text index.
    pub(super) fn can_stand_beside(&self, other: &Signature) -> bool {
        if self.text.is_some() && other.text.is_some() {
            return false;
        }
        self.keys != other.keys
            || self.unique != other.unique
            || self.sparse != other.sparse
            || self.partial != other.partial
            || self.collation != other.collation
    }
}

fn mismatch<T: Debug + PartialEq>(option: &str, declared: &T, live: &T) -> Option<String> {
    (declared != live).then(|| format!("{option} is declared {declared:?} but is {live:?}"))
}

/// Conditions of a filter as a message shows them.
#[derive(PartialEq)]
struct Words<'a>(Option<&'a Vec<String>>);

impl Debug for Words<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            Some(conditions) => write!(f, "`{}`", conditions.join(" and ")),
            None => f.write_str("none"),
        }
    }
}

/// The text for two collations: only the fields in which they differ.
fn collations(declared: &Signature, live: &Signature) -> String {
    match (&declared.collation, &live.collation) {
        (Some(declared), Some(live)) => {
            let fields: Vec<String> = declared
                .iter()
                .filter_map(|(field, value)| {
                    let found = live.get(field).filter(|found| *found != value)?;
                    Some(format!("{field} is declared {value} but is {found}"))
                })
                .collect();
            format!("of the collation, {}", fields.join(", "))
        }
        (Some(declared), None) => format!(
            "the collation {} is declared but there is none",
            declared["locale"]
        ),
        (None, live) => {
            format!(
                "no collation is declared but it has {}",
                live.as_ref().map_or("none", |live| live["locale"].as_str())
            )
        }
    }
}

#[cfg(test)]
mod tests;
