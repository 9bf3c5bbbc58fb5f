//! `sync_indexes`: carries out a plan.

use std::fmt;
use std::future::IntoFuture;

use futures::FutureExt;
use futures::future::BoxFuture;
use mongodb::Database;

use super::planner::{Planned, Scope, plan, plan_or_refusal};
use super::vectors::change_vectors;
use crate::driver::catalog::{self, named_spec};
use crate::error::Result;
use crate::index_spec::definition::Definition;
use crate::index_spec::error::{DuplicateKey, IndexError, IndexErrors, IndexFailure};
use crate::index_spec::live::LiveIndex;
use crate::index_spec::plan::{CollectionPlan, IndexConflict};
use crate::index_spec::report::{CollectionReport, IndexReport};
use crate::schema::model::{Model, ModelMeta};

/// Brings the indexes in `db` to what the models declare: every model linked into the program, or those of
/// [`only`](SyncIndexes::only).
///
/// By default it only adds: it builds indexes that do not exist and changes in place what `collMod` can change (the
/// expiry, or whether an index is hidden). Indexes that no model declares stay and are reported as unknown. An index is
/// recognised by its keys and options; its name does not matter.
///
/// In a collection with a collation of its own, the indexes that references and propagation need are built without one
/// (`collation: {locale: "simple"}`), since references are compared byte by byte; a key by which others refer gets such
/// an index beside its unique one. Declared indexes use the collection's collation there, unless they name another.
///
/// Sends one `listIndexes` per collection (and one `listCollections` for a time series with unknown indexes); then,
/// collection by collection and only where something has to be done, one `createIndexes` for all new indexes, one
/// `collMod` for each change, what [`replace_conflicts`](SyncIndexes::replace_conflicts) needs, and last what
/// [`hide_unknown`](SyncIndexes::hide_unknown) and [`drop_unknown`](SyncIndexes::drop_unknown) need. `createIndexes`
/// builds all of its indexes or none; if it fails, it is sent again for each of them, so that one bad index does not
/// hold up the others. Every other step is independent, and the whole is not atomic; it can be run again at any time,
/// even by several programs at once. The commands take the database's write concern.
///
/// Indexes of vectors (`#[index(vector(..))]`) are built by the server's search process, in the background: `createSearchIndexes` for a new one,
/// and with `replace_conflicts` one `updateSearchIndex` for one whose dimensions, similarity or filter differ; none is ever dropped. On
/// a server without vector search the report lists them as missing, and everything else is done.
///
/// # Errors
/// [`Error::NamespaceTooLong`](crate::Error::NamespaceTooLong): nothing was sent. [`Error::Driver`](crate::Error::Driver): the
/// server could not be reached, nothing was changed. [`Error::Indexes`](crate::Error::Indexes): some collections are not as
/// declared, each with its cause; the others are.
/// [`Error::NoModels`](crate::Error::NoModels): the program has no models, nothing was sent. If anything else failed,
/// the rest of the collection's declared indexes is built or changed, but nothing unknown is hidden or dropped, because queries
/// may depend on it. A unique index that existing documents do not allow names the `_id`s of some of them: one `aggregate` more,
/// which reads the collection.
pub fn sync_indexes(db: &Database) -> SyncIndexes<'_> {
    SyncIndexes {
        db,
        scope: Scope::default(),
        policy: Policy::default(),
    }
}

/// See [`sync_indexes`]. Does nothing unless awaited.
#[must_use = "nothing is sent before it is awaited"]
pub struct SyncIndexes<'a> {
    db: &'a Database,
    scope: Scope,
    policy: Policy,
}

#[derive(Debug, Clone, Copy, Default)]
struct Policy {
    drop_unknown: bool,
    hide_unknown: bool,
    replace_conflicts: bool,
    accept_copies: bool,
}

impl fmt::Debug for SyncIndexes<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SyncIndexes")
            .field("scope", &self.scope)
            .field("policy", &self.policy)
            .finish_non_exhaustive()
    }
}

