//! A step of a saga, and its form in the journal:
//! `{mark, model, collection, asked}`, and `version` and `wide` of an update. `asked` holds the rest as bytes, because operators are not
//! allowed as field names.

use bson::oid::ObjectId;
use bson::spec::BinarySubtype;
use bson::{Binary, Bson, Document, RawDocumentBuf, doc};

use crate::error::{Error, Result};
use crate::schema::model::ModelMeta;
use crate::schema::registry;
use crate::schema::stored;
use crate::schema::tenant::{demanded_tenant, tenant_field};
use crate::schema::version::Version;
use crate::write::change::ops::Range;

/// A step, as data.
#[derive(Debug, Clone)]
pub(super) struct Step {
    /// The mark in the step's document while the step is made and may be undone.
    pub(super) mark: ObjectId,
    /// The model; `None` if this program has none in the collection.
    pub(super) meta: Option<&'static ModelMeta>,
    pub(super) collection: String,
    pub(super) id: Bson,
    /// The filter for the step's document: its `_id`, and its tenant if it has one.
    pub(super) own: Document,
    pub(super) action: Action,
}

#[derive(Debug, Clone)]
pub(super) enum Action {
    Update(Box<Change>),
    Insert(NewDocument),
}

/// A change of a document with a version.
#[derive(Debug, Clone)]
pub(super) struct Change {
    pub(super) version: Version,
    pub(super) filter: Document,
    pub(super) operators: Document,
    pub(super) undo: Document,
    /// The condition that the undo leaves a document that can be read.
    pub(super) undo_fits: Document,
    /// The ranges of results, and the filter without their conditions: the reason of a refusal. A resumed saga has none: no caller
    /// waits for the reason.
    pub(super) ranges: (Document, Vec<Range>),
}

/// A document that nothing has to follow.
#[derive(Debug, Clone)]
pub(super) struct NewDocument {
    /// The document without the library's own fields.
    pub(super) document: Document,
    /// The fields of the document that the server's clock decides.
    pub(super) times: Vec<String>,
    /// The state of a job in the queue once the saga has ended; empty if the job is ready then.
    pub(super) queue: Option<Document>,
}

impl Step {
    /// The name of the model.
    pub(super) fn model(&self) -> &'static str {
        self.meta.map_or("document", |meta| meta.name)
    }

    /// The filter for the step's document whose marks meet a condition.
    pub(super) fn with_mark(&self, marks: impl Into<Bson>) -> Document {
        let mut filter = self.own.clone();
        filter.insert(stored::SAGA_MARKS, marks);
        filter
    }

    /// The update that takes the mark off the document, and makes a job ready.
    pub(super) fn release(&self) -> Document {
        let mut operators = doc! { "$pull": { stored::SAGA_MARKS: self.mark } };
        match &self.action {
            Action::Insert(NewDocument {
                queue: Some(state), ..
            }) if state.is_empty() => {
                operators.insert("$unset", doc! { stored::JOB: "" });
            }
            Action::Insert(NewDocument {
                queue: Some(state), ..
            }) => {
                operators.insert("$set", doc! { stored::JOB: state });
            }
            _ => {}
        }
        operators
    }

    /// The form in the journal.
    pub(super) fn written(&self) -> Result<Bson> {
        let (asked, version) = match &self.action {
            Action::Update(change) => {
                let asked = doc! {
                    "id": &self.id, "filter": &change.filter, "change": &change.operators, "undo": &change.undo,
                    "undo_fits": &change.undo_fits,
                };
                (asked, Some(change.version.stored()))
            }
            Action::Insert(new) => {
                let mut asked =
                    doc! { "id": &self.id, "insert": &new.document, "times": &new.times };
                asked.extend(
                    new.queue
                        .iter()
                        .map(|queue| ("queue".to_owned(), queue.into())),
                );
                (asked, None)
            }
        };
        let asked = RawDocumentBuf::try_from(&asked).map_err(|source| Error::Encode {
            model: "Saga",
            field: "steps".to_owned(),
            source: Box::new(source.into()),
        })?;
        let bytes = asked.into_bytes();
        let mut step = doc! {
            "mark": self.mark,
            "model": self.model(),
            "collection": &self.collection,
            "asked": Binary { subtype: BinarySubtype::Generic, bytes },
        };
        if let Some((name, wide)) = version {
            step.extend(doc! { "version": name, "wide": wide });
        }
        Ok(Bson::Document(step))
    }

    /// Reads the form in the journal.
    pub(super) fn read(step: &Bson) -> Option<Self> {
        let step = step.as_document()?;
        let asked = step.get_binary_generic("asked").ok()?;
        let asked = RawDocumentBuf::from_bytes(asked.clone()).ok()?;
        let mut asked = Document::try_from(asked.as_ref()).ok()?;
        let collection = step.get_str("collection").ok()?.to_owned();
        let models = registry::models();
        let mut models = models.into_iter();
        let meta = models.find(|model| model.collection == collection);
        let id = asked.remove("id")?;
        let (own, action) = match asked.contains_key("insert") {
            true => {
                let new = NewDocument::read(&mut asked)?;
                (new.filter_by_id(meta), Action::Insert(new))
            }
            false => {
                let change = Change::read(step, &mut asked)?;
                let own = own_document(meta, &id, &change.filter);
                (own, Action::Update(Box::new(change)))
            }
        };
        Some(Step {
            mark: step.get_object_id("mark").ok()?,
            meta,
            collection,
            id,
            own,
            action,
        })
    }
}

fn document(asked: &mut Document, name: &str) -> Option<Document> {
    match asked.remove(name) {
        Some(Bson::Document(part)) => Some(part),
        _ => None,
    }
}

impl Change {
    fn read(step: &Document, asked: &mut Document) -> Option<Self> {
        let version = step.get_str("version").ok()?.to_owned();
        Some(Change {
            version: Version::read(version, step.get_bool("wide").ok()?),
            filter: document(asked, "filter")?,
            operators: document(asked, "change")?,
            undo: document(asked, "undo")?,
            undo_fits: document(asked, "undo_fits").unwrap_or_default(),
            ranges: Default::default(),
        })
    }
}

impl NewDocument {
    /// The filter for the document.
    pub(super) fn filter_by_id(&self, meta: Option<&'static ModelMeta>) -> Document {
        let id = self.document.get("_id").unwrap_or(&Bson::Null);
        let field = meta.and_then(tenant_field);
        let tenant =
            field.and_then(|field| Some(doc! { field: { "$eq": self.document.get(field)? } }));
        own_document(meta, id, &tenant.unwrap_or_default())
    }

    fn read(asked: &mut Document) -> Option<Self> {
        let times = asked.get_array("times").ok()?.iter();
        Some(NewDocument {
            times: times
                .filter_map(|name| Some(name.as_str()?.to_owned()))
                .collect(),
            document: document(asked, "insert")?,
            queue: document(asked, "queue"),
        })
    }
}

/// The filter for the document of a step: its `_id`, and the tenant that the step demands.
pub(super) fn own_document(
    meta: Option<&'static ModelMeta>,
    id: &Bson,
    filter: &Document,
) -> Document {
    let mut own = doc! { "_id": { "$eq": id } };
    let field = meta.and_then(tenant_field);
    if let Some((field, tenant)) =
        field.and_then(|field| Some((field, demanded_tenant(field, filter)?)))
    {
        own.insert(field, doc! { "$eq": tenant });
    }
    own
}
