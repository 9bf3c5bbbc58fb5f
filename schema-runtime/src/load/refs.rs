//! Forward joins: from references to the documents they point to.

mod arriving;
mod run;

use std::fmt;
use std::marker::PhantomData;

use bson::{Bson, Document, RawBsonRef, RawDocument, RawDocumentBuf};

use super::ids::{self, Place, RefId, Take};
use super::policy::{Dense, Filtered, Many, SharedBy, Sharing, Single, Slotted, Viewable, Viewed};
#[cfg(doc)]
use super::result::Loaded;
use super::{AsModel, Join, Load, Types};
use crate::builder::document_scopes;
use crate::codec;
use crate::codec::{CodecError, Refused, Writer};
use crate::driver::Database;
use crate::error::{Error, Result};
use crate::filter::Filter;
use crate::find::IntoSort;
use crate::projection::{FallsBack, Projected, fallback_document};
use crate::schema::field::place::{Path, path};
use crate::schema::field::{Field, Handles};
use crate::schema::model::Model;
use crate::schema::relation::{OnMissing, RelationRow};
use crate::schema::rows::FieldRow;
use crate::schema::soft_delete::DocumentScope;
use crate::schema::stored;
use crate::tenant::{Confined, Wall};

/// A forward join: the options of the load, and its handling of ids that no document has.
///
/// `F` holds the references (and the copies beside them), `M` is the model they point to, `Y` the [`Policy`](super::Policy), `O` the type
/// that each document is read as, `K` the type of the ids.
pub struct Refs<F, M: Model, Y = Dense, O = M, K = <M as Model>::DocumentId> {
    pub(super) place: Place,
    /// The ids of each document, in stored order.
    pub(super) ids: Result<Vec<Vec<RefId>>>,
    pub(super) options: Options,
    /// The reference among the rows of its model; none for one inside an embedded document.
    row: Option<(&'static FieldRow, &'static [FieldRow])>,
    types: Types<(F, M, Y, O, K)>,
}

/// The options set with the builder's methods.
#[derive(Debug, Default)]
pub(super) struct Options {
    pub(super) strict: bool,
    pub(super) filter: Option<Document>,
    /// The documents that the load finds, where their model has `soft_delete`.
    pub(super) scope: DocumentScope,
    pub(super) sort: Option<Document>,
    pub(super) skip: usize,
    pub(super) limit: Option<usize>,
    /// For a view: the part of the document that the copies beside each reference hold, one entry per id.
    pub(super) copies: Option<Vec<Vec<RawDocumentBuf>>>,
    /// The documents that the caller has already.
    pub(super) known: Vec<RawDocumentBuf>,
    /// The error that occurred while the load was described.
    pub(super) error: Option<Error>,
}

fn is_strict(relation: Option<&RelationRow>) -> bool {
    relation.is_some_and(|relation| relation.missing == OnMissing::Strict)
}

/// The reference that the field at a stored path of `P` is.
fn relation_of<P: Model>(path: &str) -> Option<&'static RelationRow> {
    let fields = &P::model_meta().flat().fields;
    let mut of_path = fields.iter().filter(|field| field.path == path);
    of_path.find_map(|field| field.relation)
}

/// The reference whose ids are at a stored path of `P`: the field, or the id of its entries.
pub(super) fn relation_at<P: Model>(path: &str) -> Option<&'static RelationRow> {
    let of_entry = || {
        let (entry, id) = path.rsplit_once('.')?;
        relation_of::<P>(entry).filter(|row| row.entry && row.entry_id == id)
    };
    relation_of::<P>(path).or_else(of_entry)
}

impl<F, M: Model, Y, O, K> fmt::Debug for Refs<F, M, Y, O, K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Refs")
            .field("place", &self.place)
            .field("ids", &self.ids)
            .finish_non_exhaustive()
    }
}

