//! The answers of the matrix, proven: the linked model reads documents of the old one, and a program made of the old facts reads those that
//! the linked one stores.

use std::collections::{BTreeMap, BTreeSet};

use bson::Document;
use mongo_model::model::ModelMeta;
use serde::Serialize;

use super::compare::find_lost_path;
use super::fields::has_alias;
use super::generate::{KEY, Random, make_document, replace_value};
use super::kinds::{self as kind, Kind, Reads, Save};
use super::linked::{PANICS, read_linked};
use super::matrix::{LOSING, ModelFacts, Row, above, before, is_below, last, spread_common_fields};
use super::read::{Read, Refusal, read, shape_of};
use super::table::Table;
use crate::commands::check::SCHEMA_VERSION;
use crate::commands::lock::facts::Facts;
use crate::commands::lock::name_of;

/// Documents that are read for each question.
const DOCUMENTS: usize = 128;

/// The result of the runs.
#[derive(Debug, Default, Serialize)]
pub(super) struct Executed {
    pub(super) documents: usize,
    pub(super) contradictions: Vec<Contradiction>,
    pub(super) not_executed: Vec<Unproven>,
}

/// An answer that a run contradicts.
#[derive(Debug, Serialize)]
pub(super) struct Contradiction {
    pub(super) model: String,
    pub(super) fact: String,
    /// `new reads old: yes`
    pub(super) claim: String,
    /// The documents that show something else.
    pub(super) found: String,
    /// The types of one of these documents.
    pub(super) shape: String,
}

/// Changes that no document could be made for.
#[derive(Debug, Serialize)]
pub(super) struct Unproven {
    pub(super) model: String,
    pub(super) fact: String,
    pub(super) why: String,
}

/// A model that has changed.
struct Pair<'p> {
    name: &'p str,
    old: &'p ModelFacts,
    new: &'p ModelFacts,
    rows: Vec<&'p Row>,
    /// The program that the new model is linked into: reads a document, and saves it.
    program: &'p dyn Fn(&Document) -> Read,
}

/// Kinds whose documents are read, and mean something else.
const BY_MEANING: [&Kind; 8] = [
    kind::reference_retargeted,
    kind::reference_key_changed,
    kind::period_changed,
    kind::form_changed,
    kind::copy_added,
    kind::copy_repointed,
    kind::derived_added,
    kind::derived_changed,
];

/// The answer of a change.
type Claim = fn(&Row) -> Reads;

/// Documents, and what a program made of each.
struct Run {
    documents: Vec<Document>,
    read: Vec<Read>,
}

impl Run {
    /// Reads these documents. Those that are refused where the facts do not say enough prove nothing.
    fn of(
        documents: impl IntoIterator<Item = Document>,
        program: &dyn Fn(&Document) -> Read,
        vague: &BTreeSet<String>,
    ) -> Self {
        let runs = documents.into_iter().map(|document| {
            let read = program(&document);
            (document, read)
        });
        let is_proof = |(_, read): &(Document, Read)| match read {
            Err(refusal) => !vague.contains(&plain_path(&refusal.path)),
            Ok(_) => true,
        };
        let (documents, read) = runs.filter(is_proof).unzip();
        Run { documents, read }
    }

    /// Makes documents of a model, and reads them.
    fn generated(
        table: &Table,
        random: &mut Random,
        program: &dyn Fn(&Document) -> Read,
        vague: &BTreeSet<String>,
    ) -> Self {
        let is_vague = |path: &str| vague.contains(&plain_path(path));
        let documents: Vec<Document> = (0..DOCUMENTS)
            .map(|_| make_fitting_document(table, random, program, is_vague))
            .collect();
        Run::of(documents, program, vague)
    }

    fn answer(&self) -> Reads {
        match self.read.iter().filter(|read| read.is_ok()).count() {
            0 => Reads::No,
            n if n == self.read.len() => Reads::Yes,
            _ => Reads::Some,
        }
    }

    fn refusals(&self) -> impl Iterator<Item = (&Document, &Refusal)> {
        let all = self.documents.iter().zip(&self.read);
        all.filter_map(|(document, read)| Some((document, read.as_ref().err()?)))
    }

