//! An update that matched nothing: there is no such document, it does not meet the conditions, is of another variant, or has no room for
//! new elements.

use std::collections::HashSet;

use bson::{Bson, Document, RawDocument, doc};

use super::{Changed, OneUpdate, with_conditions};
use crate::bson_util::id_key::IdKey;
use crate::bson_util::path::{at, first_step};
use crate::bson_util::stored_id::{id_in_filter, id_of};
use crate::document::documents::Documents;
use crate::driver::{self, ClientSession, Database, FindArgs, UpdateArgs};
use crate::error::{Error, Result};
use crate::filter::whole;
use crate::outcome::Outcome;
use crate::schema::model::Model;
use crate::schema::soft_delete::DocumentScope;
use crate::schema::tenant::same_tenant;
use crate::write::change::ops::{Changes, Null, Range};
use crate::write::send::events::Emission;
use crate::write::send::insert::Storing;
use crate::write::store::store;

/// Stores the document of an upsert. `None` if by now another document has the `_id`, and a call of the tenant sees it.
pub(super) async fn store_new<M: Model>(
    db: &Database,
    (new, events): (&Documents, &Emission),
    mut session: Option<&mut ClientSession>,
) -> Result<Option<Outcome>> {
    let in_session = session.is_some();
    let mut is_first = true;
    loop {
        let held = session.as_deref_mut();
        match store::<M>(db, new, Storing::emitting(events), held).await {
            // A refused insert aborts its transaction. A document that is marked as deleted keeps its `_id`, and so does a document of
            // another tenant.
            Err(error) if !in_session && is_about_key(&error, &["_id"]) => {
                if is_visible::<M>(db, new).await? {
                    return Ok(None);
                }
                // The document may have been removed between the two commands.
                if !std::mem::take(&mut is_first) {
                    return Err(error);
                }
            }
            stored => return stored.map(Some),
        }
    }
}

/// True if the document with the `_id` of the new one is live and of its tenant.
async fn is_visible<M: Model>(db: &Database, new: &Documents) -> Result<bool> {
    let (meta, new) = (M::model_meta(), new.iter().next());
    let mut condition = DocumentScope::Live.condition(meta).unwrap_or_default();
    condition.extend(new.map_or_else(Document::new, |raw| same_tenant(meta, raw)));
    let Some(raw) = new.filter(|_| !condition.is_empty()) else {
        return Ok(true);
    };
    condition.insert("_id", doc! { "$eq": id_of(raw) });
    let args = FindArgs::default();
    let found = driver::first(db, meta.collection, condition, args, None, |_| Ok(()));
    Ok(found.await?.is_some())
}

/// True if another document has the same values of these fields.
pub(in crate::write::change) fn is_about_key(error: &Error, key: &[&str]) -> bool {
    let fields = error.duplicate().map(|(_, fields)| fields);
    fields.is_some_and(|fields| fields == key)
}

