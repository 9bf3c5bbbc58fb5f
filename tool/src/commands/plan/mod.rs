//! `plan` and `apply`: indexes and validators, as the models declare them.

mod applied;
mod build;

use mongo_model::Error;
use mongo_model::index::{CollectionPlan, IndexPlan, IndexReport, VectorChange};
use mongo_model::validator::{ValidatorChange, ValidatorPlan, ValidatorReport};
use serde::Serialize;

use self::applied::{applied, applied_text};
use self::build::watch;
use super::Verdict;
use super::check::Documents;
use super::shard_keys::{find_differing, shard};
use crate::cli::{Apply, Validators};
use crate::connection::Connection;
use crate::failure::{Failure, Result};
use crate::findings::shown;
use crate::interrupt::or_stop;
use crate::models::Models;
use crate::output::{FORMAT, Output};

/// The JSON document of `plan`.
#[derive(Serialize)]
struct PlanReport<'a> {
    format: u32,
    command: &'static str,
    database: &'a str,
    ok: bool,
    collections: Vec<Planned>,
}

/// The planned changes of one collection.
#[derive(Debug, Serialize)]
struct Planned {
    collection: String,
    create: Vec<String>,
    change: Vec<String>,
    conflicts: Vec<String>,
    unknown: Vec<String>,
    /// The indexes that this server cannot build.
    missing: Vec<String>,
    /// The unknown indexes that are hidden.
    hidden: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    copies_differ: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    validator: Option<&'static str>,
    /// The reason why the collection is not distributed as its model says.
    #[serde(skip_serializing_if = "Option::is_none")]
    shard_key: Option<String>,
    /// The stored documents that break the new validator.
    #[serde(skip_serializing_if = "Option::is_none")]
    broken: Option<Broken>,
}

/// Documents that break a validator.
#[derive(Debug, Serialize)]
struct Broken {
    documents: u64,
    examples: Vec<String>,
    /// The rules that these examples break.
    reasons: Vec<String>,
}

/// Shows what `apply` with the same options would do.
pub(crate) async fn plan(
    connection: &Connection,
    models: &Models,
    args: &Apply,
    out: Output,
) -> Result<Verdict> {
    let (indexes, validators) = compare(connection, models, args, true).await?;
    let mut planned = planned(&indexes, &validators);
    add_shard_keys(connection, models, &mut planned).await?;
    give_reasons(connection, models, (&mut planned, &validators)).await?;
    let mut text = format!("Plan for {}\n\n", connection.place());
    text.push_str(&plan_text(&planned, args));
    // Unknown indexes stay unless an option drops or hides them.
    let to_do = |one: &Planned| to_do(one, args);
    let ok = !planned.iter().any(to_do);
    let document = PlanReport {
        format: FORMAT,
        command: "plan",
        database: connection.db.name(),
        ok,
        collections: planned,
    };
    out.both(text, &document);
    Ok(Verdict::of(ok))
}

fn to_do(one: &Planned, args: &Apply) -> bool {
    let retire = one
        .unknown
        .iter()
        .any(|index| retirement(one, index, args) != "unknown");
    let waits = !one.conflicts.is_empty() || one.copies_differ.is_some() || one.validator.is_some();
    let waits = waits || one.shard_key.is_some();
    retire || waits || !one.create.is_empty() || !one.change.is_empty()
}

/// The action of `apply` on an index that no model declares; `unknown` if it stays.
fn retirement(plan: &Planned, index: &String, args: &Apply) -> &'static str {
    match (args.drop_unknown, args.hide_first) {
        (true, false) => "drop",
        (true, true) if plan.hidden.contains(index) => "drop",
        (_, true) if !plan.hidden.contains(index) => "hide",
        _ => "unknown",
    }
}

/// The documents that break a new validator are counted if `counts`.
async fn compare(
    connection: &Connection,
    models: &Models,
    args: &Apply,
    counts: bool,
) -> Result<(IndexPlan, ValidatorPlan)> {
    let chosen = models.with_neighbours();
    let indexes = mongo_model::plan_indexes(&connection.db)
        .models(&chosen)
        .await?;
    let validators = mongo_model::plan_validators(&connection.db).models(&chosen);
    let validators = match args.validators {
        Some(Validators::Error) => validators.error(),
        Some(Validators::Warn) => validators.warn(),
        _ => validators,
    };
    let validators = match counts && args.validators.is_some() {
        true => validators,
        false => validators.without_documents(),
    };
    let mut validators = validators.await?;
    if args.validators.is_none() {
        validators.changes.clear();
    }
    Ok((indexes, validators))
}

