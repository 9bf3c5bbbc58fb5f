//! The documents of the periods of one parent, those that are not stored among them.

use std::fmt;
use std::marker::PhantomData;
use std::ops::Range;
use std::pin::pin;

use bson::{Bson, DateTime, Document, doc};
use futures::TryStreamExt;

use crate::builder::{awaits, reads_in_transactions};
use crate::document::id::encode_id;
use crate::driver::capabilities::require;
use crate::driver::{self, ClientSession, Database};
use crate::error::server::Feature;
use crate::error::{Error, Result};
use crate::graph::edges::Edges;
use crate::graph::links::{Periods, derived_fields};
use crate::schema::model::{Model, ModelMeta};
use crate::schema::period::Periodic;
use crate::schema::stored;
use crate::schema::tenant::{of_tenant, tenant_field};
use crate::tenant::{Confined, Wall};

/// The documents of the periods of one parent about to be read, in order: one for each period that has a part of a time, with zeros where
/// nothing is stored. One round trip.
#[must_use = "nothing is sent before it is awaited"]
pub struct PeriodRange<'a, M> {
    db: &'a Database,
    parent: Result<Bson>,
    time: Range<DateTime>,
    /// The tenant of the call; `None` across tenants.
    tenant: Option<Bson>,
    session: Option<&'a mut ClientSession>,
    model: PhantomData<fn() -> M>,
}

impl<M> fmt::Debug for PeriodRange<'_, M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PeriodRange")
            .field("time", &self.time)
            .finish_non_exhaustive()
    }
}

impl<'a, M: Periodic> PeriodRange<'a, M> {
    /// For the derives.
    #[doc(hidden)]
    pub fn new(
        db: &'a Database,
        parent: <M::Parent as Model>::DocumentId,
        time: Range<DateTime>,
    ) -> Self {
        PeriodRange {
            db,
            parent: encode_id::<M::Parent>(&parent),
            time,
            tenant: None,
            session: None,
            model: PhantomData,
        }
    }
}

impl<M: Periodic> Confined for PeriodRange<'_, M> {
    fn confined(mut self, wall: &Wall) -> Self {
        self.tenant = wall.tenant().cloned();
        self
    }
}

reads_in_transactions!(['a, M] PeriodRange<'a, M>, session);

awaits!(['a, M: Periodic] PeriodRange<'a, M> => Vec<M>, self {
    let PeriodRange { db, parent, time, tenant, session, .. } = self;
    let (parent, meta) = (parent?, M::model_meta());
    let host = meta.collection;
    if tenant.is_none() && tenant_field(meta).is_some() {
        let what = format!("a range of {} across tenants: pass the `Tenant` of the parent", meta.name);
        return Err(Error::Impossible { what });
    }
    let mut links = Edges::get().links().iter().filter(|link| link.host.collection == host);
    // Without a number there is nothing to read.
    let Some(periods) = links.find_map(|link| link.periods) else {
        return Ok(Vec::new());
    };
    if time.is_empty() {
        return Ok(Vec::new());
    }
    require(db, Feature::Periods).await?;
    let pipeline = documents_of(meta, &periods, (&parent, tenant.as_ref()), &time);
    let decode = driver::decode_as::<M, M>;
    let reads = driver::Reads::AsConfigured;
    let rows = pin!(driver::aggregate(db, None, pipeline, None, reads, session, decode));
    rows.try_collect().await
});

/// The pipeline that makes a document for each period, and takes the stored one where it is there.
fn documents_of(
    meta: &ModelMeta,
    periods: &Periods,
    (parent, tenant): (&Bson, Option<&Bson>),
    time: &Range<DateTime>,
) -> Vec<Document> {
    let host = meta.collection;
    let mut absent = derived_fields(Edges::get().links(), host);
    let own = tenant_field(meta).zip(tenant);
    absent.extend(own.map(|(field, tenant)| (field.to_owned(), tenant.clone())));
    let id = doc! { stored::PERIOD_PARENT: { "$literal": parent }, stored::PERIOD_START: "$start" };
    let mut stored =
        doc! { "from": host, "localField": "_id", "foreignField": "_id", "as": "stored" };
    let inside = of_tenant(meta, tenant);
    if !inside.is_empty() {
        stored.insert("pipeline", vec![doc! { "$match": inside }]);
    }
    let parts = vec![
        doc! { "$literal": absent }.into(),
        Bson::from(doc! { "_id": "$_id" }),
        doc! { "$ifNull": [{ "$first": "$stored" }, {}] }.into(),
    ];
    let mut stages = periods.calendar().periods_of(time);
    stages.extend([
        doc! { "$project": { "_id": id } },
        doc! { "$lookup": stored },
        doc! { "$replaceRoot": { "newRoot": { "$mergeObjects": parts } } },
    ]);
    stages
}
