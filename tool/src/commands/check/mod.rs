//! `check`: indexes, validators, documents, references and copies, held against the models. Writes nothing.

mod documents;
mod indexes;
mod schema;
mod unknown;

pub(crate) use self::documents::Documents;
pub(crate) use self::indexes::{keys_of, shown_keys};
pub(crate) use self::schema::type_name;
pub(crate) use self::unknown::SCHEMA_VERSION;

use std::future::IntoFuture;

use bson::{Document, doc};
use futures::TryStreamExt;
use indicatif::ProgressBar;
use mongo_model::denorm::{Part, Verified};
use mongo_model::index::{CollectionShardKey, IndexPlan};
use mongo_model::model::ModelMeta;
use mongo_model::validator::ValidatorPlan;
use serde::Serialize;

use super::Verdict;
use super::shard_keys::find_differing;
use crate::cli;
use crate::connection::{Connection, name_of};
use crate::failure::{Failure, Result};
use crate::findings::{Finding, Findings, Group, Level};
use crate::interrupt::or_stop;
use crate::models::{Models, has_references};
use crate::output::{FORMAT, Output, STRONG, count, paint};
use crate::references::{SAMPLES, Totals};
use crate::walk::{Place, Start, Steps, id_of, remaining};

/// Collections with at most this many documents are examined as a whole unless the call says otherwise.
const SMALL: u64 = 100_000;
/// The number of documents that are examined of larger collections.
const SAMPLE: u32 = 10_000;
/// The JSON document.
#[derive(Serialize)]
struct Report<'a> {
    format: u32,
    command: &'static str,
    database: &'a str,
    server: &'a str,
    server_defects: Vec<String>,
    ok: bool,
    /// The reason why the walk was stopped.
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<serde_json::Value>,
    problems: usize,
    notes: usize,
    #[serde(flatten)]
    findings: &'a Findings,
}

/// Runs the command.
pub(crate) async fn run(
    connection: &Connection,
    models: &Models,
    args: &cli::Check,
    out: Output,
) -> Result<Verdict> {
    let start = Start::new(args.walk.from.as_deref(), models.collections().into_keys())?;
    let listed = connection.some_collections().await?;
    let chosen = count(models.selected().len() as u64, "model");
    out.text(format!(
        "Checking {} against {}\n\n",
        paint(STRONG, chosen),
        connection.place()
    ));
    let mut work = Work::new(connection, models, args, out, &listed).await?;
    let stopped = work.walk(start).await.err();
    work.finish(stopped)
}

/// Finds what the command finds, and prints nothing.
pub(crate) async fn find(
    connection: &Connection,
    models: &Models,
    args: &cli::Check,
    out: Output,
) -> Result<Findings> {
    let start = Start::new(None, models.collections().into_keys())?;
    let listed = connection.some_collections().await?;
    let mut work = Work::new(connection, models, args, out, &listed).await?;
    work.walk(start).await?;
    work.assign_totals(true);
    Ok(work.findings)
}

/// A walk over the collections.
struct Work<'a> {
    connection: &'a Connection,
    models: &'a Models,
    args: &'a cli::Check,
    out: Output,
    /// The collections that exist.
    listed: &'a [Document],
    indexes: IndexPlan,
    validators: ValidatorPlan,
    shard_keys: Vec<CollectionShardKey>,
    findings: Findings,
    totals: Totals,
}

impl<'a> Work<'a> {
    async fn new(
        connection: &'a Connection,
        models: &'a Models,
        args: &'a cli::Check,
        out: Output,
        listed: &'a [Document],
    ) -> Result<Self> {
        let indexes = mongo_model::plan_indexes(&connection.db)
            .models(&models.with_neighbours())
            .await?;
        let validators = mongo_model::plan_validators(&connection.db)
            .models(&models.with_neighbours())
            .without_documents()
            .await?;
        let shard_keys = find_differing(connection, models).await?;
        Ok(Work {
            connection,
            models,
            args,
            out,
            listed,
            indexes,
            validators,
            shard_keys,
            findings: Findings::default(),
            totals: Totals::new(args.examples),
        })
    }

    async fn walk(&mut self, mut start: Start) -> Result<()> {
        for (collection, stored) in self.models.collections() {
            if let Some(place) = start.enter(collection) {
                self.collection(collection, &stored, place).await?;
            }
        }
        Ok(())
    }

