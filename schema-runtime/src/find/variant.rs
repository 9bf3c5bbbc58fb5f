//! Reads of one variant of a model that is an enum.

use bson::{Document, doc};

use super::{Count, Find, FindOne};
use crate::document::id::by_id;
use crate::driver::Database;
use crate::error::Result;
use crate::filter::Conditions;
use crate::projection::Projected;
use crate::schema::field::place::Segment;
use crate::schema::model::Model;

/// Limits the filter to documents of the variant. A filter that contains a condition on a field of the variant has that limit already.
fn of<S: Segment>(filter: Result<Conditions>) -> Result<Conditions> {
    let filter = filter?;
    Ok(Conditions {
        document: scoped::<S>(filter.document),
        ..filter
    })
}

fn scoped<S: Segment>(filter: Document) -> Document {
    let Some((tag, value)) = S::SCOPE else {
        return filter;
    };
    let says = |filter: &Document| filter.get_str(tag).is_ok_and(|found| found == value);
    let mut parts = filter.get_array("$and").into_iter().flatten();
    if says(&filter) || parts.any(|part| part.as_document().is_some_and(says)) {
        return filter;
    }
    if filter.is_empty() {
        doc! { tag: value }
    } else {
        doc! { "$and": [{ tag: value }, filter] }
    }
}

#[doc(hidden)]
pub fn find_variant<M: Model, V: Projected<M>, S: Segment, K>(
    db: &Database,
    filter: Result<Conditions>,
) -> Find<'_, M, V, K> {
    Find::<M, M, K>::filtered(db, of::<S>(filter)).retyped()
}

#[doc(hidden)]
pub fn get_variant<'a, M: Model, V: Projected<M>, S: Segment>(
    db: &'a Database,
    id: &M::DocumentId,
) -> FindOne<'a, M, V> {
    let filter = by_id::<M>(id).map(|mut filter| {
        filter.extend(S::SCOPE.map(|(tag, value)| (tag.to_owned(), value.into())));
        filter
    });
    FindOne::by_id(db, filter).project()
}

#[doc(hidden)]
pub fn count_variant<M: Model, S: Segment>(
    db: &Database,
    filter: Result<Conditions>,
) -> Count<'_, M> {
    Count::new(db, of::<S>(filter))
}
