//! A document with entries that are not in the log.

use bson::oid::ObjectId;
use bson::{Bson, Document, doc};

use crate::bson_util::number::integer;
use crate::driver::history::Entry;
use crate::schema::outbox::Outbox;
use crate::schema::registry;
use crate::schema::stored;
use crate::schema::tenant::tenant_field;

/// The field of the tenant, in a walled model.
fn tenant_of(collection: &str) -> Option<&'static str> {
    let models = registry::models();
    let mut walled = models.iter().filter(|model| model.collection == collection);
    walled.find_map(|model| tenant_field(model))
}

/// The fields that deliver the entries of a document; all of them where an entry needs the document itself.
pub(super) fn fields(collection: &str, outbox: Outbox) -> Document {
    match outbox {
        Outbox::History => Document::new(),
        Outbox::Events => {
            let mut fields = doc! { "_id": 1, outbox.path(): 1 };
            fields.extend(tenant_of(collection).map(|field| (field.to_owned(), 1.into())));
            fields
        }
    }
}

/// The same of a document that is about to be deleted, with its tombstone.
pub(super) fn fields_of_deleted(collection: &str, outbox: Outbox) -> Document {
    let mut fields = fields(collection, outbox);
    // A durable read of several documents proves their tombstones by this field as a whole.
    if fields.remove(outbox.path()).is_some() {
        fields.insert(stored::OWN, 1);
    }
    fields
}

/// A document with entries that are not in the log.
#[derive(Debug)]
pub(super) struct Emitter {
    pub(super) id: Bson,
    /// The number of the entry before the first of these.
    pub(super) before: i64,
    /// The entries, each with its token, oldest first.
    pub(super) entries: Vec<(ObjectId, Bson)>,
    /// The other fields of the document that were read.
    pub(super) fields: Document,
    /// The last entries, which its list does not hold: those of its delete.
    pub(super) last: Vec<(ObjectId, Bson)>,
    pub(super) outbox: Outbox,
}

impl Emitter {
    pub(super) fn read(mut document: Document, outbox: Outbox) -> Option<Self> {
        let id = document.remove("_id")?;
        let own = document.remove(stored::OWN);
        let own = own.as_ref().and_then(Bson::as_document);
        let list = own.and_then(|own| own.get_document(outbox.key()).ok());
        let number = list.and_then(|list| integer(list.get(stored::key::EVENT_NUMBER)));
        let left = list.and_then(|list| list.get_array(stored::key::EVENTS_LEFT).ok());
        let left = left.into_iter().flatten().filter_map(Bson::as_document);
        let entries = left.filter_map(|one| {
            let token = one.get_object_id(stored::TOKEN).ok()?;
            Some((token, one.get(stored::key::EVENTS_LEFT_VALUE)?.clone()))
        });
        let entries: Vec<(ObjectId, Bson)> = entries.collect();
        Some(Emitter {
            id,
            before: number.unwrap_or(0) - i64::try_from(entries.len()).ok()?,
            entries,
            fields: document,
            last: Vec::new(),
            outbox,
        })
    }

    /// A document that is about to be deleted, with the entries of its delete; `None` if there are none, or it has not this tombstone.
    pub(super) fn of_deleted(document: Document, token: ObjectId, outbox: Outbox) -> Option<Self> {
        let own = document.get_document(stored::OWN).ok()?;
        let tombstone = own.get_object_id(stored::key::TOMBSTONE).ok()?;
        if tombstone != token {
            return None;
        }
        let last: Vec<Bson> = match outbox {
            Outbox::History => vec![Entry::new().facts().into()],
            Outbox::Events => own.get_array(stored::key::DELETE_EVENTS).ok()?.clone(),
        };
        let last = last.into_iter().map(|value| (token, value)).collect();
        let emitter = Emitter::read(document, outbox)?;
        Some(Emitter { last, ..emitter })
    }

    /// The number of the last entry.
    pub(super) fn end(&self) -> i64 {
        self.before + (self.entries.len() + self.last.len()) as i64
    }

    /// The tenant of the document, with the name of its field.
    pub(super) fn tenant(&self, collection: &str) -> Document {
        let field = tenant_of(collection).into_iter();
        let tenant = field.filter_map(|field| Some((field, self.fields.get(field)?)));
        tenant
            .map(|(field, value)| (field.to_owned(), value.clone()))
            .collect()
    }

    pub(super) fn tokens(&self) -> Vec<ObjectId> {
        self.entries.iter().map(|(token, _)| *token).collect()
    }

    /// The statement that changes nothing, and matches only if the document still begins with these entries under these numbers; for a history
    /// also only if the entries and the document have the same values: those are what the log gets.
    pub(super) fn proof(&self) -> Document {
        let (list, number) = (format!("${}", self.outbox.list()), self.outbox.number());
        let left = doc! { "$ifNull": [&list, []] };
        let number = doc! { "$ifNull": [format!("${number}"), 0_i64] };
        let before = doc! { "$subtract": [number, { "$size": &left }] };
        let tokens = format!("{list}.{}", stored::TOKEN);
        let mut q = doc! { "_id": { "$eq": &self.id } };
        let mut same = vec![doc! { "$eq": [before, self.before] }];
        if self.outbox == Outbox::History {
            let is_own = doc! { "$in": ["$$this.k", ["_id", stored::OWN]] };
            let others = doc! { "$not": [is_own] };
            let fields =
                doc! { "$filter": { "input": { "$objectToArray": "$$ROOT" }, "cond": others } };
            let read = self.fields.iter().map(|(k, v)| doc! { "k": k, "v": v });
            let read: Vec<Document> = read.collect();
            same.push(doc! { "$eq": [fields, { "$literal": read }] });
            let entries = self.entries.iter();
            let entries = entries.map(|(token, value)| {
                doc! { stored::TOKEN: token, stored::key::EVENTS_LEFT_VALUE: value }
            });
            let entries: Vec<Document> = entries.collect();
            same.push(doc! { "$eq": [left, { "$literal": entries }] });
        }
        if !self.entries.is_empty() {
            let first = doc! { "$slice": [tokens, self.entries.len() as i64] };
            same.push(doc! { "$eq": [first, self.tokens()] });
            q.insert(self.outbox.token(), doc! { "$all": self.tokens() });
        }
        q.insert("$expr", doc! { "$and": same });
        doc! { "q": q, "u": { "$unset": { stored::ABSENT: 1 } } }
    }
}
