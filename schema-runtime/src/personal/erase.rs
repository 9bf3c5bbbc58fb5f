//! The erase of a person (docs/PROTOCOL.md, 4.21).

use std::marker::PhantomData;

use bson::oid::ObjectId;
use bson::{Bson, Document, doc};

use super::certificate::Certificate;
use super::places::{Group, Place, copies_of, persons, places_of};
use crate::bson_util::stored_id::{id_in_filter, id_of};
use crate::builder::{CallOptions, answers};
use crate::driver::{self, Database, FindArgs};
use crate::error::{Error, Result};
use crate::graph::relations::Relations;
use crate::outcome::{Outcome, Pending};
use crate::schema::model::{Model, ModelMeta};
use crate::schema::stored;
use crate::schema::tenant::{tenant_field, tenant_of};
use crate::tenant::{Confined, Scope, Wall, confine};
use crate::write::send::{WAITS, finish_blocking_delete};

/// The name of the pending work of an erase.
const NAME: &str = "~erase";

/// An erase of what is about a person, about to be sent. `.await` gives a [`Certificate`].
#[derive(Debug)]
#[must_use = "nothing is sent before it is awaited"]
pub struct Erase<'a, M> {
    db: &'a Database,
    filter: Result<Document>,
    options: CallOptions,
    model: PhantomData<fn() -> M>,
}

impl<'a, M: Model> Erase<'a, M> {
    pub(crate) fn new(db: &'a Database, filter: Result<Document>) -> Self {
        Erase {
            db,
            filter,
            options: CallOptions::settled(),
            model: PhantomData,
        }
    }
}

impl<M: Model> Confined for Erase<'_, M> {
    fn confined(mut self, wall: &Wall) -> Self {
        wall.set_options(&mut self.options);
        self.filter = confine::<M>(wall, self.filter);
        self
    }
}

answers!(['a, M: Model] Erase<'a, M> => Certificate, self, self.options.clone(), {
    begin(self.db, M::model_meta(), self.filter?).await
});

/// Flags the person, erases everything and removes the flag.
async fn begin(db: &Database, person: &'static ModelMeta, own: Document) -> Result<Certificate> {
    let (id, token) = (id_in_filter(&own), ObjectId::new());
    let places = places_of(person);
    for place in &places {
        place.check(&id)?;
    }
    let flag = doc! { "$set": { stored::ERASE: token } };
    let fields = fields(person);
    let flagged = driver::change_and_read(db, person.collection, own, flag, fields, true).await?;
    let flagged = flagged.ok_or_else(|| Error::NotFound {
        model: person.name,
        id: Box::new(id.clone()),
    })?;
    fault!("after_erase_flag");
    let tenant = tenant_in(person, &flagged);
    let erasure = Erasure {
        db,
        person,
        id,
        tenant,
        token,
    };
    erasure.finish(&places).await
}

/// The fields of a person that an erase reads.
fn fields(person: &ModelMeta) -> Document {
    let mut fields = doc! { "_id": 1, stored::ERASE: 1 };
    fields.extend(tenant_field(person).map(|field| (field.to_owned(), Bson::Int32(1))));
    fields
}

fn tenant_in(person: &ModelMeta, document: &Document) -> Option<Bson> {
    document.get(tenant_field(person)?).cloned()
}

/// An `_id` as a text.
pub(super) fn text_of(id: &Bson) -> String {
    match id {
        Bson::ObjectId(id) => id.to_hex(),
        Bson::String(text) => text.clone(),
        Bson::Binary(bytes) => bytes
            .to_uuid()
            .map_or_else(|_| id.to_string(), |uuid| uuid.to_string()),
        other => other.to_string(),
    }
}

/// An erase that is under way.
struct Erasure<'e> {
    db: &'e Database,
    person: &'static ModelMeta,
    id: Bson,
    tenant: Option<Bson>,
    token: ObjectId,
}

