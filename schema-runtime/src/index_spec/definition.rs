//! An index as the database should have it: stored paths, and every option said.

use std::fmt;

use bson::{Bson, Document};

use super::signature::canonical_filter;
use crate::schema::index_row::{CollationRow, KeyKind};

/// An index that a collection should have. Made by [`definitions`](crate::index::definitions).
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Definition {
    /// Stored, dotted paths in order.
    pub keys: Vec<(String, KeyKind)>,
    /// True if no two documents may have the same key.
    pub unique: bool,
    /// Documents without the field are left out.
    pub sparse: bool,
    /// Seconds until a document is removed, counted from the date in the field.
    pub expire_after: Option<u32>,
    /// The filter of a partial index.
    pub partial: Option<Document>,
    /// Comparison rules for strings.
    pub collation: Option<CollationRow>,
    /// Options of a text index.
    pub text: TextOptions,
    /// The name under which to create the index: in a model's definitions only if the user chose one, or
    /// if the name says what the index was made for (the flags of propagation); in a plan always. An index that
    /// exists is recognised by its keys and options, whatever its name.
    pub name: Option<String>,
    /// The origin of the index.
    pub source: Source,
    /// True if the library's own commands use the index. They compare strings byte by byte: in a collection with a collation
    /// the index must declare that it has none.
    pub(crate) binary: bool,
}

/// Options of a text index; all empty for other indexes.
#[derive(Debug, Clone, Default)]
#[non_exhaustive]
pub struct TextOptions {
    /// Stored path and weight; 1 for text keys that are not named here.
    pub weights: Vec<(String, u32)>,
    /// The language of documents that do not name one.
    pub default_language: Option<&'static str>,
    /// The field that names a document's language.
    pub language_override: Option<&'static str>,
}

/// The origin of an index.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Source {
    /// The user, with `#[index]` or `#[model(index(..))]`.
    Declared,
    /// A reference, which is searched for by `by_<field>` and by propagation, or the flags of propagation.
    Automatic,
}

impl Definition {
    /// A plain index that a reference brings along.
    pub(crate) fn automatic(keys: Vec<(String, KeyKind)>) -> Self {
        Definition {
            keys,
            unique: false,
            sparse: false,
            expire_after: None,
            partial: None,
            collation: None,
            text: TextOptions::default(),
            name: None,
            source: Source::Automatic,
            binary: true,
        }
    }

    /// True if every query on the keys can use the index: it leaves no document out and orders by value.
    pub(crate) fn is_plain(&self) -> bool {
        !self.sparse
            && self.partial.is_none()
            && self.locale().is_none()
            && self
                .keys
                .iter()
                .all(|(_, kind)| matches!(kind, KeyKind::Asc | KeyKind::Desc))
    }

    /// The collation, unless it is the binary order.
    fn locale(&self) -> Option<&CollationRow> {
        self.collation
            .as_ref()
            .filter(|collation| collation.locale != "simple")
    }

    /// The name of the index if the user chose none: the server's default name (`host_1_time_-1`), and a suffix that distinguishes
    /// variants of the same keys (`email_1_unique`), since a collection may have all of them.
    #[must_use]
    pub fn default_name(&self) -> String {
        let keys: Vec<String> = self
            .keys
            .iter()
            .map(|(path, kind)| format!("{path}_{}", kind_text(*kind)))
            .collect();
        let mut name = keys.join("_");
        if self.unique {
            name.push_str("_unique");
        }
        if self.sparse {
            name.push_str("_sparse");
        }
        if let Some(filter) = &self.partial {
            name.push_str(&format!(
                "_partial_{:08x}",
                fnv(&canonical_filter(filter).join("&"))
            ));
        }
        if let Some(collation) = self.locale() {
            name.push('_');
            name.push_str(collation.locale);
            if let Some(strength) = collation.strength {
                name.push_str(&format!("_{strength}"));
            }
            if collation.case_level == Some(true) {
                name.push_str("_case");
            }
            if collation.numeric_ordering == Some(true) {
                name.push_str("_numeric");
            }
        }
        name
    }

    /// The specification for `createIndexes`, without the name.
    #[must_use]
    pub fn spec(&self) -> Document {
        let mut key = Document::new();
        for (path, kind) in &self.keys {
            key.insert(path, kind_value(*kind));
        }
        let mut spec = Document::new();
        spec.insert("key", key);
        if self.unique {
            spec.insert("unique", true);
        }
        if self.sparse {
            spec.insert("sparse", true);
        }
        if let Some(seconds) = self.expire_after {
            spec.insert("expireAfterSeconds", i64::from(seconds));
        }
        if let Some(filter) = &self.partial {
            spec.insert("partialFilterExpression", filter.clone());
        }
        if let Some(collation) = &self.collation {
            spec.insert("collation", collation_spec(collation));
        }
        if !self.text.weights.is_empty() {
            let weights: Document = self
                .text
                .weights
                .iter()
                .map(|(path, weight)| (path.clone(), Bson::Int64(i64::from(*weight))))
                .collect();
            spec.insert("weights", weights);
        }
        if let Some(language) = self.text.default_language {
            spec.insert("default_language", language);
        }
        if let Some(field) = self.text.language_override {
            spec.insert("language_override", field);
        }
        spec
    }
}

/// Keys and options: `{ host: 1, time: -1 } unique`.
impl fmt::Display for Definition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write_spec(f, &self.spec())
    }
}

/// The keys of a specification and the options behind them, as messages show an index.
pub(crate) fn write_spec(f: &mut fmt::Formatter<'_>, spec: &Document) -> fmt::Result {
    let keys: Vec<String> = spec
        .get_document("key")
        .into_iter()
        .flatten()
        .map(|(path, value)| format!("{path}: {value}"))
        .collect();
    write!(f, "{{ {} }}", keys.join(", "))?;
    for (option, value) in spec {
        match (option.as_str(), value) {
            // Skip options that every index has, and options that are off.
            ("v" | "key" | "name" | "ns" | "textIndexVersion" | "2dsphereIndexVersion", _)
            | (_, Bson::Boolean(false)) => {}
            (option, Bson::Boolean(true)) => write!(f, " {option}")?,
            (option, value) => write!(f, " {option}: {value}")?,
        }
    }
    Ok(())
}

fn kind_text(kind: KeyKind) -> &'static str {
    match kind {
        KeyKind::Asc | KeyKind::Wildcard => "1",
        KeyKind::Desc => "-1",
        KeyKind::Text => "text",
        KeyKind::Hashed => "hashed",
        KeyKind::Geo => "2dsphere",
    }
}

fn kind_value(kind: KeyKind) -> Bson {
    match kind {
        KeyKind::Asc | KeyKind::Wildcard => Bson::Int32(1),
        KeyKind::Desc => Bson::Int32(-1),
        KeyKind::Text | KeyKind::Hashed | KeyKind::Geo => Bson::from(kind_text(kind)),
    }
}

fn collation_spec(row: &CollationRow) -> Document {
    let mut spec = Document::new();
    spec.insert("locale", row.locale);
    if let Some(strength) = row.strength {
        spec.insert("strength", i32::from(strength));
    }
    if let Some(case_level) = row.case_level {
        spec.insert("caseLevel", case_level);
    }
    if let Some(numeric) = row.numeric_ordering {
        spec.insert("numericOrdering", numeric);
    }
    spec
}

/// FNV-1a: short, and the same in every build, which the standard library's hashes do not promise.
pub(crate) fn fnv(text: &str) -> u32 {
    text.bytes().fold(0x811c_9dc5, |hash, byte| {
        (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193)
    })
}
