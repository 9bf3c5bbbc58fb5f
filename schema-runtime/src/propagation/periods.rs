//! Documents of periods, which are parents: the writer of the first child of a period stores the document of the period. If it has numbers,
//! it starts with an epoch that no document with the same `_id` ever had.

use std::collections::HashMap;

use bson::oid::ObjectId;
use bson::{Bson, DateTime, Document, RawDocument, doc};

use crate::bson_util::calendar::is_date;
use crate::bson_util::id_key::IdKey;
use crate::driver::{self, Database};
use crate::error::{Error, Result};
use crate::graph::edges::Edges;
use crate::graph::links::{Link, Periods};
use crate::schema::model::ModelMeta;
use crate::schema::stored;
use crate::schema::tenant::{demanded_tenant, of_tenant, tenant_field};

/// The server's error code for a key that exists already.
const DUPLICATE: i32 = 11_000;

/// Stores documents of periods that do not exist, with the numbers and extremes of a parent without children. If the periods belong to
/// tenants, the tenant of a period is that of its parent, which `inside` may restrict: a period whose parent is not there gets no document.
/// Returns false if one gets none, and for a collection whose documents stand for no periods.
///
/// # Errors
/// The driver's.
pub(crate) async fn store_periods(
    db: &Database,
    host: &str,
    ids: &[Bson],
    inside: &Document,
) -> Result<bool> {
    let links = || {
        let links = Edges::get().links().iter();
        links.filter(|link| link.host.collection == host)
    };
    let Some((link, periods)) = links().find_map(|link| Some((link, link.periods?))) else {
        return Ok(false);
    };
    let filters = with_tenants(db, link.host, periods.parent, ids, inside).await?;
    let mut new = Document::new();
    for link in links() {
        new.extend(link.new_fields());
    }
    if links().any(Link::counts) {
        new.insert(stored::COUNTS_EPOCH, ObjectId::new());
    }
    let upserts = filters.iter();
    let upserts: Vec<Document> = upserts
        .map(|period| doc! { "q": period, "u": { "$setOnInsert": &new }, "upsert": true })
        .collect();
    let done = driver::statements(db, host, &upserts, false, None).await?;
    let mut failed = done.failed.into_iter();
    match failed.find(|(_, code, _)| *code != DUPLICATE) {
        None => Ok(filters.len() == ids.len()),
        Some((_, code, message)) => Err(Error::Impossible {
            what: format!("a document of a period in {host}: {message} ({code})"),
        }),
    }
}

/// The filters that match these periods, each with the tenant of its parent; none for a period whose parent is not there. Sends a `find`
/// if the models have a tenant.
async fn with_tenants(
    db: &Database,
    host: &ModelMeta,
    parent: &ModelMeta,
    ids: &[Bson],
    inside: &Document,
) -> Result<Vec<Document>> {
    let this = |id: &Bson| doc! { "_id": { "$eq": id } };
    let (Some(own), Some(field)) = (tenant_field(host), tenant_field(parent)) else {
        return Ok(ids.iter().map(this).collect());
    };
    let condition = of_tenant(parent, demanded_tenant(own, inside));
    let parts = ids.iter().filter_map(Periods::parts);
    let parents: Vec<Bson> = parts.map(|(parent, _)| parent.clone()).collect();
    let (by, fields) = (("_id", &parents[..]), doc! { field: 1 });
    let found = driver::read_where(db, parent.collection, by, &condition, &fields, None).await?;
    let tenants = found
        .into_iter()
        .filter_map(|mut one| Some((IdKey::new(one.get("_id")?), one.remove(field)?)));
    let tenants: HashMap<IdKey, Bson> = tenants.collect();
    let filters = ids.iter().filter_map(|id| {
        let tenant = tenants.get(&IdKey::new(Periods::parts(id)?.0))?;
        let mut period = this(id);
        period.insert(own, doc! { "$eq": tenant });
        Some(period)
    });
    Ok(filters.collect())
}

/// Asks the server for those periods of these children that are not cached.
///
/// # Errors
/// The driver's.
pub(crate) async fn learn_periods<R: AsRef<RawDocument>>(
    db: &Database,
    collection: &str,
    children: &[R],
) -> Result<()> {
    let links = Edges::get().links_of(collection);
    for periods in links.filter_map(|link| link.periods) {
        let moments = children.iter();
        let moments = moments.filter_map(|child| child.as_ref().get_datetime(periods.at).ok());
        periods.learn(db, moments.collect()).await?;
    }
    Ok(())
}

/// The filter of the children of one parent.
pub(crate) fn children_of(link: &Link, id: &Bson) -> Document {
    let Some(periods) = &link.periods else {
        return doc! { &link.reference: { "$eq": id } };
    };
    let Some((parent, start)) = Periods::parts(id) else {
        return doc! { "_id": { "$in": [] } };
    };
    let date = Bson::from(format!("${}", periods.at));
    let begins = doc! { "$eq": [periods.start(date.clone()), start] };
    doc! {
        &link.reference: { "$eq": parent },
        periods.at: periods.around(start, start),
        "$expr": { "$and": [is_date(&date), begins] },
    }
}

/// The filter of the children of these parents. It also matches some other children.
pub(crate) fn children_around(link: &Link, parents: &[Bson]) -> Document {
    let mut children = link.referring(parents);
    if let Some(periods) = &link.periods {
        let starts = parents.iter().filter_map(Periods::parts);
        let starts: Vec<DateTime> = starts.map(|(_, start)| start).collect();
        if let (Some(first), Some(last)) = (starts.iter().min(), starts.iter().max()) {
            children.insert(periods.at, periods.around(*first, *last));
        }
    }
    children
}