impl<F, M: Model, Y, O, K> Refs<F, M, Y, O, K> {
    /// The row `at` of `P` is a reference; `encode` gives its stored value, `put` writes it.
    pub(super) fn of_rows<'f, P: Model>(
        documents: impl Iterator<Item = &'f P>,
        at: usize,
        encode: impl Fn(&P) -> Result<Bson, CodecError>,
        put: impl Fn(&P, &[u8], &mut Writer) -> Result<(), Refused>,
    ) -> Self {
        let row: &FieldRow = &P::FIELDS[at];
        let place = Place::new(P::model_meta().name, row.name.to_owned(), row.relation);
        let mut buffer = Vec::new();
        let ids = documents
            .map(|document| {
                let put = |key: &[u8], to: &mut Writer| put(document, key, to);
                ids::of_field(&place, row, || encode(document), put, &mut buffer)
            })
            .collect();
        let strict = is_strict(row.relation);
        Refs {
            place,
            ids,
            options: Options {
                strict,
                ..Options::default()
            },
            row: Some((row, P::FIELDS)),
            types: PhantomData,
        }
    }

    /// The reference at a path of `P`, at any depth.
    pub(crate) fn at_path<P: Model, At: Path, D: AsModel<P>>(documents: &[D]) -> Self {
        let mut path = path::<At>();
        let relation = relation_at::<P>(&path);
        let place = Place::new(P::model_meta().name, path.clone(), relation);
        if let Some(relation) = relation_of::<P>(&path).filter(|relation| relation.entry) {
            path = format!("{path}.{}", relation.entry_id);
        }
        let which = relation.map_or(Take::IDS, Take::of);
        let steps: Vec<&str> = path.split('.').collect();
        let ids = documents
            .iter()
            .map(|document| {
                let raw = crate::document::encode_document(document.as_model())
                    .map_err(|source| place.encode_error(source))?;
                let mut ids = Vec::new();
                let mut take = |id: RawBsonRef<'_>| ids.extend(RefId::of_raw(id));
                ids::at_path(&raw, &steps, which, &mut take);
                Ok(ids)
            })
            .collect();
        Refs {
            ids,
            options: Options {
                strict: is_strict(relation),
                ..Options::default()
            },
            place,
            row: None,
            types: PhantomData,
        }
    }

    /// The references with these ids, one or none for each key.
    pub(super) fn of_keys(
        place: Place,
        ids: Result<Vec<Vec<RefId>>>,
        relation: Option<&RelationRow>,
    ) -> Self {
        Refs {
            place,
            ids,
            options: Options {
                strict: is_strict(relation),
                ..Options::default()
            },
            row: None,
            types: PhantomData,
        }
    }

    /// The documents with these `_id`s.
    fn of_ids(ids: Result<Vec<Bson>>) -> Self {
        Refs {
            place: Place::new(M::model_meta().name, "_id".to_owned(), None),
            ids: ids.map(|ids| vec![ids.into_iter().map(RefId::from).collect()]),
            options: Options::default(),
            row: None,
            types: PhantomData,
        }
    }

    fn retyped<Y2, O2>(self) -> Refs<F, M, Y2, O2, K> {
        Refs {
            place: self.place,
            ids: self.ids,
            options: self.options,
            row: self.row,
            types: PhantomData,
        }
    }

    fn filtered<S>(mut self, filter: impl FnOnce(M::FieldHandles) -> Filter<M, S>) -> Self {
        match filter(M::FieldHandles::VALUE).into_scan() {
            Ok(more) => {
                let filter = match self.options.filter.take() {
                    Some(filter) => bson::doc! { "$and": [filter, more] },
                    None => more,
                };
                self.options.filter = Some(filter);
            }
            Err(error) => drop(self.options.error.get_or_insert(error)),
        }
        self
    }

    /// Uses the copies in these documents in place of documents that are not found.
    fn viewed<P: Model, D: AsModel<P>>(mut self, documents: &[D]) -> Self {
        let ordered = self.options.filter.is_some() || self.options.sort.is_some();
        if ordered {
            self.options.error.get_or_insert_with(|| Error::Impossible {
                what: format!(
                    "{}.{}: a view with a fallback has one value per reference, in stored order",
                    self.place.model, self.place.field
                ),
            });
        }
        let copies: Result<Vec<_>> = documents
            .iter()
            .map(|document| {
                let raw = crate::document::encode_document(document.as_model())
                    .map_err(|source| self.place.encode_error(source))?;
                Ok(self.copies_in(&raw))
            })
            .collect();
        match copies {
            Ok(copies) => self.options.copies = Some(copies),
            Err(error) => drop(self.options.error.get_or_insert(error)),
        }
        self
    }

    /// For each id of the reference in `holder`, a document of the copies beside it.
    fn copies_in(&self, holder: &RawDocument) -> Vec<RawDocumentBuf> {
        let Some((row, rows)) = self.row else {
            return Vec::new();
        };
        let entry = row.relation.is_some_and(|relation| relation.entry);
        let Some(shape) = row.shape.filter(|_| entry) else {
            let document =
                fallback_document(holder, rows, row.rust, self.place.key, M::model_meta());
            return document.into_iter().collect();
        };
        let of = |entry: &RawDocument| {
            fallback_document(
                entry,
                shape.fields,
                stored::ENTRY_ID,
                self.place.key,
                M::model_meta(),
            )
        };
        match holder.get(row.name).ok().flatten() {
            Some(RawBsonRef::Document(entry)) => of(entry).into_iter().collect(),
            Some(RawBsonRef::Array(entries)) => entries
                .into_iter()
                .flatten()
                .filter_map(|entry| of(entry.as_document()?))
                .collect(),
            _ => Vec::new(),
        }
    }

    fn known<'k, D: AsModel<M> + 'k>(mut self, documents: impl IntoIterator<Item = &'k D>) -> Self {
        for document in documents {
            match crate::document::encode_document(document.as_model()) {
                Ok(raw) => self.options.known.push(raw),
                Err(source) => {
                    let error = Error::Encode {
                        model: M::model_meta().name,
                        field: "document".to_owned(),
                        source: Box::new(source),
                    };
                    self.options.error.get_or_insert(error);
                }
            }
        }
        self
    }
}

