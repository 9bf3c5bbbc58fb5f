//! Application-level joins: one `find` with `$in` per 1,000 distinct ids, stored order and duplicates restored, missing ids
//! reported, nothing sent for nothing (rule of thumb 4).

#[cfg(feature = "driver")]
mod fetch;

use std::fmt;
use std::marker::PhantomData;
use std::ops::Deref;

use bson::{Bson, Document, RawBsonRef, RawDocument, doc};
use serde::Serialize;

use crate::codec;
#[cfg(feature = "driver")]
use crate::crud::awaits;
use crate::crud::{Find, Sort};
use crate::error::{Error, Result};
use crate::field::{Field, IntoArg, Path, path};
use crate::lookup::RefTo;
use crate::model::{MongoModel, encode_id};
use crate::value::Value;
use crate::{ClientSession, Database};

/// A field type that holds ids of `M`: one, an `Option`, an array or a set of them.
#[diagnostic::on_unimplemented(
    message = "this field holds `{Self}`, which is no reference to `{M}`",
    label = "not ids of `{M}`"
)]
pub trait RefIds<M> {}
#[diagnostic::do_not_recommend]
impl<T: Value, M> RefIds<M> for T where T::Elem: RefTo<M> {}

/// What a reference field points to, loaded: the values in stored order, with duplicates, and the ids that no document has.
///
/// It is not the model: it cannot be stored back, so a list that was loaded in part cannot overwrite the whole.
pub struct Loaded<M: MongoModel> {
    values: Vec<M>,
    missing: Vec<M::Id>,
}

impl<M: MongoModel> Loaded<M> {
    /// The documents, in the order in which their ids are stored. An id stored twice gives two values of their own.
    #[must_use]
    pub fn values(&self) -> &[M] {
        &self.values
    }

    /// The ids that no document has, each once, in stored order.
    #[must_use]
    pub fn missing(&self) -> &[M::Id] {
        &self.missing
    }

    /// The documents, owned.
    #[must_use]
    pub fn into_vec(self) -> Vec<M> {
        self.values
    }
}

impl<M: MongoModel> Deref for Loaded<M> {
    type Target = [M];

    fn deref(&self) -> &[M] {
        &self.values
    }
}

impl<M: MongoModel> IntoIterator for Loaded<M> {
    type Item = M;
    type IntoIter = std::vec::IntoIter<M>;

    fn into_iter(self) -> Self::IntoIter {
        self.values.into_iter()
    }
}

impl<'l, M: MongoModel> IntoIterator for &'l Loaded<M> {
    type Item = &'l M;
    type IntoIter = std::slice::Iter<'l, M>;

    fn into_iter(self) -> Self::IntoIter {
        self.values.iter()
    }
}

impl<M: MongoModel + fmt::Debug> fmt::Debug for Loaded<M>
where
    M::Id: fmt::Debug,
{
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Loaded")
            .field("values", &self.values)
            .field("missing", &self.missing)
            .finish()
    }
}

/// What a single reference points to, loaded: a document, a dangling id, or no reference at all.
pub struct LoadedOne<M: MongoModel> {
    value: Option<M>,
    missing: Option<M::Id>,
}

impl<M: MongoModel> LoadedOne<M> {
    /// The document; `None` if the field holds no reference or its id dangles.
    #[must_use]
    pub fn value(&self) -> Option<&M> {
        self.value.as_ref()
    }

    /// The id, if no document has it.
    #[must_use]
    pub fn missing(&self) -> Option<&M::Id> {
        self.missing.as_ref()
    }

    /// The document, owned.
    #[must_use]
    pub fn into_option(self) -> Option<M> {
        self.value
    }
}

impl<M: MongoModel + fmt::Debug> fmt::Debug for LoadedOne<M>
where
    M::Id: fmt::Debug,
{
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("LoadedOne")
            .field("value", &self.value)
            .field("missing", &self.missing)
            .finish()
    }
}

/// The parents of a join, each with what it refers to, in the order in which they were given.
pub type LoadedMany<'d, P, M> = Vec<(&'d P, Loaded<M>)>;

/// The ids in an encoded field: of an array each element, of an entry its `id`, of null none.
fn ids_in(value: &Bson, entry: bool, out: &mut Vec<Bson>) {
    match value {
        Bson::Null => {}
        Bson::Array(elements) => elements
            .iter()
            .for_each(|element| ids_in(element, entry, out)),
        Bson::Document(document) if entry => {
            if let Some(id) = document.get("id") {
                ids_in(id, false, out);
            }
        }
        id => out.push(id.clone()),
    }
}