impl SyncIndexes<'_> {
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

    /// Drops indexes that no model declares, after everything else is in place. Sends a `dropIndexes` for each, by its name.
    ///
    /// With [`hide_unknown`](Self::hide_unknown), only those that are hidden already: a first run hides, a later one drops.
    ///
    /// Only models that are linked into this program count. If several programs use one database, an index of a model
    /// that this program lacks is unknown to it.
    pub fn drop_unknown(mut self) -> Self {
        self.policy.drop_unknown = true;
        self
    }

    /// Hides indexes that no model declares from queries. The server still maintains them (uniqueness and expiry
    /// included), so one that turns out to be needed is back at once. Sends a `collMod` for each that is not hidden
    /// yet.
    pub fn hide_unknown(mut self) -> Self {
        self.policy.hide_unknown = true;
        self
    }

    /// Replaces indexes that conflict with declared ones, and only those.
    ///
    /// Where the server can have both, the new one is built before the old one is dropped, so queries always have one
    /// of them, and a new one that cannot be built does no harm (`createIndexes`, `dropIndexes`). Where it cannot have
    /// both (an expiry is to go, text indexes differ, a chosen name is taken; servers before 5.0), the old one is
    /// dropped directly before the new one is built (`dropIndexes`, `createIndexes`); if that fails, the old one is
    /// built again.
    ///
    /// Declarations that contradict each other are still an error.
    pub fn replace_conflicts(mut self) -> Self {
        self.policy.replace_conflicts = true;
        self
    }

    /// States that every program that writes to `db` has the same declarations of copies as this one.
    ///
    /// The name of the index over the flags of a source collection encodes the copies that it was made for. If it was
    /// made for copies that this program does not know, another program has models that this one does not link, and
    /// this one does not propagate its changes to them: the result is [`IndexFailure::Copies`], after everything else
    /// has been done. If it was made for fewer copies, a program that does not know all of them may still be running:
    /// the report says so in [`copies_differ`](CollectionReport::copies_differ), and nothing is done about it. With this
    /// option the index is dropped and built again under its new name (`dropIndexes`, `createIndexes`); it is nearly
    /// empty. Afterwards run [`backfill`](crate::backfill) for copies that are missing, [`repair`](crate::repair) for
    /// those that were skipped, and [`verify`](crate::verify).
    pub fn accept_copies(mut self) -> Self {
        self.policy.accept_copies = true;
        self
    }
}

impl<'a> IntoFuture for SyncIndexes<'a> {
    type Output = Result<IndexReport>;
    type IntoFuture = BoxFuture<'a, Self::Output>;

    fn into_future(self) -> Self::IntoFuture {
        async move {
            let mut errors = Vec::new();
            let mut report = IndexReport::default();
            for planned in plan(self.db, &self.scope).await? {
                match planned {
                    Ok(planned) => report
                        .collections
                        .push(carry_out(self.db, planned, self.policy, &mut errors).await),
                    Err(error) => errors.push(error),
                }
            }
            if errors.is_empty() {
                Ok(report)
            } else {
                Err(IndexErrors::new(errors, report).into())
            }
        }
        .boxed()
    }
}

/// Builds those of a model's indexes that the database lacks. Sends one `listIndexes`, and one `createIndexes` where one is missing.
pub(crate) async fn build_indexes(
    db: &Database,
    model: &'static ModelMeta,
    definitions: Vec<Definition>,
) -> Result<()> {
    let mut errors = Vec::new();
    let planned = plan_or_refusal(db, model.collection, vec![model.name], definitions).await?;
    let report = match planned {
        Ok(planned) => carry_out(db, planned, Policy::default(), &mut errors).await,
        Err(error) => {
            errors.push(error);
            CollectionReport::default()
        }
    };
    if errors.is_empty() {
        return Ok(());
    }
    let report = IndexReport {
        collections: vec![report],
    };
    Err(IndexErrors::new(errors, report).into())
}

async fn carry_out(
    db: &Database,
    planned: Planned,
    policy: Policy,
    errors: &mut Vec<IndexError>,
) -> CollectionReport {
    let Planned { plan, collation } = planned;
    let CollectionPlan {
        collection,
        models,
        create,
        change,
        conflicts,
        unknown,
        vectors,
        copies_differ,
    } = plan;
    let report = CollectionReport {
        collection: collection.clone(),
        ..CollectionReport::default()
    };
    let mut work = Work {
        db,
        collection,
        collation,
        report,
        failures: Vec::new(),
    };
    work.create(create).await;
    for change in change {
        match catalog::change_index(db, &work.collection, &change).await {
            Ok(()) => work.report.changed.push(change),
            Err(source) => work.failures.push(IndexFailure::Change { change, source }),
        }
    }
    for conflict in conflicts {
        match policy.replace_conflicts && !conflict.live.is_empty() {
            true => work.replace(conflict).await,
            false => work.failures.push(IndexFailure::Conflict(conflict)),
        }
    }
    match copies_differ {
        Some(differ) if policy.accept_copies => {
            let conflict = IndexConflict {
                reason: differ.to_string(),
                live: vec![differ.live],
                declared: vec![differ.declared],
                side_by_side: false,
            };
            work.replace(conflict).await;
        }
        differ => {
            if let Some(unknown) = differ.as_ref().filter(|differ| !differ.fewer) {
                work.failures
                    .push(IndexFailure::Copies(Box::new(unknown.clone())));
            }
            work.report.copies_differ = differ;
        }
    }
    for change in vectors {
        let replaces = policy.replace_conflicts;
        match change_vectors(db, &work.collection, change, replaces).await {
            Ok(change) => work.report.vectors.push(change),
            Err(failure) => work.failures.push(failure),
        }
    }
    let unharmed = work.failures.is_empty();
    for index in unknown {
        if unharmed {
            work.retire(index, policy).await
        } else {
            work.report.unknown.push(index)
        }
    }
    errors.extend(work.failures.into_iter().map(|cause| IndexError {
        collection: work.collection.clone(),
        models: models.clone(),
        cause,
    }));
    work.report
}

