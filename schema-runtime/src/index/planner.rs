//! `plan_indexes`: reads, compares, changes nothing.

use std::collections::BTreeMap;
use std::fmt;
use std::future::IntoFuture;

use futures::future::BoxFuture;
use futures::{FutureExt, StreamExt, TryStreamExt, stream};
use mongodb::Database;
use mongodb::error::ErrorKind;

use super::collect::{definitions, distinct, key_indexes, of_history, of_log};
use super::matching;
use super::vectors::plan_vectors;
use crate::driver::catalog;
use crate::error::{Error, Result};
use crate::graph::edges::Edges;
use crate::index_spec::definition::Definition;
use crate::index_spec::error::{IndexError, IndexErrors, IndexFailure};
use crate::index_spec::plan::{CollectionPlan, IndexPlan};
use crate::index_spec::report::IndexReport;
use crate::index_spec::signature::Signature;
use crate::schema::model::{Model, ModelMeta};
use crate::schema::registry;

/// The largest number of collections that are listed at the same time.
const PARALLEL: usize = 8;
/// The longest `database.collection` that the server takes, in bytes.
const NAMESPACE_MAX: usize = 255;

/// Compares the indexes in `db` with those that the models declare: every model linked into the program, or those of
/// [`only`](PlanIndexes::only).
///
/// Sends one `listIndexes` per collection (and one `listCollections` for a time series with unknown indexes), and
/// changes nothing. A collection that does not exist has no indexes. Models that share a collection are planned
/// together. A model with an index of vectors costs an `aggregate` that lists such indexes; a server without vector search is no error,
/// and the plan says that they are missing.
///
/// # Errors
/// [`Error::NamespaceTooLong`] (nothing was sent), [`Error::Driver`] if the server cannot be reached, or [`Error::Indexes`] with
/// the collections whose indexes it refused to list.
pub fn plan_indexes(db: &Database) -> PlanIndexes<'_> {
    PlanIndexes {
        db,
        scope: Scope::default(),
    }
}

/// See [`plan_indexes`]. Does nothing unless awaited.
#[must_use = "nothing is sent before it is awaited"]
pub struct PlanIndexes<'a> {
    db: &'a Database,
    scope: Scope,
}

impl fmt::Debug for PlanIndexes<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PlanIndexes")
            .field("scope", &self.scope)
            .finish_non_exhaustive()
    }
}

impl PlanIndexes<'_> {
    /// Looks only at the collection of `M`; called again, also at the other model's collection. Other models in the same
    /// collection still count, so that their indexes are not unknown.
    pub fn only<M: Model>(mut self) -> Self {
        self.scope.add(M::model_meta());
        self
    }

    /// Exactly these models, whatever is linked into the program.
    #[doc(hidden)]
    pub fn models(mut self, models: &[&'static ModelMeta]) -> Self {
        self.scope = Scope::Exactly(models.to_vec());
        self
    }
}

impl<'a> IntoFuture for PlanIndexes<'a> {
    type Output = Result<IndexPlan>;
    type IntoFuture = BoxFuture<'a, Self::Output>;

    fn into_future(self) -> Self::IntoFuture {
        async move {
            let mut collections = Vec::new();
            let mut errors = Vec::new();
            for planned in plan(self.db, &self.scope).await? {
                match planned {
                    Ok(plan) => collections.push(plan.plan),
                    Err(error) => errors.push(error),
                }
            }
            if errors.is_empty() {
                Ok(IndexPlan { collections })
            } else {
                Err(IndexErrors::new(errors, IndexReport::default()).into())
            }
        }
        .boxed()
    }
}