/// The methods of a load of one document and of a join of many.
macro_rules! options {
    ($builder:ident, [$($lt:lifetime),*], [$($doc:ident)?]) => {
        impl<$($lt,)* $($doc,)? F, M: Model, O, K> $builder<$($lt,)* $($doc,)? Refs<F, M, Dense, O, K>> {
            /// Keeps only documents that meet this filter. They are found by their ids, so no index need serve it.
            pub fn filter<S>(self, filter: impl FnOnce(M::FieldHandles) -> Filter<M, S>) -> $builder<$($lt,)* $($doc,)? Refs<F, M, Filtered, O, K>> {
                self.with(|refs| refs.filtered(filter).retyped())
            }

            /// An id that no document has makes the whole load [`Error::Dangling`], a natural key that several documents have
            /// [`Error::Ambiguous`]; nothing is returned in part.
            pub fn strict(self) -> Self {
                self.with(|mut refs| { refs.options.strict = true; refs })
            }

            /// An id that no document has leaves its slot empty: [`Slots`](crate::Slots).
            pub fn keep_slots(self) -> $builder<$($lt,)* $($doc,)? Refs<F, M, Slotted, O, K>> {
                self.with(|mut refs| { refs.options.strict = false; refs.retyped() })
            }

            /// An id that no document has is left out and reported beside the values, whatever the field declares.
            pub fn drop_missing(self) -> Self {
                self.with(|mut refs| { refs.options.strict = false; refs })
            }
        }

        impl<$($lt,)* $($doc,)? F, M: Model, O, K> $builder<$($lt,)* $($doc,)? Refs<F, M, Filtered, O, K>> {
            /// Keeps only documents that meet this filter too.
            pub fn filter<S>(self, filter: impl FnOnce(M::FieldHandles) -> Filter<M, S>) -> Self {
                self.with(|refs| refs.filtered(filter))
            }
        }

        impl<$($lt,)* $($doc,)? F, M: Model, O, K> $builder<$($lt,)* $($doc,)? Refs<F, M, Slotted, O, K>> {
            /// An id that no document has is left out and reported beside the values: [`Loaded`].
            pub fn drop_missing(self) -> $builder<$($lt,)* $($doc,)? Refs<F, M, Dense, O, K>> {
                self.with(Refs::retyped)
            }

            /// An id that no document has makes the whole load [`Error::Dangling`], a natural key that several documents have
            /// [`Error::Ambiguous`].
            pub fn strict(self) -> $builder<$($lt,)* $($doc,)? Refs<F, M, Dense, O, K>> {
                self.drop_missing().strict()
            }
        }

        impl<$($lt,)* $($doc,)? F, M: Model, O, K> $builder<$($lt,)* $($doc,)? Refs<F, M, Single, O, K>> {
            /// A dangling id is [`Error::Dangling`], a natural key that several documents have [`Error::Ambiguous`].
            pub fn strict(self) -> Self {
                self.with(|mut refs| { refs.options.strict = true; refs })
            }
        }

        impl<$($lt,)* $($doc,)? F, M: Model, Y: Many, O, K> $builder<$($lt,)* $($doc,)? Refs<F, M, Y, O, K>> {
            /// Sorts in this order instead of the stored one; a document whose id is stored twice appears twice in a row. All ids
            /// then go into one command, which holds 15 MiB of them.
            pub fn sort<S: IntoSort<M>>(self, order: impl FnOnce(M::FieldHandles) -> S) -> Self {
                self.with(|mut refs| {
                    refs.options.sort = Some(order(M::FieldHandles::VALUE).into_sort().into_document());
                    refs
                })
            }

            /// Skips this many of each document's references.
            pub fn skip(self, references: usize) -> Self {
                self.with(|mut refs| { refs.options.skip = references; refs })
            }

            /// Loads at most this many of each document's references; with 0, nothing is sent. Without `sort` and `filter`
            /// they are the first that are stored, and only those are requested; with them, the first that the server
            /// gives.
            pub fn limit(self, references: usize) -> Self {
                self.with(|mut refs| { refs.options.limit = Some(references); refs })
            }
        }

        impl<$($lt,)* $($doc,)? F, M: Model, Y, O, K> $builder<$($lt,)* $($doc,)? Refs<F, M, Y, O, K>> {
            /// Reads each document as a projection: the server sends its fields, and the id that identifies the document.
            pub fn project<V: Projected<M>>(self) -> $builder<$($lt,)* $($doc,)? Refs<F, M, Y, V, K>> {
                self.with(Refs::retyped)
            }

            /// Reads each document once, and gives all references to it the same `Arc`. This saves time and memory if
            /// many documents refer to the same ones. Call it last.
            pub fn shared(self) -> $builder<$($lt,)* $($doc,)? Refs<F, M, SharedBy<Y>, O, K>>
            where
                Y: Sharing,
            {
                self.with(Refs::retyped)
            }

            /// Uses documents that the program already has: the load does not request their ids, and each reference
            /// gets a copy. The server applies filter and sort, and cannot see these documents, so a load with either
            /// requests all ids.
            pub fn reuse<'k, __K: AsModel<M> + 'k>(self, documents: impl IntoIterator<Item = &'k __K>) -> Self {
                self.with(|refs| refs.known(documents))
            }
        }
    };
}

