//! Documents with the nearest vectors.

use std::fmt;

use bson::{Binary, Bson, DateTime, Document, RawDocument, doc};

use super::Find;
use crate::builder::{awaits, document_scopes, read_options};
use crate::driver::Database;
use crate::driver::search::search_error;
use crate::error::{Error, Result};
use crate::filter::{AskedOf, Filter};
use crate::index::vectors::vector_definitions;
use crate::projection::Projected;
use crate::schema::field::place::{Path, path};
use crate::schema::field::{Field, FoundByVectors};
use crate::schema::model::Model;
use crate::schema::soft_delete::{DocumentScope, deleted_field};
use crate::schema::stored;
use crate::schema::vector::{InvalidVector, Vector, VectorValue};
use crate::tenant::{Confined, Wall};

/// The key of the score, among the fields of the library. It is not stored.
const SCORE: &str = "m";
/// The number of documents where the call does not say it.
const LIMIT: u64 = 10;
/// The number of candidates for each document where the call does not say it.
const CANDIDATES_EACH: u64 = 10;
/// The most candidates that the server takes.
const CANDIDATES: u64 = 10_000;
/// The comparisons by which a search selects documents.
const OPERATORS: &[&str] = &["$eq", "$ne", "$gt", "$gte", "$lt", "$lte", "$in", "$nin"];

/// A document, and how near its vector is.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Scored<O> {
    /// The document.
    pub document: O,
    /// The server's score, from 0 to 1 for `cosine` and `euclidean`: the greater, the nearer.
    pub score: f64,
}

/// A search for the nearest vectors, about to be sent. `.await` gives a `Vec` of [`Scored`], nearest first.
#[must_use = "nothing is sent before it is awaited"]
pub struct Nearest<'a, M, O = M> {
    find: Find<'a, M, O>,
    path: String,
    vector: Result<Binary, InvalidVector>,
    limit: u64,
    candidates: Option<u64>,
}

impl<M, O> fmt::Debug for Nearest<'_, M, O> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.find.fmt(f)
    }
}

impl<'a, M: Model> Nearest<'a, M> {
    pub(crate) fn new<P, T, I, W, const N: usize>(
        db: &'a Database,
        _: Field<P, T, I, W>,
        vector: &Vector<N>,
    ) -> Self
    where
        P: Path<Root = M>,
        T: VectorValue<N>,
        I: FoundByVectors,
    {
        Nearest {
            find: Find::new(db, Ok(Document::new())),
            path: path::<P>(),
            vector: vector.stored(),
            limit: LIMIT,
            candidates: None,
        }
    }
}

impl<'a, M: Model, O> Nearest<'a, M, O> {
    /// Searches only documents that also meet this filter. It compares fields that the index names in `filter(..)` with values, by
    /// equality, order and lists; the field of the tenant and that of soft deletes are in the index as well.
    pub fn filter<F, S, C>(self, filter: F) -> Self
    where
        F: FnOnce(M::FieldHandles) -> Filter<C, S>,
        S: AskedOf<M, C>,
    {
        Nearest {
            find: self.find.filter(filter).retyped(),
            ..self
        }
    }

    /// Returns at most this many documents: 10 where it is not called. With 0, it returns none and sends nothing.
    pub fn limit(mut self, documents: u64) -> Self {
        self.limit = documents;
        self
    }

    /// Compares this many vectors, of which the nearest are returned: more find the nearest more surely, and take longer. Ten times the limit
    /// where it is not called, and at most 10,000.
    pub fn candidates(mut self, vectors: u64) -> Self {
        self.candidates = Some(vectors);
        self
    }

    /// Reads each document as a projection, so that the server sends its fields and no others.
    pub fn project<V: Projected<M>>(self) -> Nearest<'a, M, V> {
        Nearest {
            find: self.find.project(),
            path: self.path,
            vector: self.vector,
            limit: self.limit,
            candidates: self.candidates,
        }
    }
}

