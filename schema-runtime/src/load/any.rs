//! Joins of references that lead to one of several models.

use std::fmt;
use std::marker::PhantomData;

use bson::{Bson, Document, RawBsonRef, RawDocument, doc};
use serde::Serialize;
use serde::de::DeserializeOwned;

use super::{AsModel, Join, ids};
use crate::codec::{self, CodecError};
use crate::error::{Error, Result};
use crate::filter::Filter;
use crate::schema::field::Indexed;
use crate::schema::field::place::{At, Path, Segment, Top, Within, path};
use crate::schema::model::Model;
use crate::schema::relation::Holds;
use crate::schema::rows::Kind;
use crate::schema::value::Value;

/// A reference to one of several models: an enum with `#[derive(MongoEmbed)]` and `#[serde(tag = "type", content = "id")]`, each
/// of whose variants holds one `#[parent(..)]` id. The derive writes it, and the enum of the documents beside it.
///
/// ```
/// use mongo_model::{Database, Id, MongoEmbed, MongoModel};
/// use serde::{Deserialize, Serialize};
///
/// #[derive(Debug, Serialize, Deserialize, MongoModel)]
/// #[model(collection = "posts")]
/// pub struct Post {
///     #[serde(rename = "_id")]
///     pub id: Id<Post>,
/// }
///
/// #[derive(Debug, Serialize, Deserialize, MongoModel)]
/// #[model(collection = "photos")]
/// pub struct Photo {
///     #[serde(rename = "_id")]
///     pub id: Id<Photo>,
/// }
///
/// #[derive(Debug, Clone, Serialize, Deserialize, MongoEmbed)]
/// #[serde(tag = "type", content = "id")]
/// pub enum Subject {
///     Post(#[parent(Post)] Id<Post>),
///     Photo(#[parent(Photo)] Id<Photo>),
/// }
///
/// #[derive(Debug, Serialize, Deserialize, MongoModel)]
/// #[model(collection = "comments")]
/// pub struct Comment {
///     #[serde(rename = "_id")]
///     pub id: Id<Comment>,
///     pub on: Subject,
/// }
///
/// async fn show(db: &Database, post: Id<Post>) -> mongo_model::Result<()> {
///     // The comments on one post, by the generated index `{ on.id: 1, _id: 1 }`.
///     let comments = Comment::find(db, |c| c.on.is(Subject::Post(post))).await?;
///     // One `find` for all posts, one for all photos; none for what does not occur.
///     for (comment, on) in Comment::load_any(db, &comments, |c| c.on).await? {
///         for subject in &on {
///             match subject {
///                 SubjectLoaded::Post(post) => println!("{:?} on {:?}", comment.id, post.id),
///                 SubjectLoaded::Photo(photo) => println!("{:?} on {:?}", comment.id, photo.id),
///             }
///         }
///     }
///     Ok(())
/// }
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no reference to one of several models",
    label = "not such a reference",
    note = "it is an enum with `#[derive(MongoEmbed)]` and `#[serde(tag = \"type\", content = \"id\")]` whose variants each hold one `#[parent(..)]` id"
)]
pub trait Polymorphic: Value + Serialize + DeserializeOwned + Send + 'static {
    /// The document that the reference leads to.
    type Loaded: Send;
    /// The stored tags, in the order of the variants.
    const VARIANTS: &'static [&'static str];

    /// The document that a variant leads to.
    #[doc(hidden)]
    fn read(variant: usize, raw: &RawDocument) -> Result<Self::Loaded, CodecError>;
}

/// A path to a single place, where the tag and the id in a filter belong to the same reference.
#[diagnostic::on_unimplemented(
    message = "this reference lies inside an array, where the tag of one element would meet the id of another",
    label = "inside an array",
    note = "ask about one element at a time: `any(|element| element.is(..))`"
)]
pub trait Together: Path {}
#[diagnostic::do_not_recommend]
impl<M: 'static, S: Segment> Together for Top<M, S> {}
#[diagnostic::do_not_recommend]
impl<P: Together, S: Segment> Together for At<P, S> {}
#[diagnostic::do_not_recommend]
impl<P: Path> Together for Within<P> {}