impl Erasure<'_> {
    /// Erases the fields of every place, and removes the flag if nothing is pending.
    async fn finish(&self, places: &[Place]) -> Result<Certificate> {
        let person = text_of(&self.id);
        let (mut erased, mut pending) = (Vec::new(), Vec::new());
        for place in places {
            for group in &place.groups {
                let Some(mut fields) = place.erased(group) else {
                    continue;
                };
                let outcome = self.erase_group(place, group, &person).await?;
                fault!("after_erase_place");
                fields.documents = outcome.matched;
                pending.extend(outcome.pending);
                erased.push(fields);
            }
        }
        if pending.is_empty() {
            self.remove_flag().await?;
            fault!("after_erase");
        }
        Ok(Certificate {
            model: self.person.name,
            person,
            finished: pending.is_empty(),
            erased,
            copies: copies_of(places),
            kept: places.iter().flat_map(Place::list_kept).collect(),
            pending,
        })
    }

    /// Erases the fields of one group. An update passes documents over that are being deleted: their deletes are finished, or undone, first.
    async fn erase_group(&self, place: &Place, group: &Group, person: &str) -> Result<Outcome> {
        let (db, meta, is_own) = (self.db, place.meta, place.is_of_person());
        let filter = place.filter(group, &self.id, self.tenant.as_ref());
        let mut outcome = Outcome::default();
        for _ in 0..=WAITS {
            let (values, send) = (group.values(&self.id, person), place.updates.send);
            outcome = match send(db, filter.clone(), values, !is_own).await {
                // It holds nothing to erase there, or another program has deleted the person: its documents are still there.
                Err(Error::NotFound { .. }) if is_own => Outcome::default(),
                done => done?,
            };
            if is_own || !Relations::get().entombs(meta.collection) {
                return Ok(outcome);
            }
            let mut entombed = filter.clone();
            entombed.insert(stored::TOMBSTONE, doc! { "$exists": true });
            let args = FindArgs {
                projection: Some(doc! { "_id": 1 }),
                ..FindArgs::default()
            };
            let id = |raw: &bson::RawDocument| Ok(id_of(raw));
            let left = driver::first(db, meta.collection, entombed, args, None, id).await?;
            let Some(left) = left else {
                return Ok(outcome);
            };
            finish_blocking_delete(db, meta, &doc! { "_id": { "$eq": left } }).await?;
        }
        let reason = "its documents are being deleted".to_owned();
        let refused = Pending::refused(NAME, meta.collection, self.id.clone(), reason);
        outcome.pending.push(refused);
        Ok(outcome)
    }

    /// Removes the flag, unless another erase of the person has begun meanwhile.
    async fn remove_flag(&self) -> Result<()> {
        let own = stored::value::OWN;
        let some = doc! { "$cond": [{ "$eq": [own, {}] }, "$$REMOVE", own] };
        let update = [doc! {
            "q": { "_id": { "$eq": &self.id }, stored::ERASE: self.token },
            "u": [{ "$unset": stored::ERASE }, { "$set": { stored::OWN: some } }],
        }];
        let collection = self.person.collection;
        let done = driver::statements(self.db, collection, &update, false, None).await?;
        match done.failed.into_iter().next() {
            None => Ok(()),
            Some((_, code, message)) => Err(Error::Refused {
                reference: NAME.to_owned(),
                code,
                message,
            }),
        }
    }
}

/// The erases that a pass over the flags has finished.
#[derive(Debug, Default)]
pub(crate) struct Finished {
    pub(crate) persons: u64,
    pub(crate) stuck: Vec<Pending>,
}

/// Finishes the erases in the documents of a scope that `take` accepts: of a collection, an `_id` and a token.
pub(crate) async fn resume(
    db: &Database,
    scope: &Scope,
    take: &mut (dyn FnMut(&str, &Bson, &[ObjectId]) -> bool + Send),
) -> Result<Finished> {
    let mut out = Finished::default();
    for person in persons() {
        let flagged = doc! { stored::ERASE: { "$exists": true } };
        let Some(filter) = scope.filter(person.collection, flagged) else {
            continue;
        };
        let args = FindArgs {
            projection: Some(fields(person)),
            ..FindArgs::default()
        };
        let mut rows = driver::open(db, person.collection, filter, args, None).await?;
        let places = places_of(person);
        while let Some(row) = rows.next(|raw| Ok(raw.to_owned())).await? {
            let own = row.get_document(stored::OWN_KEY).ok();
            let token = own.and_then(|own| own.get_object_id(bson::cstr!("a")).ok());
            let (Some(token), id) = (token, id_of(&row)) else {
                continue;
            };
            if !take(person.collection, &id, &[token]) {
                continue;
            }
            let tenant = tenant_field(person).map(|field| tenant_of(field, &row));
            let erasure = Erasure {
                db,
                person,
                id,
                tenant,
                token,
            };
            match erasure.finish(&places).await {
                Ok(certificate) => {
                    out.persons += u64::from(certificate.finished);
                    out.stuck.extend(certificate.pending);
                }
                Err(error @ Error::MissingIndex { .. }) => return Err(error),
                Err(error) => {
                    let (collection, reason) = (person.collection, error.to_string());
                    let stuck = Pending::refused(NAME, collection, erasure.id, reason);
                    out.stuck.push(stuck);
                }
            }
        }
    }
    Ok(out)
}

impl Place {
    /// Checks that the model can hold the erased values.
    fn check(&self, id: &Bson) -> Result<()> {
        let mut groups = self
            .groups
            .iter()
            .filter(|group| group.erased().next().is_some());
        groups.try_for_each(|group| (self.updates.check)(group.values(id, &text_of(id))))
    }
}
