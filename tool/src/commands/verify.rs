//! `verify` and `repair`: copies, references, lists and numbers against what they follow from, in steps that can be stopped.

use std::future::IntoFuture;

use mongo_model::denorm::{Part, Repaired};
use mongo_model::model::{ModelMeta, OnDelete};
use serde::Serialize;

use super::Verdict;
use crate::cli;
use crate::connection::{Connection, name_of};
use crate::failure::{Failure, Result};
use crate::findings::{Findings, Group, Level};
use crate::interrupt::{is_requested, or_stop};
use crate::models::{Models, has_derived, has_references, references};
use crate::output::{BAD, FORMAT, GOOD, Output, count, paint};
use crate::references::{SAMPLES, Totals};
use crate::walk::{Place, Start, Steps, remaining};

/// The JSON document.
#[derive(Serialize)]
struct Report<'a> {
    format: u32,
    command: &'static str,
    database: &'a str,
    ok: bool,
    /// The reason why the walk was stopped.
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<serde_json::Value>,
    references: u64,
    copies: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    written: Option<&'a Written>,
    #[serde(flatten)]
    findings: &'a Findings,
    /// The defects that `repair` could not correct.
    #[serde(skip_serializing_if = "Option::is_none")]
    left: Option<&'a [Group]>,
}

/// The writes of `repair`.
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
        let rule = match self.orphans {
            1 => "ended by its delete rule",
            _ => "ended by their delete rules",
        };
        let done = [
            (self.documents, "document", "corrected"),
            (self.sources, "source", "put ahead of its copies"),
            (self.orphans, "dangling reference", rule),
        ];
        let done = done.into_iter().filter(|(n, ..)| *n > 0);
        let done: Vec<String> = done
            .map(|(n, noun, done)| format!("{} {done}", count(n, noun)))
            .collect();
        let mut text = match done.is_empty() {
            true => "nothing was written\n".to_owned(),
            false => format!("{}\n", done.join(", ")),
        };
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
    let start = Start::new(args.walk.from.as_deref(), models.collections().into_keys())?;
    out.text(format!("Verifying {}\n\n", connection.place()));
    walk(connection, models, args, start, None, out).await
}

/// Runs `repair`.
pub(crate) async fn repair(
    connection: &Connection,
    models: &Models,
    args: &cli::Repair,
    out: Output,
) -> Result<Verdict> {
    let start = args.verify.walk.from.as_deref();
    let start = Start::new(start, models.collections().into_keys())?;
    let names: Vec<&str> = models.selected().iter().map(|model| model.name).collect();
    let cascades = |model: &&'static ModelMeta| {
        let mut all = references(model).into_iter();
        all.any(|reference| reference.row.on_delete == OnDelete::Cascade)
    };
    let deletes = match models.selected().iter().any(cascades) {
        true => ", and delete documents whose reference leads nowhere and says `cascade`",
        false => "",
    };
    let question = format!(
        "Correct copies, references and lists of {} in {}{deletes}?",
        names.join(", "),
        connection.place()
    );
    out.confirm(&args.confirm, &question)?;
    out.text(format!("Repairing {}\n\n", connection.place()));
    let repair = Repair {
        written: Written::default(),
        left: Totals::new(args.verify.examples),
    };
    walk(connection, models, &args.verify, start, Some(repair), out).await
}

async fn walk(
    connection: &Connection,
    models: &Models,
    args: &cli::Verify,
    mut start: Start,
    repair: Option<Repair>,
    out: Output,
) -> Result<Verdict> {
    let listed = connection.some_collections().await?;
    let mut work = Work {
        connection,
        args,
        out,
        totals: Totals::new(args.examples),
        repair,
    };
    let mut findings = Findings::default();
    let mut stopped = None;
    for (collection, stored) in models.collections() {
        let Some(mut place) = start.enter(collection) else {
            continue;
        };
        if !listed.iter().any(|one| name_of(one) == collection) {
            continue;
        }
        let done = work.collection(&stored, &mut place).await;
        if stored
            .iter()
            .any(|model| has_references(model) || has_derived(model))
        {
            let names = stored.iter().map(|model| model.name).collect();
            let mut group = Group::new(collection, names);
            group.documents = Some(connection.estimated_count(collection).await?);
            group.stopped = done.is_err();
            findings.collections.push(group);
        }
        if let Err(failure) = done {
            stopped = Some(failure.resumed_by(&place.resume(work.command())));
            break;
        }
    }
    work.finish(findings, models, stopped)
}

/// The state of a walk that corrects its findings.
#[derive(Debug)]
struct Repair {
    written: Written,
    /// The findings that remain after the corrections.
    left: Totals,
}

/// A walk over collections.
struct Work<'a> {
    connection: &'a Connection,
    args: &'a cli::Verify,
    out: Output,
    totals: Totals,
    repair: Option<Repair>,
}

