//! `check`: indexes, validators, documents, references and copies, held against the models. Writes nothing.

mod documents;
mod indexes;
mod schema;

pub(crate) use self::indexes::keys_of;

use bson::{Document, doc};
use futures::TryStreamExt;
use indicatif::ProgressBar;
use mongo_model::denorm::Part;
use mongo_model::model::ModelMeta;
use serde::Serialize;

use self::documents::Documents;
use super::Verdict;
use crate::cli;
use crate::connection::{Connection, name_of};
use crate::failure::Result;
use crate::findings::{Finding, Findings, Group, Level};
use crate::interrupt::or_stop;
use crate::models::{Models, has_derived, has_references};
use crate::output::{FORMAT, Output, STRONG, count, paint};
use crate::references::{SAMPLES, Totals};
use crate::walk::{Steps, id_of};

/// Collections with at most this many documents are examined as a whole unless the call says otherwise.
const SMALL: u64 = 100_000;
/// How many documents of larger ones.
const SAMPLE: u32 = 10_000;
/// How many documents one step compares.
const STEP: u32 = 10_000;
/// Collections that the library itself uses.
const OWN: [&str; 2] = ["locks", "sagas"];

/// The JSON document.
#[derive(Serialize)]
struct Report<'a> {
    format: u32,
    command: &'static str,
    database: &'a str,
    server: &'a str,
    ok: bool,
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
    let listed = connection.some_collections().await?;
    let chosen = count(models.selected().len() as u64, "model");
    out.text(format!(
        "Checking {} against {}\n\n",
        paint(STRONG, chosen),
        connection.place()
    ));
    let indexes = mongo_model::plan_indexes(&connection.db)
        .models(&models.with_neighbours())
        .await?;
    let validators = mongo_model::plan_validators(&connection.db)
        .models(&models.with_neighbours())
        .await?;
    let mut groups = Vec::new();
    let mut totals = Totals::new(args.examples);
    for (collection, stored) in models.collections() {
        let names = stored.iter().map(|model| model.name).collect();
        let mut group = Group::new(collection, names);
        let plan = indexes
            .collections
            .iter()
            .find(|plan| plan.collection == collection);
        if !listed.iter().any(|one| name_of(one) == collection) {
            let has_indexes = plan.is_some_and(|plan| !plan.create.is_empty());
            group
                .findings
                .push(missing_collection(collection, has_indexes));
            groups.push(group);
            continue;
        }
        group
            .findings
            .extend(plan.map(indexes::index_findings).unwrap_or_default());
        let validator = validators
            .changes
            .iter()
            .find(|change| change.collection == collection);
        group
            .findings
            .extend(validator.and_then(indexes::validator_finding));
        let documents = connection.estimated_count(collection).await?;
        let scope = Scope::choose(args, documents);
        let check = CollectionCheck {
            connection,
            collection,
            models: &stored,
            out,
        };
        let found = or_stop(
            check.examine(scope, documents, args.examples, &mut totals),
            "run `check` again; it has written nothing",
        )
        .await??;
        group.documents = Some(documents);
        group.examined = Some(found.examined);
        group.findings.extend(found.findings);
        groups.push(group);
    }
    let unsettled = totals.unsettled;
    for (collection, finding) in totals.into_findings(models) {
        if let Some(group) = groups
            .iter_mut()
            .find(|group| group.collection == collection)
        {
            group.findings.push(finding);
        }
    }
    groups.extend(unknown(models, &listed));
    let findings = Findings {
        collections: groups,
    };
    let (problems, notes) = (findings.count(Level::Problem), findings.count(Level::Note));
    let ok = problems == 0 && (notes == 0 || !args.strict);
    out.both(
        findings.text(),
        &Report {
            format: FORMAT,
            command: "check",
            database: connection.db.name(),
            server: &connection.version,
            ok,
            problems,
            notes,
            findings: &findings,
        },
    );
    if unsettled > 0 {
        out.remark(format!(
            "{} changed during every look; run it again",
            count(unsettled, "document")
        ));
    }
    Ok(Verdict::of(ok))
}

