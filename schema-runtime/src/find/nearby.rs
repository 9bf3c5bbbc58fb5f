//! Documents near a point, with their distances.

use std::fmt;

use bson::{Bson, Document, RawDocument, doc};

use super::Find;
use crate::builder::awaits;
use crate::error::Result;
use crate::projection::Projected;
use crate::schema::field::ByDistance;
use crate::schema::model::Model;
use crate::schema::stored;

/// The key of the distance, among the fields of the library. It is not stored.
const METERS: &str = "m";

/// A document, and its distance from the point of the filter.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct AtDistance<O> {
    /// The document.
    pub document: O,
    /// The distance in meters; from the nearest point of it, if the field holds an area.
    pub meters: f64,
}

/// A query for documents near a point and their distances, about to be sent. `.await` gives a `Vec` of [`AtDistance`], nearest first.
#[must_use = "nothing is sent before it is awaited"]
pub struct Nearby<'a, M, O> {
    find: Find<'a, M, O, ByDistance>,
}

impl<M, O> fmt::Debug for Nearby<'_, M, O> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.find.fmt(f)
    }
}

impl<'a, M: Model, O> Find<'a, M, O, ByDistance> {
    /// Returns the distance of each document as well. Sends one `aggregate` that begins with `$geoNear`, in place of the `find`.
    ///
    /// ```
    /// # use mongo_model::{Database, Id, MongoModel, Result, geo::Point};
    /// # use serde::{Deserialize, Serialize};
    /// # #[derive(Debug, Serialize, Deserialize, MongoModel)]
    /// # #[model(collection = "cafes")]
    /// # pub struct Cafe {
    /// #     #[serde(rename = "_id")]
    /// #     pub id: Id<Cafe>,
    /// #     #[index(geo)]
    /// #     pub place: Point,
    /// # }
    /// # async fn example(db: &Database) -> Result<()> {
    /// let here = Point { lng: 12.49, lat: 41.9 };
    /// let near = Cafe::find(db, |c| c.place.near(here, 1_000.0)).limit(10);
    /// for cafe in near.with_distance().await? {
    ///     println!("{:.0} m: {:?}", cafe.meters, cafe.document);
    /// }
    /// # Ok(())
    /// # }
    /// ```
    pub fn with_distance(self) -> Nearby<'a, M, O> {
        Nearby { find: self }
    }
}

impl<M: Model, O: Projected<M>> Nearby<'_, M, O> {
    fn pipeline(find: &Find<'_, M, O, ByDistance>, mut filter: Document) -> Vec<Document> {
        let meters = stored::own(METERS);
        let mut near = doc! { "distanceField": &meters, "spherical": true };
        if let Some((path, condition)) = take_near(&mut filter) {
            near.insert("key", path);
            let names = [("$geometry", "near"), ("$maxDistance", "maxDistance")];
            near.extend(names.into_iter().filter_map(|(operator, option)| {
                Some((option.to_owned(), condition.get(operator)?.clone()))
            }));
        }
        near.insert("query", filter);
        let mut stages = vec![doc! { "$geoNear": near }];
        stages.extend(find.sort.clone().map(|sort| doc! { "$sort": sort }));
        stages.extend(find.last_stages(&meters));
        stages
    }
}

/// Takes the condition with `near` out of a filter, which has it once, and not inside an `or` or a negation.
fn take_near(filter: &mut Document) -> Option<(String, Document)> {
    let is_near = |(_, condition): &(&String, &Bson)| {
        let condition = condition.as_document();
        condition.is_some_and(|condition| condition.contains_key("$nearSphere"))
    };
    let path = filter.iter().find(is_near).map(|(path, _)| path.clone());
    if let Some(path) = path {
        let condition = filter.get_document_mut(&path).ok()?;
        let near = condition.remove("$nearSphere");
        if condition.is_empty() {
            filter.remove(&path);
        }
        return match near {
            Some(Bson::Document(near)) => Some((path, near)),
            _ => None,
        };
    }
    let parts = filter.get_array_mut("$and").ok()?;
    let near = parts
        .iter_mut()
        .filter_map(Bson::as_document_mut)
        .find_map(take_near);
    parts.retain(|part| part.as_document().is_none_or(|part| !part.is_empty()));
    if parts.is_empty() {
        filter.remove("$and");
    }
    near
}

awaits!(['a, M: Model, O: Projected<M>] Nearby<'a, M, O> => Vec<AtDistance<O>>, self {
    let join = |document, own: Option<&RawDocument>| {
        let meters = own.and_then(|own| own.get_f64(METERS).ok()).unwrap_or(f64::NAN);
        AtDistance { document, meters }
    };
    self.find.aggregate(Self::pipeline, join).await
});

#[cfg(test)]
mod tests {
    use bson::doc;

    use super::take_near;

    #[test]
    fn the_condition_is_taken_out_wherever_it_stands() {
        let near = doc! { "$geometry": 1, "$maxDistance": 2.0 };
        let condition = || doc! { "at": { "$nearSphere": near.clone() } };
        for (mut filter, rest) in [
            (condition(), doc! {}),
            (
                doc! { "$and": [condition(), { "a": 1 }] },
                doc! { "$and": [{ "a": 1 }] },
            ),
            (
                doc! { "$and": [{ "$and": [condition(), { "at": { "$exists": true } }] }] },
                doc! { "$and": [{ "$and": [{ "at": { "$exists": true } }] }] },
            ),
            (
                doc! { "at": { "$nearSphere": near.clone(), "$exists": true } },
                doc! { "at": { "$exists": true } },
            ),
        ] {
            let taken = take_near(&mut filter);
            assert_eq!(
                (taken, filter),
                (Some(("at".to_owned(), near.clone())), rest)
            );
        }
        assert_eq!(take_near(&mut doc! { "$or": [condition()] }), None);
    }
}