fn ids_of<P: MongoModel, T: Serialize>(field: &T, entry: bool) -> Result<Vec<Bson>> {
    let value = codec::encode_value(field).map_err(|source| Error::Encode {
        model: P::meta().name,
        field: "a reference".to_owned(),
        source: Box::new(source),
    })?;
    let mut ids = Vec::new();
    ids_in(&value, entry, &mut ids);
    Ok(ids)
}

/// The ids at a dotted path of an encoded document, through the arrays on the way.
fn ids_at(document: &RawDocument, path: &[&str], out: &mut Vec<Bson>) {
    let Some((step, rest)) = path.split_first() else {
        return;
    };
    // A document that its own encoder wrote is well formed.
    if let Some(value) = document.get(*step).ok().flatten() {
        below(value, rest, out);
    }
}

fn below(value: RawBsonRef<'_>, rest: &[&str], out: &mut Vec<Bson>) {
    match value {
        RawBsonRef::Array(elements) => {
            elements
                .into_iter()
                .flatten()
                .for_each(|element| below(element, rest, out));
        }
        RawBsonRef::Document(inner) if !rest.is_empty() => ids_at(inner, rest, out),
        RawBsonRef::Null => {}
        id if rest.is_empty() => out.extend(Bson::try_from(id)),
        _ => {}
    }
}

/// A join of one document's references, about to be sent. `.await` gives [`Loaded`].
#[must_use = "nothing is sent before it is awaited"]
pub struct LoadRefs<'a, M> {
    db: &'a Database,
    ids: Result<Vec<Bson>>,
    session: Option<&'a mut ClientSession>,
    model: PhantomData<fn() -> M>,
}

impl<'a, M: MongoModel> LoadRefs<'a, M> {
    /// For the derives: `field` holds the references, as entries `{ id, .. }` or as bare ids.
    #[doc(hidden)]
    pub fn new<T: Serialize>(db: &'a Database, field: &T, entry: bool) -> Self {
        LoadRefs {
            db,
            ids: ids_of::<M, T>(field, entry),
            session: None,
            model: PhantomData,
        }
    }

    /// In this session, and in its transaction if one is open.
    pub fn session(mut self, session: &'a mut ClientSession) -> Self {
        self.session = Some(session);
        self
    }
}

impl<M> fmt::Debug for LoadRefs<'_, M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("LoadRefs")
            .field("ids", &self.ids)
            .finish_non_exhaustive()
    }
}

#[cfg(feature = "driver")]
awaits!(['a, M: MongoModel] LoadRefs<'a, M> => Loaded<M>, self {
    let ids = self.ids?;
    let found = fetch::fetch::<M>(self.db, &ids, self.session).await?;
    found.pick(&ids)
});

/// A join of one document's single reference, about to be sent. `.await` gives [`LoadedOne`].
#[must_use = "nothing is sent before it is awaited"]
pub struct LoadOne<'a, M> {
    refs: LoadRefs<'a, M>,
}

impl<'a, M: MongoModel> LoadOne<'a, M> {
    /// For the derives, as [`LoadRefs::new`].
    #[doc(hidden)]
    pub fn new<T: Serialize>(db: &'a Database, field: &T, entry: bool) -> Self {
        LoadOne {
            refs: LoadRefs::new(db, field, entry),
        }
    }

    /// In this session, and in its transaction if one is open.
    pub fn session(self, session: &'a mut ClientSession) -> Self {
        LoadOne {
            refs: self.refs.session(session),
        }
    }
}

impl<M> fmt::Debug for LoadOne<'_, M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("LoadOne")
            .field("ids", &self.refs.ids)
            .finish_non_exhaustive()
    }
}