    /// The documents that show another answer than this one, if any does.
    fn against(&self, claim: Reads, is_by_meaning: bool) -> Option<(String, String)> {
        let all = self.read.len();
        if all == 0 {
            return None;
        }
        match (claim, self.answer()) {
            (Reads::Yes, Reads::Some | Reads::No) => {
                let (document, refusal) = self.refusals().next()?;
                let number = self.refusals().count();
                let Refusal { path, why } = refusal;
                let found = format!("{number} of {all} documents are not: `{path}`: {why}");
                Some((found, shape_of(document)))
            }
            (Reads::No, Reads::Yes) if !is_by_meaning => {
                let found = format!("all {all} documents are");
                Some((found, shape_of(self.documents.first()?)))
            }
            _ => None,
        }
    }
}

impl Executed {
    /// Runs the programs for all models that have changed.
    pub(super) fn of(
        old: &Facts,
        new: &Facts,
        rows: &[Row],
        models: &[&'static ModelMeta],
    ) -> Self {
        let mut out = Executed::default();
        for model in models {
            let name = name_of(model);
            let rows: Vec<&Row> = rows.iter().filter(|row| row.model == name).collect();
            let facts = before(&name, old, new).zip(new.get(&name));
            if let Some((old, new)) = facts.filter(|_| !rows.is_empty()) {
                let pair = Pair {
                    name: &name,
                    old: &spread_common_fields(old, new),
                    new: &spread_common_fields(new, old),
                    rows,
                    program: &|document| read_linked(model, document),
                };
                prove(&pair, &mut out);
            }
        }
        out
    }

    fn skip(&mut self, model: &str, fact: &str, why: String) {
        self.not_executed.push(Unproven {
            model: model.to_owned(),
            fact: fact.to_owned(),
            why,
        });
    }
}

/// Values that are tried in the place of one that is refused.
const TRIES: usize = 24;

/// A document of the model. Values that the program refuses at these paths are made anew.
fn make_fitting_document(
    table: &Table,
    random: &mut Random,
    program: &dyn Fn(&Document) -> Read,
    mut is_vague: impl FnMut(&str) -> bool,
) -> Document {
    let mut document = make_document(table, random);
    for _ in 0..TRIES {
        let Err(Refusal { path, .. }) = program(&document) else {
            break;
        };
        if !is_vague(&path) || !replace_value(table, &mut document, &path, random) {
            break;
        }
    }
    document
}

/// Runs the programs for one model.
fn prove(pair: &Pair<'_>, out: &mut Executed) {
    let mut random = Random::of(pair.name);
    let table = Table::of(pair.new);
    let mut vague = BTreeSet::new();
    let mut written = Vec::new();
    for _ in 0..DOCUMENTS {
        let document = make_fitting_document(&table, &mut random, pair.program, |path| {
            vague.insert(plain_path(path));
            true
        });
        written.extend((pair.program)(&document).ok().flatten());
    }
    out.documents += DOCUMENTS;
    if written.is_empty() {
        let paths: Vec<String> = vague.iter().map(|path| format!("`{path}`")).collect();
        let why = format!("the facts do not say enough of {}", paths.join(", "));
        return out.skip(pair.name, "", why);
    }
    let mut groups: BTreeMap<&str, Vec<&Row>> = BTreeMap::new();
    for row in &pair.rows {
        let is_of_field = !row.fact.is_empty() && !row.fact.starts_with('$');
        // The fields inside of a value of another type have changed with it.
        let is_part = pair
            .rows
            .iter()
            .any(|other| other.kind == kind::type_changed && is_below(&row.fact, &other.fact));
        if is_of_field && !is_part {
            groups.entry(&row.fact).or_default().push(row);
        }
    }
    for (fact, rows) in groups {
        prove_fact(pair, (fact, &rows), (&written, &vague), &mut random, out);
    }
    prove_whole(pair, (&written, &vague), &mut random, out);
}

/// Asks about one fact: all others are those of now.
fn prove_fact(
    pair: &Pair<'_>,
    (fact, rows): (&str, &[&Row]),
    (written, vague): (&[Document], &BTreeSet<String>),
    random: &mut Random,
    out: &mut Executed,
) {
    let table = Table::of(&combine_facts(pair, fact));
    if is_in_variants(pair, fact) {
        let why = "the facts do not say which variants have it".to_owned();
        return out.skip(pair.name, fact, why);
    }
    let is_by_meaning = rows.iter().any(|row| BY_MEANING.contains(&row.kind));
    let worst = |reads: Claim| {
        let all: Vec<Reads> = rows.iter().map(|row| reads(row)).collect();
        let order = [Reads::No, Reads::Some];
        let found = order.into_iter().find(|one| all.contains(one));
        found.unwrap_or(Reads::Yes)
    };
    let add = |claim: String, against: Option<(String, String)>, out: &mut Executed| {
        out.contradictions
            .extend(against.map(|(found, shape)| Contradiction {
                model: pair.name.to_owned(),
                fact: fact.to_owned(),
                claim,
                found,
                shape,
            }));
    };
    // An older version of the schema is read by way of `migrate`, which needs the whole document.
    if !rows.iter().any(|row| row.is_migrated) {
        let run = Run::generated(&table, random, pair.program, vague);
        out.documents += DOCUMENTS;
        let claim = worst(Row::new_reads_old);
        if run.read.is_empty() {
            let why = "the facts do not say enough to make its documents".to_owned();
            return out.skip(pair.name, fact, why);
        }
        let against = run.against(claim, is_by_meaning);
        add(format!("new reads old: {}", claim.text()), against, out);
    }
    let claim = worst(|row| row.kind.old_reads_new);
    let run = Run::of(
        written.iter().cloned(),
        &|document| read(&table, document),
        vague,
    );
    out.documents += written.len();
    let against = run.against(claim, is_by_meaning);
    add(format!("old reads new: {}", claim.text()), against, out);
    let loses = rows.iter().any(|row| row.old_save() == Save::Loses);
    let claim = if loses { Save::Loses } else { Save::Keeps };
    let must_lose = !is_by_meaning && rows.iter().any(|row| LOSING.contains(&row.kind));
    let against = against_save(&Table::of(pair.new), &run, claim, must_lose);
    add(format!("old save: {}", claim.text()), against, out);
}

/// The documents of which a `save` by an old program makes something else than this.
fn against_save(
    table: &Table,
    run: &Run,
    claim: Save,
    must_lose: bool,
) -> Option<(String, String)> {
    let all = run.documents.iter().zip(&run.read);
    let saved = all.filter_map(|(document, read)| Some((document, read.as_ref().ok()?.as_ref()?)));
    let mut lost = saved
        .clone()
        .filter_map(|(document, saved)| Some((document, find_lost_path(table, document, saved)?)));
    match (claim, lost.next()) {
        (Save::Keeps, Some((document, path))) => {
            Some((format!("`{path}` is gone"), shape_of(document)))
        }
        (Save::Loses, None) if must_lose => {
            let (document, _) = saved.clone().next()?;
            Some(("nothing is gone".to_owned(), shape_of(document)))
        }
        _ => None,
    }
}

/// Asks about all changes together: a document that is refused is so where a change says it.
fn prove_whole(
    pair: &Pair<'_>,
    (written, vague): (&[Document], &BTreeSet<String>),
    random: &mut Random,
    out: &mut Executed,
) {
    let table = Table::of(pair.old);
    let new_reads_old = Run::generated(&table, random, pair.program, vague);
    let old_reads_new = Run::of(
        written.iter().cloned(),
        &|document| read(&table, document),
        vague,
    );
    out.documents += DOCUMENTS + written.len();
    let answers: [(&str, &Run, Claim); 2] = [
        ("new reads old", &new_reads_old, Row::new_reads_old),
        ("old reads new", &old_reads_new, |row| {
            row.kind.old_reads_new
        }),
    ];
    for (question, run, claim) in answers {
        for (document, Refusal { path, why }) in run.refusals() {
            let is_said = pair.rows.iter().any(|row| {
                claim(row) != Reads::Yes && paths_of(pair, row).any(|fact| is_related(&fact, path))
            });
            let is_known = out
                .contradictions
                .iter()
                .any(|one| one.model == pair.name && is_related(&plain_path(&one.fact), path));
            if is_said || is_known {
                continue;
            }
            // The function got values that no user has written.
            let is_by_function = path == SCHEMA_VERSION || why == PANICS;
            if is_by_function && question == "new reads old" {
                let why = format!("`migrate` refuses a generated document: {why}");
                return out.skip(pair.name, "$schema", why);
            }
            out.contradictions.push(Contradiction {
                model: pair.name.to_owned(),
                fact: plain_path(path),
                claim: format!("{question}: yes"),
                found: format!("`{path}`: {why}"),
                shape: shape_of(document),
            });
        }
    }
}

/// The facts of now, but for this one and what lies inside of it, which are those of then.
fn combine_facts(pair: &Pair<'_>, fact: &str) -> ModelFacts {
    let old_name = old_name(pair, fact);
    let is_touched = |name: &str| {
        [Some(fact), old_name].into_iter().flatten().any(|root| {
            name == root
                || is_below(name, root)
                || name.starts_with(&format!("{root} ("))
                || name.starts_with(&format!("({root}="))
        })
    };
    let now = pair.new.iter().filter(|(name, _)| !is_touched(name));
    let then = pair.old.iter().filter(|(name, _)| is_touched(name));
    now.chain(then)
        .map(|(name, fact)| (name.clone(), fact.clone()))
        .collect()
}

/// True for a field of an embedded enum.
fn is_in_variants(pair: &Pair<'_>, fact: &str) -> bool {
    let Some(at) = fact.rfind('.') else {
        return false;
    };
    let beside = |facts: &ModelFacts| {
        let mut all = facts.iter();
        all.any(|(name, said)| {
            let is_beside = name.rfind('.').is_some_and(|end| name[..end] == fact[..at]);
            is_beside && said.0.first().is_some_and(|kind| kind == "tag")
        })
    };
    beside(pair.old) || beside(pair.new)
}

/// The name that the field had.
fn old_name<'p>(pair: &Pair<'p>, fact: &str) -> Option<&'p str> {
    let new = pair.new.get(fact)?;
    if pair.old.contains_key(fact) {
        return None;
    }
    let gone = pair
        .old
        .iter()
        .filter(|(name, _)| !pair.new.contains_key(*name));
    let mut before = gone.filter(|(name, old)| {
        above(name) == above(fact) && (has_alias(new, last(name)) || has_alias(old, last(fact)))
    });
    before.next().map(|(name, _)| name.as_str())
}