/// The work on one collection.
struct Work<'a> {
    db: &'a Database,
    collection: String,
    /// True if the collection has a collation of its own.
    collation: bool,
    report: CollectionReport,
    failures: Vec<IndexFailure>,
}

impl Work<'_> {
    /// Builds new indexes together, or one by one if that fails.
    async fn create(&mut self, indexes: Vec<Definition>) {
        if indexes.is_empty() {
            return;
        }
        let error = match self.build(&indexes).await {
            Ok(()) => return self.report.created.extend(indexes),
            Err(error) => error,
        };
        if indexes.len() == 1 || !catalog::is_about_one_index(&error) {
            for index in indexes {
                self.not_created(index, error.clone()).await;
            }
            return;
        }
        for index in indexes {
            match self.build(std::slice::from_ref(&index)).await {
                Ok(()) => self.report.created.push(index),
                Err(source) => self.not_created(index, source).await,
            }
        }
    }

    /// The documents with the same key, if such documents are the reason why one of these indexes was not built.
    async fn duplicates(
        &self,
        indexes: &[Definition],
        source: &mongodb::error::Error,
    ) -> Vec<DuplicateKey> {
        if !catalog::is_duplicate(source) {
            return Vec::new();
        }
        for index in indexes.iter().filter(|index| index.unique) {
            let found =
                catalog::find_duplicates(self.db, &self.collection, index, self.collation).await;
            // The server's error names a key at least.
            match found.unwrap_or_default() {
                found if found.is_empty() => {}
                found => return found,
            }
        }
        Vec::new()
    }

    /// Notes that an index was not built.
    async fn not_created(&mut self, index: Definition, source: mongodb::error::Error) {
        let duplicates = self.duplicates(std::slice::from_ref(&index), &source).await;
        self.failures.push(IndexFailure::Create {
            index,
            source,
            duplicates,
        });
    }

    async fn build(
        &self,
        indexes: &[Definition],
    ) -> std::result::Result<(), mongodb::error::Error> {
        let specs = indexes
            .iter()
            .map(|index| named_spec(index, self.collation))
            .collect();
        catalog::create_indexes(self.db, &self.collection, specs).await
    }

    async fn replace(&mut self, conflict: IndexConflict) {
        if conflict.side_by_side {
            match self.build(&conflict.declared).await {
                Ok(()) => {
                    return match self.drop_all(&conflict.live).await {
                        Ok(()) => self.report.replaced.push(conflict),
                        Err(source) => self.not_replaced(conflict, source, None).await,
                    };
                }
                // A server before 5.0.
                Err(error) if catalog::is_clash(&error) => {}
                Err(source) => return self.not_replaced(conflict, source, None).await,
            }
        }
        if let Err(source) = self.drop_all(&conflict.live).await {
            return self.not_replaced(conflict, source, None).await;
        }
        match self.build(&conflict.declared).await {
            Ok(()) => self.report.replaced.push(conflict),
            Err(source) => {
                let specs = conflict
                    .live
                    .iter()
                    .map(|index| index.spec.clone())
                    .collect();
                let restore = catalog::create_indexes(self.db, &self.collection, specs)
                    .await
                    .err();
                self.not_replaced(conflict, source, restore).await;
            }
        }
    }

    /// Notes that an index was not replaced.
    async fn not_replaced(
        &mut self,
        conflict: IndexConflict,
        source: mongodb::error::Error,
        restore: Option<mongodb::error::Error>,
    ) {
        let duplicates = self.duplicates(&conflict.declared, &source).await;
        self.failures.push(IndexFailure::Replace {
            conflict,
            source,
            duplicates,
            restore,
        });
    }

    async fn drop_all(
        &self,
        indexes: &[LiveIndex],
    ) -> std::result::Result<(), mongodb::error::Error> {
        for index in indexes {
            catalog::drop_index(self.db, &self.collection, index).await?;
        }
        Ok(())
    }

    /// Hides, drops or reports an unknown index, according to the policy.
    async fn retire(&mut self, index: LiveIndex, policy: Policy) {
        let (done, list) = if policy.hide_unknown && !index.signature().hidden {
            (
                catalog::hide_index(self.db, &self.collection, &index).await,
                &mut self.report.hidden,
            )
        } else if policy.drop_unknown {
            (
                catalog::drop_index(self.db, &self.collection, &index).await,
                &mut self.report.dropped,
            )
        } else {
            return self.report.unknown.push(index);
        };
        match done {
            Ok(()) => list.push(index),
            Err(source) => self.failures.push(IndexFailure::Retire { index, source }),
        }
    }
}