#[cfg(feature = "driver")]
awaits!(['a, M: MongoModel] LoadOne<'a, M> => LoadedOne<M>, self {
    let Loaded { mut values, mut missing } = self.refs.await?;
    Ok(LoadedOne { value: values.pop(), missing: missing.pop() })
});

/// A join of many documents' references, about to be sent. `.await` gives [`LoadedMany`].
#[must_use = "nothing is sent before it is awaited"]
pub struct LoadMany<'a, 'd, P, M> {
    db: &'a Database,
    documents: &'d [P],
    ids: Result<Vec<Vec<Bson>>>,
    session: Option<&'a mut ClientSession>,
    model: PhantomData<fn() -> M>,
}

impl<'a, 'd, P: MongoModel, M: MongoModel> LoadMany<'a, 'd, P, M> {
    /// For the derives, as [`LoadRefs::new`].
    #[doc(hidden)]
    pub fn new<T: Serialize>(
        db: &'a Database,
        documents: &'d [P],
        field: impl Fn(&P) -> &T,
        entry: bool,
    ) -> Self {
        let ids = documents
            .iter()
            .map(|document| ids_of::<P, T>(field(document), entry))
            .collect();
        LoadMany {
            db,
            documents,
            ids,
            session: None,
            model: PhantomData,
        }
    }

    pub(crate) fn at_path<At: Path, T, I, W>(
        db: &'a Database,
        documents: &'d [P],
        _: Field<At, T, I, W>,
    ) -> Self {
        let mut path = path::<At>();
        let of_entries = |field: &crate::flat::FlatField| {
            field.path == path && field.relation.is_some_and(|relation| relation.entry)
        };
        if P::meta().flat().fields.iter().any(of_entries) {
            path.push_str(".id");
        }
        let steps: Vec<&str> = path.split('.').collect();
        let ids = documents
            .iter()
            .map(|document| {
                let raw = codec::encode_document(document).map_err(|source| Error::Encode {
                    model: P::meta().name,
                    field: path.clone(),
                    source: Box::new(source),
                })?;
                let mut ids = Vec::new();
                ids_at(&raw, &steps, &mut ids);
                Ok(ids)
            })
            .collect();
        LoadMany {
            db,
            documents,
            ids,
            session: None,
            model: PhantomData,
        }
    }

    /// In this session, and in its transaction if one is open.
    pub fn session(mut self, session: &'a mut ClientSession) -> Self {
        self.session = Some(session);
        self
    }
}

impl<P, M> fmt::Debug for LoadMany<'_, '_, P, M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("LoadMany")
            .field("ids", &self.ids)
            .finish_non_exhaustive()
    }
}

#[cfg(feature = "driver")]
impl<'a, 'd: 'a, P: MongoModel, M: MongoModel> IntoFuture for LoadMany<'a, 'd, P, M>
where
    M::Id: Send,
{
    type Output = Result<LoadedMany<'d, P, M>>;
    type IntoFuture = crate::crud::Sent<'a, LoadedMany<'d, P, M>>;

    fn into_future(self) -> Self::IntoFuture {
        Box::pin(async move {
            let ids = self.ids?;
            let all: Vec<Bson> = ids.iter().flatten().cloned().collect();
            let found = fetch::fetch::<M>(self.db, &all, self.session).await?;
            self.documents
                .iter()
                .zip(&ids)
                .map(|(document, ids)| Ok((document, found.pick(ids)?)))
                .collect()
        })
    }
}

/// A reverse join about to be sent: the documents of `P` that refer to one `M`. `.await` gives a `Vec`.
///
/// For a parent with `sort` they come in that order, ties by `_id`, as the generated index holds them.
#[must_use = "nothing is sent before it is awaited"]
pub struct By<'a, P, M> {
    find: Find<'a, P>,
    target: PhantomData<fn() -> M>,
}

impl<'a, P: MongoModel, M: MongoModel> By<'a, P, M> {
    /// For the derives: `path` is the stored path of the id.
    #[doc(hidden)]
    pub fn new(db: &'a Database, path: &'static str, id: impl IntoArg<M::Id>) -> Self {
        let filter = encode_id::<M>(&id.into_arg()).map(|id| doc! { path: { "$eq": id } });
        By {
            find: Find::new(db, filter).sorted(generated_order::<P>(path)),
            target: PhantomData,
        }
    }

    /// In another order than the reference declares.
    pub fn sort(mut self, order: impl FnOnce(P::Fields) -> Sort<P>) -> Self {
        self.find = self.find.sort(order);
        self
    }

    /// At most this many documents; 0 means all.
    pub fn limit(mut self, documents: u64) -> Self {
        self.find = self.find.limit(documents);
        self
    }

    /// Without the first so many documents. The server walks over them.
    pub fn skip(mut self, documents: u64) -> Self {
        self.find = self.find.skip(documents);
        self
    }

    /// In this session, and in its transaction if one is open.
    pub fn session(mut self, session: &'a mut ClientSession) -> Self {
        self.find = self.find.session(session);
        self
    }

    /// The documents as they arrive; memory holds one batch.
    #[cfg(feature = "driver")]
    pub fn stream(self) -> impl futures::Stream<Item = Result<P>> + Send + 'a {
        self.find.stream()
    }
}

/// The order that a `#[parent(.., sort = ..)]` at this path declares, with the `_id` as tie-break.
fn generated_order<P: MongoModel>(path: &str) -> Option<Document> {
    let fields = P::meta().shape.fields;
    let field = path.split('.').next()?;
    let (sort, descending) = fields
        .iter()
        .find(|row| row.name == field)?
        .relation?
        .sort?;
    let stored = fields.iter().find(|row| row.rust == sort)?.name;
    let order = if descending { -1 } else { 1 };
    Some(doc! { stored: order, "_id": order })
}

impl<P, M> fmt::Debug for By<'_, P, M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.find.fmt(f)
    }
}

#[cfg(feature = "driver")]
awaits!(['a, P: MongoModel, M: MongoModel] By<'a, P, M> => Vec<P>, self {
    self.find.await
});