/// The models whose collections are planned.
#[derive(Debug, Clone, Default)]
pub(crate) enum Scope {
    /// All models that are linked into the program.
    #[default]
    All,
    /// These models, and all others of their collections.
    Only(Vec<&'static ModelMeta>),
    /// These models and no others.
    Exactly(Vec<&'static ModelMeta>),
}

impl Scope {
    pub(crate) fn add(&mut self, model: &'static ModelMeta) {
        match self {
            Scope::All => *self = Scope::Only(vec![model]),
            Scope::Only(models) | Scope::Exactly(models) => models.push(model),
        }
    }

    /// The models, by collection.
    pub(crate) fn collections(&self) -> BTreeMap<&'static str, Vec<&'static ModelMeta>> {
        let mut models = match self {
            Scope::All => registry::models(),
            Scope::Exactly(models) => models.clone(),
            Scope::Only(chosen) => {
                let mut models = registry::models();
                models.retain(|model| {
                    chosen
                        .iter()
                        .any(|chosen| chosen.collection == model.collection)
                });
                models.extend(chosen);
                models
            }
        };
        models.sort_by_key(|model| (model.collection, model.name));
        let mut collections: BTreeMap<_, Vec<&'static ModelMeta>> = BTreeMap::new();
        for model in models {
            let known = collections.entry(model.collection).or_default();
            if !known.iter().any(|other| std::ptr::eq(*other, model)) {
                known.push(model);
            }
        }
        collections
    }
}

/// A plan, and the other facts that are needed to carry it out.
pub(super) struct Planned {
    pub(super) plan: CollectionPlan,
    /// True if the collection compares strings by a collation of its own.
    pub(super) collation: bool,
}

/// The plans of all collections, by name.
pub(super) async fn plan(db: &Database, scope: &Scope) -> Result<Vec<Result<Planned, IndexError>>> {
    Edges::get().in_no_circle()?;
    let collections = scope.collections();
    if collections.is_empty() && matches!(scope, Scope::All) {
        return Err(Error::NoModels);
    }
    namespaces(db, collections.keys())?;
    let logs = collections.values().flatten();
    let logs: BTreeMap<&'static str, &'static str> = logs
        .filter_map(|model| Some((model.events?.log, model.name)))
        .collect();
    let kept = collections.values().flatten();
    let kept: BTreeMap<&'static str, (&'static str, u64)> = kept
        .filter_map(|model| {
            model
                .history
                .and_then(|row| Some((row.log, (model.name, row.keep?))))
        })
        .collect();
    let mut plans: Vec<BoxFuture<'_, _>> = Vec::new();
    for (log, model) in logs {
        let planned = plan_or_refusal(db, log, vec![model], of_log());
        plans.push(planned.boxed());
    }
    for (log, (model, seconds)) in kept {
        let planned = plan_or_refusal(db, log, vec![model], of_history(seconds));
        plans.push(planned.boxed());
    }
    for (collection, models) in collections {
        let definitions = distinct(models.iter().flat_map(|model| definitions(model)));
        let models_of = models;
        let models: Vec<&'static str> = models_of.iter().map(|model| model.name).collect();
        let apart = !matches!(scope, Scope::Exactly(_)) && !share(&models_of);
        plans.push(
            async move {
                if apart {
                    let cause = IndexFailure::Shared {
                        models: models.clone(),
                    };
                    return Ok(Err(IndexError {
                        collection: collection.to_owned(),
                        models,
                        cause,
                    }));
                }
                let planned = plan_or_refusal(db, collection, models, definitions).await?;
                with_vectors(db, planned, &models_of).await
            }
            .boxed(),
        );
    }
    stream::iter(plans).buffered(PARALLEL).try_collect().await
}

/// The plan with the indexes of vectors of these models, or the reason why the server does not list them.
async fn with_vectors(
    db: &Database,
    planned: Result<Planned, IndexError>,
    models: &[&'static ModelMeta],
) -> Result<Result<Planned, IndexError>> {
    let Ok(mut planned) = planned else {
        return Ok(planned);
    };
    let plan = &mut planned.plan;
    match plan_vectors(db, &plan.collection, models).await {
        Ok(vectors) => plan.vectors = vectors,
        Err(error) if matches!(*error.kind, ErrorKind::Command(_)) => {
            return Ok(Err(IndexError {
                collection: plan.collection.clone(),
                models: plan.models.clone(),
                cause: IndexFailure::List(error),
            }));
        }
        Err(error) => return Err(Error::Driver(error.into())),
    }
    Ok(Ok(planned))
}

/// True if each model of the collection names another model with which it shares the collection, or is named by another.
fn share(models: &[&'static ModelMeta]) -> bool {
    let names = |one: &ModelMeta, other: &ModelMeta| {
        let named = one.shares.map(|named| named());
        named.is_some_and(|named| std::ptr::eq(named, other))
    };
    let mut known: Vec<&ModelMeta> = models.iter().take(1).copied().collect();
    let mut left: Vec<&ModelMeta> = models.iter().skip(1).copied().collect();
    loop {
        let linked = |one: &&ModelMeta| {
            known
                .iter()
                .any(|other| names(one, other) || names(other, one))
        };
        let Some(place) = left.iter().position(linked) else {
            return left.is_empty();
        };
        known.push(left.swap_remove(place));
    }
}

/// Checks that the server takes the name of each collection.
pub(crate) fn namespaces<'c>(
    db: &Database,
    collections: impl Iterator<Item = &'c &'static str>,
) -> Result<()> {
    for collection in collections {
        let namespace = format!("{}.{collection}", db.name());
        if namespace.len() > NAMESPACE_MAX {
            return Err(Error::NamespaceTooLong {
                bytes: namespace.len(),
                namespace,
            });
        }
    }
    Ok(())
}

/// The plan of a collection, or the reason why the server does not list its indexes.
pub(super) async fn plan_or_refusal(
    db: &Database,
    collection: &'static str,
    models: Vec<&'static str>,
    definitions: Vec<Definition>,
) -> Result<Result<Planned, IndexError>> {
    match plan_one(db, collection, models.clone(), definitions).await {
        Ok(planned) => Ok(Ok(planned)),
        Err(error) if matches!(*error.kind, ErrorKind::Command(_)) => Ok(Err(IndexError {
            collection: collection.to_owned(),
            models,
            cause: IndexFailure::List(error),
        })),
        // A server that does not answer for one collection would not answer for the next: do not wait for each.
        Err(error) => Err(Error::Driver(error.into())),
    }
}

async fn plan_one(
    db: &Database,
    collection: &str,
    models: Vec<&'static str>,
    mut definitions: Vec<Definition>,
) -> std::result::Result<Planned, mongodb::error::Error> {
    let live = catalog::list_indexes(db, collection).await?;
    let id = live.iter().find(|index| index.is_id());
    let (has_id, collation) = (
        id.is_some(),
        id.is_some_and(|index| index.collation().is_some()),
    );
    if collation {
        definitions.extend(key_indexes(collection));
        definitions = distinct(definitions);
    }
    let mut plan = matching::plan(collection.to_owned(), models, definitions, live);
    // Among namespaces that can hold documents, only a time series has no index of `_id`.
    if !has_id
        && !plan.unknown.is_empty()
        && let Some(key) = catalog::time_series_key(db, collection).await?
    {
        let made = Signature::of_spec(&bson::doc! { "key": key }, None);
        plan.unknown.retain(|index| index.signature() != made);
    }
    Ok(Planned { plan, collation })
}

#[cfg(test)]
mod tests;