    async fn collection(
        &mut self,
        collection: &'static str,
        models: &[&'static ModelMeta],
        place: Place,
    ) -> Result<()> {
        let names = models.iter().map(|model| model.name).collect();
        let mut group = Group::new(collection, names);
        let plans = &self.indexes.collections;
        let plan = plans.iter().find(|plan| plan.collection == collection);
        if !self.listed.iter().any(|one| name_of(one) == collection) {
            let has_indexes = plan.is_some_and(|plan| !plan.create.is_empty());
            let missing = missing_collection(collection, has_indexes);
            group.findings.push(missing);
            self.findings.collections.push(group);
            return Ok(());
        }
        group
            .findings
            .extend(plan.map(indexes::index_findings).unwrap_or_default());
        let mut changes = self.validators.changes.iter();
        let validator = changes.find(|change| change.collection == collection);
        group
            .findings
            .extend(validator.and_then(indexes::validator_finding));
        let mut shard_keys = self.shard_keys.iter();
        let differing = shard_keys.find(|one| one.collection == collection);
        group
            .findings
            .extend(differing.map(indexes::shard_key_finding));
        let documents = self.connection.estimated_count(collection).await?;
        let mut check = CollectionCheck {
            connection: self.connection,
            collection,
            models,
            out: self.out,
            batch: self.args.walk.batch,
            place,
            examined: 0,
            documents: Documents::new(models, self.args.examples),
            totals: &mut self.totals,
        };
        let scope = Scope::choose(self.args, documents, &check.place);
        let done = check.examine(scope).await;
        let resume = check.place.resume("check");
        group.documents = Some(documents);
        group.examined = Some(check.examined.min(documents));
        group.stopped = done.is_err();
        group.findings.extend(check.documents.into_findings());
        self.findings.collections.push(group);
        done.map_err(|failure| failure.resumed_by(&resume))
    }

    /// Brings the findings about references and copies to those of their collections; a complete walk also names unknown collections.
    fn assign_totals(&mut self, is_complete: bool) {
        let findings = &mut self.findings;
        let mut totals = std::mem::replace(&mut self.totals, Totals::new(self.args.examples));
        totals.drop_reported(|model, path| {
            let groups = findings.collections.iter();
            let mut groups = groups.filter(|group| group.models.contains(&model));
            groups.any(|group| group.findings.iter().any(|one| breaks_at(one, path)))
        });
        for (collection, finding) in totals.into_findings(self.models) {
            // The check against the schema already reports a field that cannot be read.
            let mut groups = findings.collections.iter();
            let group = groups.find(|group| group.collection == collection);
            let known = |group: &Group| group.findings.iter().any(|one| one.about == finding.about);
            if finding.kind != "undecodable" || !group.is_some_and(known) {
                findings.add(self.models, collection, finding);
            }
        }
        if is_complete {
            let unknown = unknown(self.models, self.listed);
            findings.collections.extend(unknown);
        }
    }

    fn finish(mut self, stopped: Option<Failure>) -> Result<Verdict> {
        let unsettled = self.totals.unsettled;
        self.assign_totals(stopped.is_none());
        let findings = self.findings;
        let defects = self.connection.server_defects();
        let (problems, notes) = (findings.count(Level::Problem), findings.count(Level::Note));
        let ok = problems == 0 && (notes == 0 || !self.args.strict) && stopped.is_none();
        self.out.both(
            findings.text(stopped.is_none()),
            &Report {
                format: FORMAT,
                command: "check",
                database: self.connection.db.name(),
                server: &self.connection.version,
                server_defects: defects.iter().map(ToString::to_string).collect(),
                ok,
                error: stopped.as_ref().map(Failure::json),
                problems,
                notes,
                findings: &findings,
            },
        );
        for defect in &defects {
            self.out.remark(format!(
                "upgrade MongoDB {}: {defect}",
                self.connection.version
            ));
        }
        if unsettled > 0 {
            self.out.remark(format!(
                "{} changed during every look; run it again",
                count(unsettled, "document")
            ));
        }
        match stopped {
            Some(failure) => Err(Failure::Midway(Box::new(failure))),
            None => Ok(Verdict::of(ok)),
        }
    }
}

/// The server creates a collection without declared indexes with its first document.
fn missing_collection(collection: &str, has_indexes: bool) -> Finding {
    const FIX: &str = "`mongo-model apply` makes missing collections and indexes";
    match has_indexes {
        true => Finding::problem(
            "missing_collection",
            collection,
            "the collection does not exist, nor do its indexes",
        )
        .fixed_by(FIX),
        false => Finding::note(
            "missing_collection",
            collection,
            "the collection does not exist yet",
        ),
    }
}

/// True if the finding is about values that break a rule at this path, which does not say where arrays are.
fn breaks_at(finding: &Finding, path: &str) -> bool {
    matches!(finding.kind, "check" | "length" | "bound" | "tag")
        && finding.about.replace("[]", "") == path
}

/// Collections that no model is stored in. With `--model` others are not examined.
fn unknown(models: &Models, listed: &[Document]) -> Vec<Group> {
    let known = |name: &str| {
        mongo_model::stored::is_own_collection(name)
            || models.all().iter().any(|model| model.collection == name)
    };
    let unknown = listed
        .iter()
        .map(name_of)
        .filter(|name| !models.is_filtered() && !known(name));
    unknown
        .map(|name| {
            let mut group = Group::new(name, Vec::new());
            group.findings.push(Finding::note(
                "unknown_collection",
                name,
                "no model is stored in this collection",
            ));
            group
        })
        .collect()
}

/// The documents to examine.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Scope {
    Everything,
    Sample(u32),
}

