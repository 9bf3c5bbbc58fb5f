//! The export of what is about a person.

use std::marker::PhantomData;

use bson::{Bson, Document, doc};
use serde::Serialize;

use super::certificate::CopiedField;
use super::erase::text_of;
use super::places::{Place, copies_of, places_of};
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
    /// The `_id` and the personal fields, as they are stored.
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
        read_place(
            db,
            place,
            place.filter(&id, tenant.as_ref()),
            &mut documents,
        )
        .await?;
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
    place: &Place,
    filter: Document,
    documents: &mut Vec<PersonalDocument>,
) -> Result<()> {
    let (model, collection) = (place.meta.name, place.meta.collection);
    let fields = place.rows.iter().map(|row| row.name);
    let fields = fields.chain(["_id"]);
    let args = FindArgs {
        projection: Some(
            fields
                .map(|name| (name.to_owned(), Bson::Int32(1)))
                .collect(),
        ),
        ..FindArgs::default()
    };
    let mut rows = driver::open(db, collection, filter, args, None).await?;
    while let Some(values) = rows.next(driver::unpack).await? {
        documents.push(PersonalDocument {
            model,
            collection,
            values,
        });
    }
    Ok(())
}
