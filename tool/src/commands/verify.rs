//! `verify` and `repair`: copies, references, lists and numbers against what they follow from, in steps that can be stopped.

use mongo_model::denorm::{Part, Repaired};
use mongo_model::model::ModelMeta;
use serde::Serialize;

use super::Verdict;
use crate::cli;
use crate::connection::{Connection, name_of};
use crate::failure::{Failure, Result};
use crate::findings::{Findings, Group, Level};
use crate::interrupt::{is_requested, or_stop};
use crate::models::{Models, has_derived, has_references};
use crate::output::{FORMAT, Output, count, number};
use crate::references::{SAMPLES, Totals};
use crate::walk::{Place, Steps};

/// The JSON document.
#[derive(Serialize)]
struct Report<'a> {
    format: u32,
    command: &'static str,
    database: &'a str,
    ok: bool,
    references: u64,
    copies: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    written: Option<&'a Written>,
    #[serde(flatten)]
    findings: &'a Findings,
}

/// What `repair` wrote.
#[derive(Debug, Default, Serialize)]
struct Written {
    documents: u64,
    sources: u64,
    orphans: u64,
    refused: Vec<String>,
}

impl Written {
    fn add(&mut self, repaired: &Repaired) {
        self.documents += repaired.documents;
        self.sources += repaired.sources;
        self.orphans += repaired.orphans;
        let refused = repaired.refused.iter();
        self.refused
            .extend(refused.map(|(id, reason)| format!("{id}: {reason}")));
    }

    fn text(&self) -> String {
        let mut text = format!(
            "\n{} corrected, {} put ahead of their copies, {} removed\n",
            count(self.documents, "document"),
            count(self.sources, "source"),
            count(self.orphans, "dangling reference"),
        );
        for refused in &self.refused {
            text.push_str(&format!("refused: {refused}\n"));
        }
        text
    }
}

/// Runs `verify`.
pub(crate) async fn verify(
    connection: &Connection,
    models: &Models,
    args: &cli::Verify,
    out: Output,
) -> Result<Verdict> {
    out.text(format!("Verifying {}\n\n", connection.place()));
    walk(connection, models, &args.walk, false, out).await
}

/// Runs `repair`.
pub(crate) async fn repair(
    connection: &Connection,
    models: &Models,
    args: &cli::Repair,
    out: Output,
) -> Result<Verdict> {
    out.text(format!("Repairing {}\n\n", connection.place()));
    let names: Vec<&str> = models.selected().iter().map(|model| model.name).collect();
    let question = format!(
        "Correct copies, references and lists of {} in {}?",
        names.join(", "),
        connection.place()
    );
    out.confirm(&args.confirm, &question)?;
    walk(connection, models, &args.walk, true, out).await
}

async fn walk(
    connection: &Connection,
    models: &Models,
    args: &cli::Walk,
    writes: bool,
    out: Output,
) -> Result<Verdict> {
    let listed = connection.some_collections().await?;
    let from = args.from.as_deref().map(Place::parse).transpose()?;
    let mut work = Work {
        connection,
        args,
        out,
        totals: Totals::new(args.examples),
        written: writes.then(Written::default),
    };
    let mut groups = Vec::new();
    let mut started = from.is_none();
    for (collection, stored) in models.collections() {
        let after = match &from {
            Some(place) if place.collection == collection => {
                started = true;
                Some(place.id.clone())
            }
            _ => None,
        };
        let refers = stored
            .iter()
            .any(|model| has_references(model) || has_derived(model));
        if !started || !refers || !listed.iter().any(|one| name_of(one) == collection) {
            continue;
        }
        let mut group = Group::new(collection, stored.iter().map(|model| model.name).collect());
        group.documents = Some(connection.estimated_count(collection).await?);
        work.collection(collection, &stored, group.documents, after)
            .await?;
        groups.push(group);
    }
    if let (false, Some(place)) = (started, &from) {
        return Err(
            Failure::new(format!("no model is stored in `{}`", place.collection))
                .help("correct `--from`"),
        );
    }
    work.finish(groups, models)
}

