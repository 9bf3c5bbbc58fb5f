//! The flags that one write has set on a document, as one list. Operators or a pipeline remove them, and both forms have to remove the
//! same.

use bson::oid::ObjectId;
use bson::{Bson, Document, doc};

use super::{WHILE_PENDING, has_token, uncount, unflagged, unmark};
use crate::schema::stored;
use crate::schema::stored::key;

/// The flags that one write has set on a document.
#[derive(Debug, Clone)]
pub(crate) struct WrittenFlags<'w> {
    /// The tokens of the marks of copies that the write has set, if there are any.
    pub(crate) unverified: Option<&'w [ObjectId]>,
    /// The token of the flag of a counted child that the write has set.
    pub(crate) uncounted: Option<ObjectId>,
    /// The revision that the write has given the document, and the names that it has made pending.
    pub(crate) pending: Option<(i64, Vec<&'w str>)>,
}

/// The removal of flags by operators, from a document that has them as the write has stored them.
#[derive(Debug)]
pub(crate) struct FlagsToUnset {
    /// True if the document has no other flags: all of `_dn` is compared and removed.
    pub(crate) is_all: bool,
    /// The conditions under which the pending names are removed.
    pub(crate) conditions: Document,
    /// The fields that must still have the values that the write has stored.
    pub(crate) as_written: Vec<(&'static str, Bson)>,
    /// The fields to remove.
    pub(crate) fields: Vec<String>,
}

impl WrittenFlags<'_> {
    /// The removal by operators, from the library's fields as the write has stored them. `None` if these hold flags of other writes, which
    /// have to stay.
    pub(crate) fn to_unset(&self, own: &Document) -> Option<FlagsToUnset> {
        let mut conditions = Document::new();
        let mut as_written = Vec::new();
        let mut gone: Vec<&str> = Vec::new();
        if let Some(tokens) = self.unverified {
            let marks = own.get_array(key::UNVERIFIED).ok()?;
            if !marks.iter().all(|mark| is_one_of(mark, tokens)) {
                return None;
            }
            as_written.push((stored::UNVERIFIED, Bson::Array(marks.clone())));
            gone.push(key::UNVERIFIED);
        }
        if let Some(token) = self.uncounted {
            let flags = own.get_array(key::UNCOUNTED).ok()?;
            if flags.len() != 1 || !has_token(flags.iter().filter_map(Bson::as_document), token) {
                return None;
            }
            as_written.push((stored::UNCOUNTED, Bson::Array(flags.clone())));
            gone.push(key::UNCOUNTED);
        }
        if let Some((r, names)) = &self.pending {
            let pending = own.get_array(key::PENDING).ok()?;
            let is_known = |name: &Bson| name.as_str().is_some_and(|name| names.contains(&name));
            if !pending.iter().all(is_known) {
                return None;
            }
            conditions.insert(stored::PENDING, doc! { "$eq": pending.clone() });
            conditions.insert(stored::REVISION, *r);
            gone.push(key::PENDING);
            gone.extend(WHILE_PENDING);
            gone.push(key::RAISES);
        }
        if own.keys().all(|name| gone.contains(&name.as_str())) {
            return Some(FlagsToUnset {
                is_all: true,
                conditions: Document::new(),
                as_written: vec![(stored::OWN, Bson::Document(own.clone()))],
                fields: vec![stored::OWN.to_owned()],
            });
        }
        let fields = gone.into_iter().filter(|name| own.contains_key(name));
        Some(FlagsToUnset {
            is_all: false,
            conditions,
            as_written,
            fields: fields.map(stored::own).collect(),
        })
    }

    /// The conditions under which [`stages`](Self::stages) remove all of these flags.
    pub(crate) fn conditions(&self) -> Document {
        let mut conditions = Document::new();
        if let Some(tokens) = self.unverified {
            conditions.insert(stored::UNVERIFIED_TOKEN, doc! { "$in": tokens.to_vec() });
        }
        if let Some(token) = self.uncounted {
            conditions.insert(stored::UNCOUNTED_TOKEN, token);
        }
        if let Some((r, _)) = &self.pending {
            conditions.insert(stored::REVISION, *r);
        }
        conditions
    }

    /// The removal by the stages of a pipeline, from a document that may have flags of other writes, which stay.
    pub(crate) fn stages(&self) -> Vec<Document> {
        let mut stages = Vec::new();
        if let Some(tokens) = self.unverified {
            stages.extend(unmark(tokens));
        }
        if let Some(token) = self.uncounted {
            stages.extend(uncount(&[token]));
        }
        if let Some((_, names)) = &self.pending {
            stages.extend(unflagged(names, &WHILE_PENDING));
        }
        stages
    }
}

fn is_one_of(mark: &Bson, tokens: &[ObjectId]) -> bool {
    let token = mark.as_document().and_then(super::token_of);
    token.is_some_and(|token| tokens.contains(&token))
}

#[cfg(test)]
mod tests;