options!(Load, ['a], []);
options!(Join, ['a, 'd], [D]);

impl<'a, M: Model> Load<'a, Refs<(), M>> {
    /// [`MongoModel::get_many`](crate::MongoModel::get_many).
    pub(crate) fn by_ids(db: &'a Database, ids: Result<Vec<Bson>>) -> Self {
        Load::new(db, Refs::of_ids(ids))
    }
}

impl<F, M: Model, Y, O, K> Refs<F, M, Y, O, K> {
    fn confined(mut self, wall: &Wall) -> Self {
        let filter = self.options.filter.take().unwrap_or_default();
        let filter = wall.restrict(M::model_meta(), filter);
        self.options.filter = (!filter.is_empty()).then_some(filter);
        self
    }
}

impl<F, M: Model, Y, O, K> Confined for Load<'_, Refs<F, M, Y, O, K>> {
    fn confined(self, wall: &Wall) -> Self {
        let confined = self.with(|refs| refs.confined(wall));
        confined.because(wall.reason())
    }
}

impl<D, F, M: Model, Y, O, K> Confined for Join<'_, '_, D, Refs<F, M, Y, O, K>> {
    fn confined(self, wall: &Wall) -> Self {
        let confined = self.with(|refs| refs.confined(wall));
        confined.because(wall.reason())
    }
}

document_scopes!(['a, F, M: Model, Y, O, K] Load<'a, Refs<F, M, Y, O, K>>, M, spec.options.scope);
document_scopes!(['a, 'd, D, F, M: Model, Y, O, K] Join<'a, 'd, D, Refs<F, M, Y, O, K>>, M, spec.options.scope);

impl<'a, F, M: Model, Y, K> Load<'a, Refs<F, M, Y, M, K>> {
    /// For the derives: `encode` gives the stored value of row `at` of `P`, `put` writes it.
    #[doc(hidden)]
    pub fn refs<P: Model>(
        db: &'a Database,
        document: &P,
        at: usize,
        encode: impl Fn(&P) -> Result<Bson, CodecError>,
        put: impl Fn(&P, &[u8], &mut Writer) -> Result<(), Refused>,
    ) -> Self {
        let documents = std::iter::once(document);
        Load::new(db, Refs::of_rows::<P>(documents, at, encode, put))
    }
}

impl<'a, 'd, D, F, M: Model, Y, K> Join<'a, 'd, D, Refs<F, M, Y, M, K>> {
    /// For the derives: `encode` gives the stored value of row `at` of `P`, `put` writes it.
    #[doc(hidden)]
    pub fn refs<P: Model>(
        db: &'a Database,
        documents: &'d [D],
        at: usize,
        encode: impl Fn(&P) -> Result<Bson, CodecError>,
        put: impl Fn(&P, &[u8], &mut Writer) -> Result<(), Refused>,
    ) -> Self
    where
        D: AsModel<P>,
    {
        let models = documents.iter().map(AsModel::as_model);
        Join::new(db, documents, Refs::of_rows::<P>(models, at, encode, put))
    }

    pub(crate) fn at<P: Model, At: Path, T, I, W>(
        db: &'a Database,
        documents: &'d [D],
        _: Field<At, T, I, W>,
    ) -> Self
    where
        D: AsModel<P>,
    {
        Join::new(db, documents, Refs::at_path::<P, At, D>(documents))
    }
}

impl<'a, F, M: Model, Y: Viewable, O, K> Load<'a, Refs<F, M, Y, O, K>> {
    /// Reads each document as a view with a fallback (`#[projection(of = .., fallback = ..)]`): the loaded source wins, the
    /// copies in `holder` (the document whose reference this is) stand in for a source that is not there. One value per
    /// reference; `missing` says which ids dangle. It is never written back.
    pub fn with_fallback<V, P>(self, holder: &P) -> Load<'a, Refs<F, M, Viewed<Y>, V, K>>
    where
        V: Projected<M> + FallsBack<F>,
        P: Model,
    {
        self.with(|refs| refs.viewed::<P, P>(std::slice::from_ref(holder)).retyped())
    }
}

impl<'a, 'd, D, F, M: Model, Y: Viewable, O, K> Join<'a, 'd, D, Refs<F, M, Y, O, K>> {
    /// Reads each document as a view with a fallback: see [`Load::with_fallback`].
    pub fn with_fallback<V, P>(self) -> Join<'a, 'd, D, Refs<F, M, Viewed<Y>, V, K>>
    where
        V: Projected<M> + FallsBack<F>,
        P: Model,
        D: AsModel<P>,
    {
        let documents = self.documents;
        self.with(|refs| refs.viewed::<P, D>(documents).retyped())
    }
}