fn planned(indexes: &IndexPlan, validators: &ValidatorPlan) -> Vec<Planned> {
    let change = |collection: &str| {
        let mut changes = validators.changes.iter();
        changes.find(|change| change.collection == collection)
    };
    let broken = |change: &ValidatorChange| {
        (change.broken > 0).then(|| Broken {
            documents: change.broken,
            examples: change.examples.iter().map(shown).collect(),
            reasons: Vec::new(),
        })
    };
    let vectors = |plan: &CollectionPlan, of: fn(&VectorChange) -> bool| -> Vec<String> {
        let chosen = plan.vectors.iter().filter(|change| of(change));
        chosen.map(ToString::to_string).collect()
    };
    let all = indexes.collections.iter().map(|plan| Planned {
        collection: plan.collection.clone(),
        create: plan
            .create
            .iter()
            .map(|index| named(index.name.as_deref(), &index.to_string()))
            .chain(vectors(plan, |one| matches!(one, VectorChange::Create(_))))
            .collect(),
        change: plan.change.iter().map(ToString::to_string).collect(),
        conflicts: plan
            .conflicts
            .iter()
            .map(ToString::to_string)
            .chain(vectors(plan, |one| {
                matches!(one, VectorChange::Replace { .. })
            }))
            .collect(),
        missing: vectors(plan, |one| matches!(one, VectorChange::Unavailable(_))),
        unknown: plan.unknown.iter().map(ToString::to_string).collect(),
        hidden: plan
            .unknown
            .iter()
            .filter(|index| index.spec.get_bool("hidden").unwrap_or(false))
            .map(ToString::to_string)
            .collect(),
        copies_differ: plan.copies_differ.as_ref().map(ToString::to_string),
        validator: change(&plan.collection).map(kind_of),
        shard_key: None,
        broken: change(&plan.collection).and_then(broken),
    });
    all.collect()
}

/// Adds what a sharded cluster does not distribute as the models say.
async fn add_shard_keys(
    connection: &Connection,
    models: &Models,
    planned: &mut [Planned],
) -> Result<()> {
    for differing in find_differing(connection, models).await? {
        let mut all = planned.iter_mut();
        if let Some(one) = all.find(|one| one.collection == differing.collection) {
            one.shard_key = Some(differing.to_string());
        }
    }
    Ok(())
}

/// Adds the rules that examples of broken documents break.
async fn give_reasons(
    connection: &Connection,
    models: &Models,
    (planned, validators): (&mut [Planned], &ValidatorPlan),
) -> Result<()> {
    let all = models.with_neighbours();
    for one in planned {
        let mut changes = validators.changes.iter();
        let change = changes.find(|change| change.collection == one.collection);
        if let (Some(broken), Some(change)) = (&mut one.broken, change) {
            let of_collection = all
                .iter()
                .filter(|model| model.collection == one.collection);
            let of_collection: Vec<_> = of_collection.copied().collect();
            let documents = Documents::new(&of_collection, change.examples.len());
            let reasons = documents.reasons(connection, &one.collection, &change.examples);
            broken.reasons = reasons.await?;
        }
    }
    Ok(())
}

fn named(name: Option<&str>, index: &str) -> String {
    match name {
        Some(name) => format!("`{name}` {index}"),
        None => index.to_owned(),
    }
}

fn kind_of(change: &ValidatorChange) -> &'static str {
    match &change.live {
        _ if change.is_foreign() => "foreign",
        None => "add",
        Some(_) => "change",
    }
}