/// For the derives: the reference at `P` is this one. The generated index on the id serves it.
#[doc(hidden)]
pub fn is<P, T>(reference: &T) -> Filter<P::Root, Indexed>
where
    P: Together,
    P::Root: Model,
    T: Polymorphic,
{
    let at = path::<P>();
    let encoded = codec::encode_value(reference).map_err(|source| Error::Encode {
        model: P::Root::model_meta().name,
        field: at.clone(),
        source: Box::new(source),
    });
    let filter = encoded.map(|value| {
        let parts = match value {
            Bson::Document(parts) => parts,
            _ => Document::new(),
        };
        let conditions = parts.into_iter().map(|(name, value)| {
            let name = if at.is_empty() {
                name
            } else {
                format!("{at}.{name}")
            };
            (name, Bson::from(doc! { "$eq": value }))
        });
        conditions.collect()
    });
    Filter::served(filter)
}

/// A forward join of references to one of several models: [`MongoModel::load_any`](crate::MongoModel::load_any).
pub struct AnyRefs<T> {
    model: &'static str,
    field: String,
    /// The references of each document as they are stored, in order.
    found: Result<Vec<Vec<Bson>>>,
    types: PhantomData<fn() -> T>,
}

impl<T> fmt::Debug for AnyRefs<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("AnyRefs")
            .field("model", &self.model)
            .field("field", &self.field)
            .field("found", &self.found)
            .finish()
    }
}

impl<T: Polymorphic> AnyRefs<T> {
    pub(crate) fn at<P: Model, At: Path, D: AsModel<P>>(documents: &[D]) -> Self {
        let (model, field) = (P::model_meta().name, path::<At>());
        let map = P::model_meta()
            .flat()
            .fields
            .iter()
            .any(|row| row.path == field && row.kind == Kind::Map);
        let which = ids::Take {
            holds: if map { Holds::MapValues } else { Holds::Ids },
            nulls: false,
            texts: false,
        };
        let steps: Vec<&str> = field.split('.').collect();
        let found = documents
            .iter()
            .map(|document| {
                let raw =
                    crate::document::encode_document(document.as_model()).map_err(|source| {
                        Error::Encode {
                            model,
                            field: field.clone(),
                            source: Box::new(source),
                        }
                    })?;
                let mut found = Vec::new();
                let mut take = |id: RawBsonRef<'_>| found.extend(Bson::try_from(id));
                ids::at_path(&raw, &steps, which, &mut take);
                Ok(found)
            })
            .collect();
        AnyRefs {
            model,
            field,
            found,
            types: PhantomData,
        }
    }
}

impl<'a, 'd, D, T: Polymorphic> Join<'a, 'd, D, AnyRefs<T>> {
    pub(crate) fn any<P: Model, At: Path>(
        db: &'a crate::driver::Database,
        documents: &'d [D],
    ) -> Self
    where
        D: AsModel<P>,
    {
        Join::new(db, documents, AnyRefs::at::<P, At, D>(documents))
    }
}

mod run {
    use super::*;
    use crate::bson_util::id_key::IdKey;
    use crate::bson_util::id_key::IdSet;
    use crate::builder::Sent;
    use crate::driver;
    use crate::driver::{ClientSession, Database};
    use crate::load::fetch::{FetchRequest, Found, One, fetch};
    use crate::load::ids::{Place, RefId};
    use crate::load::{Loaded, Spec};
    use crate::schema::relation::OnMissing;
    use crate::schema::rows::FieldRow;

    /// The rows of an enum that refers: its tag, and the id of each variant.
    fn rows<T: Polymorphic>() -> (&'static FieldRow, &'static [FieldRow]) {
        (&T::FIELDS[0], &T::FIELDS[1..])
    }

    /// The variant of a stored reference, as a number, and its id; `None` for an id that is null.
    fn parts<T: Polymorphic>(reference: &Bson) -> Option<(usize, &Bson)> {
        let (tag, variants) = rows::<T>();
        let reference = reference.as_document()?;
        let name = reference.get_str(tag.name).ok()?;
        let variant = T::VARIANTS.iter().position(|known| *known == name)?;
        let id = reference.get(variants[variant].name)?;
        (*id != Bson::Null).then_some((variant, id))
    }

