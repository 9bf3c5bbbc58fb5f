//! The export of what is about a person.

use std::marker::PhantomData;

use bson::{Bson, Document, doc};
use serde::Serialize;

use super::certificate::CopiedField;
use super::erase::text_of;
use super::places::{Place, copies_of, places_of};
use super::spots::retain;
use crate::bson_util::path::first_step;
use crate::bson_util::stored_id::id_in_filter;
use crate::builder::awaits;
use crate::driver::{self, Database, FindArgs};
use crate::error::{Error, Result};
use crate::schema::model::{Model, ModelMeta};
use crate::schema::tenant::{tenant_field, tenant_of};
use crate::tenant::{Confined, Wall, confine};

/// An export of what is about a person, about to be sent. `.await` gives [`PersonalData`].
#[derive(Debug)]
#[must_use = "nothing is sent before it is awaited"]
pub struct Export<'a, M> {
    db: &'a Database,
    filter: Result<Document>,
    model: PhantomData<fn() -> M>,
}

impl<'a, M: Model> Export<'a, M> {
    pub(crate) fn new(db: &'a Database, filter: Result<Document>) -> Self {
        Export {
            db,
            filter,
            model: PhantomData,
        }
    }
}

impl<M: Model> Confined for Export<'_, M> {
    fn confined(mut self, wall: &Wall) -> Self {
        self.filter = confine::<M>(wall, self.filter);
        self
    }
}

/// The personal values of a person. Serde writes it as JSON, with the values as MongoDB's extended JSON.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[non_exhaustive]
pub struct PersonalData {
    /// The model of the person.
    pub model: &'static str,
    /// The `_id` of the person, as a text.
    pub person: String,
    /// The documents with personal values, the person's own first.
    pub documents: Vec<PersonalDocument>,
    /// The fields of other documents that hold copies of these values.
    pub copies: Vec<CopiedField>,
}

/// The personal values in one document.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[non_exhaustive]
pub struct PersonalDocument {
    /// The model.
    pub model: &'static str,
    /// The collection.
    pub collection: &'static str,
    /// The `_id` and the personal fields, as they are stored. Of an array of embedded documents it has the elements that are about the person.
    pub values: Document,
}

awaits!(['a, M: Model] Export<'a, M> => PersonalData, self {
    read(self.db, M::model_meta(), self.filter?).await
});

async fn read(db: &Database, person: &'static ModelMeta, own: Document) -> Result<PersonalData> {
    let id = id_in_filter(&own);
    let tenant = tenant_field(person);
    let args = FindArgs {
        projection: Some(doc! { "_id": 1, tenant.unwrap_or("_id"): 1 }),
        ..FindArgs::default()
    };
    let read_tenant = |raw: &bson::RawDocument| Ok(tenant.map(|field| tenant_of(field, raw)));
    let found = driver::first(db, person.collection, own, args, None, read_tenant).await?;
    let tenant = found.ok_or_else(|| Error::NotFound {
        model: person.name,
        id: Box::new(id.clone()),
    })?;
    let (places, mut documents) = (places_of(person), Vec::new());
    for place in &places {
        let about = place.about(&id, tenant.as_ref());
        read_place(db, (place, &id), about, &mut documents).await?;
    }
    Ok(PersonalData {
        model: person.name,
        person: text_of(&id),
        documents,
        copies: copies_of(&places),
    })
}

/// Reads the personal values of one place.
async fn read_place(
    db: &Database,
    (place, id): (&Place, &Bson),
    filter: Document,
    documents: &mut Vec<PersonalDocument>,
) -> Result<()> {
    let (model, collection) = (place.meta.name, place.meta.collection);
    let mut tops = vec!["_id".to_owned()];
    for group in &place.groups {
        let fields = group.fields.iter().map(|field| field.path.clone());
        let paths = fields.chain(group.way.tops());
        tops.extend(paths.map(|path| first_step(&path).to_owned()));
    }
    let args = FindArgs {
        projection: Some(tops.into_iter().map(|top| (top, Bson::Int32(1))).collect()),
        ..FindArgs::default()
    };
    let mut rows = driver::open(db, collection, filter, args, None).await?;
    while let Some(stored) = rows.next(driver::unpack).await? {
        let mut found = Vec::new();
        for group in &place.groups {
            group.way.collect(id, &group.fields, &stored, &mut found);
        }
        if found.is_empty() && !place.is_of_person() {
            continue;
        }
        found.push(vec!["_id".to_owned()]);
        let found: Vec<&[String]> = found.iter().map(Vec::as_slice).collect();
        documents.push(PersonalDocument {
            model,
            collection,
            values: retain(stored, &found),
        });
    }
    Ok(())
}