/// The paths at which a change can be noticed; the empty one for that of a model.
fn paths_of<'r>(pair: &'r Pair<'_>, row: &'r Row) -> impl Iterator<Item = String> + 'r {
    let fact = match row.fact.starts_with('$') {
        true => "",
        false => row.fact.as_str(),
    };
    let old_name = old_name(pair, fact);
    [Some(fact), old_name].into_iter().flatten().map(plain_path)
}

/// True if one of the paths leads to or through the other.
fn is_related(fact: &str, path: &str) -> bool {
    let path = plain_path(path);
    let leads = |from: &str, to: &str| {
        let rest = to.strip_prefix(from);
        rest.is_some_and(|rest| from.is_empty() || rest.is_empty() || rest.starts_with('.'))
    };
    leads(fact, &path) || leads(&path, fact)
}

/// The path without variants, places in arrays, and keys of maps.
fn plain_path(path: &str) -> String {
    let path = match path
        .strip_prefix('(')
        .and_then(|rest| rest.split_once(")."))
    {
        Some((_, path)) => path,
        None => path,
    };
    let path = path.split_once(" (").map_or(path, |(path, _)| path);
    let path = path.replace("[]", "").replace("{}", "");
    let is_name = |step: &&str| {
        let number = step.strip_prefix(KEY).unwrap_or(step);
        number.is_empty() || !number.bytes().all(|byte| byte.is_ascii_digit())
    };
    let steps: Vec<&str> = path.split('.').filter(is_name).collect();
    steps.join(".")
}

#[cfg(test)]
mod tests;
