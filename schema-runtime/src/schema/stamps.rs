//! The fields that the server's clock or the first store of a document decides: `#[created]`, `#[updated]`, `#[immutable]`. Also the fields
//! that only updates change: `#[volatile]` in a model with a version.

use bson::{Bson, Document, doc};

use crate::bson_util::path::first_step;
use crate::schema::model::ModelMeta;
use crate::schema::rows::{FieldRow, Fixed};
use crate::schema::soft_delete::Mark;
use crate::schema::soft_delete::deleted_field;
use crate::schema::version::Version;

/// The fields that every write of a document changes: its version, and the time of its last write.
#[derive(Debug)]
pub(crate) struct AlwaysWritten {
    version: Option<Version>,
    /// The fields whose updates do not raise the version.
    volatile: Vec<&'static str>,
    stamps: Option<Stamps>,
}

impl AlwaysWritten {
    /// The fields of a model; `None` if it has none.
    pub(crate) fn of(meta: &ModelMeta) -> Option<Self> {
        let (version, stamps) = (Version::of(meta), Stamps::of(meta));
        let volatile = stamps.as_ref().map(|stamps| stamps.volatile.clone());
        let stamps = stamps.filter(|stamps| stamps.updated.is_some());
        (version.is_some() || stamps.is_some()).then(|| AlwaysWritten {
            version,
            volatile: volatile.unwrap_or_default(),
            stamps,
        })
    }

    /// The version, if these operators raise it: one of them changes a field that is not volatile.
    fn raised(&self, operators: &Document) -> Option<&Version> {
        let is_volatile = |path: &String| self.volatile.contains(&first_step(path));
        let all_volatile = operators.values().all(|fields| {
            let fields = fields.as_document();
            fields.is_some_and(|fields| fields.keys().all(is_volatile))
        });
        self.version.as_ref().filter(|_| !all_volatile)
    }

    /// Adds 1 to the version and sets the time, in an update with operators.
    pub(crate) fn touch(&self, operators: &mut Document) {
        if let Some(version) = self.raised(operators) {
            version.bump(operators);
        }
        if let Some(stamps) = &self.stamps {
            stamps.touch(operators);
        }
    }

    /// Stages that add 1 to the version and set the time, in a pipeline that has the effect of `operators`.
    pub(crate) fn stages(&self, operators: &Document) -> Vec<Document> {
        let version = self.raised(operators).map(Version::bumped);
        let stamps = self.stamps.as_ref().and_then(Stamps::touched);
        version.into_iter().chain(stamps).collect()
    }
}

/// Adds 1 to the version and sets the time, in an update of a model that has such fields.
pub(crate) fn touch(meta: &ModelMeta, operators: &mut Document) {
    if let Some(touched) = AlwaysWritten::of(meta) {
        touched.touch(operators);
    }
}

/// The operators that mark a document as deleted, by the server's clock, or make it live again.
pub(crate) fn marking(meta: &ModelMeta, mark: Mark) -> Document {
    let mut operators = mark_alone(meta, mark);
    touch(meta, &mut operators);
    operators
}

fn mark_alone(meta: &ModelMeta, mark: Mark) -> Document {
    let name = deleted_field(meta).unwrap_or_default();
    match mark {
        Mark::Set => doc! { "$currentDate": { name: true } },
        Mark::SetAt(at) => doc! { "$set": { name: at } },
        Mark::Remove => doc! { "$unset": { name: "" } },
    }
}

/// The stages that mark a document as deleted, by the server's clock, or make it live again.
pub(crate) fn marking_stages(meta: &ModelMeta, mark: Mark) -> Vec<Document> {
    let name = deleted_field(meta).unwrap_or_default();
    let mut stages = vec![match mark {
        Mark::Set => doc! { "$set": { name: "$$NOW" } },
        Mark::SetAt(at) => doc! { "$set": { name: at } },
        Mark::Remove => doc! { "$unset": name },
    }];
    let operators = mark_alone(meta, mark);
    let always = AlwaysWritten::of(meta);
    stages.extend(always.iter().flat_map(|always| always.stages(&operators)));
    stages
}

/// The fields of a model with a version that a save leaves as they are stored, so that their updates need not raise it.
pub(crate) fn volatile(meta: &ModelMeta) -> impl Iterator<Item = &'static FieldRow> + use<> {
    let rows = meta.shape.fields.iter();
    rows.filter(|row| row.fixed == Some(Fixed::Volatile))
}

