//! The version of a document, to which every write adds 1.

use std::any::Any;

use bson::{Bson, Document, RawDocument, doc};

use crate::schema::model::{Model, ModelMeta};
use crate::schema::rows::{FieldRow, Width};

/// A model with a `#[version]`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` has no version to compare",
    label = "no `#[version]`",
    note = "add one to the model: `#[version] pub version: i64`"
)]
pub trait Versioned: Model {
    /// The version that was read, or that a new document begins with.
    fn version(&self) -> i64;

    /// The version as the `ETag` of an HTTP answer: `"7"`, with the quotation marks. [`Update::if_match`](crate::update::Update::if_match)
    /// reads it back.
    fn etag(&self) -> String {
        format!("\"{}\"", self.version())
    }

    /// Sets the version in memory; `false` where the field cannot hold it.
    #[doc(hidden)]
    fn set_version(&mut self, version: i64) -> bool;
}

/// A model without a `#[version]`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` has a version, which `save` does not compare, or generic code does not say that it has none",
    label = "has a `#[version]`, or is any model",
    note = "store it if nobody has changed it: `save_if_unchanged(&db)`",
    note = "change what is stored, whatever it is: `update(&db, id)`, or `update_with(&db, id, |document| ..)`",
    note = "generic code: add the bound `{Self}: mongo_model::Unversioned`"
)]
pub trait Unversioned {}

/// The version in a version field.
#[doc(hidden)]
pub fn version_of(field: &dyn Any) -> i64 {
    let narrow = || field.downcast_ref::<i32>().map(|narrow| i64::from(*narrow));
    let wide = field.downcast_ref::<i64>().copied();
    wide.or_else(narrow).unwrap_or(0)
}

/// Sets a version field; `false` where it cannot hold the number.
#[doc(hidden)]
pub fn put_version(field: &mut dyn Any, version: i64) -> bool {
    if let Some(wide) = field.downcast_mut::<i64>() {
        *wide = version;
        return true;
    }
    match (field.downcast_mut::<i32>(), i32::try_from(version)) {
        (Some(narrow), Ok(version)) => {
            *narrow = version;
            true
        }
        _ => false,
    }
}

/// The stored version of a model.
#[derive(Debug, Clone)]
pub(crate) struct Version {
    name: std::borrow::Cow<'static, str>,
    width: Width,
}

impl Version {
    /// The version of a model; `None` if it has none.
    pub(crate) fn of(meta: &ModelMeta) -> Option<Self> {
        let of = |row: &FieldRow| {
            let (name, width) = (row.name.into(), row.version?);
            Some(Version { name, width })
        };
        meta.shape.fields.iter().find_map(of)
    }

    /// The name and the width (true for 64 bits), as a journal stores them.
    pub(crate) fn stored(&self) -> (&str, bool) {
        (&self.name, self.width == Width::Int64)
    }

    /// The version from the name and the width in a journal.
    pub(crate) fn read(name: String, wide: bool) -> Self {
        let width = if wide { Width::Int64 } else { Width::Int32 };
        let name = name.into();
        Version { name, width }
    }

    /// A number as the field stores it: the server's sum is as wide as the wider of both.
    fn number(&self, number: i64) -> Bson {
        match (self.width, i32::try_from(number)) {
            (Width::Int32, Ok(number)) => Bson::Int32(number),
            _ => Bson::Int64(number),
        }
    }

    /// The version of a new document, if it is negative or leaves less than half of the numbers for changes.
    pub(crate) fn cannot_begin(&self, raw: &RawDocument) -> Option<i64> {
        let half = match self.width {
            Width::Int32 => i64::from(i32::MAX) / 2,
            _ => i64::MAX / 2,
        };
        let stored = raw.get(&*self.name).ok().flatten()?;
        let number = stored.as_i64().or_else(|| stored.as_i32().map(i64::from))?;
        (!(0..=half).contains(&number)).then_some(number)
    }

    /// Adds 1 to the version, in an update with operators.
    pub(crate) fn bump(&self, operators: &mut Document) {
        let by = doc! { &*self.name: self.number(1) };
        match operators.get_document_mut("$inc") {
            Ok(paths) => paths.extend(by),
            Err(_) => drop(operators.insert("$inc", by)),
        }
    }

    /// The stage of a pipeline that adds 1 to the version.
    pub(crate) fn bumped(&self) -> Document {
        let stored = doc! { "$ifNull": [format!("${}", self.name), self.number(0)] };
        doc! { "$set": { &*self.name: { "$add": [stored, self.number(1)] } } }
    }

    /// A filter for the versions that an `If-Match` names; `None` if it names every version.
    pub(crate) fn in_header(&self, if_match: &str) -> Option<Document> {
        if if_match.trim() == "*" {
            return None;
        }
        // A weak tag matches nothing here, as RFC 9110 compares them.
        let version = |tag: &str| {
            tag.trim()
                .strip_prefix('"')?
                .strip_suffix('"')?
                .parse()
                .ok()
        };
        let versions = if_match.split(',').filter_map(version);
        let mut any: Vec<Document> = versions.map(|version| self.is(version)).collect();
        Some(match any.len() {
            0 => doc! { "_id": { "$in": [] } },
            1 => any.remove(0),
            _ => doc! { "$or": any },
        })
    }

    /// A filter for this version. A document that was stored before the model had a version has version 0.
    pub(crate) fn is(&self, version: i64) -> Document {
        match version {
            0 => doc! { &*self.name: { "$in": [self.number(0), Bson::Null] } },
            version => doc! { &*self.name: self.number(version) },
        }
    }
}