impl OneUpdate<'_> {
    /// The error that the document exists, but an enum inside it is of a variant without the changed field; `None` if that is not so.
    pub(super) async fn other_variant<M: Model>(
        &self,
        session: Option<&mut ClientSession>,
    ) -> Result<Option<Error>> {
        if self.changes.holders().is_empty() {
            return Ok(None);
        }
        let tags = self.changes.holders().iter();
        let mut tags: Document = tags.map(|(tag, _)| (tag.clone(), Bson::Int32(1))).collect();
        tags.insert("_id", 1);
        let args = FindArgs {
            projection: Some(tags),
            ..FindArgs::default()
        };
        let decode = |raw: &RawDocument| Ok(Document::try_from(raw).ok());
        let (collection, filter) = (M::model_meta().collection, self.filter.clone());
        let found = driver::first(self.db, collection, filter, args, session, decode).await?;
        let Some(stored) = found.flatten() else {
            return Ok(None);
        };
        let found = |tag: &str| at(&stored, tag);
        let has = |tag: &str, values: &[&str]| {
            let tag = found(tag).and_then(Bson::as_str);
            tag.is_some_and(|tag| values.contains(&tag))
        };
        let mut holders = self.changes.holders().iter();
        let other = holders.find(|(tag, values)| !has(tag, values));
        Ok(other.map(|(tag, variants)| Error::OtherVariant {
            model: M::model_meta().name,
            id: Box::new(id_in_filter(&self.filter)),
            tag: tag.clone(),
            found: found(tag).cloned().map(Box::new),
            variants,
        }))
    }

    /// Checks that no number would leave the range of its type, or break a rule of its field.
    ///
    /// # Errors
    /// [`Error::Overflow`] or [`Error::Invalid`] if the document meets the conditions, and a number would.
    pub(super) async fn check_ranges<M: Model>(
        &self,
        session: Option<&mut ClientSession>,
    ) -> Result<()> {
        let left = self.left_in::<M>(&self.changes.ranges, session).await?;
        left.map_or(Ok(()), Err)
    }

    async fn left_in<M: Model>(
        &self,
        ranges: &[Range],
        session: Option<&mut ClientSession>,
    ) -> Result<Option<Error>> {
        let filter = with_conditions(self.filter.clone(), &self.needs());
        Range::left_in((self.db, M::model_meta()), &filter, ranges, session).await
    }

    /// The conditions that the document has to meet, without those of ranges and of arrays.
    fn needs(&self) -> Vec<Bson> {
        let mut needs = self.conditions.clone();
        needs.extend(self.changes.of_variants());
        needs
    }

    /// True if the document exists, and an integer that did not fit before fits now, because another program has changed it.
    pub(super) async fn fits_now<M: Model>(
        &self,
        session: Option<&mut ClientSession>,
    ) -> Result<bool> {
        // An unmet condition of the program is an answer.
        let guarded = !self.changes.ranges.is_empty() && self.conditions.is_empty();
        if !guarded {
            return Ok(false);
        }
        let filter = with_conditions(self.filter.clone(), &self.needs());
        let args = FindArgs {
            projection: Some(doc! { "_id": 1 }),
            ..FindArgs::default()
        };
        let collection = M::model_meta().collection;
        let found = driver::first(self.db, collection, filter, args, session, |_| Ok(()));
        Ok(found.await?.is_some())
    }

    /// The document that does not meet the conditions; `None` if there is no document, or there are no conditions.
    pub(super) async fn in_the_way<M: Model>(
        &self,
        session: Option<&mut ClientSession>,
    ) -> Result<Option<Changed<M>>> {
        if self.conditions.is_empty() {
            return Ok(None);
        }
        let (args, filter) = (FindArgs::default(), self.filter.clone());
        let (collection, decode) = (M::model_meta().collection, driver::decode_as::<M, M>);
        let found = driver::first(self.db, collection, filter, args, session, decode).await?;
        Ok(found.map(|current| Changed::Not(Box::new(current))))
    }

    /// Reads what stands in the way of the update, and removes that: leaves out the elements that the document holds already, and those of
    /// arrays that it does not have, and makes nulls absent. False if no document meets the filter and the conditions.
    ///
    /// # Errors
    /// [`Error::Full`] if the other elements do not fit; [`Error::AbsentDocument`].
    pub(super) async fn clear_the_way<M: Model>(
        &mut self,
        mut session: Option<&mut ClientSession>,
    ) -> Result<bool> {
        let adds = self.changes.adds.iter().map(|add| add.path.clone());
        let paths: Vec<String> = adds.chain(self.changes.needs.paths()).collect();
        let filter = with_conditions(self.filter.clone(), &self.needs());
        let stored = self
            .read::<M>(&filter, &paths, session.as_deref_mut())
            .await?;
        let Some(stored) = stored else {
            return Ok(false);
        };
        let (meta, id) = (M::model_meta(), id_in_filter(&self.filter));
        let needs = &self.changes.needs;
        let other = needs.other_type(meta, &id, &stored);
        let absent = needs.absent_holder(meta, &id, (&stored, &self.changes.created()));
        // A null is made absent.
        let other = other.filter(|(_, is_null)| !is_null);
        if let Some(error) = other.map(|(error, _)| error).or(absent) {
            return Err(error);
        }
        for array in needs.absent_arrays(&stored) {
            self.changes.leave_out_elements(&array);
        }
        let mut nulls = self.changes.nulls();
        nulls.retain(|null| null.may_be_in(&stored));
        remove_nulls::<M>(self.db, (&filter, false), &nulls, session).await?;
        keep_new(&mut self.changes, &stored)?;
        Ok(true)
    }

    /// The server's error, or the one that says which field holds a value that its operator does not take, or would have a result beyond
    /// 64 bits.
    pub(super) async fn explain<M: Model>(&self, error: Error) -> Error {
        let beyond = &self.changes.beyond_64_bits;
        if let Ok(Some(overflow)) = self.left_in::<M>(beyond, None).await {
            return overflow;
        }
        let needs = &self.changes.needs;
        // The server gives nothing of a field inside a value that is no document.
        let paths = needs
            .operand_paths()
            .map(|path| first_step(path).to_owned());
        let paths: Vec<String> = paths.collect();
        // If the update ran in a transaction, the refusal has ended the transaction.
        match self.read::<M>(&self.filter, &paths, None).await {
            Ok(Some(stored)) => {
                let id = id_in_filter(&self.filter);
                let other = needs.other_type(M::model_meta(), &id, &stored);
                other.map_or(error, |(other, _)| other)
            }
            _ => error,
        }
    }

    /// These fields of the document that matches a filter.
    async fn read<M: Model>(
        &self,
        filter: &Document,
        paths: &[String],
        session: Option<&mut ClientSession>,
    ) -> Result<Option<Document>> {
        let meta = M::model_meta();
        let mut wanted = doc! { "_id": 1 };
        wanted.extend(paths.iter().map(|path| (path.clone(), Bson::Int32(1))));
        let args = FindArgs {
            projection: Some(wanted),
            ..FindArgs::default()
        };
        let decode = |raw: &RawDocument| Ok(Document::try_from(raw));
        let filter = filter.clone();
        let stored = driver::first(self.db, meta.collection, filter, args, session, decode).await?;
        let stored = stored.transpose();
        stored.map_err(|source| Error::Decode {
            model: meta.name,
            id: id_in_filter(&self.filter).to_string(),
            source: Box::new(source.into()),
        })
    }
}