read_options!(['a, M, O] Nearest<'a, M, O>, find.options);
document_scopes!(['a, M: Model, O] Nearest<'a, M, O>, M, find.scope);

impl<M: Model, O> Confined for Nearest<'_, M, O> {
    fn confined(self, wall: &Wall) -> Self {
        Nearest {
            find: self.find.confined(wall),
            ..self
        }
    }
}

impl<M: Model, O: Projected<M>> Nearest<'_, M, O> {
    /// The stages. The search process learns of a write later than the collection, so its documents are compared with the filter once more.
    fn pipeline(&mut self) -> Result<Vec<Document>> {
        let meta = M::model_meta();
        let refused = |what: String| Error::Impossible {
            what: format!("{}.{}: {what}", meta.name, self.path),
        };
        let vector = self
            .vector
            .clone()
            .map_err(|error| refused(error.to_string()))?;
        let default = self.limit.saturating_mul(CANDIDATES_EACH).min(CANDIDATES);
        let candidates = self.candidates.unwrap_or(default);
        if !(self.limit..=CANDIDATES).contains(&candidates) {
            return Err(refused(format!(
                "a search of {candidates} candidates for {} documents; it takes at least as many candidates as documents, and at most {CANDIDATES}",
                self.limit
            )));
        }
        let mut indexes = vector_definitions(meta).into_iter();
        let index = indexes.find(|index| index.path == self.path);
        let index = index.ok_or_else(|| refused("no index of vectors".to_owned()))?;
        if self.find.collation.is_some() {
            return Err(refused(
                "a search compares texts letter for letter".to_owned(),
            ));
        }
        let filter = std::mem::replace(&mut self.find.filter, Ok(Document::new()))?;
        let mut conditions = Vec::new();
        add_conditions(filter, &index.filter, &mut conditions).map_err(refused)?;
        let after = joined(conditions.clone()).unwrap_or_default();
        let after = self.find.scope.restrict(meta, after);
        conditions.extend(marked(self.find.scope, deleted_field(meta)));
        let number = |n: u64| i32::try_from(n).unwrap_or(i32::MAX);
        let mut search = doc! {
            "index": index.name,
            "path": &self.path,
            "queryVector": vector,
            "numCandidates": number(candidates),
            "limit": number(self.limit),
        };
        search.extend(joined(conditions).map(|filter| ("filter".to_owned(), filter.into())));
        let score = stored::own(SCORE);
        let mut stages = vec![doc! { "$vectorSearch": search }];
        stages.extend((!after.is_empty()).then(|| doc! { "$match": after }));
        stages.push(doc! { "$set": { &score: { "$meta": "vectorSearchScore" } } });
        stages.extend(self.find.last_stages(&score));
        Ok(stages)
    }
}

/// The condition on the mark of soft deletes. A search for null finds no document that lacks the field.
fn marked(scope: DocumentScope, field: Option<&'static str>) -> Option<Document> {
    let marked = doc! { field?: { "$gt": DateTime::from_millis(0) } };
    match scope {
        DocumentScope::Live => Some(doc! { "$nor": [marked] }),
        DocumentScope::OnlyDeleted => Some(marked),
        DocumentScope::WithDeleted => None,
    }
}

/// All of these conditions; `None` if there are none.
fn joined(mut conditions: Vec<Document>) -> Option<Document> {
    match conditions.len() {
        0 | 1 => conditions.pop(),
        _ => Some(doc! { "$and": conditions }),
    }
}

/// Adds the conditions of a filter, each by itself.
///
/// # Errors
/// The reason why a search does not take one of them.
fn add_conditions(
    filter: Document,
    fields: &[String],
    out: &mut Vec<Document>,
) -> std::result::Result<(), String> {
    for (key, value) in filter {
        match (key.as_str(), value) {
            ("$and", Bson::Array(parts)) => {
                for part in parts {
                    let Bson::Document(part) = part else { continue };
                    add_conditions(part, fields, out)?;
                }
            }
            ("$or" | "$nor", Bson::Array(parts)) => {
                let mut all = Vec::new();
                for part in parts {
                    let Bson::Document(part) = part else { continue };
                    let mut inner = Vec::new();
                    add_conditions(part, fields, &mut inner)?;
                    all.push(joined(inner).ok_or("a search does not filter by nothing")?);
                }
                out.push(doc! { key: all });
            }
            (operator, _) if operator.starts_with('$') => {
                return Err(format!("a search does not filter by `{operator}`"));
            }
            (field, _) if !fields.iter().any(|known| known == field) => {
                return Err(format!(
                    "a search filters by fields that its index names: add `{field}` to `filter(..)`"
                ));
            }
            (_, value) => {
                check_comparison(&value)?;
                out.push(doc! { key: value });
            }
        }
    }
    Ok(())
}

/// Checks that a search takes what a field is compared with.
fn check_comparison(value: &Bson) -> std::result::Result<(), String> {
    match value {
        Bson::Document(operators) => operators.iter().try_for_each(|(operator, value)| {
            match (OPERATORS.contains(&operator.as_str()), value) {
                (true, Bson::Array(values)) => values.iter().try_for_each(check_comparison),
                (true, value) => check_comparison(value),
                (false, Bson::Document(_)) if operator == "$not" => check_comparison(value),
                _ => Err(format!("a search does not filter by `{operator}`")),
            }
        }),
        Bson::String(_)
        | Bson::Int32(_)
        | Bson::Int64(_)
        | Bson::Double(_)
        | Bson::Boolean(_)
        | Bson::DateTime(_)
        | Bson::ObjectId(_)
        | Bson::Binary(_) => Ok(()),
        Bson::Null => Err("a search does not filter by what is missing".to_owned()),
        _ => Err("a search filters by texts, numbers, dates, ids and booleans alone".to_owned()),
    }
}

awaits!(['a, M: Model, O: Projected<M>] Nearest<'a, M, O> => Vec<Scored<O>>, self {
    let mut search = self;
    let db = search.find.db;
    if search.limit == 0 {
        return Ok(Vec::new());
    }
    let pipeline = search.pipeline()?;
    let join = |document, own: Option<&RawDocument>| {
        let score = own.and_then(|own| own.get_f64(SCORE).ok()).unwrap_or(f64::NAN);
        Scored { document, score }
    };
    match search.find.aggregate(|_, _| pipeline, join).await {
        Ok(found) => Ok(found),
        Err(error) => Err(search_error(db, error).await),
    }
});
