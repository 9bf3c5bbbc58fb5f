//! Documents of periods, which are parents: the writer of the first child of a period stores the document of the period. It starts with an
//! epoch that no document with the same `_id` ever had.

use bson::oid::ObjectId;
use bson::{Bson, DateTime, Document, RawDocument, doc};

use super::counting_links;
use crate::driver::{self, Database};
use crate::error::{Error, Result};
use crate::graph::edges::Edges;
use crate::graph::links::{Link, Periods};
use crate::schema::stored;

/// The server's error code for a key that exists already.
const DUPLICATE: i32 = 11_000;

/// True if the documents of this collection stand for periods.
pub(super) fn are_periods(collection: &str) -> bool {
    let mut links = Edges::get().links().iter();
    links.any(|link| link.periods.is_some() && link.host.collection == collection)
}

/// Stores documents of periods that do not exist, with the numbers of a parent without children.
///
/// # Errors
/// The driver's.
pub(super) async fn store_periods(db: &Database, host: &str, ids: &[Bson]) -> Result<()> {
    let mut new = Document::new();
    for link in Edges::get().links() {
        if link.host.collection == host {
            new.insert(link.field, link.nothing());
        }
    }
    new.insert(stored::COUNTS_EPOCH, ObjectId::new());
    let upserts = ids.iter();
    let upserts: Vec<Document> = upserts
        .map(|id| doc! { "q": { "_id": { "$eq": id } }, "u": { "$setOnInsert": &new }, "upsert": true })
        .collect();
    let done = driver::statements(db, host, &upserts, false, None).await?;
    let mut failed = done.failed.into_iter();
    match failed.find(|(_, code, _)| *code != DUPLICATE) {
        None => Ok(()),
        Some((_, code, message)) => Err(Error::Impossible {
            what: format!("a document of a period in {host}: {message} ({code})"),
        }),
    }
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
    for periods in counting_links(collection).filter_map(|link| link.periods) {
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
        "$expr": { "$and": [Periods::is_date(&date), begins] },
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