impl Work<'_> {
    fn command(&self) -> &'static str {
        match &self.repair {
            Some(_) => "repair",
            None => "verify",
        }
    }

    /// Walks over one collection; `place` follows.
    async fn collection(&mut self, models: &[&'static ModelMeta], place: &mut Place) -> Result<()> {
        if models.iter().any(|model| has_references(model)) {
            let total = remaining(self.connection, place).await?;
            let bar = self.out.bar(&place.collection, total);
            let (after, batch) = (place.id.clone(), self.args.walk.batch);
            let mut steps = Steps::new(self.connection, &place.collection, batch, after).await?;
            while let Some(step) = steps.next(self.connection).await? {
                let part = Part::References(step.filter());
                self.part(models, part, place).await?;
                bar.inc(step.documents);
                if let Some(last) = step.last {
                    place.id = Some(last);
                }
                self.stop_if_requested(place)?;
            }
            bar.finish_and_clear();
        }
        let spinner = self.out.spinner(&place.collection);
        spinner.set_message("lists, numbers and flags");
        self.part(models, Part::Derived, place).await?;
        spinner.finish_and_clear();
        self.stop_if_requested(place)
    }

    fn stop_if_requested(&self, place: &Place) -> Result<()> {
        match is_requested() {
            true => Err(Failure::Interrupted {
                resume: place.resume(self.command()),
            }),
            false => Ok(()),
        }
    }

    /// Runs a step. Ctrl-C drops a step that only reads; a step that writes is finished.
    async fn part(
        &mut self,
        models: &[&'static ModelMeta],
        part: Part,
        place: &Place,
    ) -> Result<()> {
        let db = &self.connection.db;
        let collection = models.first().map_or("", |model| model.collection);
        let verify = |part| {
            mongo_model::verify(db)
                .models(models)
                .samples(SAMPLES)
                .part(part)
                .into_future()
        };
        let Some(repair) = &mut self.repair else {
            let found = or_stop(verify(part), &place.resume("verify")).await??;
            self.totals.add(collection, &found);
            return Ok(());
        };
        let repaired = mongo_model::repair(db)
            .models(models)
            .samples(SAMPLES)
            .part(part.clone())
            .await?;
        repair.written.add(&repaired);
        self.totals.add(collection, &repaired.found);
        if !repaired.found.is_clean() {
            repair.left.add(collection, &verify(part).await?);
        }
        Ok(())
    }

    fn finish(
        self,
        mut findings: Findings,
        models: &Models,
        stopped: Option<Failure>,
    ) -> Result<Verdict> {
        let (references, copies) = self.totals.compared();
        let (command, unsettled) = (self.command(), self.totals.unsettled);
        for (collection, finding) in self.totals.into_findings(models) {
            findings.add(models, collection, finding);
        }
        let mut left = Findings::default();
        let mut written = None;
        if let Some(repair) = self.repair {
            for (collection, finding) in repair.left.into_findings(models) {
                left.add(models, collection, finding);
            }
            written = Some(repair.written);
        }
        let complete = stopped.is_none();
        let clean = match &written {
            Some(written) => left.count(Level::Problem) == 0 && written.refused.is_empty(),
            None => findings.count(Level::Problem) == 0,
        };
        let text = match &written {
            Some(written) => repaired_text(&findings, &left, written, complete),
            None => findings.text(complete),
        };
        let compared = format!(
            "{} and {} compared\n",
            count(references, "reference"),
            count(copies, "copy")
        );
        let document = Report {
            format: FORMAT,
            command,
            database: self.connection.db.name(),
            ok: clean && complete,
            error: stopped.as_ref().map(Failure::json),
            references,
            copies,
            left: written.as_ref().map(|_| left.collections.as_slice()),
            written: written.as_ref(),
            findings: &findings,
        };
        self.out.both(format!("{text}{compared}"), &document);
        if unsettled > 0 {
            self.out.remark(format!(
                "{} changed during every look; run it again",
                count(unsettled, "document")
            ));
        }
        match stopped {
            Some(failure) => Err(Failure::Midway(Box::new(failure))),
            None => Ok(Verdict::of(clean)),
        }
    }
}

/// The summary of a repair: the findings, the corrections, and the findings that are left.
fn repaired_text(found: &Findings, left: &Findings, written: &Written, complete: bool) -> String {
    let so_far = if complete { "" } else { " so far" };
    let problems = found.count(Level::Problem) as u64;
    let mut text = format!(
        "{}\n{} found{so_far}; {}",
        found.groups_text(),
        count(problems, "problem"),
        written.text()
    );
    match left.count(Level::Problem) as u64 {
        0 if written.refused.is_empty() => {
            text.push_str(&format!("{}\n", paint(GOOD, "nothing is left to repair")));
        }
        0 => {}
        some => {
            let is = if some == 1 { "is" } else { "are" };
            let head = format!("{} {is} left:", count(some, "problem"));
            text.push_str(&format!("\n{}\n{}", paint(BAD, head), left.groups_text()));
            left.write_fixes(&mut text);
        }
    }
    text
}