/// The fields of a model that are not written as the program's values say; see [`Fixed`].
#[derive(Debug, Default)]
pub(crate) struct Stamps {
    created: Option<&'static str>,
    updated: Option<&'static str>,
    immutable: Vec<&'static str>,
    volatile: Vec<&'static str>,
    /// The names of all fields at the top of the model but `_id`.
    names: Vec<&'static str>,
}

impl Stamps {
    /// The stamps of a model; `None` if it has none.
    pub(crate) fn of(meta: &ModelMeta) -> Option<Self> {
        let rows = meta.shape.fields;
        if rows.iter().all(|row| row.fixed.is_none()) {
            return None;
        }
        let first = |fixed| {
            let is = |row: &&FieldRow| row.fixed == Some(fixed);
            rows.iter().find(is).map(|row| row.name)
        };
        // A save leaves the time of a soft delete as it is.
        let is_immutable =
            |row: &&FieldRow| matches!(row.fixed, Some(Fixed::Immutable | Fixed::Deleted));
        let is_named = |name: &&str| !name.is_empty() && *name != "_id";
        Some(Stamps {
            created: first(Fixed::Created),
            updated: first(Fixed::Updated),
            immutable: rows
                .iter()
                .filter(is_immutable)
                .map(|row| row.name)
                .collect(),
            volatile: volatile(meta).map(|row| row.name).collect(),
            names: rows.iter().map(|row| row.name).filter(is_named).collect(),
        })
    }

    /// True if the server's clock decides a field.
    pub(crate) fn has_times(&self) -> bool {
        self.times().next().is_some()
    }

    /// The fields that the server's clock decides.
    pub(crate) fn times(&self) -> impl Iterator<Item = &'static str> + use<> {
        self.created.into_iter().chain(self.updated)
    }

    /// True if no update of the program sets this field.
    pub(crate) fn has(&self, name: &str) -> bool {
        self.times()
            .chain(self.immutable.iter().copied())
            .any(|one| one == name)
    }

    /// The pipeline that stores a new document, with the server's time.
    pub(crate) fn inserted(&self, document: Document) -> Vec<Document> {
        let times = self
            .times()
            .map(|name| (name.to_owned(), Bson::from("$$NOW")));
        let times: Document = times.collect();
        let whole = doc! { "$mergeObjects": [{ "$literal": document }, times] };
        vec![doc! { "$replaceWith": whole }]
    }

    /// Takes the fields out of a whole document that is to be stored, and gives their values as expressions: of a stored document
    /// they stay, but for the time of the last write. A pipeline sees a document that an upsert makes as one without any of the
    /// model's fields but the `_id`.
    pub(crate) fn take(&self, document: &mut Document) -> Document {
        let fields = doc! { "$map": { "input": { "$objectToArray": "$$ROOT" }, "in": "$$this.k" } };
        let known = doc! { "$setIntersection": [self.names.clone(), fields] };
        let is_new = doc! { "$eq": [{ "$size": known }, 0] };
        let mut values = Document::new();
        let mut put = |name: &str, new: Bson| {
            let stored = format!("${name}");
            values.insert(name, doc! { "$cond": [is_new.clone(), new, stored] });
        };
        for name in self.immutable.iter().chain(&self.volatile) {
            match document.remove(name) {
                Some(value) => put(name, Bson::Document(doc! { "$literal": value })),
                None => put(name, Bson::from("$$REMOVE")),
            }
        }
        if let Some(name) = self.created {
            document.remove(name);
            put(name, Bson::from("$$NOW"));
        }
        if let Some(name) = self.updated {
            document.remove(name);
            values.insert(name, "$$NOW");
        }
        values
    }

    /// Takes the fields out of a document of which single fields are to be set.
    pub(crate) fn strip(&self, document: &mut Document) {
        let kept = self.immutable.iter().chain(&self.volatile).copied();
        for name in self.times().chain(kept) {
            document.remove(name);
        }
    }

    /// Sets the time of the last write, in an update with operators.
    pub(crate) fn touch(&self, operators: &mut Document) {
        if let Some(name) = self.updated {
            crate::bson_util::operators::merge(operators, "$currentDate", doc! { name: true });
        }
    }

    /// The stage of a pipeline that sets the time of the last write.
    pub(crate) fn touched(&self) -> Option<Document> {
        self.updated.map(|name| doc! { "$set": { name: "$$NOW" } })
    }
}