fn plan_text(planned: &[Planned], args: &Apply) -> String {
    let mut out = String::new();
    for one in planned {
        let conflicts = if args.replace_conflicts {
            "replace"
        } else {
            "conflict"
        };
        let copies = if args.accept_copies {
            "rebuild"
        } else {
            "conflict"
        };
        let lists = [
            ("create", &one.create),
            ("change", &one.change),
            (conflicts, &one.conflicts),
            ("missing", &one.missing),
        ];
        let mut lines: Vec<String> = Vec::new();
        for (verb, items) in lists {
            lines.extend(items.iter().map(|item| format!("  {verb:<9} {item}")));
        }
        let unknown = one.unknown.iter();
        lines.extend(unknown.map(|index| format!("  {:<9} {index}", retirement(one, index, args))));
        lines.extend(
            one.copies_differ
                .iter()
                .map(|differ| format!("  {copies:<9} {differ}")),
        );
        match one.validator {
            Some("foreign") if !args.replace_validators => {
                lines.push("  conflict  the validator was not written by mongo-model".to_owned())
            }
            Some("add") => lines.push("  add       validator".to_owned()),
            Some(_) => lines.push("  replace   validator".to_owned()),
            None => {}
        }
        let verb = if args.shard { "shard" } else { "unsharded" };
        let shard_key = one.shard_key.iter();
        lines.extend(shard_key.map(|reason| format!("  {verb:<9} {reason}")));
        if let Some(broken) = &one.broken {
            let (documents, examples) = (broken.documents, broken.examples.join(", "));
            lines.push(format!(
                "  broken    documents that break the new validator: {documents}, for example {examples}"
            ));
            lines.extend(
                broken
                    .reasons
                    .iter()
                    .map(|reason| format!("            {reason}")),
            );
        }
        if !lines.is_empty() {
            out.push_str(&format!("{}\n{}\n", one.collection, lines.join("\n")));
        }
    }
    if out.is_empty() {
        out.push_str("all is as declared\n");
    }
    let conflicts = planned.iter().any(|one| !one.conflicts.is_empty());
    if conflicts && !args.replace_conflicts {
        out.push_str("\n  help: `--replace-conflicts` drops and rebuilds indexes that stand against declared ones\n");
    }
    out
}

/// Builds and changes indexes and validators as the models declare.
pub(crate) async fn apply(
    connection: &Connection,
    models: &Models,
    args: &Apply,
    out: Output,
) -> Result<Verdict> {
    let (indexes, validators) = compare(connection, models, args, false).await?;
    let mut planned = planned(&indexes, &validators);
    add_shard_keys(connection, models, &mut planned).await?;
    out.text(format!(
        "Plan for {}\n\n{}\n",
        connection.place(),
        plan_text(&planned, args)
    ));
    let anything = planned.iter().any(|one| to_do(one, args));
    if anything {
        out.confirm(
            &args.confirm,
            &format!("Apply this to `{}`?", connection.db.name()),
        )?;
    }
    let foreign: Vec<&str> = validators
        .changes
        .iter()
        .filter(|change| change.is_foreign())
        .map(|change| change.collection.as_str())
        .collect();
    if !foreign.is_empty() && !args.replace_validators {
        let message = format!(
            "nothing was written: mongo-model did not write the validator of {}",
            foreign.join(", ")
        );
        return Err(Failure::new(message)
            .help("`--replace-validators` replaces it, leaving out `--validators` keeps it"));
    }
    let (report, failures) = match anything {
        true => sync(connection, models, args, out).await?,
        false => (IndexReport::default(), Vec::new()),
    };
    let validators = match args.validators {
        Some(action) if anything => sync_validators(connection, models, args, action).await?,
        _ => ValidatorReport::default(),
    };
    let mut document = applied(connection, &report, &validators, failures);
    if args.shard && anything {
        document.sharded = shard(connection, models).await?;
    }
    out.both(applied_text(&document), &document);
    Ok(Verdict::of(document.ok))
}

/// Builds and changes indexes, with a bar for builds.
async fn sync(
    connection: &Connection,
    models: &Models,
    args: &Apply,
    out: Output,
) -> Result<(IndexReport, Vec<String>)> {
    let mut sync = mongo_model::sync_indexes(&connection.db).models(&models.with_neighbours());
    if args.replace_conflicts {
        sync = sync.replace_conflicts();
    }
    if args.drop_unknown {
        sync = sync.drop_unknown();
    }
    if args.hide_first {
        sync = sync.hide_unknown();
    }
    if args.accept_copies {
        sync = sync.accept_copies();
    }
    let bar = out.spinner("building indexes");
    let resume = "a build that began goes on in the server; run `apply` again for the rest";
    let work = or_stop(sync.into_future(), resume);
    let watch = watch(connection, &bar, out);
    let done = tokio::select! {
        done = work => done?,
        never = watch => match never {},
    };
    bar.finish_and_clear();
    match done {
        Ok(report) => Ok((report, Vec::new())),
        Err(Error::Indexes(errors)) => {
            let failures = errors.errors().iter().map(ToString::to_string).collect();
            Ok((errors.report().clone(), failures))
        }
        Err(error) => Err(error.into()),
    }
}

async fn sync_validators(
    connection: &Connection,
    models: &Models,
    args: &Apply,
    action: Validators,
) -> Result<ValidatorReport> {
    let sync = mongo_model::sync_validators(&connection.db).models(&models.with_neighbours());
    let sync = match action {
        Validators::Keep => sync,
        Validators::Warn => sync.warn(),
        Validators::Error => sync.error(),
    };
    let sync = if args.replace_validators {
        sync.replace()
    } else {
        sync
    };
    Ok(sync.await?)
}