    /// The documents of one model that the load found.
    struct Target {
        name: &'static str,
        strict: bool,
        found: Found,
    }

    impl<T: Polymorphic> Spec for AnyRefs<T> {
        type Loaded = Loaded<T::Loaded, T>;

        fn run<'x>(
            self,
            db: &'x Database,
            mut session: Option<&'x mut ClientSession>,
        ) -> Sent<'x, Vec<Self::Loaded>>
        where
            Self: 'x,
        {
            Box::pin(async move {
                let AnyRefs {
                    model,
                    field,
                    found,
                    ..
                } = self;
                let found = found?;
                let mut targets = Vec::new();
                for (n, row) in rows::<T>().1.iter().enumerate() {
                    let Some(relation) = row.relation else {
                        continue;
                    };
                    let ids = found.iter().flatten().filter_map(parts::<T>);
                    let ids = ids.filter(|(variant, _)| *variant == n);
                    let ids: Vec<RefId> = ids.map(|(_, id)| id.clone().into()).collect();
                    let place = Place::new(model, field.clone(), Some(relation));
                    let target = (relation.target)();
                    let session = session.as_deref_mut();
                    let asked = FetchRequest::default();
                    let ids = [ids];
                    let found = fetch(db, target, &place, &ids, asked, Vec::new(), session).await?;
                    let [ids] = ids;
                    let strict = relation.missing == OnMissing::Strict;
                    if strict {
                        found.no_ambiguous(&place, target, ids.iter())?;
                    }
                    targets.push(Target {
                        name: target.name,
                        strict,
                        found,
                    });
                }
                no_missing::<T>(model, &field, &found, &targets)?;
                found.iter().map(|refs| pick::<T>(refs, &targets)).collect()
            })
        }
    }

    /// Checks that every id has its document, for each model whose references are declared strict.
    fn no_missing<T: Polymorphic>(
        model: &'static str,
        field: &str,
        found: &[Vec<Bson>],
        targets: &[Target],
    ) -> Result<()> {
        for (n, target) in targets.iter().enumerate().filter(|(_, one)| one.strict) {
            let mut seen = IdSet::default();
            let ids = found.iter().flatten().filter_map(parts::<T>);
            let dangling = ids.filter(|(variant, id)| {
                let key = IdKey::new(id);
                *variant == n && target.found.get(&key).is_none() && seen.insert(key)
            });
            let dangling: Vec<Bson> = dangling.map(|(_, id)| id.clone()).collect();
            if !dangling.is_empty() {
                return Err(Error::Dangling {
                    model,
                    field: field.to_owned(),
                    target: target.name,
                    ids: dangling,
                });
            }
        }
        Ok(())
    }

    /// The documents for the references of one document.
    fn pick<T: Polymorphic>(refs: &[Bson], targets: &[Target]) -> Result<Loaded<T::Loaded, T>> {
        let decode = |target: &Target, reference: &Bson| {
            codec::decode_value(reference).map_err(|source| Error::Decode {
                model: target.name,
                id: reference.to_string(),
                source: Box::new(source),
            })
        };
        let mut values = Vec::with_capacity(refs.len());
        let (mut missing, mut ambiguous) = (Vec::new(), Vec::new());
        let mut reported = IdSet::default();
        for reference in refs {
            let Some((variant, id)) = parts::<T>(reference) else {
                continue;
            };
            let target = &targets[variant];
            let key = IdKey::new(id);
            if target.found.ambiguous(&key).is_some() && reported.insert(IdKey::new(reference)) {
                ambiguous.push(decode(target, reference)?);
            }
            if let Some(One { raw, .. }) = target.found.get(&key) {
                let value = T::read(variant, raw);
                values
                    .push(value.map_err(|source| driver::decode_error(target.name, raw, source))?);
            } else if reported.insert(IdKey::new(reference)) {
                missing.push(decode(target, reference)?);
            }
        }
        Ok(Loaded {
            values,
            missing,
            ambiguous,
        })
    }
}