/// A collection without indexes of its own comes to be with its first document.
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

/// Collections that no model is stored in. With `--model` others are not examined.
fn unknown(models: &Models, listed: &[Document]) -> Vec<Group> {
    let known = |name: &str| {
        OWN.contains(&name) || models.all().iter().any(|model| model.collection == name)
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

/// Which documents are examined.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Scope {
    Everything,
    Sample(u32),
}

impl Scope {
    fn choose(args: &cli::Check, documents: u64) -> Self {
        match args.sample {
            _ if args.full => Scope::Everything,
            Some(sample) if u64::from(sample) < documents => Scope::Sample(sample),
            None if documents > SMALL => Scope::Sample(SAMPLE),
            _ => Scope::Everything,
        }
    }
}

/// One collection.
struct CollectionCheck<'a> {
    connection: &'a Connection,
    collection: &'static str,
    models: &'a [&'static ModelMeta],
    out: Output,
}

/// What is wrong with its documents, and how many were examined.
struct Examined {
    examined: u64,
    findings: Vec<Finding>,
}

impl CollectionCheck<'_> {
    async fn examine(
        &self,
        scope: Scope,
        total: u64,
        examples: usize,
        totals: &mut Totals,
    ) -> Result<Examined> {
        let mut documents = Documents::new(self.models, examples);
        let bar = self.out.bar(self.collection, total);
        let examined = match scope {
            Scope::Everything => {
                self.everything(&mut documents, totals, &bar).await?;
                total
            }
            Scope::Sample(sample) => {
                bar.set_length(u64::from(sample));
                self.sample(sample, &mut documents, totals, &bar).await?
            }
        };
        if scope == Scope::Everything && self.models.iter().any(|model| has_derived(model)) {
            bar.set_message("lists and numbers");
            totals.add(&self.verify(Part::Derived).await?);
        }
        bar.finish_and_clear();
        Ok(Examined {
            examined,
            findings: documents.into_findings(),
        })
    }

    async fn everything(
        &self,
        documents: &mut Documents,
        totals: &mut Totals,
        bar: &ProgressBar,
    ) -> Result<()> {
        let mut steps = Steps::new(self.connection, self.collection, STEP, None).await?;
        while let Some(step) = steps.next(self.connection).await? {
            let scope = vec![doc! { "$match": step.filter.clone() }];
            documents
                .examine(self.connection, self.collection, scope)
                .await?;
            self.compare(step.filter, totals).await?;
            bar.inc(step.documents);
        }
        Ok(())
    }

    async fn sample(
        &self,
        sample: u32,
        documents: &mut Documents,
        totals: &mut Totals,
        bar: &ProgressBar,
    ) -> Result<u64> {
        let collection = self.connection.db.collection::<Document>(self.collection);
        let pipeline = vec![
            doc! { "$sample": { "size": i64::from(sample) } },
            doc! { "$project": { "_id": 1 } },
        ];
        let found: Vec<Document> = collection.aggregate(pipeline).await?.try_collect().await?;
        for ids in found.chunks(1_000) {
            let ids: Vec<_> = ids.iter().map(id_of).collect();
            let filter = doc! { "_id": { "$in": &ids } };
            let scope = vec![doc! { "$match": filter.clone() }];
            documents
                .examine(self.connection, self.collection, scope)
                .await?;
            self.compare(filter, totals).await?;
            bar.inc(ids.len() as u64);
        }
        Ok(found.len() as u64)
    }

    async fn compare(&self, filter: Document, totals: &mut Totals) -> Result<()> {
        if self.models.iter().any(|model| has_references(model)) {
            totals.add(&self.verify(Part::References(filter)).await?);
        }
        Ok(())
    }

    async fn verify(&self, part: Part) -> Result<mongo_model::denorm::Verified> {
        let verify = mongo_model::verify(&self.connection.db).models(self.models);
        Ok(verify.samples(SAMPLES).part(part).await?)
    }
}