/// Makes fields absent that are null in the document of a filter, or in its documents if there are `many`: one `update` for each of these
/// fields. Both read the same.
pub(in crate::write::change) async fn remove_nulls<M: Model>(
    db: &Database,
    (filter, many): (&Document, bool),
    nulls: &[Null],
    mut session: Option<&mut ClientSession>,
) -> Result<()> {
    for null in nulls {
        let condition = Bson::Document(null.filter.clone());
        let filter = with_conditions(filter.clone(), &[condition]);
        let args = UpdateArgs {
            strings: match many {
                true => driver::Strings::AsCollection,
                false => driver::Strings::Exactly,
            },
            ..UpdateArgs::plain(filter, null.unset.clone(), many)
        };
        let collection = M::model_meta().collection;
        driver::update(db, collection, args, session.as_deref_mut()).await?;
    }
    Ok(())
}

/// Leaves out the additions that the stored document holds already; returns an error if the others do not fit.
fn keep_new(changes: &mut Changes, stored: &Document) -> Result<()> {
    for add in &mut changes.adds {
        let elements = array_at(stored, &add.path).unwrap_or_default();
        if add.distinct {
            let present: HashSet<IdKey> = elements
                .iter()
                .filter_map(|element| add.key(element))
                .map(IdKey::new)
                .collect();
            let is_new = |value: &Bson| match add.by_fields(value) {
                Some(fields) => !elements
                    .iter()
                    .any(|element| whole::meets(element, &fields)),
                None => add
                    .key(value)
                    .is_none_or(|key| !present.contains(&IdKey::new(key))),
            };
            add.values = add
                .values
                .iter()
                .filter(|value| is_new(value))
                .cloned()
                .collect();
        }
        if add.max > 0
            && !add.values.is_empty()
            && (elements.len() + add.values.len()) as u64 > add.max
        {
            return Err(Error::Full {
                field: add.owner.clone(),
                max: add.max,
            });
        }
    }
    Ok(())
}

fn array_at<'d>(document: &'d Document, path: &str) -> Option<&'d [Bson]> {
    let (step, rest) = path
        .split_once('.')
        .map_or((path, None), |(step, rest)| (step, Some(rest)));
    match (document.get(step)?, rest) {
        (Bson::Array(elements), None) => Some(elements),
        (Bson::Document(inner), Some(rest)) => array_at(inner, rest),
        _ => None,
    }
}