impl Scope {
    fn choose(args: &cli::Check, documents: u64, place: &Place) -> Self {
        match args.sample {
            // A random sample has no order in which it could go on.
            _ if args.full || place.id.is_some() => Scope::Everything,
            Some(sample) if u64::from(sample) < documents => Scope::Sample(sample),
            None if documents > SMALL => Scope::Sample(SAMPLE),
            _ => Scope::Everything,
        }
    }
}

/// The check of a collection.
struct CollectionCheck<'a> {
    connection: &'a Connection,
    collection: &'static str,
    models: &'a [&'static ModelMeta],
    out: Output,
    /// The number of documents that a step compares.
    batch: u32,
    /// The place that the walk has reached.
    place: Place,
    /// The number of documents that were examined.
    examined: u64,
    /// The defects of the documents by themselves.
    documents: Documents,
    /// The defects of the documents in view of others.
    totals: &'a mut Totals,
}

impl CollectionCheck<'_> {
    async fn examine(&mut self, scope: Scope) -> Result<()> {
        let total = remaining(self.connection, &self.place).await?;
        let bar = self.out.bar(self.collection, total);
        match scope {
            Scope::Sample(sample) => {
                bar.set_length(u64::from(sample));
                self.sample(sample, &bar).await?;
                bar.finish_and_clear();
            }
            Scope::Everything => {
                self.everything(&bar).await?;
                self.examined = self.examined.min(total);
                bar.finish_and_clear();
                let spinner = self.out.spinner(self.collection);
                spinner.set_message("lists, numbers and flags");
                let derived = self.verify(Part::Derived);
                let derived = or_stop(derived, &self.place.resume("check")).await??;
                self.totals.add(self.collection, &derived);
                spinner.finish_and_clear();
            }
        }
        Ok(())
    }

    async fn everything(&mut self, bar: &ProgressBar) -> Result<()> {
        let after = self.place.id.clone();
        let mut steps = Steps::new(self.connection, self.collection, self.batch, after).await?;
        while let Some(step) = steps.next(self.connection).await? {
            let resume = self.place.resume("check");
            or_stop(self.compare(step.filter()), &resume).await??;
            bar.inc(step.documents);
            self.examined += step.documents;
            if let Some(last) = step.last {
                self.place.id = Some(last);
            }
        }
        Ok(())
    }

    async fn sample(&mut self, sample: u32, bar: &ProgressBar) -> Result<()> {
        let resume = self.place.resume("check");
        let collection = self.connection.db.collection::<Document>(self.collection);
        let pipeline = vec![
            doc! { "$sample": { "size": i64::from(sample) } },
            doc! { "$project": { "_id": 1 } },
        ];
        let found = or_stop(collection.aggregate(pipeline).into_future(), &resume).await??;
        let found: Vec<Document> = or_stop(found.try_collect(), &resume).await??;
        for ids in found.chunks(1_000) {
            let ids: Vec<_> = ids.iter().map(id_of).collect();
            or_stop(self.compare(doc! { "_id": { "$in": &ids } }), &resume).await??;
            bar.inc(ids.len() as u64);
            self.examined += ids.len() as u64;
        }
        Ok(())
    }

    /// Looks at the documents that meet a filter.
    async fn compare(&mut self, filter: Document) -> Result<()> {
        let scope = vec![doc! { "$match": filter.clone() }];
        self.documents
            .examine(self.connection, self.collection, scope)
            .await?;
        if self.models.iter().any(|model| has_references(model)) {
            let report = self.verify(Part::References(filter)).await?;
            self.totals.add(self.collection, &report);
        }
        Ok(())
    }

    async fn verify(&self, part: Part) -> Result<Verified> {
        let verify = mongo_model::verify(&self.connection.db).models(self.models);
        Ok(verify.samples(SAMPLES).part(part).await?)
    }
}