/// A walk over collections.
struct Work<'a> {
    connection: &'a Connection,
    args: &'a cli::Walk,
    out: Output,
    totals: Totals,
    /// What was written, where the walk corrects what it finds.
    written: Option<Written>,
}

impl Work<'_> {
    fn command(&self) -> &'static str {
        if self.written.is_some() {
            "repair"
        } else {
            "verify"
        }
    }

    async fn collection(
        &mut self,
        collection: &str,
        models: &[&'static ModelMeta],
        documents: Option<u64>,
        after: Option<bson::Bson>,
    ) -> Result<()> {
        let bar = self.out.bar(collection, documents.unwrap_or(0));
        if models.iter().any(|model| has_references(model)) {
            let mut steps =
                Steps::new(self.connection, collection, self.args.batch, after.clone()).await?;
            let mut last = after;
            while let Some(step) = steps.next(self.connection).await? {
                self.part(
                    models,
                    Part::References(step.filter),
                    &self.resume(collection, last.as_ref()),
                )
                .await?;
                bar.inc(step.documents);
                last = step.last;
                if is_requested() && last.is_some() {
                    return Err(Failure::Interrupted {
                        resume: self.resume(collection, last.as_ref()),
                    });
                }
            }
        }
        if models.iter().any(|model| has_derived(model)) {
            bar.set_message("lists and numbers");
            let resume = self.resume(collection, None);
            self.part(models, Part::Derived, &resume).await?;
        }
        bar.finish_and_clear();
        Ok(())
    }

    /// How a walk goes on that has looked at everything up to an `_id`.
    fn resume(&self, collection: &str, last: Option<&bson::Bson>) -> String {
        let command = self.command();
        match last {
            Some(id) => {
                let place = Place {
                    collection: collection.to_owned(),
                    id: id.clone(),
                };
                format!(
                    "`mongo-model {command} --from '{}'`, with the other options as before",
                    place.text()
                )
            }
            None => format!(
                "`mongo-model {command}` again: it did not get further than the beginning of `{collection}`"
            ),
        }
    }

    /// One step. What only reads is dropped by Ctrl-C; what writes is finished.
    async fn part(
        &mut self,
        models: &[&'static ModelMeta],
        part: Part,
        resume: &str,
    ) -> Result<()> {
        let db = &self.connection.db;
        match &mut self.written {
            None => {
                let verify = mongo_model::verify(db)
                    .models(models)
                    .samples(SAMPLES)
                    .part(part);
                self.totals
                    .add(&or_stop(verify.into_future(), resume).await??);
            }
            Some(written) => {
                let repaired = mongo_model::repair(db)
                    .models(models)
                    .samples(SAMPLES)
                    .part(part)
                    .await?;
                written.add(&repaired);
                self.totals.add(&repaired.found);
            }
        }
        Ok(())
    }

    fn finish(self, mut groups: Vec<Group>, models: &Models) -> Result<Verdict> {
        let (references, copies) = self.totals.compared();
        let (command, unsettled) = (self.command(), self.totals.unsettled);
        for (collection, mut finding) in self.totals.into_findings(models) {
            if self.written.is_some() {
                finding.fix = None;
            }
            if let Some(group) = groups
                .iter_mut()
                .find(|group| group.collection == collection)
            {
                group.findings.push(finding);
            }
        }
        let findings = Findings {
            collections: groups,
        };
        let ok = findings.count(Level::Problem) == 0;
        let compared = format!(
            "{} references and {} copies compared\n",
            number(references),
            number(copies)
        );
        let written = self.written.as_ref().map(Written::text).unwrap_or_default();
        let document = Report {
            format: FORMAT,
            command,
            database: self.connection.db.name(),
            ok,
            references,
            copies,
            written: self.written.as_ref(),
            findings: &findings,
        };
        self.out
            .both(format!("{}{written}{compared}", findings.text()), &document);
        if unsettled > 0 {
            self.out.remark(format!(
                "{} changed during every look; run it again",
                count(unsettled, "document")
            ));
        }
        Ok(Verdict::of(ok))
    }
}
