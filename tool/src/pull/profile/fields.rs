//! The fields of documents at one path.

use std::collections::BTreeMap;

use bson::RawDocument;

use super::{Text, Values};

/// Names that are told apart in the documents at one path; the values of others are one profile.
const NAMES: usize = 300;
/// Different values of a tag.
const TAGS: usize = 16;

/// The fields of documents at one path.
#[derive(Debug, Clone, Default)]
pub(crate) struct Fields {
    pub(crate) documents: u64,
    /// The fields by name, with the order in which the names were met.
    pub(crate) named: BTreeMap<Box<str>, (usize, Values)>,
    /// The values of all further names, and how often there was one.
    pub(crate) rest: Option<Box<Values>>,
    /// All names, each as often as it was met.
    pub(crate) names: Text,
    /// The greatest number of fields in one document.
    pub(crate) widest: u64,
    /// The documents by the value of their tag.
    pub(crate) variants: Option<Variants>,
}

/// Documents by the value of a field that tells their kind.
#[derive(Debug, Clone, Default)]
pub(crate) struct Variants {
    pub(crate) tag: Box<str>,
    pub(crate) by_tag: BTreeMap<Box<str>, Fields>,
    /// Documents without the tag, with one that is no string, or with one of too many.
    pub(crate) untagged: u64,
}

impl Fields {
    /// Adds a document.
    pub(crate) fn add(&mut self, document: &RawDocument, depth: usize) {
        self.documents += 1;
        let mut width = 0;
        for element in document {
            let Ok((name, value)) = element else { break };
            let name: &str = name.as_ref();
            width += 1;
            self.names.add(name);
            if let Some((_, values)) = self.named.get_mut(name) {
                values.add(value, depth);
                continue;
            }
            if self.named.len() < NAMES {
                let mut values = Values::default();
                values.add(value, depth);
                self.named.insert(name.into(), (self.named.len(), values));
            } else {
                self.rest.get_or_insert_default().add(value, depth);
            }
        }
        self.widest = self.widest.max(width);
        if let Some(variants) = &mut self.variants {
            variants.add(document, depth);
        }
    }

    pub(crate) fn merge(&mut self, other: &Fields) {
        self.documents += other.documents;
        self.widest = self.widest.max(other.widest);
        self.names.merge(&other.names);
        for (name, (order, values)) in &other.named {
            if self.named.len() < NAMES || self.named.contains_key(name) {
                let (_, own) = self
                    .named
                    .entry(name.clone())
                    .or_insert_with(|| (*order, Values::default()));
                own.merge(values);
            } else {
                self.rest.get_or_insert_default().merge(values);
            }
        }
        if let Some(rest) = &other.rest {
            self.rest.get_or_insert_default().merge(rest);
        }
        self.variants = match (self.variants.take(), &other.variants) {
            (Some(mut own), Some(others)) if own.tag == others.tag => {
                own.merge(others);
                Some(own)
            }
            (None, Some(others)) if self.documents == other.documents => Some(others.clone()),
            _ => None,
        };
    }

    /// The profile of a field.
    pub(crate) fn get(&self, name: &str) -> Option<&Values> {
        self.named.get(name).map(|(_, values)| values)
    }

    /// Names and profiles in the order in which the names were met.
    pub(crate) fn in_order(&self) -> Vec<(&str, &Values)> {
        let mut fields: Vec<_> = self.named.iter().collect();
        fields.sort_by_key(|(_, (order, _))| *order);
        fields
            .into_iter()
            .map(|(name, (_, values))| (&**name, values))
            .collect()
    }

    /// The number of documents that lack a field.
    pub(crate) fn absent(&self, values: &Values) -> u64 {
        self.documents.saturating_sub(values.count)
    }
}

impl Variants {
    /// Variants that the field `tag` tells apart.
    pub(crate) fn by(tag: &str) -> Self {
        Variants {
            tag: tag.into(),
            ..Variants::default()
        }
    }

    fn add(&mut self, document: &RawDocument, depth: usize) {
        let Ok(Some(bson::RawBsonRef::String(tag))) = document.get(&*self.tag) else {
            self.untagged += 1;
            return;
        };
        if let Some(fields) = self.by_tag.get_mut(tag) {
            fields.add(document, depth);
        } else if self.by_tag.len() < TAGS {
            self.by_tag
                .entry(tag.into())
                .or_default()
                .add(document, depth);
        } else {
            self.untagged += 1;
        }
    }

    fn merge(&mut self, other: &Variants) {
        self.untagged += other.untagged;
        for (tag, fields) in &other.by_tag {
            self.by_tag.entry(tag.clone()).or_default().merge(fields);
        }
    }
}
